package loading

import (
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/taxonomy"
)

// FileOptions say how to read a file that somebody chose in a form.
type FileOptions struct {
	Choices    []Choice // of the columns whose recognition was wrong
	AllowKind  bool     // read files that don't look like lists of freelancers
	Sheet      string   // of a workbook, or the file in a zip archive
	SkipLines  int      // before the header
	NoHeader   bool
	Encoding   string
	Year       int // of the load
	Vocabulary source.Vocabulary
}

// A Choice says which field a column holds.
type Choice struct {
	Column string // its header
	Number int    // its place in the file, from 1, if several columns have this header; 0 for the first one
	Field  string // "" to leave the column out
}

// OpenFile opens one file on this machine. SetAmounts must be called before its rows are read. No query is ever run: a
// file of a database is an unknown format.
func OpenFile(path, name string, o FileOptions) (*Inputs, error) {
	for _, choice := range o.Choices {
		if choice.Field != "" && field.Named(choice.Field) == field.None {
			return nil, fmt.Errorf("column %q: there is no field %q", choice.Column, choice.Field)
		}
	}

	from := input.FromPath(path)
	from.Name = name
	options := source.Options{
		Map: map[string]string{}, HoursPerDay: value.DefaultHoursPerDay,
		Sheet: o.Sheet, SkipLines: o.SkipLines, NoHeader: o.NoHeader, Encoding: o.Encoding, Year: o.Year,
		Vocabulary: o.Vocabulary,
	}
	if len(o.Choices) > 0 {
		if err := choose(from, &options, o.Choices); err != nil {
			return nil, err
		}
	}

	in := &Inputs{}
	return in, in.Add(from, options, o.AllowKind, Version{})
}

// choose sets the mapping of a file: what the reader recognizes, but for the choices. If it recognizes nothing, the
// choices are all there is.
func choose(from source.Input, options *source.Options, choices []Choice) error {
	f, err := source.Open(from, *options)
	if err != nil {
		for _, choice := range choices {
			if choice.Field != "" {
				options.Map[choice.Field] = choice.Column
			}
		}
		return nil // opening the file with the choices reports what is wrong with it
	}

	file := f.Mapping()
	for _, choice := range choices {
		if err := choice.apply(&file); err != nil {
			return fmt.Errorf("%s: %w", from.Name, err)
		}
	}
	options.Mapping = mappingfile.New([]mappingfile.File{file})

	return f.Close()
}

// apply changes the use of a column. Of several columns with one field the first one listed is preferred, and somebody
// who chooses a column prefers it.
func (c *Choice) apply(file *mappingfile.File) error {
	i := slices.IndexFunc(file.Columns, func(column mappingfile.Column) bool {
		isNumber := c.Number == 0 || column.Number == 0 || c.Number == column.Number
		return column.Column == c.Column && isNumber
	})
	if i < 0 {
		return fmt.Errorf("there is no column %q", c.Column)
	}

	chosen := mappingfile.Column{Column: c.Column, Number: file.Columns[i].Number, Field: c.Field}
	if c.Field == "" {
		chosen.Field = mappingfile.NoField
	}
	if chosen.Field == file.Columns[i].Field { // with what was recognized besides
		return nil
	}
	file.Columns = slices.Insert(slices.Delete(file.Columns, i, i+1), 0, chosen)

	return nil
}

// A Vocabulary tells skills and job titles from other words. It knows nothing if the taxonomy can't be loaded, which a
// command reports when it opens the index.
type Vocabulary struct {
	Taxonomy func() (*taxonomy.Taxonomy, error)
}

// IsSkill implements source.Vocabulary.
func (v Vocabulary) IsSkill(name string) bool {
	t, err := v.Taxonomy()
	return err == nil && t.Resolve(name).Known
}

// IsJob implements source.Vocabulary.
func (v Vocabulary) IsJob(name string) bool {
	t, err := v.Taxonomy()
	return err == nil && t.NamesJob(name)
}
