// Package mappingfile reads and writes mapping files, which say which column of a file holds which field.
package mappingfile

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"golang.org/x/text/currency"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/indexer/source/where"
	"github.com/freelancer-matching/service/internal/spelling"
	"github.com/freelancer-matching/service/internal/value"
)

// Mapping says which column holds each field, for several files. It is the content of a mapping file.
type Mapping struct {
	Version int    `yaml:"version"`
	Files   []File `yaml:"files"`
}

// mappingVersion is the version of the format of mapping files.
const mappingVersion = 1

// File is the mapping of one file, or of all files whose name has a pattern.
type File struct {
	File      string   `yaml:"file"`                // a name, a path, or a pattern of names such as "*.csv"
	Delimiter string   `yaml:"delimiter,omitempty"` // this and the next ones are options, unless flags set them
	Encoding  string   `yaml:"encoding,omitempty"`
	SkipLines int      `yaml:"skip_lines,omitempty"`
	NoHeader  bool     `yaml:"no_header,omitempty"`
	Sheet     string   `yaml:"sheet,omitempty"`
	JSONPath  string   `yaml:"json_path,omitempty"`
	ID        []string `yaml:"id,omitempty"`
	IDPrefix  string   `yaml:"id_prefix,omitempty"`
	Where     string   `yaml:"where,omitempty"` // rows to load, as in package where
	Columns   []Column `yaml:"columns"`
}

// New returns the mapping of several files. It names each file without its folder, unless two would have the
// same name.
func New(files []File) *Mapping {
	m := &Mapping{Version: mappingVersion, Files: slices.Clone(files)}
	count := make(map[string]int)
	for _, file := range m.Files {
		count[baseName(file.File)]++
	}
	for i := range m.Files {
		if name := baseName(m.Files[i].File); count[name] == 1 {
			m.Files[i].File = name
		}
	}
	return m
}

// baseName returns the last part of a path or URL.
func baseName(name string) string {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		return path.Base(u.Path)
	}
	return filepath.Base(name)
}

// Column says how to use a column. Of several columns with the same field, the first one that has a value is
// used, except that skills are joined.
type Column struct {
	Column   string `yaml:"column"`             // its header
	Number   int    `yaml:"number,omitempty"`   // its place in the file, from 1, if several columns have this header
	Field    string `yaml:"field"`              // "-" for none
	Part     bool   `yaml:"part,omitempty"`     // joined with the part before it, as first and last names are
	Scale    int    `yaml:"scale,omitempty"`    // of ratings: the upper end, 1, 5, 10 or 100; judged if missing
	Currency string `yaml:"currency,omitempty"` // ISO 4217, of amounts that name none
	Per      string `yaml:"per,omitempty"`      // the time that rates without one are for; an hour if missing
	Slugs    *bool  `yaml:"slugs,omitempty"`    // skills are slugs: hyphens stand for spaces; judged if missing
	Date     bool   `yaml:"date,omitempty"`     // holds dates, so that rows with shifted cells are noticed
	// Identity says whether a location or country distinguishes people; empty if it does and is also stored.
	Identity field.Identity `yaml:"identity,omitempty"`
	// Use says what a column of languages or currencies holds, as groups.txt does: native, rate or a language.
	Use string `yaml:"use,omitempty"`

	comment string
	line    int
}

// SetComment sets the comment beside the field of the column in the mapping file.
func (c *Column) SetComment(text string) { c.comment = text }

// Line returns the line of the column in the mapping file, or 0 if it isn't from one.
func (c *Column) Line() int { return c.line }

// NoField stands for no field in a mapping file.
const NoField = "-"

// mappingHead explains a mapping file to the person who edits it.
const mappingHead = ` How indexer reads these files. Edit it, and use it with:

   indexer load -mapping mapping.yaml FILE…

 A file is a name, or a pattern such as "people-*.csv"; the first entry that fits a file is used. where loads only
 the rows that fulfill a condition, as the flag -where does. For each column:

   field     one of the fields below, or "-" to leave the column out, like a column that is not listed
   scale     of ratings without one: 1, 5, 10 or 100 (percent); judged from the whole column if it is missing
   currency  of amounts without one, such as EUR
   per       the time that rates without one are for: day, week, month or year, which are converted to hours; an hour
             if it is missing
   slugs     true if skills are written like-this, with hyphens for spaces; judged from the first rows if it is missing
   part      joined with the other parts of the field: first and last names, or counts that are added up
   identity  of a location or country, which also distinguishes people with the same name and no id: "only" if it
             isn't stored, "never" if it doesn't distinguish people
   use       of languages: "native", or a code such as en if the column has levels of this language; of currencies:
             "rate" if the hourly rates are in them, whatever the freelancer charges in
   date      dates, which are only used to notice rows whose cells are in the wrong columns
   number    the place of the column in the file, from 1, if several columns have the same header

 If several columns hold one field, the first one listed is preferred. The fields are:
 %s.`

// YAML returns the mapping as the content of a mapping file, with comments.
func (m *Mapping) YAML() (string, error) {
	comments := yaml.CommentMap{"$.version": {yaml.HeadComment(
		strings.Split(fmt.Sprintf(mappingHead, strings.Join(field.Names[1:], ", ")), "\n")...)}}
	for i, file := range m.Files {
		for j, column := range file.Columns {
			if column.comment != "" {
				key := fmt.Sprintf("$.files[%d].columns[%d].field", i, j)
				comments[key] = []*yaml.Comment{yaml.LineComment(" " + strings.ReplaceAll(column.comment, "\n", " "))}
			}
		}
	}
	text, err := yaml.MarshalWithOptions(m, yaml.WithComment(comments), yaml.IndentSequence(true))
	return string(text), err
}

// Parse reads the content of a mapping file. Errors name the line.
func Parse(text []byte) (*Mapping, error) {
	m, err := decodeMapping(text)
	if err != nil {
		return nil, err
	}

	if m.Version != mappingVersion {
		return nil, fmt.Errorf("version %d is not supported; this program reads version %d, so start with a file that "+
			"indexer validate -o writes", m.Version, mappingVersion)
	}
	if len(m.Files) == 0 {
		return nil, errors.New("there are no files; list them under files")
	}

	// Decoding loses the lines, but an error without one is of little use in a file that people edit.
	line := lineFinder(text)
	for i := range m.Files {
		file := &m.Files[i]

		// An empty name matches hardly anything; the call only checks the pattern.
		if _, err := path.Match(file.File, ""); file.File == "" || err != nil {
			return nil, fmt.Errorf("line %d: %q is neither the name of a file nor a pattern such as \"*.csv\"",
				line("$.files[%d].file", i), file.File)
		}

		if file.Where != "" {
			if _, err := where.Parse(file.Where); err != nil {
				return nil, fmt.Errorf("line %d: %w", line("$.files[%d].where", i), err)
			}
		}

		for j := range file.Columns {
			column := &file.Columns[j]
			column.line = line("$.files[%d].columns[%d].column", i, j)
			if err := column.check(); err != nil {
				return nil, fmt.Errorf("line %d: column %q: %w", column.line, column.Column, err)
			}
		}
	}

	return m, nil
}

// decodeMapping decodes a mapping file without checking it. The YAML library panics on some malformed documents.
func decodeMapping(text []byte) (m *Mapping, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML can't be read: %v", r)
		}
	}()
	m = &Mapping{}
	if err := yaml.UnmarshalWithOptions(text, m, yaml.Strict()); err != nil {
		return nil, errors.New(strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return m, nil
}

// lineFinder returns a function that returns the line of a node of a YAML document, or 0.
func lineFinder(text []byte) func(format string, indexes ...any) int {
	document, err := parser.ParseBytes(text, 0)
	return func(format string, indexes ...any) int {
		node, pathErr := yaml.PathString(fmt.Sprintf(format, indexes...))
		if err != nil || pathErr != nil {
			return 0
		}
		found, err := node.FilterFile(document)
		if err != nil || found == nil {
			return 0
		}
		return found.GetToken().Position.Line
	}
}

// check checks the options of a column.
func (c *Column) check() error {
	// Options on the wrong field would be ignored silently, so each is an error that says where it belongs.
	f := field.Named(c.Field)
	switch {
	case c.Field == "":
		return errors.New("the field is missing; write field: - to leave the column out")
	case c.Field != NoField && f == field.None:
		return fmt.Errorf("unknown field %q%s; the fields are %s", c.Field, didYouMean(c.Field, field.Names[1:]),
			strings.Join(field.Names[1:], ", "))
	case c.Number < 0:
		return errors.New("the number must be 1 or more")
	case c.Scale != 0 && f != field.Rating:
		return errors.New("a scale belongs to a column of ratings")
	case !slices.Contains([]int{0, 1, value.MaxRating, 10, 100}, c.Scale):
		return errors.New("the scale must be 1, 5, 10 or 100")
	case c.Currency != "" && f != field.HourlyRate:
		return errors.New("a currency belongs to a column of hourly rates")
	case c.Per != "" && f != field.HourlyRate:
		return errors.New("per belongs to a column of hourly rates")
	case c.Per != "" && value.UnitNamed(c.Per) == value.NoUnit:
		return errors.New("per must be hour, day, week, month or year")
	case c.Slugs != nil && f != field.Skills:
		return errors.New("slugs belong to a column of skills")
	case c.Part && f != field.Name && f != field.TotalSales:
		return errors.New("only name and total_sales have parts")
	case !slices.Contains([]field.Identity{"", field.OnlyIdentity, field.NeverIdentity}, c.Identity):
		return errors.New("identity must be only or never")
	case c.Identity != "" && !f.IsPlace(), c.Identity == field.OnlyIdentity && f == field.Country:
		return errors.New("identity: only belongs to a location, and identity: never to a location or a country")
	case c.Use != "" && !isUse(f, c.Use):
		return errors.New("use must be native or a code such as en for languages, and rate for currencies")
	case c.Date && f != field.None:
		return errors.New("a column of dates has no field; write field: -")
	}

	if c.Currency != "" {
		unit, err := currency.ParseISO(c.Currency)
		if err != nil {
			return fmt.Errorf("unknown currency %q; use an ISO 4217 code, such as EUR", c.Currency)
		}

		// Codes in lower case are valid; later steps compare them in upper case.
		c.Currency = unit.String()
	}

	return nil
}

// isUse reports whether columns of a field can have a use.
func isUse(f field.Field, use string) bool {
	switch f {
	case field.Languages:
		tag, _ := value.Language(use)
		return use == field.UseNative || tag == use
	case field.Currency:
		return use == field.UseForRate
	default:
		return false
	}
}

func didYouMean(name string, known []string) string {
	if nearest := spelling.Nearest(name, known); nearest != "" {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// Has reports whether the mapping has an entry for a file.
func (m *Mapping) Has(name string) bool {
	file, err := m.File(name)
	return err == nil && file != nil
}

// File returns the mapping of a file, or nil if m is nil. It returns an error if no entry fits the file.
func (m *Mapping) File(name string) (*File, error) {
	if m == nil {
		return nil, nil
	}
	names := make([]string, 0, len(m.Files))
	for i := range m.Files {
		file := &m.Files[i]
		fits, _ := path.Match(file.File, baseName(name)) // Parse has checked the pattern
		isNamed := file.File == name || file.File == baseName(name)
		if isNamed || fits {
			return file, nil
		}
		names = append(names, file.File)
	}
	return nil, fmt.Errorf("%s: the mapping file has no entry for this file, only for %s; add one, or use a pattern "+
		"such as \"*.csv\"", name, strings.Join(names, ", "))
}

// Find returns the index of the column among the headers of a file.
func (c *Column) Find(headers []string) (int, error) {
	number := c.Number - 1
	hasNumber := number >= 0 && number < len(headers)
	if hasNumber && headers[number] == c.Column {
		return number, nil
	}
	i := slices.Index(headers, c.Column)
	if i < 0 {
		i = slices.IndexFunc(headers, func(h string) bool { return strings.EqualFold(h, strings.TrimSpace(c.Column)) })
	}
	if i < 0 || c.Number > 0 {
		place := ""
		if c.Number > 0 {
			place = fmt.Sprintf(" at place %d", c.Number)
		}
		return 0, fmt.Errorf("line %d of the mapping file: the file has no column %q%s%s; the columns are %s",
			c.line, c.Column, place, didYouMean(c.Column, headers), table.Quoted(headers))
	}
	return i, nil
}
