// Package htmlreport writes the report of a load as one HTML page without scripts or other files.
package htmlreport

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/indexer/profile"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/pagestyle"
)

// Page is what a report shows.
type Page struct {
	Command  string // as in "indexer load -upsert"
	Error    string // why the command failed; empty after a success
	Checked  bool   // the files were only checked
	Version  string // of the program
	User     string // as name@host
	Finished time.Time
	Currency string // of the amounts
	Files    []File
	Report   *bulk.Report
	Profile  *profile.Profile // of the live index, or of the checked files; nil if unknown
}

// File is an input and how its columns were used.
type File struct {
	Name, Format string
	Bytes        int64
	Resumes      int // in a folder; otherwise 0
	Notes        []string
	Columns      []source.Column
}

//go:embed report.html
var pageTemplate string

//go:embed style.css
var style string

// Write writes the page. Everything in it may come from hostile files: the template escapes texts, and text removes
// characters that change the direction of the text around them.
func Write(w io.Writer, p *Page) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(pagestyle.Base + style) }, //nolint:gosec // embedded, not input
		"number": func(n int) string { return humanize.Comma(int64(n)) },
		"bytes":  func(n int64) string { return humanize.Bytes(uint64(max(n, 0))) },
		"plural": func(n int, noun string) string { return english.PluralWord(n, noun, "") },
		"text":   func(s string) string { return clean(s, maxText) },
		"base":   filepath.Base,
		"lines":  cleanLines,
		"join":   strings.Join,
		"first":  clean,
		"place":  place,
	}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// The limits of what a page shows.
const (
	maxText     = 200 // characters
	maxRows     = 100 // of a table
	maxSkills   = 20
	chartWidth  = 480
	chartHeight = 160
)

// clean returns a text in one line without invisible characters, cut to limit characters.
func clean(s string, limit int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s))
	if len(runes) > limit {
		runes = append(runes[:limit-1], '…')
	}
	return string(runes)
}

// cleanLines cleans the lines of a message.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = clean(line, 5*maxText)
	}
	return strings.Join(lines, "\n")
}

// place returns FILE:LINE, without the folder of the file.
func place(e bulk.Example) string {
	file := ""
	if e.File != "" {
		file = clean(filepath.Base(e.File), maxText)
	}
	if e.Line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(e.Line)
}

// Title returns the heading of the page.
func (p *Page) Title() string {
	freelancers := english.Plural(p.Report.Freelancers, "freelancer", "")
	switch {
	case p.Error != "" && p.Checked:
		return "The files would not be loaded"
	case p.Error != "":
		return "Nothing was loaded"
	case p.Checked:
		return freelancers + " can be loaded"
	default:
		n := p.live()
		return humanize.Comma(int64(n)) + " " + english.PluralWord(n, "freelancer is", "freelancers are") + " live"
	}
}

// live returns the number of freelancers in the live index after the load.
func (p *Page) live() int {
	if p.Report.InPlace {
		return p.Report.Kept + p.Report.Indexed
	}
	return p.Report.Indexed
}

// A Figure is a number with a label.
type Figure struct {
	Label string
	Value int
	Bad   bool
}

// Figures returns the counts at the top of the page.
func (p *Page) Figures() []Figure {
	r := p.Report
	figures := []Figure{
		{"rows read", r.Rows, false},
		{"freelancers in the files", r.Freelancers, false},
		{"rows merged", r.Merged, false},
		{"repeated rows", r.Duplicates, false},
		{"rows rejected", r.Rejected, r.Rejected > 0},
		{"warnings", total(r.Warnings), false},
	}

	if r.Base != "" && p.Error == "" {
		figures = append(figures, Figure{"freelancers replaced", r.Replaced, false}, Figure{"unchanged", r.Kept, false})
	}

	if r.LeftOut > 0 {
		figures = append(figures, Figure{"left out by -where", r.LeftOut, false})
	}
	if r.Erased > 0 {
		figures = append(figures, Figure{"left out, because they were erased", r.Erased, false})
	}

	if r.Refused > 0 {
		figures = append(figures, Figure{"refused by the search engine", r.Refused, true})
	}

	return figures
}

func total(t bulk.Tally) (n int) {
	for _, k := range t.Counts() {
		n += k.Faults
	}
	return n
}

// Coverage is how many freelancers have a known value in a field.
type Coverage struct {
	Field                  string
	Before, After          float64 // percent
	HasBefore, Falls, Rise bool
	Known                  int // after
}

// Coverage returns the coverage of each field before and after the load.
func (p *Page) Coverage() (list []Coverage) {
	after := p.Report.Coverage
	all := p.live()

	// A check changes no index, and a small change doesn't count the whole index; then the profile has the values.
	if p.Checked || after == nil {
		if p.Profile == nil || p.Profile.Freelancers == 0 {
			return nil
		}
		after = p.Profile.Known()
		all = p.Profile.Freelancers
	}

	before := p.Report.Before
	var was map[string]int

	if before != nil {
		was = before.Coverage
	}
	fields, details := coverage.Shown(after, was)
	for _, field := range append(fields, details...) {
		c := Coverage{Field: field, Known: after[field], After: percent(after[field], all)}
		if before != nil && before.Coverage != nil {
			c.HasBefore, c.Before = true, percent(before.Coverage[field], before.Freelancers)

			// A change of less than a percentage point needs no attention.
			c.Falls, c.Rise = c.After < c.Before-1, c.After > c.Before+1
		}
		list = append(list, c)
	}

	return list
}

func percent(n, all int) float64 { return 100 * float64(n) / float64(max(all, 1)) }

// Change returns the difference in percentage points, or a dash if there is next to none.
func (c Coverage) Change() string {
	if math.Abs(c.After-c.Before) < .05 {
		return "–"
	}
	return fmt.Sprintf("%+.1f", c.After-c.Before)
}

// A Skill is a bar of the most frequent skills.
type Skill struct {
	profile.SkillCount
	Percent float64 // of the most frequent one
}

// Skills returns the most frequent skills.
func (p *Page) Skills() (list []Skill) {
	if p.Profile == nil {
		return nil
	}
	top, _ := p.Profile.TopSkills(maxSkills)
	for _, s := range top {
		list = append(list, Skill{s, percent(s.Freelancers, top[0].Freelancers)})
	}
	return list
}

// SkillUncertainty returns by how much the counts of skills may be too low.
func (p *Page) SkillUncertainty() int {
	_, uncertainty := p.Profile.TopSkills(0)
	return uncertainty
}

// Warnings returns the most frequent warnings.
func (p *Page) Warnings() []bulk.Count { return limited(p.Report.Warnings.Counts()) }

// Faults returns the most frequent reasons for rejection.
func (p *Page) Faults() []bulk.Count { return limited(p.Report.Faults.Counts()) }

// Refusals returns the most frequent reasons of the search engine.
func (p *Page) Refusals() []bulk.Count { return limited(p.Report.Refusals.Counts()) }

func limited[T any](list []T) []T { return list[:min(len(list), maxRows)] }

// MergeKeys returns by what merged rows were recognized: "1,200 by id".
func (p *Page) MergeKeys() (list []string) {
	for k := rows.ByID; k <= rows.ByRow; k++ {
		if n := p.Report.Merges.Keys[k]; n > 0 {
			list = append(list, humanize.Comma(int64(n))+" by "+k.String())
		}
	}
	return list
}
