package build

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// identify sets the ID of the row, and the facts that distinguish people.
func (b *Builder) identify(cells []string) {
	f := &b.row.Freelancer
	row := &b.row
	written, plain := b.idOf(cells)

	// Different people may have the same rounded ID, so it identifies nobody.
	if isRounded(plain) {
		b.warn(b.Mapping.Sets[field.ID][0].Columns[0], plain, RemarkRounded)
		plain = ""
	}

	f.ID = plain
	if b.IDByPosition || len(b.Mapping.Ids) > 0 {
		f.ID = b.chosenID(cells)
		row.Rekeyed = true
	}

	for _, set := range b.Mapping.Sets[field.Email] {
		if row.Email != "" {
			break
		}
		row.Email = value.Email(table.CellAt(cells, set.Columns[0]))
	}

	// An ID of the file and a name tell people apart, so a row with both needs no place.
	needsPlace := f.ID == "" || f.Name == "" || row.Rekeyed
	if needsPlace {
		row.Location = b.place(cells)
		row.Joined = b.joined(cells)
	}

	if f.ID != "" {
		f.ID = b.IDPrefix + f.ID
	} else {
		row.Identify(func() string { return b.content(cells) })
	}

	// Under either ID, somebody who was erased stays erased.
	switch {
	case plain != f.ID:
		row.FormerID = plain
	case written != f.ID:
		row.FormerID = written
	}
}

// idOf returns the ID in the columns of the field id, as the file has it and as it is stored. Both are "" without one.
func (b *Builder) idOf(cells []string) (written, id string) {
	for _, set := range b.Mapping.Sets[field.ID] {
		if written = b.textOf(cells, field.ID, set, maxID); written != "" {
			return written, b.Mapping.ID(set.Columns[0], written)
		}
	}
	return "", ""
}

// chosenID returns the ID according to the options, or "" if a part of it is unknown.
func (b *Builder) chosenID(cells []string) string {
	if b.IDByPosition {
		return "row-" + strconv.Itoa(b.row.Position)
	}

	parts := make([]string, len(b.Mapping.Ids))
	isEmail := false
	for i, column := range b.Mapping.Ids {
		cell := table.CellAt(cells, column.Index)
		part, _ := value.Line(cell, table.MaxCell)
		part = b.Mapping.ID(column.Index, part)

		if column.IsEmail {
			part = value.Email(cell)
		}

		if value.Unknown(part) || isRounded(part) {
			return ""
		}
		isEmail = isEmail || column.IsEmail

		if parts[i] = part; len(parts) > 1 {
			parts[i] = idPart.Replace(part)
		}
	}

	// Email addresses aren't stored, so an ID with one is hashed.
	id := strings.Join(parts, ":")
	if isEmail || len(id) > maxID {
		return rows.HashID("id\n" + id)
	}

	return id
}

// idPart keeps composite IDs apart whose parts contain the separator.
var idPart = strings.NewReplacer(":", "%3A", "%", "%25")

// joined returns the day on which the person joined a site, or "" if it is unknown or not exact.
func (b *Builder) joined(cells []string) string {
	for _, column := range b.Mapping.Dates {
		if cell := strings.TrimSpace(table.CellAt(cells, column)); isDay(cell) {
			return strings.ToLower(cell)
		}
	}
	return ""
}

// isDay reports whether a text is a date with day, month and year, in any language.
func isDay(s string) bool {
	if len(s) > maxDay || !looksLikeDate(s) {
		return false
	}
	year, numbers := false, 0
	for number := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
		numbers++
		year = year || len(number) == 4
	}
	hasMonth := strings.ContainsFunc(s, unicode.IsLetter)
	return year && (numbers >= 3 || numbers == 2 && hasMonth)
}

// maxDay is the length of the longest date and time, in bytes.
const maxDay = 60

// content returns everything that a row says. It doesn't depend on the order of columns.
func (b *Builder) content(cells []string) string {
	var text strings.Builder
	for _, i := range b.byHeader {
		if cell := strings.TrimSpace(table.CellAt(cells, i)); cell != "" {
			fmt.Fprintf(&text, "%q: %q\n", b.Headers[i], cell)
		}
	}
	return text.String()
}

// isRounded reports whether an ID looks like 1.23457E+18, because a spreadsheet formatted a long number.
func isRounded(id string) bool {
	mantissa, exponent, ok := strings.Cut(id, "E+")
	return ok && mantissa != "" && strings.Trim(mantissa, "0123456789.,") == "" &&
		exponent != "" && strings.Trim(exponent, "0123456789") == ""
}
