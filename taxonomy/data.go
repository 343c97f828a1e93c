package taxonomy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/taxonomy/datafile"
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
	flagGeneric = "g"
	flagTrade   = "t"
)

// Encode returns the data file in the format of package datafile. Equal data encodes to equal bytes.
func (d *Data) Encode() ([]byte, error) {
	skills, err := d.skillLines()
	if err != nil {
		return nil, err
	}

	// Parse reads the sections in this order.
	return datafile.Encode([]datafile.Section{
		{Name: "skills", Lines: skills},
		{Name: "groups", Lines: d.groupLines()},
		{Name: "contexts", Lines: d.contextLines()},
		{Name: "phrases", Lines: d.Phrases},
		{Name: "senses", Lines: d.senseLines()},
		{Name: "languages", Lines: d.languageLines()},
		{Name: "titles", Lines: sortTitles(d.JobTitles)},
	})
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
