package report

import (
	"maps"
	"slices"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/value"
)

// A Result is the result of load, validate, reindex and delete for -json. Each command leaves out what it doesn't know.
type Result struct {
	Files       []loadedFile    `json:"files,omitempty"`
	Rows        rowCounts       `json:"rows"`
	Merges      merges          `json:"merges"`
	Faults      []Tally         `json:"faults"`                  // why rows were rejected
	Warnings    []Tally         `json:"warnings"`                // values that were left unknown or cut
	Currency    string          `json:"currency,omitempty"`      // of the amounts
	CurrencyBy  string          `json:"currency_from,omitempty"` // absent for -currency and for the default
	Derived     []derived       `json:"derived,omitempty"`
	Converted   []converted     `json:"converted,omitempty"`
	Units       []units         `json:"converted_units,omitempty"`
	Coverage    *coverageRecord `json:"coverage,omitempty"`
	DeadLetters string          `json:"dead_letters,omitempty"`
	Change      *change         `json:"change,omitempty"` // absent if nothing changed
	// Unchanged is the live index if it has the same files already, so that load -if-changed did nothing.
	Unchanged string `json:"unchanged,omitempty"`
}

// derived counts the rows with a value that they don't state, but leave no doubt about.
type derived struct {
	Value string `json:"value"` // and what it is derived from: "country from location"
	Rows  int    `json:"rows"`
}

// converted counts the rows whose hourly rate was converted to the currency of the index.
type converted struct {
	Currency  string `json:"currency"`
	Rows      int    `json:"rows"`
	RatesDate string `json:"rates_date,omitempty"` // absent for -rate
}

// units counts the rows whose rate was converted from another unit than an hour.
type units struct {
	Unit  string  `json:"unit"`  // day, week, month or year
	Hours float64 `json:"hours"` // by which the amount was divided
	Rows  int     `json:"rows"`
}

// coverageRecord says how many freelancers have a known value in each field.
type coverageRecord struct {
	Before *known `json:"before,omitempty"` // in the index that was live
	After  *known `json:"after,omitempty"`
}

type known struct {
	Freelancers int            `json:"freelancers"`
	Known       map[string]int `json:"known"` // by field, as in exports
}

type loadedFile struct {
	Name    string         `json:"name"`
	Format  string         `json:"format"`
	Bytes   int64          `json:"bytes"`
	Rows    int            `json:"rows"`              // 0 if the file was not read to its end
	SHA256  string         `json:"sha256,omitempty"`  // hexadecimal
	Resumes int            `json:"resumes,omitempty"` // in a folder
	Notes   []string       `json:"notes,omitempty"`
	Columns []loadedColumn `json:"columns,omitempty"`
}

type loadedColumn struct {
	Header       string   `json:"header"`
	Field        string   `json:"field"`                   // empty if the column is not used
	RecognizedBy string   `json:"recognized_by,omitempty"` // -map, mapping file, header, values, or header and values
	Doubt        string   `json:"doubt,omitempty"`         // why the column may hold something else
	Examples     []string `json:"examples,omitempty"`
	Note         string   `json:"note,omitempty"`
}

type rowCounts struct {
	Read        int `json:"read"`
	Freelancers int `json:"freelancers"`
	Merged      int `json:"merged"`
	Duplicates  int `json:"duplicates"` // rows that repeat another one
	Deletions   int `json:"deletions,omitempty"`
	Rejected    int `json:"rejected"`
	Skipped     int `json:"skipped"`            // not about anybody, such as totals
	LeftOut     int `json:"left_out,omitempty"` // by -where
	Erased      int `json:"erased"`
}

// A Tally counts the faults or warnings with one reason in one column.
type Tally struct {
	Column   string         `json:"column,omitempty"` // empty if whole rows are concerned
	Reason   string         `json:"reason"`
	Count    int            `json:"count"`
	Examples []tallyExample `json:"examples"`
}

type tallyExample struct {
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Value string `json:"value,omitempty"`
}

// change describes the live index after a command.
type change struct {
	Index    string   `json:"index"`    // the live one
	Previous string   `json:"previous"` // rollback makes it live; empty if there is none
	Base     string   `json:"base,omitempty"`
	InPlace  bool     `json:"in_place"`
	Reason   string   `json:"reason,omitempty"` // why a new index was built
	Indexed  int      `json:"indexed"`
	Replaced int      `json:"replaced"`
	Kept     int      `json:"kept"` // as they were
	Deleted  int      `json:"deleted"`
	Edits    *edits   `json:"edits,omitempty"`   // earlier changes of clients that the files don't have
	Carried  int      `json:"carried,omitempty"` // changes that others made meanwhile and that were kept
	Encoded  int      `json:"encoded,omitempty"` // profiles, before the new index went live
	Unknown  []string `json:"unknown,omitempty"` // IDs to delete that no index had
	Dropped  []string `json:"dropped,omitempty"` // earlier indexes that delete -everywhere removed
	Refused  int      `json:"refused"`           // by the search engine
	Refusals []Tally  `json:"refusals,omitempty"`
	Seconds  float64  `json:"seconds"`
}

// edits are changes of clients that the files of a load don't have.
type edits struct {
	Kept        bool           `json:"kept"`
	Freelancers int            `json:"freelancers"`
	Fields      map[string]int `json:"fields"` // number of values by field
	Added       int            `json:"added"`  // freelancers whom the files don't have
}

// Describe returns the result of a command. in is nil if the command reads no files.
func Describe(heads []loading.Head, r *bulk.Report) *Result {
	l := &Result{
		Rows: rowCounts{
			Read: r.Rows, Freelancers: r.Freelancers, Merged: r.Merged, Duplicates: r.Duplicates,
			Deletions: r.Deletions, Rejected: r.Rejected, Skipped: r.Skipped, LeftOut: r.LeftOut, Erased: r.Erased,
		},
		Merges:      describeMerges(&r.Merges),
		Faults:      tallies(r.Faults),
		Warnings:    tallies(r.Warnings),
		Currency:    r.Currency,
		CurrencyBy:  string(r.CurrencyBy),
		DeadLetters: r.DeadLetters,
	}

	// Maps have no order, but the output of two equal runs must be equal.
	for _, text := range slices.Sorted(maps.Keys(r.Derived)) {
		l.Derived = append(l.Derived, derived{text, r.Derived[text]})
	}

	for _, c := range r.Converted {
		l.Converted = append(l.Converted, converted(c))
	}

	for _, unit := range value.Units {
		if rows := r.Units[unit]; rows > 0 {
			l.Units = append(l.Units, units{unit.String(), unit.Hours(r.HoursPerDay), rows})
		}
	}

	for _, h := range heads {
		// A file that the command didn't reach, because it failed before, has no rows and no checksum.
		file := loadedFile{Name: h.Name, Format: h.Format, Bytes: h.Size, Resumes: h.Resumes, Notes: h.Notes}
		for _, read := range r.Files {
			if read.Name == h.Name {
				file.Rows = read.Rows
				file.SHA256 = read.SHA256
			}
		}

		for _, column := range h.Columns {
			file.Columns = append(file.Columns, loadedColumn{
				Header: column.Header, Field: column.Field, RecognizedBy: string(column.How), Doubt: column.Doubt,
				Examples: column.Examples, Note: column.Note,
			})
		}

		l.Files = append(l.Files, file)
	}

	if r.Coverage != nil {
		l.Coverage = &coverageRecord{After: &known{r.LiveFreelancers(), r.Coverage}}
		if b := r.Before; b != nil && b.Coverage != nil {
			l.Coverage.Before = &known{b.Freelancers, b.Coverage}
		}
	}

	// A load that the search engine refused has no index, but its refusals must be in the answer.
	if r.Index != "" || r.Refused > 0 {
		l.Change = &change{
			Index: r.Index, Previous: r.Previous, Base: r.Base, InPlace: r.InPlace, Reason: r.Reason,
			Indexed: r.Indexed, Replaced: r.Replaced, Kept: r.Kept,
			Deleted: r.Deleted, Carried: r.Carried, Encoded: r.Encoded, Unknown: r.Unknown, Dropped: r.Dropped,
			Refused: r.Refused, Refusals: tallies(r.Refusals),
			Seconds: r.Elapsed.Seconds(),
		}
		if e := r.Edits; !e.IsEmpty() {
			l.Change.Edits = &edits{e.Kept, e.Freelancers, e.ByField, e.Added}
		}
	}

	return l
}

func tallies(t bulk.Tally) []Tally {
	list := []Tally{}
	for _, k := range t.Counts() {
		examples := make([]tallyExample, len(k.Examples))
		for i, e := range k.Examples {
			examples[i] = tallyExample(e)
		}
		list = append(list, Tally{Column: k.Column, Reason: k.Reason, Count: k.Faults, Examples: examples})
	}
	return list
}
