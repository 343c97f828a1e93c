package bank

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/interview"
)

func TestFiller_Brief(t *testing.T) {
	b := openBank(t)
	tests := []struct {
		name, title, project, language string
		deliverable, scale             string
	}{
		{"asked for", "", "We need a fast online store with 10,000 products.", "en", "an online store", "10,000 products"},
		{"not what the client has", "", "We run an online store and need a logo.", "en", "a logo", ""},
		{"in the title", "Shopify store developer", "Start next week.", "en", "an online store", ""},
		{"only mentioned", "", "Our landing page gets 40k visitors.", "en", "", "40k visitors"},
		{"in another language", "", "We need a mobile app for 500 users.", "es", "una aplicación móvil", ""},
		{"longest phrase", "", "Please build an animated video.", "en", "an animation", ""},
		{"one is no quantity", "", "Write 5 articles for us.", "en", "articles", ""},
		{"nothing", "", "Please help.", "en", "", ""},
		{"hostile", "", "Need 10,000 <b>products</b> and 99{skill} users and 77 users\u202e.", "en", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &interview.Subject{JobTitle: tt.title, Project: tt.project, Language: tt.language}
			f := b.filler(s, b.editions[tt.language])
			if f.deliverable != tt.deliverable || f.scale != tt.scale {
				t.Errorf("got %q and %q, want %q and %q", f.deliverable, f.scale, tt.deliverable, tt.scale)
			}
		})
	}
}

func TestFiller_Fill(t *testing.T) {
	b := openBank(t)
	react := skill(t, b, "React")
	sql := skill(t, b, "SQL")
	english := skill(t, b, "English")
	s := &interview.Subject{
		Project:  "Build an online store.",
		Language: "en",
		Skills:   []interview.Skill{react, english, sql, skill(t, b, "Docker")},
	}

	tests := map[string]struct{ template, want string }{
		"known":           {"Plan {skill}[ for {deliverable}]?", "Plan React for an online store?"},
		"unknown":         {"Plan[ over {scale}] it[ for {deliverable}, {scale}]?", "Plan it?"},
		"several":         {"A[ x {other}] b[ y {skill}].", "A x English b y React."},
		"tools":           {"A[ with {tools}].", "A with SQL and Docker."},
		"no placeholders": {"Plain.", "Plain."},
		"repeated":        {"Open a store with {skill}[ for {deliverable}].", "Open a store with React."},
	}

	f := b.filler(s, b.editions["en"])
	for name, tt := range tests {
		if got, ok := f.fill(tt.template, &react); !ok || got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}

	empty := b.filler(&interview.Subject{}, b.editions["en"])
	if got, ok := empty.fill("About {skill}?", nil); ok {
		t.Errorf("got %q without a skill, want none", got)
	}
}

// A skill without topics of its own gets those of the skills it implies, the nearest first.
func TestAsk_FollowsTheTaxonomy(t *testing.T) {
	b := openBank(t)
	for name, want := range map[string]string{
		"Gatsby": "React", "Express.js": "Node.js", "MySQL": "SQL",
	} {
		sk := skill(t, b, name)
		if len(b.places.skills[sk.ID]) > 0 {
			t.Fatalf("%s has topics of its own", name)
		}
		s := &interview.Subject{Skills: []interview.Skill{sk}, Language: "en", Seed: 1}
		q := ask(t, b, s, nil, 1, interview.Aim{Skills: []interview.Skill{sk}})[0]
		if !strings.Contains(q.Text, want) {
			t.Errorf("%s: got %q, want a question about %s", name, q.Text, want)
		}
		if q.Skill != name {
			t.Errorf("%s: the question is recorded as one about %s", name, q.Skill)
		}
	}
}

// A question doesn't name a skill and one that it implies as if they were two parts of a project.
func TestFiller_OtherIsUnrelated(t *testing.T) {
	b := openBank(t)
	next := skill(t, b, "Next.js")
	react := skill(t, b, "React")
	sql := skill(t, b, "SQL")
	s := &interview.Subject{Language: "en", Skills: []interview.Skill{next, react, sql}}
	f := b.filler(s, b.editions["en"])
	for _, about := range []interview.Skill{next, react} {
		if got, _ := f.fill("{skill} and {other}", &about); got != about.Name+" and SQL" {
			t.Errorf("got %q, want SQL as the other skill", got)
		}
	}
}

// Only questions in other languages than English use the client's name of a known skill.
func TestFiller_UsesTheClientsTerm(t *testing.T) {
	b := openBank(t)
	bookkeeping := skill(t, b, "Bookkeeping")
	bookkeeping.Term = "Buchhaltung"
	hostile := bookkeeping
	hostile.Term = "<b>Buchhaltung</b>"
	for _, tt := range []struct {
		language, want string
		skill          interview.Skill
	}{
		{"de", "Buchhaltung", bookkeeping},
		{"de", "Bookkeeping", hostile},
		{"en", "Bookkeeping", bookkeeping},
		{"it", "Bookkeeping", bookkeeping},
	} {
		s := &interview.Subject{Language: tt.language, Skills: []interview.Skill{tt.skill}}
		f := b.filler(s, b.editions[b.Language(tt.language)])
		if got, _ := f.fill("{skill}", &tt.skill); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.language, got, tt.want)
		}
	}
}

// Names of activities are not used as names of tools.
func TestBank_IsTool(t *testing.T) {
	b := openBank(t)
	for name, want := range map[string]bool{
		"Docker": true, "QuickBooks": true, "PostgreSQL": true, "Figma": true, "Zapier": true,
		"Calendar Management": false, "Bookkeeping": false, "Logo Design": false, "Travel Planning": false, "English": false,
	} {
		sk := skill(t, b, name)
		if got := b.isTool(&sk); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}

// Nobody is asked about past work that their profile does not show.
func TestAsk_GapsPresupposeNothing(t *testing.T) {
	b := openBank(t)
	for _, name := range []string{"React", "Excel", "Bookkeeping", "Underwater Basketry"} {
		sk := skill(t, b, name)
		sk.Name = name
		sk.Gap = true
		s := &interview.Subject{Skills: []interview.Skill{sk}, Language: "en"}
		aim := interview.Aim{Skills: slices.Repeat([]interview.Skill{sk}, 8)}
		for _, q := range ask(t, b, s, nil, 8, aim) {
			if q.Kind == interview.Behavioral {
				t.Errorf("%s: %s", name, q.Text)
			}
		}
	}
}
