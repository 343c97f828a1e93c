package value

import (
	"iter"
	"strings"
)

// Decimals says how a column writes numbers with decimals or thousands. A single cell such as "1.234" doesn't show it.
type Decimals int

// The ways to write numbers.
const (
	UnclearDecimals Decimals = iota
	PointDecimals            // 1,234.50
	CommaDecimals            // 1.234,50
	NoDecimals               // 1.234 and 1,234: counts
)

// JudgeDecimals returns how cells write numbers. It is unclear if no cell shows it, or if cells contradict each other.
func JudgeDecimals(cells iter.Seq[string]) Decimals {
	hasPoint := false
	hasComma := false
	for cell := range cells {
		eachNumeral(cell, func(numeral string) string {
			decimals := decimalsOf(numeral)
			hasPoint = hasPoint || decimals == PointDecimals
			hasComma = hasComma || decimals == CommaDecimals
			return numeral
		})
	}
	switch {
	case hasPoint == hasComma:
		return UnclearDecimals
	case hasPoint:
		return PointDecimals
	}
	return CommaDecimals
}

// Clarify rewrites the numbers of a cell that could be read in two ways as the column writes them: "1.234" becomes
// "1234" in a column with decimal commas or without decimals, and "1.2340" in one with decimal points.
func (d Decimals) Clarify(cell string) string {
	if d == UnclearDecimals || !hasGroup(cell) {
		return cell
	}
	return eachNumeral(cell, func(numeral string) string {
		point := strings.IndexByte(numeral, '.')
		switch {
		case decimalsOf(numeral) != UnclearDecimals || !strings.ContainsAny(numeral, ".,"):
		case d == PointDecimals && point > 0:
			return numeral + "0"
		case point > 0:
			return strings.Replace(numeral, ".", "", 1)
		case d == CommaDecimals:
			return strings.Replace(numeral, ",", ".", 1) + "0"
		}
		return numeral
	})
}

// hasGroup reports whether a point or comma stands before exactly three digits, which few cells have.
func hasGroup(cell string) bool {
	for i := range len(cell) {
		separates := i > 0 && (cell[i] == '.' || cell[i] == ',')
		if separates && isGroup(cell[i+1:]) {
			return true
		}
	}
	return false
}

// eachNumeral replaces the numerals of a cell.
func eachNumeral(cell string, replace func(numeral string) string) string {
	var b strings.Builder
	for i := 0; i < len(cell); {
		if !isDigit(cell[i]) {
			b.WriteByte(cell[i])
			i++
			continue
		}
		end := i + numeralEnd(cell[i:])
		b.WriteString(replace(cell[i:end]))
		i = end
	}
	return b.String()
}

// decimalsOf returns how a numeral is written, if it shows that.
func decimalsOf(numeral string) Decimals {
	points := strings.Count(numeral, ".")
	commas := strings.Count(numeral, ",")
	switch {
	case points+commas == 0:
		return UnclearDecimals
	case strings.ContainsAny(numeral, "eE"): // only programs write exponents
		return PointDecimals
	case points > 0 && commas > 0:
		if strings.LastIndexByte(numeral, ',') > strings.LastIndexByte(numeral, '.') {
			return CommaDecimals
		}
		return PointDecimals

	case points > 1:
		return CommaDecimals
	case commas > 1:
		return PointDecimals
	}

	// Only three digits after a single sign may be a group of thousands, and then the number doesn't begin with a zero.
	whole, fraction, isPoint := strings.Cut(numeral, ".")
	if !isPoint {
		whole, fraction, _ = strings.Cut(numeral, ",")
	}

	switch {
	case len(fraction) == 3 && whole[0] != '0' && len(whole) <= 3:
		return UnclearDecimals
	case isPoint:
		return PointDecimals
	}

	return CommaDecimals
}

// isUnclear reports whether the point of a numeral may separate thousands or decimals. A single comma before three
// digits separates thousands.
func isUnclear(numeral string) bool {
	return strings.IndexByte(numeral, '.') >= 0 && decimalsOf(numeral) == UnclearDecimals
}
