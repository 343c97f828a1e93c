package value

import (
	"cmp"
	"embed"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:embed data/*.txt
var data embed.FS

// entry is a line "list: item; item" of a data file.
type entry struct {
	list  string
	items []string
}

// load reads the data files with a pattern of names. Lines that begin with # are comments.
func load(pattern string) (entries []entry) {
	paths, err := fs.Glob(data, "data/"+pattern)
	if err != nil || len(paths) == 0 {
		panic("no file " + pattern) // the files are embedded
	}
	for _, path := range paths {
		text, err := data.ReadFile(path)
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(text)) {
			list, items, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if ok && !strings.HasPrefix(line, "#") {
				entries = append(entries, entry{list, strings.Split(items, "; ")})
			}
		}
	}
	return entries
}

// itemsOf returns the items of a list as they are written.
func itemsOf(entries []entry, list string) (items []string) {
	for _, e := range entries {
		if e.list == list {
			items = append(items, e.items...)
		}
	}
	return items
}

// A wordList is a list of words in all languages, folded.
type wordList struct {
	words []string        // the longest first
	set   map[string]bool // the same words, for lookup
	first [256]bool       // the bytes with which words begin, or the same words in upper case
}

func (l *wordList) has(folded string) bool { return l.set[folded] }

var wordEntries = load("words*.txt")

// words has the lists of words.txt and the files of languages.
var words = makeLists(wordEntries)

func makeLists(entries []entry) map[string]*wordList {
	lists := make(map[string]*wordList)
	for _, e := range entries {
		list := lists[e.list]
		if list == nil {
			list = &wordList{set: make(map[string]bool)}
			lists[e.list] = list
		}

		for _, word := range e.items {
			word = fold(word)
			if !list.set[word] {
				list.words = append(list.words, word)
				list.set[word] = true
				list.first[word[0]] = true
				list.first[strings.ToUpper(word)[0]] = true
			}
		}
	}

	for _, list := range lists {
		slices.SortStableFunc(list.words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}

	return lists
}

// fold returns a text in lower case and without accents.
func fold(s string) string {
	plain := true
	for i := range len(s) {
		isCapital := s[i] >= 'A' && s[i] <= 'Z'
		if isCapital || s[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return foldedLetters.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s)))
}

// foldedLetters has the letters that decomposition leaves as they are, and the apostrophe of typesetters.
var foldedLetters = strings.NewReplacer("ß", "ss", "ł", "l", "ø", "o", "œ", "oe", "ı", "i", "’", "'")

// cutWord cuts a word of a list off the start of s, ignoring case, and the spaces after it. A word that ends with a
// letter must not be followed by another one. Accents count; fold removes them.
func cutWord(s, list string) (rest string, ok bool) {
	l := words[list]
	if s == "" || !l.first[s[0]] {
		return s, false
	}
	for _, word := range l.words {
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
