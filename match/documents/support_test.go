package documents

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// evidenceOf returns the evidence of a listed skill in the document of a freelancer, and the document's terms.
func evidenceOf(t *testing.T, p *Preparer, f matching.Freelancer, skill string) (matching.Evidence, []string) {
	t.Helper()
	doc := prepareOne(t, p, f)
	id := p.taxonomy.Resolve(skill).ID
	for _, s := range doc.Skills {
		if s.ID == id {
			return s.Evidence, doc.Terms
		}
	}
	return matching.NoEvidence, doc.Terms
}

func TestPrepare_SkillsThatTheProfileSupports(t *testing.T) {
	p := newPreparerWithVectors(t)
	const repairs = "I repair boilers and pipes, and do the plumbing of old houses."
	for _, test := range []struct {
		name, title, description string
		skills                   []string
		skill                    string
		want                     matching.Evidence
	}{
		{"another trade", "Plumber", "", []string{"Plumbing", "Heating", "Kubernetes"}, "Kubernetes", matching.InText},
		{"first in the list", "Plumber", "", []string{"Kubernetes", "Plumbing"}, "Kubernetes", matching.InText},
		{"from the description", "", repairs, []string{"Plumbing", "React Native"}, "React Native", matching.InText},
		{
			"among popular skills", "Plumber", "",
			[]string{"Plumbing", "PHP", "Logo Design", "Excel", "Kubernetes", "SEO"},
			"Kubernetes", matching.InText,
		},
		{
			"the tools of a trade", "Go backend engineer", "",
			[]string{"Go", "PostgreSQL", "Kubernetes"},
			"Kubernetes",
			matching.Listed,
		},
		{"unknown to the taxonomy", "Plumber", "", []string{"Plumbing", "Kiln loading"}, "Kiln loading", matching.Listed},
		{
			"texts about unknown work", "Kiln loading", "",
			[]string{"Kiln loading", "Kubernetes"},
			"Kubernetes",
			matching.Listed,
		},
		{"the title's own", "Kubernetes administrator", "", []string{"Kubernetes"}, "Kubernetes", matching.Listed},
		{"close to the title", "DevOps engineer", "", []string{"Kubernetes", "Terraform"}, "Terraform", matching.Listed},
		{
			"close to a supported skill", "Front-end developer with React", "",
			[]string{"React", "Svelte"},
			"Svelte",
			matching.Listed,
		},
		{
			"named in the description", "Plumber", "I run my own Kubernetes cluster.",
			[]string{"Plumbing", "Kubernetes"},
			"Kubernetes", matching.Listed,
		},
		{
			"a second trade in the title", "Graphic designer and SEO specialist", "",
			[]string{"Logo Design", "SEO"},
			"SEO",
			matching.Listed,
		},
		{"a vague title", "Freelancer", "", []string{"React", "Node.js", "SQL"}, "React", matching.Listed},
		{
			"a vague title and description", "Freelancer", "Hello! I am hardworking, and I answer fast.",
			[]string{"React", "Node.js", "SQL"},
			"React", matching.Listed,
		},
		{"a vague title and a language", "Freelancer", "", []string{"English", "PHP", "MySQL"}, "PHP", matching.Listed},
		{"no texts", "", "", []string{"Plumbing", "Kubernetes"}, "Kubernetes", matching.Listed},
		{"a language", "Plumber", "", []string{"Plumbing", "German"}, "German", matching.Listed},
		{"translation", "Plumber", "", []string{"Plumbing", "German Translation"}, "German Translation", matching.Listed},
		{
			"in Spanish", "Fontanero", "Reparo tuberías y calderas en casas antiguas desde hace diez años con mi hermano.",
			[]string{"Plumbing", "AutoCAD"},
			"AutoCAD", matching.Listed,
		},
		{
			"in German", "Webentwickler", "Ich entwickle seit zehn Jahren Webseiten und Onlineshops für kleine Firmen.",
			[]string{"PHP", "MySQL", "Onlineshop"},
			"MySQL", matching.Listed,
		},
	} {
		f := matching.Freelancer{ID: "f", JobTitle: test.title, Description: test.description, Skills: test.skills}
		if got, _ := evidenceOf(t, p, f, test.skill); got != test.want {
			t.Errorf("%s: the evidence of %s is %q, want %q", test.name, test.skill, got, test.want)
		}
	}
}

// The vectors don't know that these tools go together, so the texts only lack support for them.
func TestPrepare_ListedNamesNeedSupportToCountAsWords(t *testing.T) {
	p := newPreparerWithVectors(t)
	for title, want := range map[string]int{"Go backend engineer": 1, "Kubernetes administrator": 4, "Freelancer": 2} {
		f := matching.Freelancer{ID: "f", JobTitle: title, Skills: []string{"Go", "Kubernetes"}}
		evidence, terms := evidenceOf(t, p, f, "Kubernetes")
		found := slices.DeleteFunc(terms, func(term string) bool { return !strings.HasPrefix(term, "kubernet") })
		if evidence != matching.Listed || len(found) != want {
			t.Errorf("%s: the evidence is %q, want listed; terms %q, want %d", title, evidence, found, want)
		}
	}
}

func TestPrepare_ContradictedSkillsEarnNoWords(t *testing.T) {
	p := newPreparerWithVectors(t)
	f := matching.Freelancer{ID: "f", JobTitle: "Plumber", Skills: []string{"Plumbing", "Next.js"}}
	if _, terms := evidenceOf(t, p, f, "Next.js"); slices.Contains(terms, "next") || slices.Contains(terms, "react") {
		t.Errorf("terms %q, want none of Next.js and React, which it implies", terms)
	}
	if got, _ := evidenceOf(t, p, f, "React"); got != matching.NoEvidence {
		t.Errorf("the evidence of React is %q, want none from Next.js, which nothing supports", got)
	}
}
