package taxonomy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An OwnSkill is one line of an operator's own skill file: a skill that the taxonomy lacks, or more synonyms of one
// that it has.
type OwnSkill struct {
	Line     int      // line number in the file, from 1; 0 if it didn't come from a file
	Name     Label    // canonical
	Category string   // a category of the taxonomy; "" if the taxonomy has the skill
	Broader  []string // names of the skills it is a kind of
	Synonyms []Label
}

// The limits of an own skill file.
const (
	maxOwnFile = 4 << 20 // bytes
	maxOwnName = 100     // characters
)

// OwnHeader is the comment at the top of a generated own skill file. It explains the format.
const OwnHeader = `# Own skills, one per line. Separate the columns with tabs:
# name	category	broader skills; …	synonyms; …
# To add synonyms to a skill of the taxonomy, start the line with its name and leave category and broader skills empty.
# Mark a name with ! to count it in running text only near related skills, or with * to never count it there.
`

// ParseOwn reads an own skill file. Each line holds one skill: name, category, broader skills and synonyms, separated
// by tabs; the last two are lists separated by semicolons. Trailing columns may be omitted. Blank lines and lines that
// start with # are ignored. As in mappings/curated, a mark after a name sets its Mode: ! for Context, * for Never. The
// error lists every problem with its line.
func ParseOwn(file []byte) ([]OwnSkill, error) {
	if len(file) > maxOwnFile {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxOwnFile>>20)
	}

	// Spreadsheets write a byte order mark, which would be part of the first name.
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	var own []OwnSkill
	var problems []error
	number := 0
	for line := range strings.Lines(string(file)) {
		number++
		if line = strings.TrimRight(line, "\r\n\t "); strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}

		s, err := parseOwnLine(line)
		if err != nil {
			problems = append(problems, fmt.Errorf("line %d: %w", number, err))
			continue
		}

		s.Line = number
		own = append(own, s)
	}

	return own, errors.Join(problems...)
}

func parseOwnLine(line string) (s OwnSkill, err error) {
	columns := strings.Split(line, "\t")
	if len(columns) > 4 {
		return s, fmt.Errorf("%d columns; at most 4 are allowed: name, category, broader skills, synonyms", len(columns))
	}

	// Missing columns at the end are empty ones.
	columns = append(columns, "", "", "")
	for _, c := range columns {
		if !utf8.ValidString(c) || strings.ContainsFunc(c, unicode.IsControl) {
			return s, errors.New("the line is not valid UTF-8 or contains control characters")
		}
	}

	s.Name, s.Category = ownLabel(columns[0]), strings.TrimSpace(columns[1])
	s.Broader = splitNames(columns[2])
	for _, name := range splitNames(columns[3]) {
		s.Synonyms = append(s.Synonyms, ownLabel(name))
	}

	for _, l := range append([]Label{s.Name}, s.Synonyms...) {
		if n := utf8.RuneCountInString(l.Text); n == 0 || n > maxOwnName {
			return s, fmt.Errorf("the name %q has %d characters; it must have 1 to %d", l.Text, n, maxOwnName)
		}
	}

	return s, nil
}

// splitNames returns the names in a list separated by semicolons.
func splitNames(column string) (names []string) {
	for name := range strings.SplitSeq(column, ";") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// ownLabel parses a name with an optional mark.
func ownLabel(text string) Label {
	l := Label{Text: strings.TrimSpace(text), Mode: Always}
	for _, mode := range []Mode{Context, Never} {
		if unmarked, ok := strings.CutSuffix(l.Text, string(rune(mode))); ok {
			return Label{Text: strings.TrimSpace(unmarked), Mode: mode}
		}
	}
	return l
}

// String returns the skill as a line of an own skill file. ParseOwn turns the line back into the skill.
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
