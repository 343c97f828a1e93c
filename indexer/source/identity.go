package source

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"freelancer-matching/indexer/rows"
	"freelancer-matching/internal/value"
)

// identify sets the ID of the row, and the facts that distinguish people.
func (b *builder) identify(cells []string) {
	f := &b.row.Freelancer
	row := &b.row
	plain := b.text(cells, fieldID, maxID)
	if isRounded(plain) {
		b.warn(b.mapping.fields[fieldID][0].columns[0], plain, remarkRounded)
		plain = ""
	}

	f.ID = plain
	if b.idByPosition || len(b.mapping.ids) > 0 {
		f.ID = b.chosenID(cells)
		row.Rekeyed = true
	}

	for _, set := range b.mapping.fields[fieldEmail] {
		if row.Email != "" {
			break
		}
		row.Email = value.Email(cellAt(cells, set.columns[0]))
	}

	if f.ID == "" || f.Name == "" || row.Rekeyed {
		row.Location = b.place(cells)
		row.Joined = b.joined(cells)
	}

	if f.ID != "" {
		f.ID = b.idPrefix + f.ID
	} else {
		row.Identify(func() string { return b.content(cells) })
	}

	if plain != f.ID {
		row.FormerID = plain
	}
}

// chosenID returns the ID according to the options, or "" if a part of it is unknown.
func (b *builder) chosenID(cells []string) string {
	if b.idByPosition {
		return "row-" + strconv.Itoa(b.row.Position)
	}
	// addresses are not stored
	parts := make([]string, len(b.mapping.ids))
	isEmail := false
	for i, column := range b.mapping.ids {
		cell := cellAt(cells, column.index)
		part, _ := value.Line(cell, maxCell)

		if column.isEmail {
			part = value.Email(cell)
		}

		if value.Unknown(part) || isRounded(part) {
			return ""
		}
		isEmail = isEmail || column.isEmail

		if parts[i] = part; len(parts) > 1 {
			parts[i] = idPart.Replace(part)
		}
	}

	id := strings.Join(parts, ":")
	if isEmail || len(id) > maxID {
		return rows.HashID("id\n" + id)
	}

	return id
}

// idPart keeps composite IDs apart whose parts contain the separator.
var idPart = strings.NewReplacer(":", "%3A", "%", "%25")

// joined returns the day on which the person joined a site, or "" if it is unknown or not exact.
func (b *builder) joined(cells []string) string {
	for _, column := range b.mapping.dates {
		if cell := strings.TrimSpace(cellAt(cells, column)); isDay(cell) {
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
func (b *builder) content(cells []string) string {
	var text strings.Builder
	for _, i := range b.byHeader {
		if cell := strings.TrimSpace(cellAt(cells, i)); cell != "" {
			fmt.Fprintf(&text, "%q: %q\n", b.headers[i], cell)
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
