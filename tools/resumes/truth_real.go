package resumes

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
	"time"

	"github.com/goccy/go-yaml"

	"github.com/freelancer-matching/service/taxonomy"
)

// An exportedResume is the part of a Reactive Resume export that is judged.
type exportedResume struct {
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
		Name, Company, Position, Institution, Issuer, Date, Summary string
		Keywords                                                    []string
	}
}

// facts returns the facts in an export. It leaves out what the export does not separate (degree and field), or writes
// in its own words (levels).
func (e exportedResume) facts(t *taxonomy.Taxonomy) (facts, [][]string) {
	f := facts{}
	f.add("name", fold(e.Basics.Name))
	f.add("job_title", fold(e.Basics.Headline))
	f.add("email", strings.ToLower(e.Basics.Email))
	f.add("phone", e.Basics.Phone)
	f.add("location", fold(e.Basics.Location))
	f.add("summary", letters(plainHTML(e.Sections.Summary.Content)))
	// Passages whose order is known: the summary, and the tasks of the jobs.
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
		f.certification(item.Name, item.Issuer, item.Date)
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

// englishMonth returns "2019-01" for "January 2019", and other texts as they are.
func englishMonth(text string) string {
	if t, err := time.Parse("January 2006", text); err == nil {
		return t.Format("2006-01")
	}
	return text
}

// templateSamples returns the real templates in truth.tsv. If the source of one is present, all its fields are judged.
func templateSamples(folder string, t *taxonomy.Taxonomy) ([]sample, error) {
	file, err := os.Open(filepath.Join(folder, "truth.tsv"))
	if err != nil {
		return nil, err
	}
	defer file.Close()

	reader := csv.NewReader(file)
	reader.Comma = '\t'
	// The table isn't quoted; a quotation mark is part of a value.
	reader.LazyQuotes = true
	reader.FieldsPerRecord = 9
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
			s.layout = "template with full truth"
			s.truth = full
			s.order = order

		default:
			name := fold(row[1])
			email := strings.ToLower(row[2])
			phone := row[3]
			for i, field := range []struct{ name, value string }{{"name", name}, {"email", email}, {"phone", phone}} {
				// Some templates draw a value as a picture, where no text reader can find it.
				if inText := row[6+i] != "0"; inText && field.value != "" {
					s.truth.add(field.name, field.value)
				}
			}
		}

		samples = append(samples, s)
	}

	return samples, nil
}

// fullTruth returns the facts in the source of a template, nil if the source is not present.
func fullTruth(path string, t *taxonomy.Taxonomy) (facts, [][]string, error) {
	var e exportedResume
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

	var r renderedResume // the same for all themes
	if err := yaml.Unmarshal(file, &r); err != nil {
		return nil, nil, fmt.Errorf("read the truth of %s: %w", name, err)
	}

	full, order := r.facts(t)
	return full, order, nil
}

// A renderedResume is the part of a RenderCV source that is judged.
type renderedResume struct {
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

func (r renderedResume) facts(t *taxonomy.Taxonomy) (facts, [][]string) {
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
		// A group has its skills in one string.
		skills = append(skills, strings.Split(group.Details, ", ")...)
	}

	f["skills"] = skillIDs(t, skills)
	f["skills.anywhere"] = f["skills"]
	return f, order
}

// anonymousSamples returns the resumes of a job site that removes names and email addresses: none may be found.
func anonymousSamples(folder string) ([]sample, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.pdf"))
	var samples []sample
	for _, path := range paths {
		s := sample{path: path, layout: "anonymous", language: "en", truth: facts{"name": nil, "email": nil}}
		samples = append(samples, s)
	}
	return samples, err
}
