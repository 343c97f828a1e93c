package resumes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/taxonomy"
)

// perfectResult returns what a perfect parser returns for the resume of a person.
func perfectResult(t *testing.T, p person, known *taxonomy.Taxonomy) (resume.Document, resume.Resume) {
	t.Helper()
	r := resume.Resume{
		Name:            p.Name,
		JobTitle:        p.JobTitle,
		Summary:         p.Summary,
		Language:        p.Language,
		ExperienceYears: matching.Some(p.Years),
		Contact:         resume.Contact{Email: p.Email, Phone: p.Phone, Location: p.Location},
	}
	for _, link := range p.Links {
		r.Contact.Links = append(r.Contact.Links, resume.ContactLink{URL: "https://www." + link + "/"})
	}

	var d resume.Document
	line := func(text string) { d.Lines = append(d.Lines, resume.Line{Text: text}) }
	line(p.Summary)

	for _, job := range p.Experience {
		description := ""
		for _, task := range job.Tasks {
			description += task + "\n"
			line(task)
		}

		r.Experience = append(r.Experience, resume.Position{
			Title:       job.Title,
			Company:     job.Company,
			Start:       job.Start,
			End:         job.End,
			Current:     job.Current,
			Description: description,
		})
	}

	for _, study := range p.Education {
		line(study.Degree + ", " + study.Field)
		r.Education = append(r.Education, resume.Degree{
			Degree:      study.Degree,
			Field:       study.Field,
			Institution: study.Institution,
			Start:       study.Start,
			End:         study.End,
		})
	}

	for _, id := range skillIDs(known, p.Skills) {
		r.Skills = append(r.Skills, resume.Skill{ID: id, Section: "skills"})
	}

	for _, skill := range p.Skills {
		line(skill)
	}

	for _, l := range p.Languages {
		line(l.Written + "\t" + l.LevelWritten)
		r.Languages = append(r.Languages, resume.Language{Name: l.Name, Level: l.Level})
	}

	for _, c := range p.Certifications {
		r.Certifications = append(r.Certifications, resume.Certification{Name: c.Name, Issuer: c.Issuer, Date: c.Date})
	}

	return d, r
}

func loadTaxonomy(t *testing.T) *taxonomy.Taxonomy {
	t.Helper()
	known, err := taxonomy.Load()
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// inventSample invents a person, and the truth about their resume.
func inventSample(t *testing.T, known *taxonomy.Taxonomy) (person, sample) {
	t.Helper()
	p, err := newPerson(developmentWords, "de", 0)
	if err != nil {
		t.Fatal(err)
	}
	return p, sample{path: "de-1.pdf", truth: p.facts(known), order: p.order()}
}

func TestJudge_PerfectParserMissesNothing(t *testing.T) {
	known := loadTaxonomy(t)
	p, s := inventSample(t, known)
	d, r := perfectResult(t, p, known)
	v := judge(s, d, r)
	if len(v.misses) > 0 || v.disorder != "" {
		t.Errorf("misses are %v and the disorder is %q, want none", v.misses, v.disorder)
	}
	for field, c := range v.tallies {
		if c.wanted == 0 || c.right != c.wanted || c.found != c.wanted {
			t.Errorf("the tally of %s is %+v, want all facts right", field, c)
		}
	}
	if len(v.tallies) != len(judgedFields()) {
		t.Errorf("%d fields are judged, want all %d", len(v.tallies), len(judgedFields()))
	}
}

func TestJudge_NoticesEveryMistake(t *testing.T) {
	known := loadTaxonomy(t)
	p, s := inventSample(t, known)
	tests := []struct {
		name  string
		spoil func(*resume.Document, *resume.Resume)
		want  []string // the fields with misses
	}{
		{"a word of the name is missing", func(_ *resume.Document, r *resume.Resume) {
			r.Name = "Walperta"
		}, []string{"name"}},
		{"an accent is wrong", func(_ *resume.Document, r *resume.Resume) {
			r.Experience[2].Title = "Netzwerkädministratorin"
		}, []string{"experience", "experience.title"}},
		{"a date is a month off", func(_ *resume.Document, r *resume.Resume) {
			r.Experience[1].Start = "1999-01"
		}, []string{"experience", "experience.dates"}},
		{"a position is invented", func(_ *resume.Document, r *resume.Resume) {
			r.Experience = append(r.Experience, resume.Position{Title: "Hobby"})
		}, []string{"experience", "experience.title", "experience.dates"}},
		{"the years are off by a fifth", func(_ *resume.Document, r *resume.Resume) {
			r.ExperienceYears.Value += .2
		}, []string{"experience_years"}},
		{"a skill is of another section", func(_ *resume.Document, r *resume.Resume) {
			r.Skills[0].Section = "summary"
		}, []string{"skills"}},
		{"the phone is someone else's", func(_ *resume.Document, r *resume.Resume) {
			r.Contact.Phone = "+49 30 23125000 1"
		}, []string{"phone"}},
		{"the current position ends", func(_ *resume.Document, r *resume.Resume) {
			r.Experience[0].Current = false
		}, []string{"experience", "experience.dates"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, r := perfectResult(t, p, known)
			tt.spoil(&d, &r)
			var got []string
			for _, m := range judge(s, d, r).misses {
				got = append(got, m.field)
			}

			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("fields with misses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudge_NoticesColumnsReadAcross(t *testing.T) {
	known := loadTaxonomy(t)
	p, s := inventSample(t, known)
	d, r := perfectResult(t, p, known)
	d.Lines[1], d.Lines[len(d.Lines)-1] = d.Lines[len(d.Lines)-1], d.Lines[1]
	if v := judge(s, d, r); v.disorder == "" {
		t.Error("no disorder was noticed although a line about languages is among the positions")
	}
	d, r = perfectResult(t, p, known)
	header := resume.Line{Text: "page 2", Part: resume.Header}
	d.Lines = append(append(append([]resume.Line{}, d.Lines[:2]...), header), d.Lines[2:]...)
	if v := judge(s, d, r); v.disorder != "" {
		t.Errorf("a header between two pages is reported as the disorder %q", v.disorder)
	}
}

func TestJudge_UnreadableFileMissesEverything(t *testing.T) {
	known := loadTaxonomy(t)
	_, s := inventSample(t, known)
	v := failed(s, &matching.Error{Code: resume.CodeCorrupt})
	for field, c := range v.tallies {
		if c.right != 0 || c.wanted == 0 {
			t.Errorf("the tally of %s is %+v, want wanted facts and no right ones", field, c)
		}
	}
}

func TestSamePhone(t *testing.T) {
	for _, tt := range []struct {
		truth, found string
		want         bool
	}{
		{"+44 20 7946 0900", "+442079460900", true},
		{"020 7946 0900", "+44 20 7946 0900", true},
		{"(555) 123-4567", "+1 555-123-4567", true},
		{"(555) 123-4567", "5551234567", true},
		{"+44 20 7946 0900", "020 7946 0900", false}, // the truth has a country code
		{"020 7946 0900", "7946 0900", false},
		{"123", "+49 30 9123", false},
	} {
		if got := samePhone(tt.truth, tt.found); got != tt.want {
			t.Errorf("samePhone(%q, %q) = %v, want %v", tt.truth, tt.found, got, tt.want)
		}
	}
}

// A skill that the taxonomy does not know can never be found.
func TestPeople_SkillsAreInTheTaxonomy(t *testing.T) {
	known := loadTaxonomy(t)
	for _, language := range []string{"en", "fr", "es", "de", "ja", "ar"} {
		for n := range 3 {
			p, err := newPerson(developmentWords, language, n)
			if err != nil {
				t.Fatal(err)
			}
			for _, skill := range p.Skills {
				if !known.Resolve(skill).Known {
					t.Errorf("the %s skill %q is not in the taxonomy", language, skill)
				}
			}
		}
	}
}

// After a change to the generator, the files must be generated again.
func TestFixtures_AreUpToDate(t *testing.T) {
	for _, f := range fixtures() {
		want, err := f.invent()
		if err != nil {
			t.Fatal(err)
		}
		var got person
		if err := readJSON("testdata/"+f.person+".json", &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s is stale; run make resume-fixtures (-want +file):\n%s", f.person, diff)
		}
	}
}
