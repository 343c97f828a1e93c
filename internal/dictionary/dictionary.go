// Package dictionary reads texts in Spanish, French, German, Portuguese and Italian in English, word by word. Most
// freelancers describe themselves in English; a brief in another language shares few words with them.
//
// The result isn't a translation to show to people. It has the words, and the order of compound nouns, that an English
// text about the same subject has: "gestión de proyectos de construcción" becomes "construction project management".
// Words that the dictionary lacks stay as they are, which suits names: products, places, abbreviations.
package dictionary

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
)

const (
	// header starts the data file.
	header = "dictionary 1"
	// maxBody limits the size of the data file in bytes before compression.
	maxBody = 8 << 20
	// maxPhrase is the number of words of the longest phrase that is looked up.
	maxPhrase = 5
	// minPart is the length in bytes of the shortest part of a German compound.
	minPart = 3
)

// columns lists the languages of the data file, in the order of its columns after English.
var columns = [...]analysis.Language{
	analysis.Spanish, analysis.French, analysis.German, analysis.Portuguese, analysis.Italian,
}

// A Dictionary reads texts in English. It is safe for concurrent use.
type Dictionary struct {
	analyzer *analysis.Analyzer
	tables   map[analysis.Language]func() *table
	votes    func() map[string]uint8 // see countVotes
}

// kind is the role of a word in a sentence, as far as it decides the order of words in English.
type kind byte

const (
	noun kind = iota // also every unknown word
	verb
	adjective
	connector // "and", "for": ends a compound
	of        // "de", "von": connects two nouns, of which English puts the second first
	function  // any other function word; it has no English counterpart here
)

// kinds holds the kind of the words of each section of the data file.
var kinds = map[string]kind{"nouns": noun, "verbs": verb, "adjectives": adjective, "connectors": connector}

// A sense is the English word for a word or phrase.
type sense struct {
	english string
	kind    kind
}

// A table holds the words of one language.
type table struct {
	words   map[string]sense // by key
	stems   map[string]sense // by key of the stem: of several words with a stem, the first
	phrases map[string]sense // by the folded words or the stems of its words, separated by spaces
	starts  map[string]bool  // stems that begin a phrase
	english map[string]bool  // English words, which occur in German compounds: "Tracking" + "System"
}

// Open returns the dictionary in a data file. It reads the file when a text needs it first.
func Open(file []byte, analyzer *analysis.Analyzer) *Dictionary {
	d := &Dictionary{analyzer: analyzer, tables: make(map[analysis.Language]func() *table)}
	for i, l := range columns {
		d.tables[l] = sync.OnceValue(func() *table { return d.load(file, i+1) })
	}
	d.votes = sync.OnceValue(d.countVotes)
	return d
}

// Encode returns the data file of rows of words, which mappings/README.md describes. It returns an error if a row has
// the wrong number of columns or stands before the first section. Equal rows encode to equal bytes.
func Encode(source io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(source, maxBody))
	if err != nil {
		return nil, err
	}

	var rows strings.Builder
	section := ""
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		name, isSection := strings.CutPrefix(line, "## ")
		_, known := kinds[name]
		cells := strings.Split(line, "|")
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
			continue
		case isSection && !known:
			return nil, fmt.Errorf("line %d: unknown section %q", n+1, name)
		case isSection:
			section = name
		case section == "":
			return nil, fmt.Errorf("line %d: a word stands before the first section", n+1)
		case len(cells) != len(columns)+1 || cells[0] == "":
			return nil, fmt.Errorf("line %d: want English and %d columns, got %q", n+1, len(columns), line)
		}

		fmt.Fprintln(&rows, line)
	}

	// The best compression takes a second once, and the file is part of every download.
	var file bytes.Buffer
	zip, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(zip, header+"\n"+rows.String()); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}

	return file.Bytes(), nil
}

// load returns the table of a column of the data file. The file is part of the program, so a fault in it is a fault of
// the program.
func (d *Dictionary) load(file []byte, column int) *table {
	t := &table{
		words: make(map[string]sense), stems: make(map[string]sense), phrases: make(map[string]sense),
		starts: make(map[string]bool), english: make(map[string]bool),
	}

	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		panic(fmt.Sprintf("dictionary: %v", err))
	}

	body, err := io.ReadAll(io.LimitReader(zip, maxBody))
	if err != nil {
		panic(fmt.Sprintf("dictionary: %v", err))
	}

	// Only this program's own file is read, so another header means a build that forgot to encode it.
	rows, ok := strings.CutPrefix(string(body), header+"\n")
	if !ok {
		panic("dictionary: the data file has another version")
	}

	current := noun
	for line := range strings.SplitSeq(strings.TrimSpace(rows), "\n") {
		if section, ok := strings.CutPrefix(line, "## "); ok {
			current = kinds[section]
			continue
		}

		cells := strings.Split(line, "|")
		t.english[cells[0]] = true
		for word := range strings.SplitSeq(cells[column], ",") {
			d.add(t, columns[column-1], word, sense{cells[0], current})
		}
	}

	return t
}

// add adds a word or phrase to a table. The first of several senses stays.
func (d *Dictionary) add(t *table, l analysis.Language, text string, s sense) {
	words := tokens(text)
	switch len(words) {
	case 0:
		return
	case 1:
		word := words[0].text
		setFirst(t.words, key(word, l), s)
		if s.kind != connector {
			setFirst(t.stems, stemKey(word, d.stem(word, l), l), s)
		}
		return
	}

	// A phrase is found as written and by its stems. Its first stem is the cheap test whether one may start at a word.
	folded := make([]string, len(words))
	stems := make([]string, len(words))
	for i, w := range words {
		folded[i], stems[i] = analysis.Fold(w.text), d.stem(w.text, l)
	}

	t.starts[stems[0]] = true
	setFirst(t.phrases, exact+strings.Join(folded, " "), s)
	setFirst(t.phrases, strings.Join(stems, " "), s)
}

// key returns the form in which words of a language are compared. German distinguishes nouns by their capitals, and
// words by their umlauts: "Höhe", "hohe"; "klaren", "klären".
func key(word string, l analysis.Language) string {
	if l != analysis.German {
		return analysis.Fold(word)
	}
	return stemKey(word, analysis.Fold(umlauts.Replace(strings.ToLower(word))), l)
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// stemKey returns the key of the stem of a word.
func stemKey(word, stem string, l analysis.Language) string {
	if l == analysis.German && unicode.IsUpper(firstRune(word)) {
		return capital + stem
	}
	return stem
}

// exact starts the keys of phrases by their folded words.
const exact = "="

// capital starts the keys of German words with a capital.
const capital = "^"

// otherCase returns the key of a word with a capital for the key of the word without it, and the other way round.
func otherCase(key string) string {
	if rest, ok := strings.CutPrefix(key, capital); ok {
		return rest
	}
	return capital + key
}

// find returns the sense of a key, or of the word in the other case.
func find(senses map[string]sense, key string) (s sense, ok bool) {
	if s, ok = senses[key]; !ok {
		s, ok = senses[otherCase(key)]
	}
	return s, ok
}

func setFirst(m map[string]sense, key string, s sense) {
	if _, taken := m[key]; !taken {
		m[key] = s
	}
}

// stem returns the stem of a word, or the folded word if it is a function word.
func (d *Dictionary) stem(word string, l analysis.Language) string {
	if stems := d.analyzer.AppendStems(nil, word, l); len(stems) == 1 {
		return stems[0]
	}
	return analysis.Fold(word)
}

// isFunction reports whether a word is a function word.
func (d *Dictionary) isFunction(word string, l analysis.Language) bool {
	return len(d.analyzer.AppendStems(nil, word, l)) == 0
}
