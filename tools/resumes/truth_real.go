package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"freelancer-matching/taxonomy"
)

// exported is a resume as Reactive Resume exports it, in part.
type exported struct {
	Basics struct {
		Name, Headline, Email, Phone, Location string
	}
	Sections struct {
		Summary        struct{ Content string }
		Experience     exportedItems
		Education      exportedItems
		Skills         exportedItems
		Languages      exportedItems
		Certifications exportedItems
	}
}

type exportedItems struct {
	Items []struct {
		Visible                                                     bool
		Name, Company, Position, Institution, Issuer, Date, Summary string
		Keywords                                                    []string
	}
}

// facts leaves out what the export does not separate (degree and field) or names in words of its own (levels).
func (e exported) facts(t *taxonomy.Taxonomy) (facts, [][]string) {
	f := facts{}
	f.add("name", fold(e.Basics.Name))
	f.add("job_title", fold(e.Basics.Headline))
	f.add("email", strings.ToLower(e.Basics.Email))
	f.add("phone", e.Basics.Phone)
	f.add("location", fold(e.Basics.Location))
	f.add("summary", letters(plainHTML(e.Sections.Summary.Content)))
	order := [][]string{f["summary"], nil}
	for _, item := range e.Sections.Experience.Items {
		tasks := plainHTML(item.Summary)
		f.position(item.Position, item.Company, englishPeriod(item.Date), tasks)
		order[1] = append(order[1], letters(tasks))
	}
	for _, item := range e.Sections.Education.Items {
		f.add("education.institution", fold(item.Institution))
		f.add("education.dates", englishPeriod(item.Date))
	}
	for _, item := range e.Sections.Languages.Items {
		f.add("languages", fold(item.Name))
	}
	for _, item := range e.Sections.Certifications.Items {
		f.add("certifications", entry(item.Name, item.Issuer, item.Date))
		f.add("certifications.name", fold(item.Name))
	}
	var skills []string
	for _, item := range e.Sections.Skills.Items {
		skills = append(skills, item.Keywords...)
	}
	f["skills"] = skillIDs(t, skills)
	f["skills.anywhere"] = f["skills"]
	return f, order
}

var tag = regexp.MustCompile(`<[^>]*>`)

func plainHTML(text string) string { return html.UnescapeString(tag.ReplaceAllString(text, " ")) }

// englishPeriod reads "January 2019 to Present".
func englishPeriod(text string) string {
	start, end, _ := strings.Cut(text, " to ")
	if strings.EqualFold(end, "present") {
		return period(englishMonth(start), "", true)
	}
	return period(englishMonth(start), englishMonth(end), false)
}

func englishMonth(text string) string {
	months := []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	name, year, _ := strings.Cut(text, " ")
	for i, month := range months {
		if strings.EqualFold(name, month) {
			return fmt.Sprintf("%s-%02d", year, i+1)
		}
	}
	return text
}

// templateSamples are the real templates with truth.tsv; where an export stands beside one, all its fields are judged.
func templateSamples(folder string, t *taxonomy.Taxonomy) ([]sample, error) {
	file, err := os.Open(filepath.Join(folder, "truth.tsv"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = '\t', true, 9
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read truth.tsv: %w", err)
	}
	var samples []sample
	for _, row := range rows[1:] {
		s := sample{path: filepath.Join(folder, row[0]), layout: "template", language: row[4], truth: facts{}}
		full, order, err := fullTruth(s.path, t)
		switch {
		case err != nil:
			return nil, err
		case full != nil:
			s.layout, s.truth, s.order = "template with full truth", full, order
		default:
			for i, field := range []string{"name", "email", "phone"} {
				if value := row[1+i]; value != "" && row[6+i] != "0" { // 0: the file's text does not have it
					s.truth.add(field, map[string]string{"name": fold(value), "email": strings.ToLower(value), "phone": value}[field])
				}
			}
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// fullTruth is what a template was made from, where that is there: nil where it is not.
func fullTruth(path string, t *taxonomy.Taxonomy) (facts, [][]string, error) {
	var e exported
	switch err := readJSON(strings.TrimSuffix(path, filepath.Ext(path))+".json", &e); {
	case err == nil:
		full, order := e.facts(t)
		return full, order, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	folder, name := filepath.Split(path)
	theme, ok := strings.CutPrefix(name, "rendercv__rendercv__John_Doe_")
	if !ok || theme == "" {
		return nil, nil, nil
	}
	file, err := os.ReadFile(filepath.Join(folder, "truth_sources", "rendercv__rendercv__John_Doe_ModerncvTheme_CV.yaml"))
	if err != nil {
		return nil, nil, err
	}
	var r rendered // of all themes
	if err := yaml.Unmarshal(file, &r); err != nil {
		return nil, nil, fmt.Errorf("read the truth of %s: %w", name, err)
	}
	full, order := r.facts(t)
	return full, order, nil
}

// rendered is what RenderCV makes a resume from, in part.
type rendered struct {
	CV struct {
		Name     string `yaml:"name"`
		Location string `yaml:"location"`
		Email    string `yaml:"email"`
		Sections struct {
			Education []struct {
				Institution string `yaml:"institution"`
				Area        string `yaml:"area"`
				Degree      string `yaml:"degree"`
				Start       string `yaml:"start_date"`
				End         string `yaml:"end_date"`
			} `yaml:"education"`
			Experience []struct {
				Company    string   `yaml:"company"`
				Position   string   `yaml:"position"`
				Start      string   `yaml:"start_date"`
				End        string   `yaml:"end_date"`
				Highlights []string `yaml:"highlights"`
			} `yaml:"experience"`
			Skills []struct {
				Details string `yaml:"details"`
			} `yaml:"skills"`
		} `yaml:"sections"`
	} `yaml:"cv"`
}

func (r rendered) facts(t *taxonomy.Taxonomy) (facts, [][]string) {
	f := facts{}
	f.add("name", fold(r.CV.Name))
	f.add("email", r.CV.Email)
	f.add("location", fold(r.CV.Location))
	order := make([][]string, 1)
	for _, job := range r.CV.Sections.Experience {
		tasks := strings.Join(job.Highlights, " ")
		f.position(job.Position, job.Company, period(job.Start, job.End, job.End == "present"), tasks)
		order[0] = append(order[0], letters(tasks))
	}
	for _, d := range r.CV.Sections.Education {
		f.degree(d.Degree, d.Area, d.Institution, period(d.Start, d.End, false))
	}
	var skills []string
	for _, group := range r.CV.Sections.Skills {
		skills = append(skills, strings.Split(group.Details, ", ")...)
	}
	f["skills"] = skillIDs(t, skills)
	f["skills.anywhere"] = f["skills"]
	return f, order
}

// anonymousSamples are the resumes of a job site that tell no name and no e-mail: there is nothing to be found.
func anonymousSamples(folder string) ([]sample, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	var samples []sample
	for _, path := range paths {
		samples = append(samples, sample{path: path, layout: "anonymous", language: "en", truth: facts{"name": nil, "email": nil}})
	}
	return samples, err
}
