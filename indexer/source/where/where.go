// Package where selects rows by the cells of their columns, before the columns are mapped to fields: status != Rejected
// and score >= 4. Values are compared as people read them, because the cells of most files are texts.
package where

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/value"
)

// The limits of a clause.
const (
	maxLength     = 2000 // bytes
	maxConditions = 100
	maxDepth      = 20 // parentheses and negations
)

// A Clause is a condition on the cells of a row. It is not changed by its methods.
type Clause struct{ root node }

// A node is a part of a clause.
type node interface {
	// columns appends the names of the columns that the node compares.
	columns(names []string) []string
	// keeps reports whether a row fulfills the node. cellOf returns the cell of a column.
	keeps(cellOf func(column string) string) bool
}

// A Filter is a clause on the columns of one table.
type Filter struct {
	clause *Clause
	index  map[string]int // of columns, by the names in the clause
}

// Bind finds the columns of the clause among the headers of a table, ignoring case. It returns an error if one is
// missing, or if several columns have its name.
func (c *Clause) Bind(headers []string) (*Filter, error) {
	f := &Filter{clause: c, index: make(map[string]int)}
	for _, name := range c.root.columns(nil) {
		found := -1
		for i, header := range headers {
			if !strings.EqualFold(strings.TrimSpace(header), name) {
				continue
			}
			if found >= 0 {
				return nil, fmt.Errorf("where: columns %d and %d are both named %q; rename one", found+1, i+1, name)
			}
			found = i
		}

		if found < 0 {
			return nil, fmt.Errorf("where: no column %q; the columns are %s", name, quoted(headers))
		}
		f.index[name] = found
	}
	return f, nil
}

// Columns returns the names of the columns that the clause compares, as it has them.
func (c *Clause) Columns() []string { return c.root.columns(nil) }

// quoted lists all headers for an error.
func quoted(headers []string) string {
	list := make([]string, len(headers))
	for i, header := range headers {
		list[i] = strconv.Quote(value.Truncate(header, 40))
	}
	return strings.Join(list, ", ")
}

// Keeps reports whether a row with these cells fulfills the clause. A row may end before a column, which is then empty.
func (f *Filter) Keeps(cells []string) bool {
	return f.clause.root.keeps(func(column string) string {
		if i := f.index[column]; i < len(cells) {
			return strings.TrimSpace(cells[i])
		}
		return ""
	})
}

// A junction is fulfilled if one of its parts is, or all of them.
type junction struct {
	parts []node
	all   bool
}

func (j *junction) columns(names []string) []string {
	for _, part := range j.parts {
		names = part.columns(names)
	}
	return names
}

func (j *junction) keeps(cellOf func(string) string) bool {
	for _, part := range j.parts {
		if part.keeps(cellOf) != j.all {
			return !j.all
		}
	}
	return j.all
}

// A negation is fulfilled if its part isn't.
type negation struct{ part node }

func (n *negation) columns(names []string) []string { return n.part.columns(names) }

func (n *negation) keeps(cellOf func(string) string) bool { return !n.part.keeps(cellOf) }

// A comparison compares the cell of a column with values.
type comparison struct {
	column  string
	compare func(cell string, v literal) bool
	values  []literal // one of which is enough
}

func (c *comparison) columns(names []string) []string { return append(names, c.column) }

func (c *comparison) keeps(cellOf func(string) string) bool {
	cell := cellOf(c.column)
	return slices.ContainsFunc(c.values, func(v literal) bool { return c.compare(cell, v) })
}

// A literal is a value of the clause.
type literal struct {
	text     string
	number   float64
	isNumber bool
	date     string // YYYY-MM-DD, or "" if the value is no date
}

func newLiteral(text string) literal {
	v := literal{text: text}
	v.number, v.isNumber = number(text)
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		v.date = text
	}
	return v
}

// number parses a number or a percentage. A code such as 007 is none.
func number(text string) (n float64, ok bool) {
	digits := strings.TrimSpace(strings.TrimSuffix(text, "%"))
	isCode := len(digits) > 1 && digits[0] == '0' && digits[1] != '.'
	isPlain := strings.Trim(digits, "-.0123456789eE") == ""
	if isCode || !isPlain {
		return 0, false
	}
	n, err := strconv.ParseFloat(digits, 64)
	return n, err == nil
}

// equals reports whether a cell has the value of a literal: the same text but for the case, number or date.
func equals(cell string, v literal) bool {
	if strings.EqualFold(cell, v.text) {
		return true
	}
	if v.date != "" {
		return dateOf(cell) == v.date
	}
	n, ok := number(cell)
	return ok && v.isNumber && n == v.number
}

// contains reports whether a cell contains the text of a literal, ignoring case.
func contains(cell string, v literal) bool {
	return strings.Contains(strings.ToLower(cell), strings.ToLower(v.text))
}

// ordered returns a comparison of numbers and dates, which is fulfilled if the order of cell and literal is accepted. A
// cell that is neither isn't less or greater than anything.
func ordered(accepts func(order int) bool) func(cell string, v literal) bool {
	return func(cell string, v literal) bool {
		if v.date != "" {
			date := dateOf(cell)
			return date != "" && accepts(strings.Compare(date, v.date))
		}

		n, ok := number(cell)
		switch {
		case !ok:
			return false
		case n < v.number:
			return accepts(-1)
		case n > v.number:
			return accepts(1)
		default:
			return accepts(0)
		}
	}
}

// dateOf returns the day of a cell with a date, or "". Day and month of 1/2/2026 can't be told apart.
func dateOf(cell string) string {
	date, _ := value.Date(cell, value.UnclearOrder)
	return date
}
