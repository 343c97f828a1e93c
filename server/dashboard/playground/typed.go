package playground

import (
	"cmp"
	"errors"
	"math"
	"strconv"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A briefReader reads a brief from a form. Amounts and times may be written as people write them, such as "10 EUR/h"
// and "two weeks". What was read replaces what was typed, so that pages show it.
type briefReader struct {
	page.FormReader
	dataCurrency string // "" if unknown
	// ranking is the published ranking of the account, whose weights forms without a profile start from.
	ranking *matching.Ranking
}

// set replaces the value of a field.
func (f *briefReader) set(field, text string) {
	setField(f.Visit, field, text)
}

// setField replaces the value of a submitted field.
func setField(v *page.Visit, field, text string) {
	v.Request.PostForm.Set(field, text)
	v.Request.Form.Set(field, text)
}

// addAPIFaults adds what the API would reject in a request that check reads, so that all faults of a form are shown at
// once. A field that has a fault already may be incomplete in the request.
func (f *briefReader) addAPIFaults(check func(apikey.Plan, *validate.Faults)) {
	plan, _ := apikey.PlanNamed(f.Account.Plan)
	var faults validate.Faults
	check(plan, &faults)
	rejected, _ := errors.AsType[*matching.Error](faults.Err())
	if rejected == nil {
		return
	}

	faulty := map[string]bool{}
	for _, fault := range f.Faults {
		faulty[fault.Field] = true
	}
	for _, fault := range rejected.Details {
		if fault.Field = page.FormField(fault.Field); !faulty[fault.Field] {
			f.Faults = append(f.Faults, fault)
		}
	}
}

// amount returns the amount in a field, or nil if it is empty. The currency that it names becomes the currency of the
// brief, whose amounts have only one.
func (f *briefReader) amount(field string) *value.Money {
	text := f.Value(field)
	if text == "" {
		return nil
	}
	chosen := f.Value("currency")
	money, remark := value.TypedMoney(text, cmp.Or(chosen, f.dataCurrency))
	if remark != "" {
		f.AddFault(field, "enter an amount such as 3,000, 3000-5000 or 50 EUR/h")
		return nil
	}

	ofBrief := cmp.Or(chosen, f.dataCurrency)
	switch {
	case money.Currency == "" || money.Currency == ofBrief:
	case chosen == "":
		f.set("currency", money.Currency)
	default:
		f.AddFault(field, "the amount is in "+money.Currency+", but the currency is "+chosen+"; choose one of them")
		return nil
	}

	return &money
}

// budget reads the budget, which may be a range in one field.
func (f *briefReader) budget(r *wire.MatchRequest) {
	from := f.amount("budget_low")
	to := f.amount("budget_high")
	var low, high matching.Optional[float64]
	if from != nil {
		low = matching.Some(from.Low.Or(from.High.Value))
		if from.Low.Known {
			high = from.High
		}
	}
	if to != nil {
		if to.Low.Known && !low.Known {
			low = to.Low
		}
		high = to.High
	}
	for _, m := range []*value.Money{from, to} {
		if m != nil && !f.setUnit(m.Unit, m == from) {
			return
		}
	}

	switch {
	case high.Known:
		// A highest amount alone is a range from 0. A lowest amount alone has no such meaning.
		r.BudgetRange, r.BudgetType = []float64{low.Value, high.Value}, f.Text("budget_type")
		if low.Known {
			f.set("budget_low", plainNumber(low.Value))
		}
		f.set("budget_high", plainNumber(high.Value))
	case low.Known && f.Value("budget_high") == "":
		f.AddFault("budget_high", "enter the highest amount too, or leave both empty")
	}
}

// setUnit gives the budget the unit of an amount. It reports whether a budget can have it.
func (f *briefReader) setUnit(unit value.Unit, isLow bool) bool {
	field := "budget_high"
	if isLow {
		field = "budget_low"
	}
	chosen := f.Value("budget_type")
	switch {
	case unit == value.NoUnit:
	case unit != value.PerHour:
		f.AddFault(field, "enter the amount per hour or for the whole project, not per "+unit.String())
		return false
	case chosen == "":
		f.set("budget_type", string(matching.BudgetHourly))
	case chosen != string(matching.BudgetHourly):
		f.AddFault(field, "the amount is per hour, but the budget is for the whole project; choose one of them")
		return false
	}
	return true
}

// maxRate returns the highest hourly rate in the filters.
func (f *briefReader) maxRate(field string) *float64 {
	money := f.amount(field)
	if money == nil {
		return nil
	}
	if money.Unit > value.PerHour {
		f.AddFault(field, "enter the amount per hour, not per "+money.Unit.String())
		return nil
	}
	f.set(field, plainNumber(money.High.Value))
	return &money.High.Value
}

// days returns the days until the end of the work, or nil if the field is empty.
func (f *briefReader) days(field string) *int {
	text := f.Value(field)
	if text == "" {
		return nil
	}
	duration, remark := value.TypedDuration(text)
	days, ok := duration.Days()
	if duration.Unit == value.NoUnit {
		days = duration.Count
		ok = days == math.Trunc(days)
	}
	if remark != "" || !ok {
		f.AddFault(field, "enter a time such as 10 days or two weeks")
		return nil
	}

	n := int(math.Ceil(days))
	f.set(field, strconv.Itoa(n))
	return &n
}

// The units of the size of the work. The value of hours is "", because forms without the field have hours.
const (
	inDays      = "days"
	unknownSize = "unknown"
)

// EffortUnits returns what the size of the work can be given in.
func (matchView) EffortUnits() []page.Option {
	return page.Options("", "hours", inDays, "days", unknownSize, "don’t know")
}

// hours returns the size of the work, or nil if the client doesn't know it.
func (f *briefReader) hours(field, unitField string) *float64 {
	unit := f.Value(unitField)
	if unit == unknownSize {
		f.set(field, "")
		return nil
	}
	text := f.Value(field)
	if text == "" {
		return nil
	}

	size, remark := value.TypedDuration(text)
	if size.Unit == value.NoUnit && unit == inDays {
		size.Unit = value.PerDay
	}
	if remark != "" {
		f.AddFault(field, "enter a size such as 40 hours or 5 days")
		return nil
	}

	hours := size.Count * size.Unit.Hours(value.DefaultHoursPerDay)
	f.set(field, plainNumber(hours))
	f.set(unitField, "")
	return &hours
}
