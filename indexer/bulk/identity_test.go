package bulk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/bulk"
	identity "github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

// fact returns a row of the person that a text describes with its words: name@location, then title=…, rate=…,
// rating=…, joined=…, url=…, email=…, id=… and skills. "-" stands for no name.
func fact(text string) source.Row {
	var r source.Row
	for i, word := range strings.Fields(text) {
		if i == 0 {
			r.Freelancer.Name, r.Location, _ = strings.Cut(word, "@")
			r.Freelancer.Name = strings.TrimPrefix(r.Freelancer.Name, "-")
			continue
		}

		field, value, _ := strings.Cut(word, "=")
		number := func() matching.Optional[float64] {
			var v float64
			_, _ = fmt.Sscan(value, &v)
			return matching.Some(v)
		}

		switch field {
		case "title":
			r.Freelancer.JobTitle = value
		case "rate":
			r.Freelancer.HourlyRate = number()
		case "rating":
			r.Freelancer.Rating = number()
		case "joined":
			r.Joined = value
		case "url":
			r.Freelancer.ProfileURL = "https://" + value
		case "email":
			r.Email = value
		case "id":
			r.Freelancer.ID = value
		default:
			r.Freelancer.Skills = append(r.Freelancer.Skills, word)
		}
	}

	if r.Freelancer.ID == "" {
		r.Identify(func() string { return text })
	}

	return r
}

// facts returns rows on line 2 and following.
func facts(texts ...string) []source.Row {
	list := make([]source.Row, len(texts))
	for i, text := range texts {
		list[i] = fact(text)
		list[i].Line = i + 2
	}
	return list
}

// merged returns the names and skills of freelancers, sorted.
func merged(freelancers []matching.Freelancer) []string {
	var list []string
	for _, f := range freelancers {
		slices.Sort(f.Skills)
		list = append(list, f.Name+" "+strings.Join(f.Skills, ","))
	}
	slices.Sort(list)
	return list
}

func TestLoad_WhoIsOnePerson(t *testing.T) {
	for _, test := range []struct {
		name string
		rows []string
		want []string
		kept map[identity.Key]int
	}{
		{"name alone", []string{"Ada go", "Ada c"}, []string{"Ada c", "Ada go"}, nil},
		{
			"name and location",
			[]string{"Ada@Oslo go", "Ada@Oslo c", "Ada@Lima d"},
			[]string{"Ada c,go", "Ada d"},
			map[identity.Key]int{identity.ByPlace: 1},
		},
		{
			"another rate",
			[]string{"Ada@Oslo rate=1 go", "Ada@Oslo rate=2 c", "Ada@Oslo rate=1 d"},
			[]string{"Ada c", "Ada d,go"},
			map[identity.Key]int{identity.ByPlace: 1},
		},
		{
			"title and rate",
			[]string{"Ada title=x rate=1 go", "Ada title=x rate=1 c", "Ada title=x c"},
			[]string{"Ada c", "Ada c,go"},
			map[identity.Key]int{identity.ByOffer: 1},
		},
		{
			"title and rate, another rating",
			[]string{"Ada title=x rate=1 rating=4 go", "Ada title=x rate=1 rating=5 c"},
			[]string{"Ada c", "Ada go"},
			nil,
		},
		{
			"ratings of skills",
			[]string{"Ada@Oslo rating=4 joined=d go", "Ada@Oslo rating=5 joined=d c"},
			[]string{"Ada c,go"},
			map[identity.Key]int{identity.ByPlace: 1},
		},
		{
			"URL",
			[]string{"Ada url=a/1 rate=1 go", "Ada url=a/1 rate=2 c", "Bob url=a/1 d", "Ada url=a/2 e"},
			[]string{"Ada c,go", "Ada e", "Bob d"},
			map[identity.Key]int{identity.ByURL: 1},
		},
		{
			"address",
			[]string{"Ada email=a go", "Ada email=a c", "Bob email=a d"},
			[]string{"Ada c,go", "Bob d"},
			map[identity.Key]int{identity.ByEmail: 1},
		},
		{"URL without names", []string{"- url=a/1 title=x go", "- url=a/1 title=y c"}, []string{" c", " go"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 {
				b := newHarness(t)
				report := b.load(t, input("a", facts(test.rows...)...))

				if diff := cmp.Diff(test.want, merged(b.freelancers(t))); diff != "" {
					t.Errorf("freelancers (-want +got):\n%s", diff)
				}

				if diff := cmp.Diff(test.kept, report.Merges.Keys); diff != "" && len(test.kept)+len(report.Merges.Keys) > 0 {
					t.Errorf("merges by key (-want +got):\n%s", diff)
				}
				slices.Reverse(test.rows)
			}
		})
	}
}

// Rows of an ID without names that contradict each other are not merged silently.
func TestLoad_SameIDWithoutNames(t *testing.T) {
	b := newHarness(t)
	b.options.MaxFailures = limit(t, "1")
	report := b.load(t, input("a", facts("- id=1 title=x go", "- id=2 title=z c")...),
		input("b", facts("- id=1 title=y d", "- id=2 sql")...))
	if diff := cmp.Diff([]string{" c,sql", " go"}, merged(b.freelancers(t))); diff != "" {
		t.Errorf("freelancers (-want +got):\n%s", diff)
	}
	if !slices.Equal(report.Merges.Clashes, []string{"a", "b"}) || report.Rejected != 1 {
		t.Errorf("report %+v", report)
	}
}

func TestLoad_ReportsConflicts(t *testing.T) {
	b := newHarness(t)
	report := b.load(t, input("a", facts("Ada id=1 rate=5 title=x", "Bob id=2")...),
		input("b", facts("Ada id=1 rate=6", "Ada id=1 rate=7 title=x")...))
	want := []bulk.Conflict{{Field: "hourly_rate", Freelancers: 1, Examples: []bulk.Disagreement{{
		Kept: bulk.Example{File: "b", Line: 3, Value: "7"}, Lost: bulk.Example{File: "a", Line: 2, Value: "5"},
	}}}}
	if diff := cmp.Diff(want, report.Merges.Conflicts); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
	checked, err := bulk.Check(t.Context(), []bulk.Input{
		input("a", facts("Ada id=1 rate=5")...), input("b", facts("Ada id=1 rate=6")...),
	}, b.options)
	if err != nil || len(checked.Merges.Conflicts) != 1 {
		t.Errorf("validate: %+v (%v)", checked, err)
	}
}

// People who share a key keep their IDs while rows are added and removed, and never get the ID of another person.
func TestLoad_IDsOfOthersWithTheSameKey(t *testing.T) {
	ada := "Ada@Oslo rate=1 a"
	eve := "Ada@Oslo rate=2 b"
	zoe := "Ada@Oslo rate=3 c"
	ids := func(texts ...string) map[string]string { // by skill
		b := newHarness(t)
		b.load(t, input("a", facts(texts...)...))
		ids := map[string]string{}
		for _, f := range b.freelancers(t) {
			ids[f.Skills[0]] = f.ID
		}

		return ids
	}

	alone := ids(ada)
	two := ids(ada, eve)
	three := ids(zoe, eve, ada)

	if alone["a"] != fact(ada).Freelancer.ID {
		t.Error("a single person has another ID than in earlier releases")
	}

	if two["a"] == alone["a"] || two["b"] == alone["a"] || three["a"] != two["a"] || three["b"] != two["b"] {
		t.Errorf("IDs %v, %v, %v", alone, two, three)
	}
}

func TestUpsert_PeopleWithTheSameKey(t *testing.T) {
	for way, b := range bothWays(t) {
		t.Run(way, func(t *testing.T) {
			list := facts("Ada@Oslo rate=1 a", "Ada@Oslo rate=2 b", "Bob@Oslo c", "Cyd d")
			b.load(t, input("a", list...))
			report := b.upsert(t, input("a", list...))
			if report.Replaced != 4 || report.Kept != 0 || report.Freelancers != 4 {
				t.Errorf("report %+v", report)
			}
			if diff := cmp.Diff([]string{"Ada a", "Ada b", "Bob c", "Cyd d"}, merged(b.freelancers(t))); diff != "" {
				t.Errorf("freelancers (-want +got):\n%s", diff)
			}
		})
	}
}

// A person who was erased must not return because their rows now have another ID.
func TestErased_UnderAnotherID(t *testing.T) {
	class := func(text string, k identity.Key) string {
		r := fact(text)
		return identity.ClassID(r.Freelancer.ID, r.Facts().Class(k))
	}

	prefixed := fact("Ada id=n-7 a")
	prefixed.FormerID = "7"
	two := []string{"Ada@Oslo rate=1 a", "Ada@Oslo rate=2 b", "Bob@Oslo c"}
	for _, test := range []struct {
		name   string
		erased string
		rows   []source.Row
		want   []string
	}{
		{"as one person, now two", fact(two[0]).Freelancer.ID, facts(two...), []string{"Bob c"}},
		{"one of two", class(two[0], identity.ByPlace), facts(two...), []string{"Ada b", "Bob c"}},
		{"one of two, now alone", class(two[0], identity.ByPlace), facts(two[0], two[2]), []string{"Bob c"}},
		{"the other one of two", class(two[1], identity.ByPlace), facts(two[0], two[2]), []string{"Ada a", "Bob c"}},
		{
			"by name and location, now with a URL", fact("Ada@Oslo").Freelancer.ID,
			facts("Ada@Oslo url=a/1 a", "Ada@Lima url=a/2 b"),
			[]string{"Ada b"},
		},
		{"by name, in an earlier release", identity.HashID("ada\n"), facts("Ada@Oslo a", "Ada b"), []string{"Ada a"}},
		{
			"by address, now with an ID", fact("- email=a").Freelancer.ID, facts("Ada id=1 email=a a", "Bob id=2 b"),
			[]string{"Bob b"},
		},
		{"by an ID that now has a prefix", "7", []source.Row{prefixed, fact("Bob id=n-8 b")}, []string{"Bob b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newHarness(t)
			report, err := b.loader.Load(t.Context(), []bulk.Input{input("a", test.rows...)}, b.erasing(test.erased))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(test.want, merged(b.freelancers(t))); diff != "" {
				t.Errorf("freelancers (-want +got):\n%s", diff)
			}

			if report.Rows != report.Freelancers+report.Erased {
				t.Errorf("report %+v", report)
			}
		})
	}
}

// The files must not change between the passes, even if nobody has several rows.
func TestLoad_DerivedIDsOfChangingFiles(t *testing.T) {
	passes := [][]string{{"Ada@Oslo a", "Bob@Oslo b"}, {"Ada@Oslo a", "Bob@Lima b"}}
	for _, list := range [][][]string{passes, {passes[0], passes[0][:1]}, {passes[0][:1], passes[0]}} {
		b := newHarness(t)
		pass := 0
		_, err := b.loader.Load(t.Context(), []bulk.Input{{Name: "a", Open: func() (bulk.File, error) {
			pass++
			return &fakeFile{rows: facts(list[pass-1]...)}, nil
		}}}, b.options)
		if err == nil || !strings.Contains(err.Error(), "the files changed while they were being read") {
			t.Errorf("%q: error %v", list, err)
		}
	}
}

// TestIdentity_Properties loads random rows several times in other orders, divided into files in other ways.
func TestIdentity_Properties(t *testing.T) {
	for seed := range uint64(150) {
		g := generator{rand.New(rand.NewPCG(seed, 14)), map[string]source.Row{}}
		list := g.rows()
		var want map[string]string
		for order := range 3 {
			b := newHarness(t)
			b.options.MaxFailures = limit(t, "100%")
			report, err := b.loader.Load(t.Context(), g.divide(list), b.options)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}

			r := report
			if r.Rows != len(list) || r.Rows != r.Freelancers+r.Merged+r.Duplicates+r.Rejected {
				t.Fatalf("seed %d: a row is lost: %+v", seed, report)
			}
			people := b.freelancers(t)
			if len(people) != r.Freelancers {
				t.Fatalf("seed %d: %d freelancers, want %d", seed, len(people), r.Freelancers)
			}

			got := map[string]string{}
			found := 0
			for _, f := range people {
				for i, skill := range f.Skills {
					found++
					for _, other := range f.Skills[:i] {
						if reason := contradiction(g.bySkill[skill], g.bySkill[other]); reason != "" {
							t.Fatalf("seed %d: %s merged:\n%+v\n%+v", seed, reason, g.bySkill[skill], g.bySkill[other])
						}
					}
				}

				slices.Sort(f.Skills)
				got[f.ID] = fmt.Sprintf("%+v", f)
			}

			if r.Rejected == 0 && found != len(g.bySkill) {
				t.Fatalf("seed %d: %d of %d distinct rows are in the index", seed, found, len(g.bySkill))
			}

			if order == 0 {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: another order changes the outcome (-want +got):\n%s", seed, diff)
			}

			g.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		}
	}
}

// contradiction returns what shows that two rows are about different people.
func contradiction(a, b source.Row) string {
	x := a.Facts()
	y := b.Facts()
	differ := func(s, t string) bool { return s != "" && t != "" && s != t }
	differs := func(s, t matching.Optional[float64]) bool { return s.Known && t.Known && s != t }
	switch {
	case differ(x.Name, y.Name):
		return "names"
	case a.Key.IsStrong() && x.Name != "" && y.Name != "":
		return ""
	case x.Name != "" && a.Key == identity.ByRow:
		return "rows with nothing but a name"
	case differ(x.Location, y.Location):
		return "locations"
	case differ(x.Title, y.Title):
		return "titles"
	case differ(x.Joined, y.Joined):
		return "accounts"
	case differs(x.Rate, y.Rate):
		return "rates"
	case differs(x.Rating, y.Rating) && (x.Joined == "" || y.Joined == ""):
		return "ratings"
	}

	return ""
}

// generator generates rows, each with a skill of its own.
type generator struct {
	*rand.Rand
	bySkill map[string]source.Row
}

// rows returns rows with few different values, some of which repeat others.
func (g *generator) rows() []source.Row {
	pick := func(field string, values ...string) string {
		if value := values[g.IntN(len(values))]; value != "" {
			return " " + field + value
		}
		return ""
	}

	hasIDs := g.IntN(3) == 0
	hasURLs := g.IntN(3) == 0
	hasEmails := g.IntN(3) == 0
	known := g.IntN(3) // fewer unknown values
	maybe := func(values ...string) []string { return append(values, make([]string, 2-min(known, 2)+g.IntN(2))...) }
	var list []source.Row
	for i := range 2 + g.IntN(40) {
		text := []string{"Ada", "ada", "Bob", "-"}[g.IntN(4)] + pick("", maybe("@Oslo", "@Lima")...)
		text = strings.ReplaceAll(text, " @", "@")
		text += pick("title=", maybe("x", "X", "y")...) + pick("rate=", maybe("1", "2")...) +
			pick("rating=", maybe("4", "5")...) + pick("joined=", maybe("d", "e")...)

		if hasIDs {
			text += pick("id=", maybe("1", "2", "3")...)
		}

		if hasURLs {
			text += pick("url=", maybe("a/1", "a/2", "b")...)
		}

		if hasEmails {
			text += pick("email=", maybe("a", "b")...)
		}
		skill := fmt.Sprintf("s%02d", i)
		row := fact(text + " " + skill)
		if row.Freelancer.ID == "" {
			continue // such rows are rejected when files are read
		}

		row.Line = i + 2
		g.bySkill[skill] = row
		for range 1 + max(0, g.IntN(6)-4) {
			list = append(list, row)
		}
	}

	if len(list) == 0 {
		return g.rows()
	}

	return list
}

// divide divides rows into one to three files.
func (g *generator) divide(list []source.Row) []bulk.Input {
	a := g.IntN(len(list) + 1)
	b := g.IntN(len(list) + 1)
	a, b = min(a, b), max(a, b)
	return []bulk.Input{input("a", list[:a]...), input("b", list[a:b]...), input("c", list[b:]...)}
}
