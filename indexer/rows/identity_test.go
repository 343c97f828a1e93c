package rows_test

import (
	"slices"
	"testing"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/matching"
)

// row returns a row with a name and a location, changed by the given functions.
func row(changes ...func(*rows.Row)) *rows.Row {
	r := &rows.Row{Location: "Oslo", Line: 2}
	r.Freelancer.Name = "Mira Talden"
	for _, change := range changes {
		change(r)
	}
	return r
}

func url(address string) func(*rows.Row) {
	return func(r *rows.Row) { r.Freelancer.ProfileURL = address }
}
func email(r *rows.Row)                 { r.Email = "m@a.example" }
func name(text string) func(*rows.Row)  { return func(r *rows.Row) { r.Freelancer.Name = text } }
func place(text string) func(*rows.Row) { return func(r *rows.Row) { r.Location = text } }
func title(text string) func(*rows.Row) { return func(r *rows.Row) { r.Freelancer.JobTitle = text } }
func website(r *rows.Row)               { r.IsWebsite = true }

func joined(day string) func(*rows.Row) { return func(r *rows.Row) { r.Joined = day } }

func rate(v float64) func(*rows.Row) {
	return func(r *rows.Row) { r.Freelancer.HourlyRate = matching.Some(v) }
}

func rating(v float64) func(*rows.Row) {
	return func(r *rows.Row) { r.Freelancer.Rating = matching.Some(v) }
}

func identified(r *rows.Row) *rows.Row {
	r.Identify(func() string { return r.Freelancer.Name + r.Freelancer.Description })
	return r
}

func TestIdentify(t *testing.T) {
	offer := []func(*rows.Row){place(""), title("Nurse"), rate(40)}
	for _, test := range []struct {
		name string
		row  *rows.Row
		key  rows.Key
		id   string // if earlier releases made it
	}{
		{"all", row(url("https://a.example/mira"), email), rows.ByURL, "fl-22d3ee1146319402"},
		{"address", row(email), rows.ByEmail, ""},
		{"site", row(url("https://a.example/")), rows.BySite, "fl-b8e7453371a024da"},
		{"site and address", row(url("https://a.example"), email), rows.ByEmail, ""},
		{"website", row(url("https://a.example/mira"), website), rows.ByPlace, "fl-3c0d28ea2770632f"},
		{"website without a place", row(url("https://a.example/mira"), website, place("")), rows.BySite, ""},
		{"place", row(offer[1], offer[2]), rows.ByPlace, "fl-3c0d28ea2770632f"},
		{"offer", row(offer...), rows.ByOffer, ""},
		{"title without rate", row(place(""), title("Nurse")), rows.ByRow, ""},
		{"name", row(place("")), rows.ByRow, ""},
	} {
		identified(test.row)
		if test.row.Key != test.key || test.id != "" && test.row.Freelancer.ID != test.id {
			t.Errorf("%s: key %v, id %s; want %v, %s", test.name, test.row.Key, test.row.Freelancer.ID, test.key, test.id)
		}
	}

	if anonymous := identified(row(name(""))); anonymous.Freelancer.ID != "" {
		t.Error("a location alone identifies somebody")
	}
}

func TestIdentify_SamePerson(t *testing.T) {
	for _, test := range []struct {
		name string
		a, b *rows.Row
		same bool
	}{
		{"scheme and slash", row(url("https://a.example/m")), row(url("http://a.example/m/#top"), name("X")), true},
		{"case", row(), row(name("MIRA TALDEN"), place("oslo")), true},
		{"place", row(), row(place("Lima")), false},
		{"offers", row(place(""), title("Nurse"), rate(40)), row(place(""), title("nurse"), rate(40)), true},
		{"rates", row(place(""), title("Nurse"), rate(40)), row(place(""), title("Nurse"), rate(41)), false},
		{"the same row", row(place("")), row(place("")), true},
		{"another row", row(place("")), row(place(""), func(r *rows.Row) { r.Freelancer.Description = "x" }), false},
	} {
		if same := identified(test.a).Freelancer.ID == identified(test.b).Freelancer.ID; same != test.same {
			t.Errorf("%s: same id %v, want %v", test.name, same, test.same)
		}
	}
}

func TestGroup_IsOnePerson(t *testing.T) {
	for _, test := range []struct {
		name string
		key  rows.Key
		rows []*rows.Row
		want bool
	}{
		{"equal", rows.ByPlace, []*rows.Row{row(rate(40)), row(rate(40))}, true},
		{"unknown", rows.ByPlace, []*rows.Row{row(rate(40)), row(), row(title("Nurse"))}, true},
		{"rates", rows.ByPlace, []*rows.Row{row(rate(40)), row(), row(rate(41))}, false},
		{"titles", rows.ByPlace, []*rows.Row{row(title("Nurse")), row(title("Cook"))}, false},
		{"case of titles", rows.ByPlace, []*rows.Row{row(title("Nurse")), row(title("NURSE"))}, true},
		{"ratings", rows.ByPlace, []*rows.Row{row(rating(4)), row(rating(5))}, false},
		{"ratings of an account", rows.ByPlace, []*rows.Row{row(rating(4), joined("d")), row(rating(5), joined("d"))}, true},
		{"ratings, perhaps of an account", rows.ByPlace, []*rows.Row{row(rating(4), joined("d")), row(rating(5))}, false},
		{"accounts", rows.ByPlace, []*rows.Row{row(joined("d")), row(joined("e"))}, false},
		{"rates of an account", rows.ByPlace, []*rows.Row{row(rate(4), joined("d")), row(rate(5), joined("d"))}, false},
		{"rates under one address", rows.ByURL, []*rows.Row{row(rate(40)), row(rate(41))}, true},
		{"names under one address", rows.ByURL, []*rows.Row{row(), row(name("Oren Vask"))}, false},
		{"no names", rows.ByID, []*rows.Row{row(name(""), rate(40)), row(name(""), rate(41))}, false},
		{"no second name", rows.ByID, []*rows.Row{row(rate(40)), row(name(""), rate(41))}, false},
		{"no second name, no contradiction", rows.ByID, []*rows.Row{row(rate(40)), row(name(""))}, true},
		{"rates under one site", rows.BySite, []*rows.Row{row(rate(40)), row(rate(41))}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 {
				var g rows.Group
				for _, r := range test.rows {
					g.Add(test.key, r.Facts())
				}

				if got := g.IsOnePerson(); got != test.want {
					t.Errorf("%v, want %v", got, test.want)
				}
				slices.Reverse(test.rows)
			}
		})
	}
}

// Resumes of one person may have different titles.
func TestFacts_TitlesOfResumes(t *testing.T) {
	var g rows.Group
	for _, text := range []string{"Nurse", "Head nurse"} {
		r := row(title(text), name(""))
		r.File = text + ".pdf"
		g.Add(rows.ByID, r.Facts())
	}
	if !g.IsOnePerson() {
		t.Error("two resumes with one address are about two people")
	}
}

// The person of a row can have been erased under each of these IDs.
func TestOtherIDs(t *testing.T) {
	has := func(r *rows.Row, id string) bool { return slices.Contains(r.OtherIDs(), id) }
	all := identified(row(url("https://a.example/mira"), email, title("Nurse"), rate(40)))
	withID := row(email)
	withID.Freelancer.ID = "n-7"
	withID.FormerID = "7"
	rekeyed := row()
	rekeyed.Freelancer.ID = "row-1"
	rekeyed.Rekeyed = true
	place := identified(row()).Freelancer.ID
	address := identified(row(email)).Freelancer.ID
	for _, test := range []struct {
		name string
		row  *rows.Row
		id   string
		want bool
	}{
		{"without the URL", all, address, true},
		{"without URL and address", all, place, true},
		{"in a group that contradicts itself", all, rows.ClassID(place, all.Facts().Class(rows.ByPlace)), true},
		{"another rate", all, rows.ClassID(place, row(rate(41)).Facts().Class(rows.ByPlace)), false},
		{"without a prefix", withID, "7", true},
		{"the address", withID, address, true},
		{"an id is enough", withID, place, false},
		{"without -id", rekeyed, place, true},
		{
			"a name alone, in earlier releases", identified(row(name("Lea"), func(r *rows.Row) { r.Location = "" })),
			"fl-495d3ea64de03392", true,
		},
	} {
		if got := has(test.row, test.id); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
