package analysis

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"
	"golang.org/x/text/unicode/norm"
)

// stem returns the stem of a token in a language, without accents and without sharing the token's memory.
//
// The English stemmer receives the word without accents. The others need them (-ción, -ière, -ção), so the stem is
// folded instead. Missing accents are restored if the word is almost never meant otherwise, so that "animacion" and
// "Uebersetzung" match "animaciones" and "Übersetzungen".
func stem(token string, l Language) string {
	word := Fold(token)
	if l != English {
		word = accented(norm.NFKC.String(strings.ToLower(norm.NFKC.String(token))), l)
	}
	env := snowballstem.NewEnv(solid(word))
	stemmer(l)(env)
	return strings.Clone(solid(Fold(env.Current())))
}

func stemmer(l Language) func(*snowballstem.Env) bool {
	switch l {
	case Spanish:
		return spanish.Stem
	case French:
		return french.Stem
	case German:
		return german.Stem
	case Portuguese:
		return portuguese.Stem
	case Italian:
		return italian.Stem
	default:
		return english.Stem
	}
}

// solid returns word without white space: a single Arabic ligature can expand to four words.
func solid(word string) string {
	return strings.Join(strings.Fields(word), "")
}

// accented returns word with the accents that its ending lacks.
func accented(word string, l Language) string {
	if !isASCII(word) {
		return word
	}
	if l == German {
		return umlauts.Replace(word)
	}
	for _, e := range endings(l) {
		if root, ok := strings.CutSuffix(word, e.plain); ok && len(root) > 1 {
			return root + e.accented
		}
	}
	return word
}

// umlauts may be written "ae", "oe", "ue". After another vowel (neue, bauen) or a q, these aren't umlauts.
var umlauts = strings.NewReplacer(
	"aue", "aue", "eue", "eue", "oue", "oue", "que", "que",
	"ae", "ä", "oe", "ö", "ue", "ü",
)

type ending struct{ plain, accented string }

// endings lists endings whose stem depends on an accent.
func endings(l Language) []ending {
	switch l {
	case Spanish:
		return []ending{{"acion", "ación"}, {"ucion", "ución"}, {"logia", "logía"}, {"grafia", "grafía"}}
	case French:
		return []ending{{"iere", "ière"}, {"ieres", "ières"}}
	case Portuguese:
		return []ending{
			{"cao", "ção"},
			{"coes", "ções"},
			{"ancia", "ância"},
			{"encia", "ência"},
			{"encias", "ências"},
			{"ivel", "ível"},
			{"iveis", "íveis"},
			{"avel", "ável"},
		}

	case Italian:
		return []ending{{"alita", "alità"}, {"ilita", "ilità"}, {"ivita", "ività"}}
	default:
		return nil
	}
}
