package suggest

import (
	_ "embed" // for the names
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/value"
)

//go:embed names.txt
var namesFile string

// A mention is a name or an amount in a sentence.
type mention struct {
	at       int    // position in the sentence
	language string // BCP 47
	speaker  bool   // it says by itself that people speak the language: "francophone"
	country  string // ISO 3166-1
	nation   string // country of a nationality
	zone     string // IANA name or fixed offset
	amount   float64
	lowest   float64 // of a range; 0 for a single amount
	currency string  // ISO 4217
	perHour  bool
}

// class returns the letters of what a mention may be, for the placeholder in the text of a sentence.
func (m *mention) class() string {
	class := ""
	for _, kind := range []struct {
		letter string
		is     bool
	}{
		{"L", m.language != ""},
		{"S", m.speaker},
		{"C", m.country != ""},
		{"N", m.nation != ""},
		{"Z", m.zone != ""},
		{"M", m.amount > 0},
	} {
		if kind.is {
			class += kind.letter
		}
	}
	return class
}

// names are the known names, in lower case and with one space between words.
type names struct {
	mentions   map[string]mention
	longest    map[string]int // by the first word of names: the number of words of the longest
	currencies map[string]string
	shortened  map[string]bool // abbreviations that end in a point
	money      *regexp.Regexp
}

// nameLanguages are the languages in which names are known, those of the rules.
var nameLanguages = []language.Tag{
	language.English, language.German, language.French, language.Spanish, language.Portuguese, language.Italian,
}

func loadNames() (*names, error) {
	n := &names{
		mentions: map[string]mention{}, longest: map[string]int{},
		currencies: map[string]string{}, shortened: map[string]bool{},
	}

	// The file comes second, so that it can add to the names from CLDR.
	n.addCLDR()
	for number, line := range strings.Split(namesFile, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}

		head, words, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("names.txt: line %d has no colon", number+1)
		}

		kind, code, _ := strings.Cut(head, " ")
		for word := range strings.SplitSeq(words, "; ") {
			if err := n.add(kind, code, word); err != nil {
				return nil, fmt.Errorf("names.txt: line %d: %w", number+1, err)
			}
		}
	}

	// Looking up a name tries as many words as the longest name with this first word has.
	for name := range n.mentions {
		words := strings.Fields(name)
		n.longest[words[0]] = max(n.longest[words[0]], len(words))
	}

	n.money = moneyPattern(n.currencies)
	return n, nil
}

// addCLDR adds the names of all countries and languages. A country that shares its name with a part of another one, as
// Georgia does, is left out.
func (n *names) addCLDR() {
	english := display.Regions(language.English)
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			region, err := language.ParseRegion(string(a) + string(b))
			isCountry := err == nil && region.IsCountry()
			if !isCountry || value.CountryOf(english.Name(region)) != region.String() {
				continue
			}

			for _, l := range nameLanguages {
				n.addCountry(display.Regions(l).Name(region), region.String())
			}
		}
	}

	for _, tag := range display.Supported.Tags() {
		base, confidence := tag.Base()
		code, _ := value.Language(base.String())
		if confidence == language.No || code != base.String() {
			continue
		}

		for _, l := range nameLanguages {
			n.addLanguage(display.Languages(l).Name(language.Make(base.String())), code)
		}

		// People also write a language's name in the language itself.
		n.addLanguage(display.Self.Name(language.Make(base.String())), code)
	}
}

func (n *names) addCountry(name, code string) {
	if key := nameKey(name); key != "" {
		m := n.mentions[key]
		m.country = code
		n.mentions[key] = m
	}
}

func (n *names) addLanguage(name, tag string) {
	if key := nameKey(name); utf8.RuneCountInString(key) > 2 && tag != "" {
		m := n.mentions[key]
		m.language = tag
		n.mentions[key] = m
	}
}

// nameKey returns a name as it is in sentences.
func nameKey(name string) string {
	var words []string
	for _, t := range tokens(name) {
		words = append(words, t.word)
	}
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// add adds a name of the file.
func (n *names) add(kind, code, word string) error {
	key := nameKey(word)
	// A word can be of several kinds: "german" stands for a language and for a nation.
	m := n.mentions[key]
	switch kind {
	case "country":
		code, _ = value.Country(word)
		m.country = code
	case "language":
		code, _ = value.Language(word)
		m.language = code
	case "inflected":
		m.language = code
	case "speaker":
		m.language = code
		m.speaker = true
	case "nation":
		m.nation = code
	case "zone":
		m.zone = code
	// Currencies and abbreviations are looked up in other ways than mentions, so they return early.
	case "currency":
		var err error
		n.currencies[strings.ToLower(word)], err = exchange.Code(code)
		return err

	case "abbreviation":
		n.shortened[word] = true
		return nil
	default:
		return fmt.Errorf("unknown kind %q", kind)
	}

	if code == "" {
		return fmt.Errorf("unknown %s %q", kind, word)
	}

	n.mentions[key] = m

	return nil
}

// The groups of moneyPattern, in the order of its expression.
const (
	signBefore   = 1 + iota // sign or name of the currency
	moneyAmount             // the lowest amount of a range, or the only one
	signBetween             // before the highest amount
	moneyHighest            // of a range
	signAfter
	moneyPerHour // "an hour"
)

// moneyPattern matches an amount or a range with its currency on either side, and the unit.
func moneyPattern(currencies map[string]string) *regexp.Regexp {
	var signs, words []string
	for name := range currencies {
		if r, _ := utf8.DecodeLastRuneInString(name); unicode.IsLetter(r) {
			words = append(words, regexp.QuoteMeta(name))
		} else {
			signs = append(signs, regexp.QuoteMeta(name))
		}
	}
	sign := `(` + strings.Join(longestFirst(append(signs, words...)), "|") + `)`
	const number = `(\d{1,3}(?:[,.]\d{3})+(?:\.\d{1,2})?|\d+(?:[.,]\d{1,2})?)`
	return regexp.MustCompile(`(?i)(?:` + sign + `\s?)?` + number + `(?:\s?(?:-|–|—|to|and|bis)\s?(?:` + sign + `\s?)?` +
		number + `)?(?:\s?` + sign + `)?(\s?(?:/|per|an|pro|por|a|the)\s?(?:hour|hr|hrs|h|std|stunde|hora|heure|ora)\b)?`)
}

// otherUnit matches what makes an amount neither a rate per hour nor a budget.
var otherUnit = regexp.MustCompile(`(?i)^\s?(?:[a-z€$£]+\s)?(?:/|per|a|an|each)\s?(?:day|week|month|year|word|page|` +
	`project|article|video|task|minute|min|piece|item|mo|wk|k\b)|^\s?(?:k|%|x\d)|^[,.]\d|` +
	`^\s?(?:[a-z€$£]+\s)?(?:/|pro|im|je|par|al|por|a)\s?(?:tag|woche|monat|jahr|wort|seite|jour|semaine|mois|an\b|mot|` +
	`día|dia|semana|mes\b|año|palabra|mês|ano\b|giorno|settimana|mese|anno)`)
