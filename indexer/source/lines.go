package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/build"
	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/flatten"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/indexer/source/where"
	"github.com/freelancer-matching/service/internal/value"
)

// RemarkLacking is the warning about a column of the mapping that a line lacks.
const RemarkLacking = "the mapping has this column, but the line doesn't"

// adviceLineID says how the lines of people without an identity get one.
const adviceLineID = "let the mapping name a column with the field id, or list columns under id"

// Lines reads JSON objects one at a time, as a mapping file says. No object affects how another one is read: what a
// load judges from whole columns comes from the mapping, or is what records of the API have. It is not safe for
// concurrent use.
type Lines struct {
	flat    flatten.Flattener
	lists   []bool // by column: lists stay JSON
	needed  []bool // by column: a line that lacks it gets a warning
	builder *build.Builder
}

// NewLines returns a reader for the only file of a mapping. Of the options, it uses those about amounts, Partial and
// Year. The columns of a file become the keys of objects, and options that say how a file is written mean nothing.
func NewLines(m *Mapping, o Options) (*Lines, error) {
	if len(m.Files) != 1 {
		return nil, fmt.Errorf("the mapping has %d files; one for lines must have exactly one", len(m.Files))
	}
	file := &m.Files[0]
	o = o.withMapping(file)
	o.mapping = file

	currencies, err := o.currencies()
	if err != nil {
		return nil, err
	}
	keys, filter, err := keysOf(file, o.ID)
	if err != nil {
		return nil, err
	}

	mapped, err := columns.Map(table.Table{Headers: keys}, o.ofColumns(), currencies.Base)
	if err != nil {
		return nil, err
	}
	if err := mapped.ChooseID(keys, o.ID, nil); err != nil {
		return nil, err
	}
	mapped.ReadWithoutSample()

	index := make(map[string]int, len(keys))
	for i, key := range keys {
		index[key] = i
	}
	l := &Lines{
		flat: flatten.New(index, keys, false), lists: mapped.Uses(field.Skills, field.Languages),
		needed: make([]bool, len(keys)),
		builder: build.New(keys, mapped, build.Options{
			Currencies: currencies, IsPartial: o.Partial, IDPrefix: o.IDPrefix, Year: o.Year, IDAdvice: adviceLineID,
		}),
	}
	if filter != nil {
		l.builder.Keeps = filter.Keeps
	}

	// A patch has the columns that it changes, and no others.
	for i := range keys {
		isID := slices.ContainsFunc(mapped.Ids, func(c columns.IDColumn) bool { return c.Index == i })
		l.needed[i] = !o.Partial && (mapped.Columns[i].Field != field.None || isID)
	}

	return l, nil
}

// keysOf returns the keys of objects that a mapping needs: those of its columns, of the ID and of the condition, which
// it also returns if there is one.
func keysOf(file *mappingfile.File, id []string) (keys []string, filter *where.Filter, err error) {
	add := func(name string) {
		name = strings.TrimSpace(name)
		isListed := func(key string) bool { return strings.EqualFold(key, name) }
		if !slices.ContainsFunc(keys, isListed) {
			keys = append(keys, name)
		}
	}

	for _, column := range file.Columns {
		if column.Number > 0 {
			return nil, nil, fmt.Errorf("line %d of the mapping file: column %q has a number, but the keys of a line have no "+
				"places; give each column a name of its own", column.Line(), column.Column)
		}
		keys = append(keys, column.Column)
	}

	if len(id) == 1 && id[0] == PositionID {
		return nil, nil, errors.New("the id can't be the position of a line, which is another one in each request; name " +
			"columns under id")
	}
	for _, name := range id {
		add(name)
	}

	if file.Where == "" {
		return keys, nil, nil
	}
	clause, err := where.Parse(file.Where)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range clause.Columns() {
		add(name)
	}
	filter, err = clause.Bind(keys)

	return keys, filter, err
}

// Read returns the row in a JSON object, which must be valid. line is its number. A row whose ID may belong to several
// people has a fault: a load compares such rows with each other, and lines can't be.
func (l *Lines) Read(object []byte, line int) Row {
	record := table.Record{Line: line}
	if object[0] != '{' {
		record.Fault = "not a JSON object"
		record.Value = value.Truncate(string(object), table.MaxValue)
		return l.builder.Build(record, 0)
	}

	l.flat.Flatten(object, l.lists)
	record.Cells = l.flat.Cells
	record.Warnings = slices.DeleteFunc(l.flat.Warnings(line), func(f rows.Fault) bool {
		return f.Reason == flatten.RemarkLate // the mapping leaves this key out
	})
	for i, isNeeded := range l.needed {
		if isNeeded && !l.flat.Has(i) {
			record.Warnings = append(record.Warnings, rows.Fault{
				Line: line, Column: l.builder.Headers[i], Reason: RemarkLacking,
			})
		}
	}

	row := l.builder.Build(record, 0)
	isUsed := !row.Skipped && !row.LeftOut && len(row.Faults) == 0
	if isUsed && !row.Key.IsStrong() {
		row.Freelancer.ID = ""
		row.Faults = append(row.Faults, rows.Fault{
			Line: line, Reason: "no id, profile URL or e-mail address identifies the person; " + adviceLineID,
		})
	}

	return row
}
