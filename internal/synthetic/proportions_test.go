package synthetic

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
)

// sampled is a record with its trade.
type sampled struct {
	matching.Freelancer
	trade  *trade
	rarity float64
}

func sample(tb testing.TB, n int, seed uint64) []sampled {
	tb.Helper()
	catalog, err := readCatalog(dataFiles)
	if err != nil {
		tb.Fatal(err)
	}
	c := newComposer(catalog)
	records := make([]sampled, n)
	for i := range records {
		c.begin(seed, streamFreelancers, i)
		records[i] = sampled{c.freelancer(i + 1), c.trade, c.rarity}
	}
	return records
}

func TestFreelancers_Ranges(t *testing.T) {
	for _, f := range sample(t, 50_000, 2) {
		if fields := f.UnknownFields(); len(fields) > 0 {
			t.Fatalf("%s: unknown %v", f.ID, fields)
		}

		years := f.Experience.Value
		rating := f.Rating.Value
		rate := f.HourlyRate.Value

		if years < 0 || years > maxYears || years != math.Trunc(years) {
			t.Fatalf("%s: %v years", f.ID, years)
		}

		if rating < 1 || rating > 5 || rating != math.Round(rating*10)/10 {
			t.Fatalf("%s: rating %v", f.ID, rating)
		}

		if rate < f.trade.Rate[0] || rate > f.trade.Rate[1] || rate != math.Round(rate*100)/100 {
			t.Fatalf("%s: rate %v outside of %v, or not in cents", f.ID, rate, f.trade.Rate)
		}

		if f.TotalSales.Value < 1 || f.TotalSales.Value > 10_000 {
			t.Fatalf("%s: %v sales", f.ID, f.TotalSales)
		}

		if words := len(strings.Fields(f.Description)); words < fewestWords || words > mostWords {
			t.Fatalf("%s: %d words: %s", f.ID, words, f.Description)
		}

		if strings.ContainsAny(f.Description+f.JobTitle, "{}\n") || strings.Contains(f.Description, "  ") {
			t.Fatalf("%s: slots or blanks left over: %q", f.ID, f.Description)
		}

		isASCIILetter := func(r rune) bool { return r == ' ' || r < unicode.MaxASCII && unicode.IsLetter(r) }
		if given, family, two := strings.Cut(f.Name, " "); !two || given == "" || family == "" ||
			strings.ContainsFunc(f.Name, func(r rune) bool { return !isASCIILetter(r) }) {
			t.Fatalf("%s: name %q", f.ID, f.Name)
		}
	}
}

// A record's skills belong to its trade or to one of its neighbors, in any spelling and without duplicates. Two are
// from the trade's core, and skills named in the title are included.
func TestFreelancers_SkillsBelongToTheTrade(t *testing.T) {
	catalog, err := readCatalog(dataFiles)
	if err != nil {
		t.Fatal(err)
	}

	canonical := map[string]map[string]string{} // by trade, by spelling
	for _, trade := range catalog.trades {
		canonical[trade.Name] = map[string]string{}
		for _, skill := range slices.Concat(slices.Concat(trade.borrowed...), trade.skills) {
			for _, spelling := range append([]string{skill, strings.ToLower(skill)}, catalog.spellings[skill]...) {
				canonical[trade.Name][spelling] = skill
			}
		}
	}

	var borrowers float64
	for _, f := range sample(t, 50_000, 3) {
		seen := map[string]bool{}
		core := 0
		borrowed := 0
		for _, written := range f.Skills {
			skill, ok := canonical[f.trade.Name][written]
			if !ok || seen[skill] {
				t.Fatalf("%s: %q is not of the trade %q, or there twice: %v", f.ID, written, f.trade.Name, f.Skills)
			}

			seen[skill] = true
			if slices.Contains(f.trade.Core, skill) {
				core++
			}

			if !slices.Contains(f.trade.skills, skill) {
				borrowed++
			}
		}

		if core < 2 || borrowed > mostBorrowed || len(seen) < fewestSkills || len(seen) > mostSkills {
			t.Fatalf("%s: %d skills, %d of the core, %d borrowed: %v", f.ID, len(seen), core, borrowed, f.Skills)
		}

		title, _, _ := strings.Cut(f.JobTitle, " | ")
		for _, i := range f.trade.named(title) {
			if !seen[f.trade.skills[i]] {
				t.Fatalf("%s: %q without %s: %v", f.ID, title, f.trade.skills[i], f.Skills)
			}
		}

		if borrowed > 0 {
			borrowers++
		}
	}

	between(t, "share with skills of a neighboring trade", borrowers/50_000, 0.2, 0.3)
}

func TestFreelancers_Proportions(t *testing.T) {
	records := sample(t, 100_000, 4)
	var rating, belowFour, availableNow, written, asCanonical float64
	words := map[string]bool{}
	uses := map[string]int{}
	for _, f := range records {
		rating += f.Rating.Value
		if f.Rating.Value < 4 {
			belowFour++
		}

		if f.Availability.Value {
			availableNow++
		}

		for _, skill := range f.Skills {
			written++
			uses[skill]++
			if slices.Contains(slices.Concat(slices.Concat(f.trade.borrowed...), f.trade.skills), skill) {
				asCanonical++
			}
		}

		for word := range strings.FieldsFuncSeq(f.Description, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if unicode.IsLower(rune(word[0])) { // excludes names of people and companies
				words[word] = true
			}
		}
	}

	n := float64(len(records))
	between(t, "mean rating", rating/n, 4.6, 4.8)
	between(t, "share rated below 4", belowFour/n, 0.005, 0.05)
	between(t, "share available", availableNow/n, 0.74, 0.76)
	between(t, "share of skills in another spelling", 1-asCanonical/written, 0.12, 0.18)
	between(t, "different words", float64(len(words)), 3_000, 20_000)
	between(t, "different skills", float64(len(uses)), 600, 3_000)

	// Zipf: the hundredth skill is several times rarer than the first, and much more common than the last.
	counts := slices.SortedFunc(values(uses), func(a, b int) int { return cmp.Compare(b, a) })
	between(t, "use of the first skill against the hundredth", float64(counts[0])/float64(counts[99]), 3, 30)
	between(t, "use of the hundredth skill against the last", float64(counts[99])/float64(counts[len(counts)-1]), 10, 1e6)

	sales := make([]int, 0, len(records))
	for _, f := range records {
		sales = append(sales, f.TotalSales.Value)
	}

	slices.Sort(sales)
	between(t, "median sales", float64(sales[len(sales)/2]), 5, 30)
	between(t, "sales of the top hundredth against the median",
		float64(sales[len(sales)*99/100])/float64(sales[len(sales)/2]), 10, 200)
}

func TestFreelancers_Correlations(t *testing.T) {
	byTrade := map[*trade][]sampled{}
	records := sample(t, 100_000, 5)
	for _, f := range records {
		byTrade[f.trade] = append(byTrade[f.trade], f)
	}
	years := func(f sampled) float64 { return f.Experience.Value }
	rate := func(f sampled) float64 { return f.HourlyRate.Value }
	rarity := func(f sampled) float64 { return f.rarity }
	sales := func(f sampled) float64 { return float64(f.TotalSales.Value) }
	between(t, "all: years and rate", correlation(records, years, rate), 0.2, 0.9)
	between(t, "all: years and sales", correlation(records, years, sales), 0.3, 0.9)
	for trade, of := range byTrade {
		between(t, trade.Name+": years and rate", correlation(of, years, rate), 0.5, 0.95)
		between(t, trade.Name+": rarity and rate", correlation(of, rarity, rate), 0.05, 0.6)
		between(t, trade.Name+": years and sales", correlation(of, years, sales), 0.3, 0.9)
	}
}

func between(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if !(got >= low && got <= high) {
		t.Errorf("%s: %.4g, want %g to %g", what, got, low, high)
	}
}

func values(m map[string]int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// correlation returns Spearman's coefficient: Pearson's over ranks, with the mean rank for ties.
func correlation(records []sampled, x, y func(sampled) float64) float64 {
	a := ranks(records, x)
	b := ranks(records, y)
	mean := float64(len(records)-1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	return ab / math.Sqrt(aa*bb)
}

func ranks(records []sampled, value func(sampled) float64) []float64 {
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(value(records[i]), value(records[j])) })
	ranks := make([]float64, len(records))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && value(records[order[to]]) == value(records[order[from]]) {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}
