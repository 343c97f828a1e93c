package matching

import (
	"strconv"
	"strings"
)

// DetailFields are the names of the members of Details, as in records, in their order.
var DetailFields = [...]string{
	"country", "location", "time_zone", "languages", "currency", "available_from", "hours_per_week", "verified",
}

// Texts returns the details as text, in the order of DetailFields. Unknown values are empty. Languages are as in
// "de:C1;en:native;pt-BR:?", in which the question mark stands for an unknown level.
func (d *Details) Texts() (texts [len(DetailFields)]string) {
	languages := make([]string, len(d.Languages))
	for i, l := range d.Languages {
		languages[i] = l.String()
	}
	hours, verified := "", ""
	if d.HoursPerWeek.Known {
		hours = strconv.FormatFloat(d.HoursPerWeek.Value, 'f', -1, 64)
	}
	if d.Verified.Known {
		verified = strconv.FormatBool(d.Verified.Value)
	}
	return [...]string{
		d.Country, d.Location, d.TimeZone, strings.Join(languages, ";"), d.Currency, d.AvailableFrom, hours, verified,
	}
}

// Known reports which details are known, in the order of DetailFields.
func (d *Details) Known() [len(DetailFields)]bool {
	return [...]bool{
		d.Country != "", d.Location != "", d.TimeZone != "", len(d.Languages) > 0, d.Currency != "",
		d.AvailableFrom != "", d.HoursPerWeek.Known, d.Verified.Known,
	}
}

// String returns the language with its level, such as de:C1, or de:? if the level is unknown.
func (l SpokenLanguage) String() string {
	if l.Level == "" {
		return l.Tag + ":?"
	}
	return l.Tag + ":" + string(l.Level)
}
