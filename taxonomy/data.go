package taxonomy

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Mode says when a label counts as a mention in running text. Names given as skills resolve whatever the mode.
type Mode byte

// The modes of labels, as their prefix in the data.
const (
	Always  Mode = ' ' // wherever it stands
	Context Mode = '!' // where its surroundings support it: an everyday word or a single letter
	Never   Mode = '*' // too general to mean a skill by itself
)

// Label is one name of a skill.
type Label struct {
	Text string
	Mode Mode
}

// Entry is one skill as the data file has it.
type Entry struct {
	ID, Name, Category, Family string
	Use                        int     // how common the skill is in the sources, 0 to 255
	Labels                     []Label // the first is the name; the others are synonyms
	Broader, Related, Implies  []string
	Generic                    bool // see Skill
}

// ContextWord is a word whose neighbourhood supports mentions of skills in the named groups.
type ContextWord struct {
	Word   string
	Groups []string
}

// Sense is what else a name means beside one of some words: "AI" is Adobe Illustrator in "AI, EPS or PSD".
type Sense struct {
	Name, Skill string // a name of a skill, and the id of the other one
	Words       []string
}

// LanguageWord is a name of a language in any language, or its ISO 639 code.
type LanguageWord struct{ Word, Language string } // in normal form; the id of the language

// Data is the content of the data file.
type Data struct {
	Groups    map[string]string // of categories, separated by spaces: skills support mentions of a group they share
	Entries   []Entry           // sorted by id
	Phrases   []string          // everyday phrases in which a skill's name does not mean the skill ("go to market")
	Contexts  []ContextWord
	Senses    []Sense
	Languages []LanguageWord
	JobTitles []string
}

const (
	header      = "taxonomy 2 "
	maxBody     = 64 << 20 // bytes of a data file before compression; a larger one is cut off, and then refused
	flagGeneric = "g"
)

// Encode is the data file: lines of text in sections, compressed. The same data gives the same bytes.
func (d *Data) Encode() ([]byte, error) {
	var body bytes.Buffer
	index := make(map[string]int, len(d.Entries))
	for i, e := range d.Entries {
		index[e.ID] = i
	}
	refs := func(ids []string) string {
		numbers := make([]string, len(ids))
		for i, id := range ids {
			numbers[i] = strconv.Itoa(index[id])
		}
		return strings.Join(numbers, " ")
	}
	fmt.Fprintf(&body, "%d skills\n", len(d.Entries))
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
			e.ID, e.Category, e.Family, strconv.Itoa(e.Use), flags, refs(e.Broader), refs(e.Related), refs(e.Implies), strings.Join(labels, "|"),
		}
		if slices.ContainsFunc(fields, func(f string) bool { return strings.ContainsAny(f, "\t\n") }) {
			return nil, fmt.Errorf("skill %q has a tab or line break in a field", e.ID)
		}
		fmt.Fprintln(&body, strings.Join(fields, "\t"))
	}
	groups := make([]string, 0, len(d.Groups))
	for category, group := range d.Groups {
		groups = append(groups, category+"\t"+group)
	}
	contexts := make([]string, 0, len(d.Contexts))
	for _, c := range d.Contexts {
		contexts = append(contexts, c.Word+"\t"+strings.Join(c.Groups, " "))
	}
	senses := make([]string, 0, len(d.Senses))
	for _, s := range d.Senses {
		senses = append(senses, s.Name+"\t"+s.Skill+"\t"+strings.Join(s.Words, " "))
	}
	languages := make([]string, 0, len(d.Languages))
	for _, l := range d.Languages {
		languages = append(languages, l.Word+"\t"+l.Language)
	}
	slices.Sort(groups)
	slices.Sort(contexts)
	slices.Sort(senses)
	slices.Sort(languages)
	for _, section := range []struct {
		name  string
		lines []string
	}{
		{"groups", groups},
		{"contexts", contexts},
		{"phrases", d.Phrases},
		{"senses", senses},
		{"languages", languages},
		{"titles", sortTitles(d.JobTitles)},
	} {
		fmt.Fprintf(&body, "%d %s\n", len(section.lines), section.name)
		for _, line := range section.lines {
			fmt.Fprintln(&body, line)
		}
	}
	sum := sha256.Sum256(body.Bytes())
	var file bytes.Buffer
	zip, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(zip, header+hex.EncodeToString(sum[:6])+"\n"+body.String()); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// reader walks over the sections of a data file.
type reader struct {
	rest string
	err  error
}

// open decompresses a data file and reads its version.
func open(file []byte) (r *reader, version string, err error) {
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, "", fmt.Errorf("open the taxonomy: %w", err)
	}
	var body strings.Builder
	if len(file) >= 4 { // the size before compression is in the last four bytes (RFC 1952, section 2.3.1)
		body.Grow(int(file[len(file)-4]) | int(file[len(file)-3])<<8 | int(file[len(file)-2])<<16)
	}
	if _, err := io.Copy(&body, io.LimitReader(zip, maxBody)); err != nil {
		return nil, "", fmt.Errorf("decompress the taxonomy: %w", err)
	}
	first, rest, _ := strings.Cut(body.String(), "\n")
	version, ok := strings.CutPrefix(first, header)
	if !ok {
		return nil, "", fmt.Errorf("the taxonomy starts with %q, want %q and a version", first, header)
	}
	return &reader{rest: rest}, version, nil
}

// section calls each with the fields of every line of the next section, after size with their number.
func (r *reader) section(name string, size func(n int), each func(fields []string)) {
	if r.err != nil {
		return
	}
	count, found, _ := strings.Cut(r.line(), " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > len(r.rest) || found != name {
		r.err = fmt.Errorf("the taxonomy has the section %q of %q lines, want %q", found, count, name)
		return
	}
	size(n)
	var fields []string
	for range n {
		if r.rest == "" {
			r.err = errors.New("the taxonomy ends within the section " + name)
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

// number is a decimal number of the data; a malformed one is remembered as the reader's error.
func (r *reader) number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("the taxonomy has %q in place of a number", digits)
	}
	return n
}
