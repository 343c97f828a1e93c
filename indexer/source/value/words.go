package value

import (
	"embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed data/*.txt
var data embed.FS

// entry is a line "list: item; item" of a data file.
type entry struct {
	list  string
	items []string
}

// load reads a data file. Lines that begin with # are comments.
func load(name string) (entries []entry) {
	text, err := data.ReadFile("data/" + name)
	if err != nil {
		panic(err) // the file is embedded
	}
	for line := range strings.Lines(string(text)) {
		list, items, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.HasPrefix(line, "#") {
			entries = append(entries, entry{list, strings.Split(items, "; ")})
		}
	}
	return entries
}

var (
	wordLists = makeLists(load("words.txt")) // the words of each list, in their order
	wordSets  = makeSets(wordLists)          // the same, for lookup
)

func makeLists(entries []entry) map[string][]string {
	lists := make(map[string][]string)
	for _, e := range entries {
		lists[e.list] = append(lists[e.list], e.items...)
	}
	return lists
}

func makeSets(lists map[string][]string) map[string]map[string]bool {
	sets := make(map[string]map[string]bool)
	for list, words := range lists {
		sets[list] = make(map[string]bool)
		for _, word := range words {
			sets[list][word] = true
		}
	}
	return sets
}

// cutWord cuts a word of a list off the start of s, ignoring case, and the spaces after it. A word that ends with a
// letter must not be followed by another one.
func cutWord(s, list string) (rest string, ok bool) {
	for _, word := range wordLists[list] {
		if len(s) < len(word) || !strings.EqualFold(s[:len(word)], word) {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(word)
		next, _ := utf8.DecodeRuneInString(s[len(word):])
		if !unicode.IsLetter(last) || !unicode.IsLetter(next) {
			return strings.TrimSpace(s[len(word):]), true
		}
	}
	return s, false
}
