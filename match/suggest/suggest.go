// Package suggest finds filters that the text of a brief asks for, such as "native German speaker" or "based in
// Mexico". It only suggests: whether the words mean it is for the client to say.
//
// A sentence is read in three steps. Names of languages, countries and time zones, and amounts of money, become
// mentions. The rules in rules.txt then look for what clients write around a mention if they want it of a freelancer.
// Finally, words in the same clause can veto a match: "German is not required", "our users are based in Mexico".
package suggest

import (
	"cmp"
	_ "embed" // for the rules and the names
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

//go:embed rules.txt
var rulesFile string

// The filters that can be suggested, as in a request.
const (
	Countries     = "countries"
	Languages     = "languages"
	TimeZone      = "time_zone"
	MaxHourlyRate = "max_hourly_rate"
)

// budget is the kind of the rules for what the work may cost in all, which is no filter.
const budget = "budget"

const (
	// maxText limits the text that is read, in bytes. Few briefs are half as long.
	maxText = 20_000
	// maxSentences limits the sentences with mentions that are read. Each takes a tenth of a millisecond, and few briefs
	// have five.
	maxSentences = 50
	// usualHours is how far a time zone may be off if the text says no number: it leaves five common hours in a day of
	// eight.
	usualHours = 3
	// The accepted rates per hour, in any currency. Others are typing errors, or no rates.
	minRate, maxRate = 1, 100_000
	// maxBudget is the largest accepted amount for the whole work.
	maxBudget = 1e9
)

// Asked holds what a brief asks for.
type Asked struct {
	Countries    []string // ISO 3166-1 alpha-2 codes, any of which will do
	Languages    []matching.LanguageFilter
	TimeZone     matching.TimeZoneFilter // "" if the brief asks for none, or for several
	MaxRate      float64                 // per hour; 0 if the brief has none
	RateCurrency string                  // ISO 4217; a dollar sign alone counts as US dollars
	Budget       Budget                  // Read finds one per hour only
	Because      map[string][]string     // by filter, the words of the brief, verbatim
}

// A Budget is what the client pays by the text, per hour or in all. Without one, High is 0.
type Budget struct {
	Low, High float64 // Low is 0 unless it is a range
	Currency  string
	Hourly    bool
}

// A rule matches sentences that ask for something.
type rule struct {
	filter  string
	level   matching.LanguageLevel // of a language; "" for the one in the group, or any
	pattern func() *regexp.Regexp  // compiled when it is first used; most rules never are
	needs   [][]int                // lists of texts, of each of which a sentence contains one if the pattern matches
}

// A Suggester reads briefs. It is safe for concurrent use.
type Suggester struct {
	names                *names
	rules                []rule
	needed               vocabulary       // of the rules
	before, about, after []*regexp.Regexp // vetoes
	wants                *regexp.Regexp   // the list "want"
}

// New returns a Suggester. It fails only if its own data is invalid.
func New() (*Suggester, error) {
	s := &Suggester{}
	var err error
	if s.names, err = loadNames(); err != nil {
		return nil, err
	}

	// The macros stand for the classes of names by which sentences are written, such as <C> for a country.
	macros := map[string]string{
		"L": mentions("L"), "S": mentions("S"), "C": mentions("C"), "N": mentions("N"), "M": "<M>",
		"Z": `(?:the )?(?:(?:<[A-Z]*C[A-Z]*> )?<[A-Z]*Z[A-Z]*>|<[A-Z]*[CN][A-Z]*>` +
			`(?: standard| local| business| working| office| work)* (?:time zone|timezone|time|hours))`,
	}
	for number, line := range strings.Split(rulesFile, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if err := s.addRule(line, macros); err != nil {
			return nil, fmt.Errorf("rules.txt: line %d: %w", number+1, err)
		}
	}

	return s, nil
}

// mentions returns an expression for one mention of a class or several, as in "the US, Canada or Mexico".
func mentions(class string) string {
	one := `(?:the )?<[A-Z]*` + class + `[A-Z]*>`
	return `(?:` + one + `(?:(?: ,| /| &| and| or| und| oder| et| ou| y| o| e| as well as)+ ` + one + `)*)`
}

// addRule adds the rule, veto or list of a line. A line is "list NAME: words", "veto PLACE: words" or "FILTER LEVEL:
// words", in which the words are a regular expression with macros, such as "languages native: {L} mother tongue".
func (s *Suggester) addRule(line string, macros map[string]string) error {
	head, text, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("%q has no colon", line)
	}
	kind, argument, _ := strings.Cut(head, " ")
	expression := expand(text, macros)

	switch kind {
	case "list":
		return s.addList(argument, expression, macros)
	case "veto":
		return s.addVeto(argument, expression)
	case Countries, Languages, TimeZone, MaxHourlyRate, budget:
		return s.addFilter(kind, argument, expression)
	default:
		return fmt.Errorf("unknown kind %q", head)
	}
}

// expand replaces the macros of an expression. Other braces are repetitions, such as {0,3}.
func expand(expression string, macros map[string]string) string {
	return macroPattern.ReplaceAllStringFunc(expression, func(name string) string {
		if text, ok := macros[name[1:len(name)-1]]; ok {
			return text
		}
		return name
	})
}

// wholeWords returns an expression that matches only where words start and end.
func wholeWords(expression string) string { return `(?:^|\s)(?:` + expression + `)(?:\s|$)` }

// withLetters returns an expression in which \w also matches letters with accents.
func withLetters(expression string) string { return strings.ReplaceAll(expression, `\w`, `[\p{L}\d]`) }

// addList adds a list of words, which later lines use as a macro.
func (s *Suggester) addList(name, expression string, macros map[string]string) (err error) {
	macros[name] = expression
	if name == "want" {
		s.wants, err = regexp.Compile(wholeWords(expression))
	}
	return err
}

// addVeto adds words that turn a match around if they are before it, after it, or before it and about somebody other
// than the person whom the client looks for.
func (s *Suggester) addVeto(place, expression string) error {
	pattern, err := regexp.Compile(withLetters(expression))
	if err != nil {
		return err
	}

	switch place {
	case "before":
		s.before = append(s.before, pattern)
	case "about":
		s.about = append(s.about, pattern)
	case "after":
		s.after = append(s.after, pattern)
	default:
		return fmt.Errorf("unknown veto %q", place)
	}
	return nil
}

// addFilter adds words that ask for a filter. level is for languages; "-" or "" stands for any.
func (s *Suggester) addFilter(filter, level, expression string) error {
	expression = wholeWords(withLetters(expression))
	needed, err := neededLiterals(expression)
	if err != nil {
		return err
	}

	// An expression that can be parsed, as this one was, compiles.
	pattern := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })

	r := rule{filter: filter, pattern: pattern, needs: s.needed.add(needed)}
	if level != "" && level != "-" {
		if r.level, _ = value.LanguageLevel(level); r.level == "" {
			return fmt.Errorf("unknown level %q", level)
		}
	}
	s.rules = append(s.rules, r)
	return nil
}

var macroPattern = regexp.MustCompile(`\{\w+\}`)

// Read returns what the description of a brief asks for. It doesn't look for the budget of the whole work, for which
// briefs have a field. Of a long text, it reads the beginning.
func (s *Suggester) Read(text string) Asked { return s.read(text, mentionsNeeded()) }

// ReadAdvert returns the same for a job advert, with its budget.
func (s *Suggester) ReadAdvert(text string) Asked {
	classes := mentionsNeeded()
	classes[budget] = "M"
	return s.read(text, classes)
}

// mentionsNeeded returns the classes of mentions, by filter, one of which a sentence about that filter has.
func mentionsNeeded() map[string]string {
	return map[string]string{Languages: "L", Countries: "CN", TimeZone: "ZCN", MaxHourlyRate: "M"}
}

// read applies the rules for the filters that classes lists, to sentences with a mention of such a class.
func (s *Suggester) read(text string, classes map[string]string) Asked {
	r := reader{asked: Asked{Because: map[string][]string{}}}
	finder := s.needed.finder()
	read := 0
	for sentence := range s.names.sentences(text[:min(len(text), maxText)]) {
		if sentence.classes == "" {
			continue
		}
		if read++; read > maxSentences {
			break
		}

		// Nearly all rules fail for want of a literal, which is found many times faster than that their pattern fails.
		finder.reset(sentence.text)
		for i := range s.rules {
			rule := &s.rules[i]
			if strings.ContainsAny(sentence.classes, classes[rule.filter]) && finder.hasAll(rule.needs) {
				s.apply(rule, sentence, &r)
			}
		}
	}

	return r.finish()
}

// apply records what a rule finds in a sentence.
func (s *Suggester) apply(rule *rule, in *sentence, r *reader) {
	for at := 0; at < len(in.text); {
		m := rule.pattern().FindStringSubmatchIndex(in.text[at:])
		if m == nil {
			return
		}

		// The offsets count from at, but the rest of this function needs them from the start of the sentence.
		for i := range m {
			if m[i] >= 0 {
				m[i] += at
			}
		}

		from := m[0]
		to := m[1]

		if in.text[from] == ' ' {
			from++
		}

		if to > from && in.text[to-1] == ' ' {
			to--
		}

		if !s.vetoed(in.text, from, to) {
			group := ""
			if i := max(rule.pattern().SubexpIndex("level"), rule.pattern().SubexpIndex("hours")); i > 0 && m[2*i] >= 0 {
				group = in.text[m[2*i]:m[2*i+1]]
			}
			r.add(rule, group, in, from, to)
		}

		// An empty match must not stop the loop.
		at = max(to, at+1)
	}
}

// clauseEnd matches what separates clauses.
var clauseEnd = regexp.MustCompile(`[,;:()]|\b(?:but|because|since|so|weil|aber|mais|pero|mas|ma)\b`)

// vetoed reports whether the words around a match turn its meaning around.
func (s *Suggester) vetoed(text string, from, to int) bool {
	before := text[:from]
	if ends := clauseEnd.FindAllStringIndex(before, -1); ends != nil {
		before = before[ends[len(ends)-1][1]:]
	}
	about := before
	if wants := s.wants.FindAllStringIndex(text[:to], -1); wants != nil {
		about = text[min(from, max(from-len(before), wants[len(wants)-1][1])):from]
	}
	in := func(text string) func(*regexp.Regexp) bool {
		return func(p *regexp.Regexp) bool { return p.MatchString(text) }
	}
	return slices.ContainsFunc(s.before, in(before)) || slices.ContainsFunc(s.about, in(about)) ||
		slices.ContainsFunc(s.after, in(text[to:]))
}

// A reader collects what the sentences of a text ask for.
type reader struct {
	asked Asked
	zones []matching.TimeZoneFilter
	exact bool // the text says how far the time zone may be off
}

// choice matches mentions of which any will do.
var choice = regexp.MustCompile(`> (?:, )?(?:or|/|oder|ou|o) (?:the )?<`)

// add records the mentions between two positions of a sentence, and quotes the words as the reason if they say anything
// new. The group holds what the rule captured, such as a level or hours.
func (r *reader) add(rule *rule, group string, in *sentence, from, to int) {
	if rule.filter == Languages && in.isChoice(from, to) {
		return // a filter asks for all of its languages
	}

	addsAny := false
	for i := range in.mentions {
		mentioned := &in.mentions[i]
		if mentioned.at < from || mentioned.at >= to {
			continue
		}

		if r.addMention(rule, group, in, mentioned) {
			addsAny = true
		}
	}

	words := in.verbatim(from, to)
	if addsAny && !slices.Contains(r.asked.Because[rule.filter], words) {
		r.asked.Because[rule.filter] = append(r.asked.Because[rule.filter], words)
	}
}

// isChoice reports whether the sentence offers what it mentions between two positions as one of several.
func (s *sentence) isChoice(from, to int) bool {
	withNextMention := min(to+len(" or <"), len(s.text))
	return choice.MatchString(s.text[from:withNextMention])
}

// addMention records what one mention says about the rule's filter. It reports whether that changed anything.
func (r *reader) addMention(rule *rule, group string, in *sentence, mentioned *mention) bool {
	switch rule.filter {
	case Languages:
		level := rule.level
		if level == "" && group != "" {
			level, _ = value.LanguageLevel(group)
		}

		// "German" was meant as a language, so a later rule must not read it as a nation.
		mentioned.nation = ""
		return r.addLanguage(mentioned.language, level)

	case Countries:
		return r.addCountry(*mentioned)

	case TimeZone:
		return r.addZone(*mentioned, group)

	case MaxHourlyRate:
		isHourly := in.hourly || mentioned.perHour
		return isHourly && r.addRate(*mentioned)

	case budget:
		isHourly := in.hourly || mentioned.perHour
		return !isHourly && r.addBudget(*mentioned)
	}

	return false
}

// addLanguage adds a language, or raises its level. It reports whether that changed anything.
func (r *reader) addLanguage(tag string, level matching.LanguageLevel) bool {
	if tag == "" {
		return false
	}

	i := slices.IndexFunc(r.asked.Languages, func(l matching.LanguageFilter) bool { return l.Tag == tag })
	if i < 0 {
		r.asked.Languages = append(r.asked.Languages, matching.LanguageFilter{Tag: tag, MinLevel: level})
		return true
	}

	known := &r.asked.Languages[i]
	if !isHigher(level, known.MinLevel) {
		return false
	}

	known.MinLevel = level
	return true
}

// isHigher reports whether a level is above another. No level is below all levels.
func isHigher(level, than matching.LanguageLevel) bool {
	if level == "" || than == "" {
		return level != ""
	}

	// The higher a level, the fewer levels start from it.
	return len(value.LevelsFrom(level)) < len(value.LevelsFrom(than))
}

func (r *reader) addCountry(m mention) bool {
	code := cmp.Or(m.country, m.nation)
	if code == "" || slices.Contains(r.asked.Countries, code) {
		return false
	}
	r.asked.Countries = append(r.asked.Countries, code)
	return true
}

func (r *reader) addZone(m mention, hours string) bool {
	zone := m.zone
	if zone == "" {
		zone = value.ZoneOf(cmp.Or(m.country, m.nation))
	}
	if zone == "" {
		return false
	}

	within := float64(usualHours)

	// A difference of more than 12 hours includes every zone.
	if n, err := strconv.Atoi(hours); err == nil && n <= 12 {
		within = float64(n)
		r.exact = true
	}

	found := matching.TimeZoneFilter{Zone: zone, WithinHours: within}
	i := slices.IndexFunc(r.zones, func(z matching.TimeZoneFilter) bool { return z.Zone == zone })

	// A zone that is mentioned again counts only if it says more, namely the hours.
	if i < 0 {
		r.zones = append(r.zones, found)
	} else if hours != "" {
		r.zones[i] = found
	}

	return i < 0
}

func (r *reader) addRate(m mention) bool {
	if m.amount < minRate || m.amount > maxRate || r.asked.MaxRate != 0 {
		return false
	}
	r.asked.MaxRate = m.amount
	r.asked.RateCurrency = m.currency
	if r.asked.Budget.High == 0 {
		r.asked.Budget = Budget{Low: m.lowest, High: m.amount, Currency: m.currency, Hourly: true}
	}
	return true
}

// addBudget records what the whole work may cost. The first amount of a text counts.
func (r *reader) addBudget(m mention) bool {
	if m.amount < minRate || m.amount > maxBudget || r.asked.Budget.High != 0 {
		return false
	}
	r.asked.Budget = Budget{Low: m.lowest, High: m.amount, Currency: m.currency}
	return true
}

// finish drops what a filter can't express: several time zones at once.
func (r *reader) finish() Asked {
	if len(r.zones) == 1 {
		r.asked.TimeZone = r.zones[0]
	} else {
		delete(r.asked.Because, TimeZone)
	}
	return r.asked
}
