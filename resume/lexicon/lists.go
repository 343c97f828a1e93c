package lexicon

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/freelancer-matching/service/internal/wordbook"
	"github.com/freelancer-matching/service/resume/wording"
)

//go:embed data/world.txt data/languages/*.txt
var dataFiles embed.FS

// A list is one list of words in a data file. data/README.md describes the format.
type list struct {
	language language.Tag // language.Und in data/world.txt
	items    []string
}

// lists holds the lists of all data files by name.
type lists map[string][]list

// readLists reads all data files.
func readLists() lists {
	all := make(lists)
	all.read(dataFiles, "data/world.txt", language.Und)
	names, err := fs.Glob(dataFiles, "data/languages/*.txt")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		all.read(dataFiles, name, language.MustParse(strings.TrimSuffix(path.Base(name), ".txt")))
	}
	return all
}

// bookLists returns the lists of the word book for running text.
func bookLists() []wordbook.List {
	return slices.DeleteFunc(slices.Clone(wordbook.Lists()), func(l wordbook.List) bool { return l.CellsOnly })
}

// bookSet returns the set of the keys of all lists of the word book with one of the names.
func bookSet(names ...string) Set {
	keys := make(Set)
	for _, list := range bookLists() {
		if slices.Contains(names, list.Name) {
			for _, item := range list.Items {
				keys[wording.Key(item)] = true
			}
		}
	}
	return keys
}

// ReadItems returns the items of the lists in a file that has no words, by the names of the lists.
func ReadItems(files fs.FS, name string) map[string][]string {
	all := make(lists)
	all.read(files, name, language.Und)
	items := make(map[string][]string)
	for list := range all {
		items[list] = all[list][0].items
	}
	return items
}

// read adds the lists of a file. It panics if the file is malformed, because data files are part of the program.
func (l lists) read(files fs.FS, name string, tag language.Tag) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}

	var current *list
	for row := range strings.Lines(string(text)) {
		items := strings.TrimSpace(row)
		if items == "" || strings.HasPrefix(items, "#") {
			continue
		}

		if !strings.HasPrefix(row, " ") { // a new list
			head, rest, ok := strings.Cut(items, ":")
			if !ok {
				panic(fmt.Sprintf("%s: want \"name: item; item\", got %q", name, row))
			}
			l[head] = append(l[head], list{language: tag})
			current = &l[head][len(l[head])-1]
			items = rest
		}

		for item := range strings.SplitSeq(items, ";") {
			if item = strings.TrimSpace(item); item != "" {
				current.items = append(current.items, item)
			}
		}
	}
}

// take removes the lists of a name and returns them. Lists with unknown names remain.
func (l lists) take(name string) []list {
	taken := l[name]
	delete(l, name)
	return taken
}

// items returns the items of all lists of a name, as written.
func (l lists) items(name string) []string {
	var all []string
	for _, list := range l.take(name) {
		all = append(all, list.items...)
	}
	return all
}

// set returns the set of the keys of all lists of a name.
func (l lists) set(name string) Set {
	items := l.items(name)
	for i := range items {
		items[i] = wording.Key(items[i])
	}
	return SetOf(items)
}

// keys returns the keys of all lists of a name in alphabetical order.
func (l lists) keys(name string) []string { return slices.Sorted(maps.Keys(l.set(name))) }

// secondWords maps the items of the lists called "FIRST SECOND" to the second word: "berlin" in the list "city DE" to
// DE.
func (l lists) secondWords(first string) map[string]string {
	words := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if second, ok := strings.CutPrefix(name, first+" "); ok {
			for _, item := range l.items(name) {
				words[wording.Key(item)] = second
			}
		}
	}
	return words
}

// vocabulary returns the vocabulary in all lists of a name.
func (l lists) vocabulary(name string) vocabulary {
	v := vocabulary{Words: make(Set)}
	for _, item := range l.items(name) {
		switch end, ok := strings.CutPrefix(item, "*"); {
		case ok:
			v.ends = append(v.ends, wording.Key(end))
		case wording.Wide(item):
			v.Parts = append(v.Parts, wording.Key(item))
		default:
			v.Words[wording.Key(item)] = true
		}
	}
	return v
}

// phrases returns the items of all lists of a name with a space on both sides, for finding them between words.
func (l lists) phrases(name string) []string {
	all := l.items(name)
	for i := range all {
		all[i] = " " + all[i] + " "
	}
	return all
}
