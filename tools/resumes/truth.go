package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"freelancer-matching/taxonomy"
)

// sample is a file with what is known of it.
type sample struct {
	path     string
	layout   string // of a fixture; else where the file is from
	language string
	truth    facts
	// order is what must stand together in the text, in letters: by section of the page, in order.
	order [][]string
}

// skillIDs are the skills of the taxonomy that a list names. What the taxonomy does not know cannot be found, and is left out.
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

// fixtureSamples are the committed files.
func fixtureSamples(folder string, t *taxonomy.Taxonomy) ([]sample, error) {
	var samples []sample
	for _, f := range fixtures() {
		var p person
		if err := readJSON(filepath.Join(folder, f.person+".json"), &p); err != nil {
			return nil, err
		}
		samples = append(samples, sample{
			path: filepath.Join(folder, f.file()), layout: f.layoutAndKind(), language: p.Language, truth: p.facts(t), order: p.order(),
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
		f.add("languages", fold(l.Name))
		f.add("languages.level", entry(l.Name, l.Level))
	}
	for _, c := range p.Certifications {
		f.add("certifications", entry(c.Name, c.Issuer, c.Date))
		f.add("certifications.name", fold(c.Name))
	}
	f["skills"] = skillIDs(t, p.Skills)
	f["skills.anywhere"] = f["skills"]
	return f
}

// order is what a reader reads in one go: no layout puts anything else between.
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
