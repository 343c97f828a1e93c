package taxonomy

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Mode says when a label counts as a mention in running text. Resolve accepts names of every mode.
type Mode byte

// The modes of labels. Their values prefix the labels in the data file.
const (
	Always  Mode = ' ' // everywhere
	Context Mode = '!' // only where the surrounding text supports it: an everyday word or a single letter
	Never   Mode = '*' // nowhere: too general to mean a skill by itself
)

// A Label is one name of a skill.
type Label struct {
	Text string
	Mode Mode
}

// An Entry is one skill of the data file.
type Entry struct {
	ID, Name, Category, Family string
	Use                        int     // how common the skill is in the sources, 0 to 255
	Labels                     []Label // the name, then the synonyms
	Broader, Related, Implies  []string
	Generic                    bool // see Skill
}

// A ContextWord supports mentions of skills in the given groups when it stands near them.
type ContextWord struct {
	Word   string
	Groups []string
}

// A Sense is a second meaning that nearby words give to a name: "AI" is Adobe Illustrator in "AI, EPS or PSD".
type Sense struct {
	Name  string   // a name of another skill
	Skill string   // id of the skill it means near one of the words; may be empty for a trade
	Words []string // in normal form
	// Trade says that the name is also an occupation. Where nothing else decides, an everyday word means the occupation.
	Trade bool
}

// A LanguageWord is a name of a language, in any language, or its ISO 639 code.
type LanguageWord struct {
	Word     string // in normal form
	Language string // skill id of the language
}

// Data is the content of the data file.
type Data struct {
	Groups    map[string]string // space-separated context groups by category; skills that share a group support each other
	Entries   []Entry           // sorted by id
	Phrases   []string          // everyday phrases that contain a skill's name but don't mean it ("go to market")
	Contexts  []ContextWord
	Senses    []Sense
	Languages []LanguageWord
	JobTitles []string
}

const (
	header      = "taxonomy 3 "
	maxBody     = 64 << 20 // bytes before compression; Parse rejects larger files
	flagGeneric = "g"
	flagTrade   = "t"
)

// Encode returns the data file: lines of text in sections, compressed with gzip. Equal data encodes to equal bytes.
func (d *Data) Encode() ([]byte, error) {
	skills, err := d.skillLines()
	if err != nil {
		return nil, err
	}

	var body bytes.Buffer
	for _, section := range []struct {
		name  string
		lines []string
	}{
		{"skills", skills},
		{"groups", d.groupLines()},
		{"contexts", d.contextLines()},
		{"phrases", d.Phrases},
		{"senses", d.senseLines()},
		{"languages", d.languageLines()},
		{"titles", sortTitles(d.JobTitles)},
	} {
		fmt.Fprintf(&body, "%d %s\n", len(section.lines), section.name)
		for _, line := range section.lines {
			fmt.Fprintln(&body, line)
		}
	}

	// The checksum tells a damaged file from one of another version.
	sum := sha256.Sum256(body.Bytes())
	return compress(header + hex.EncodeToString(sum[:6]) + "\n" + body.String())
}

// skillLines returns a line for each skill. It returns an error if a field contains what separates fields or lines.
func (d *Data) skillLines() ([]string, error) {
	// Skills refer to each other by their position, which takes a third of the size of ids.
	position := make(map[string]int, len(d.Entries))
	for i, e := range d.Entries {
		position[e.ID] = i
	}

	references := func(ids []string) string {
		numbers := make([]string, len(ids))
		for i, id := range ids {
			numbers[i] = strconv.Itoa(position[id])
		}
		return strings.Join(numbers, " ")
	}

	lines := make([]string, 0, len(d.Entries))
	for _, e := range d.Entries {
		labels := make([]string, len(e.Labels))
		for i, l := range e.Labels {
			labels[i] = string(rune(l.Mode)) + l.Text
		}

		flags := ""
		if e.Generic {
			flags = flagGeneric
		}

		fields := []string{
			e.ID, e.Category, e.Family, strconv.Itoa(e.Use), flags,
			references(e.Broader), references(e.Related), references(e.Implies), strings.Join(labels, "|"),
		}
		if slices.ContainsFunc(fields, func(f string) bool { return strings.ContainsAny(f, "\t\n") }) {
			return nil, fmt.Errorf("skill %q: a field contains a tab or line break", e.ID)
		}

		lines = append(lines, strings.Join(fields, "\t"))
	}

	return lines, nil
}

// groupLines returns the sorted lines of the groups: maps have no order, but equal data must encode to equal bytes.
func (d *Data) groupLines() []string {
	lines := make([]string, 0, len(d.Groups))
	for category, group := range d.Groups {
		lines = append(lines, category+"\t"+group)
	}
	slices.Sort(lines)
	return lines
}

func (d *Data) contextLines() []string {
	lines := make([]string, 0, len(d.Contexts))
	for _, c := range d.Contexts {
		lines = append(lines, c.Word+"\t"+strings.Join(c.Groups, " "))
	}
	slices.Sort(lines)
	return lines
}

func (d *Data) senseLines() []string {
	lines := make([]string, 0, len(d.Senses))
	for _, s := range d.Senses {
		flag := ""
		if s.Trade {
			flag = flagTrade
		}
		// The flag stands before the skill, so that trades come last among the senses of a name.
		lines = append(lines, s.Name+"\t"+flag+"\t"+s.Skill+"\t"+strings.Join(s.Words, " "))
	}
	slices.Sort(lines)
	return lines
}

func (d *Data) languageLines() []string {
	lines := make([]string, 0, len(d.Languages))
	for _, l := range d.Languages {
		lines = append(lines, l.Word+"\t"+l.Language)
	}
	slices.Sort(lines)
	return lines
}

func compress(text string) ([]byte, error) {
	var file bytes.Buffer
	zip, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(zip, text); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// A reader reads the sections of a data file in order. It keeps the first error.
type reader struct {
	rest string
	err  error
}

// open decompresses a data file and returns a reader of its sections and the version.
func open(file []byte) (r *reader, version string, err error) {
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, "", fmt.Errorf("open the taxonomy: %w", err)
	}
	var body strings.Builder
	if len(file) >= 4 { // gzip ends with the uncompressed size (RFC 1952, section 2.3.1)
		body.Grow(int(file[len(file)-4]) | int(file[len(file)-3])<<8 | int(file[len(file)-2])<<16)
	}
	if _, err := io.Copy(&body, io.LimitReader(zip, maxBody)); err != nil {
		return nil, "", fmt.Errorf("decompress the taxonomy: %w", err)
	}
	first, rest, _ := strings.Cut(body.String(), "\n")
	version, ok := strings.CutPrefix(first, header)
	if !ok {
		return nil, "", fmt.Errorf("taxonomy: the file starts with %q, want %q and a version", first, header)
	}
	return &reader{rest: rest}, version, nil
}

// section reads the next section, which must have the given name. It calls size with the number of lines, then each
// with the tab-separated fields of every line. The slice of fields is reused.
func (r *reader) section(name string, size func(n int), each func(fields []string)) {
	if r.err != nil {
		return
	}

	count, title, _ := strings.Cut(r.line(), " ")
	n, err := strconv.Atoi(count)
	fits := err == nil && n >= 0 && n <= len(r.rest)
	if !fits || title != name {
		r.err = fmt.Errorf("taxonomy: section %q with %q lines, want section %q", title, count, name)
		return
	}

	// The number of lines comes first, so that the caller allocates once.
	size(n)
	var fields []string
	for range n {
		if r.rest == "" {
			r.err = fmt.Errorf("taxonomy: the file ends within section %q", name)
			return
		}

		fields = fields[:0]
		for field := range strings.SplitSeq(r.line(), "\t") {
			fields = append(fields, field)
		}

		each(fields)
	}
}

func (r *reader) line() string {
	line, rest, _ := strings.Cut(r.rest, "\n")
	r.rest = rest
	return line
}

// number parses a decimal number. It records a malformed one as the reader's error.
func (r *reader) number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("taxonomy: %q is not a number", digits)
	}
	return n
}
