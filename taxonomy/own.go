package taxonomy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OwnSkill is one line of an operator's own skill file: a skill that the taxonomy lacks, or further names of one that it has.
type OwnSkill struct {
	Line     int      // in the file, from 1; 0: of none
	Name     Label    // canonical
	Category string   // one of the taxonomy's; "" where the taxonomy has the skill
	Broader  []string // names of skills that it is a kind of
	Synonyms []Label
}

// The bounds of an own skill file.
const (
	maxOwnFile = 4 << 20 // bytes
	maxOwnName = 100     // characters
)

// OwnHeader is the head of an own skill file, which explains it.
const OwnHeader = `# Own skills, a line each, with tabs between the columns:
# name	category	broader skills; …	synonyms; …
# A line whose name is in the taxonomy adds synonyms to it: leave category and broader empty there.
# A mark behind a name: ! it counts in running text only near its like, * it never does and only resolves.
`

// ParseOwn reads an own skill file: a line for each skill with name, category, broader skills and synonyms, between tabs, the
// last two lists with semicolons. Columns at the end may be left out. Blank lines and those that begin with # are comments. A
// name has a Mode by the mark behind it, as in mappings/curated: ! for Context, * for Never. The error tells every fault with
// its line.
func ParseOwn(file []byte) ([]OwnSkill, error) {
	if len(file) > maxOwnFile {
		return nil, fmt.Errorf("the file has more than %d MiB", maxOwnFile>>20)
	}
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	var own []OwnSkill
	var faults []error
	number := 0
	for line := range strings.Lines(string(file)) {
		number++
		if line = strings.TrimRight(line, "\r\n\t "); strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		s, err := parseOwnLine(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		s.Line = number
		own = append(own, s)
	}
	return own, errors.Join(faults...)
}

func parseOwnLine(line string) (s OwnSkill, err error) {
	columns := strings.Split(line, "\t")
	if len(columns) > 4 {
		return s, fmt.Errorf("%d columns; there are name, category, broader skills, synonyms", len(columns))
	}
	columns = append(columns, "", "", "")
	for _, c := range columns {
		if !utf8.ValidString(c) || strings.ContainsFunc(c, unicode.IsControl) {
			return s, errors.New("it has characters that cannot be seen, or is not in UTF-8")
		}
	}
	s.Name, s.Category = ownLabel(columns[0]), strings.TrimSpace(columns[1])
	for name := range namesIn(columns[2]) {
		s.Broader = append(s.Broader, name)
	}
	for name := range namesIn(columns[3]) {
		s.Synonyms = append(s.Synonyms, ownLabel(name))
	}
	for _, l := range append([]Label{s.Name}, s.Synonyms...) {
		if n := utf8.RuneCountInString(l.Text); n == 0 || n > maxOwnName {
			return s, fmt.Errorf("the name %q has %d characters, want 1 to %d", l.Text, n, maxOwnName)
		}
	}
	return s, nil
}

// namesIn walks over the names of a list with semicolons.
func namesIn(column string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range strings.SplitSeq(column, ";") {
			if name = strings.TrimSpace(name); name != "" && !yield(name) {
				return
			}
		}
	}
}

func ownLabel(text string) Label {
	l := Label{Text: strings.TrimSpace(text), Mode: Always}
	for _, mode := range []Mode{Context, Never} {
		if short, marked := strings.CutSuffix(l.Text, string(rune(mode))); marked {
			return Label{Text: strings.TrimSpace(short), Mode: mode}
		}
	}
	return l
}

// String is the line of a skill in a file. What ParseOwn makes of it is the skill again.
func (s OwnSkill) String() string {
	text := func(l Label) string {
		if l.Mode == Always {
			return l.Text
		}
		return l.Text + string(rune(l.Mode))
	}
	synonyms := make([]string, len(s.Synonyms))
	for i, l := range s.Synonyms {
		synonyms[i] = text(l)
	}
	columns := []string{text(s.Name), s.Category, strings.Join(s.Broader, "; "), strings.Join(synonyms, "; ")}
	return strings.TrimRight(strings.Join(columns, "\t"), "\t")
}
