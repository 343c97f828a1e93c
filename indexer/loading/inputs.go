// Package loading is what a load does between the options of a program and its output: it opens files, checks them,
// compares them with the live index, loads them, records how that ended, and takes it back. The commands of the indexer
// and the uploads of the server share it.
package loading

import (
	"errors"
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/kind"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
)

// Inputs are files, each of which could be opened.
type Inputs struct {
	Files    []bulk.Input
	Heads    []Head
	mappings []source.FileMapping
	amounts  *amounts // nil until SetAmounts
}

// amounts say what the amounts of the files are in, and how others are converted.
type amounts struct {
	currency string
	rates    map[string]float64
}

// SetAmounts replaces the currency and the exchange rates of the files that Add added. They can be chosen only after
// all files are open.
func (in *Inputs) SetAmounts(currency string, rates map[string]float64) {
	in.amounts = &amounts{currency, rates}
}

// A Head describes an input, judging by its beginning.
type Head struct {
	Name, Format string
	Size         int64
	Resumes      int // in a folder of resumes; otherwise 0
	Columns      []source.Column
	Notes        []string
}

// A Version is the version of a file that a server named. It is recorded in the provenance.
type Version struct{ ETag, LastModified string }

// Add opens a file, recognizes its columns, and adds it. It returns a *KindError for a file that does not look like one
// about freelancers, unless allowKind is set.
func (in *Inputs) Add(
	from source.Input, options source.Options, allowKind bool, version Version, notes ...string,
) error {
	f, err := source.Open(from, options)
	if err != nil {
		return err
	}
	if v := f.Kind(); v.Kind != "" && !allowKind {
		return errors.Join(&KindError{from.Name, v}, f.Close())
	}

	again := f.Options() // the columns are recognized once
	in.AddOpened(f, notes, bulk.Input{
		Name: from.Name,
		Open: func() (bulk.File, error) {
			options := again
			if in.amounts != nil {
				options.Currency = in.amounts.currency
				options.Rates = in.amounts.rates
			}
			return source.Open(from, options)
		},
		ETag: version.ETag, LastModified: version.LastModified,
	})
	in.mappings = append(in.mappings, f.Mapping())

	// The file was opened only to recognize its columns; each pass of a load opens it again.
	return f.Close()
}

// AddOpened adds an input whose beginning f has read.
func (in *Inputs) AddOpened(f *source.File, notes []string, input bulk.Input) {
	in.Heads = append(in.Heads, Head{
		Name: input.Name, Format: f.Format(), Size: f.Size(), Columns: f.Columns(), Notes: append(notes, f.Notes()...),
	})
	in.Files = append(in.Files, input)
}

// AddMapping adds how the columns of a file are used to what Mapping returns.
func (in *Inputs) AddMapping(m source.FileMapping) { in.mappings = append(in.mappings, m) }

// Source returns the format of all inputs, or "mixed".
func (in *Inputs) Source() string {
	first := in.Heads[0].Format
	for _, h := range in.Heads {
		if h.Format != first {
			return "mixed"
		}
	}
	return first
}

// Mapping returns how the columns of all files are used, as YAML, or "" if there are only resumes.
func (in *Inputs) Mapping() (string, error) {
	if len(in.mappings) == 0 {
		return "", nil
	}
	return mappingfile.New(in.mappings).YAML()
}

// FieldNames returns the names of the fields that a column can hold.
func FieldNames() []string { return field.Names[1:] }

// A KindError reports a file that is not about freelancers.
type KindError struct {
	file    string
	verdict kind.Verdict
}

// Error quotes what the file was recognized by.
func (e *KindError) Error() string {
	evidence := make([]string, len(e.verdict.Evidence))
	for i, text := range e.verdict.Evidence {
		evidence[i] = format.Printable(text, 200)
	}
	return fmt.Sprintf("%s looks like a list of %ss, not of freelancers: it has %s", e.file, e.verdict.Kind,
		strings.Join(evidence, ", "))
}
