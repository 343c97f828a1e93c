// Package wordbook has the words that the readers of résumés and of single values share, one file for each language:
// months, levels of languages, and names of languages and countries. data/README.md describes the files.
package wordbook

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

//go:embed data/*.txt
var files embed.FS

// The names of lists that have no second word. Levels are called A1 to C2 and Native, as their values are.
const (
	Months           = "months"   // twelve items, each with its other forms after commas
	MonthOf          = "month of" // words between a month and its year
	DateFiller       = "date filler"
	LevelFiller      = "level filler"
	BetweenLanguages = "between languages"
	Native           = "native"
)

// The names of lists whose second word is a BCP 47 tag, an ISO 15924 script and an ISO 3166-1 code.
const (
	LanguagePrefix = "language "
	ScriptPrefix   = "script "
	CountryPrefix  = "country "
)

// A List is a list of words in one language.
type List struct {
	Language language.Tag
	Name     string
	Items    []string
	// CellsOnly is set for words that would be mistaken in running text.
	CellsOnly bool
}

// Lists returns the lists of all languages. Callers must not change them.
var Lists = sync.OnceValue(func() (all []List) {
	for _, name := range fileNames() {
		all = append(all, read(name)...)
	}
	return all
})

// Languages returns the languages that have a file.
func Languages() (tags []language.Tag) {
	for _, name := range fileNames() {
		tags = append(tags, tagOf(name))
	}
	return tags
}

func fileNames() []string {
	names, err := fs.Glob(files, "data/*.txt")
	if err != nil {
		panic(err) // the pattern is constant
	}
	return names
}

func tagOf(fileName string) language.Tag {
	return language.MustParse(strings.TrimSuffix(path.Base(fileName), ".txt"))
}

// read reads a file. It panics if the file is malformed, because it is part of the program.
func read(name string) (lists []List) {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}

	for row := range strings.Lines(string(text)) {
		items := strings.TrimSpace(row)
		if items == "" || items[0] == '#' {
			continue
		}

		if row[0] != ' ' { // a new list
			head, rest, ok := strings.Cut(items, ":")
			if !ok {
				panic(fmt.Sprintf("%s: want \"list: word; word\", got %q", name, row))
			}
			list, isCellsOnly := strings.CutSuffix(head, " in cells")
			lists = append(lists, List{Language: tagOf(name), Name: list, CellsOnly: isCellsOnly})
			items = rest
		}

		current := &lists[len(lists)-1]
		for item := range strings.SplitSeq(items, ";") {
			if item = strings.TrimSpace(item); item != "" {
				current.Items = append(current.Items, item)
			}
		}
	}

	return lists
}

// MonthNames calls yield with each form of the names of months in a list of the name Months, and its number.
func (l List) MonthNames(yield func(name string, number int) bool) {
	for i, names := range l.Items {
		for name := range strings.SplitSeq(names, ",") {
			if !yield(strings.TrimSpace(name), i+1) {
				return
			}
		}
	}
}
