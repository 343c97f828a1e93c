package resumes

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/freelancer-matching/service/taxonomy"
)

// A sample is a file with what is known about it.
type sample struct {
	path     string
	layout   string // of a fixture; otherwise where the file is from
	language string
	truth    facts
	order    [][]string // by section, the passages that must follow each other in the text, as letters
}

// skillIDs returns the skills of the taxonomy that a list names. Unknown skills are left out, because they cannot be
// found.
func skillIDs(t *taxonomy.Taxonomy, names []string) []string {
	var ids []string
	known := make(map[string]bool)
	for _, name := range names {
		for _, r := range t.ResolveAll(name) {
			if r.Known && !known[r.ID] {
				known[r.ID] = true
				ids = append(ids, r.ID)
			}
		}
	}
	return ids
}

// fixtureSamples returns the generated files.
func fixtureSamples(folder string, t *taxonomy.Taxonomy) ([]sample, error) {
	var samples []sample
	for _, f := range fixtures() {
		var p person
		if err := readJSON(filepath.Join(folder, f.person+".json"), &p); err != nil {
			return nil, err
		}
		samples = append(samples, sample{
			path:     filepath.Join(folder, f.file()),
			layout:   f.layoutAndKind(),
			language: p.Language,
			truth:    p.facts(t),
			order:    p.order(),
		})
	}
	return samples, nil
}

func readJSON(path string, into any) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(file, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// facts returns everything that is known about a person.
func (p person) facts(t *taxonomy.Taxonomy) facts {
	f := facts{}
	f.add("name", fold(p.Name))
	f.add("job_title", fold(p.JobTitle))
	f.add("email", p.Email)
	f.add("phone", p.Phone)
	f.add("location", fold(p.Location))

	for _, link := range p.Links {
		f.add("links", address(link))
	}

	f.add("summary", letters(p.Summary))
	f.add("language", p.Language)

	for _, job := range p.Experience {
		f.position(job.Title, job.Company, period(job.Start, job.End, job.Current), strings.Join(job.Tasks, " "))
	}

	if p.Years > 0 {
		f.add("experience_years", fmt.Sprintf("%.2f", p.Years))
	}

	for _, d := range p.Education {
		f.degree(d.Degree, d.Field, d.Institution, period(d.Start, d.End, false))
	}

	for _, l := range p.Languages {
		f.language(l.Name, l.Level)
	}

	for _, c := range p.Certifications {
		f.certification(c.Name, c.Issuer, c.Date)
	}

	// The parser may find a skill in any section, so the same skills are expected of both.
	f["skills"] = skillIDs(t, p.Skills)
	f["skills.anywhere"] = f["skills"]

	return f
}

// order returns the passages that are together in every layout.
func (p person) order() [][]string {
	var jobs, schools, languages []string
	for _, job := range p.Experience {
		jobs = append(jobs, letters(strings.Join(job.Tasks, "")))
	}
	for _, d := range p.Education {
		schools = append(schools, letters(d.Degree+d.Field))
	}
	for _, l := range p.Languages {
		languages = append(languages, letters(l.Written+l.LevelWritten))
	}
	return [][]string{
		{letters(p.Summary)}, jobs, schools, {letters(strings.Join(p.Skills, ""))}, {strings.Join(languages, "")},
	}
}
