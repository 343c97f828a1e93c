package bank

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
)

// briefWords holds the words of one language for what a brief asks for. They come from a file such as:
//
//	intent: need; build; looking for
//	scale: products; users
//	both: {a} and {b}
//	shop: an online store | online store; web shop
//
// The last line is a deliverable: its ID, the same in all languages, its name after the word "for", and the phrases
// that mean it. Words are folded, and one that ends in "*" matches every word with this prefix.
type briefWords struct {
	intent       patterns // what the client wants follows
	scale        patterns // single words that make a quantity of a number
	both         string   // joins two names
	deliverables map[string]deliverable
}

type deliverable struct {
	name    string
	phrases []pattern
}

func parseBriefWords(file string) (briefWords, error) {
	x := briefWords{deliverables: make(map[string]deliverable)}
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, rest, ok := strings.Cut(line, ": ")
		if !ok {
			return briefWords{}, fmt.Errorf("line %q has no colon", line)
		}

		switch id {
		case "intent":
			x.intent = parsePatterns(rest)
		case "scale":
			x.scale = parsePatterns(rest)
		case "both":
			x.both = rest
		default:
			// Any other name is the ID of a deliverable. A duplicate would silently replace the first one.
			name, phrases, ok := strings.Cut(rest, " | ")
			d := deliverable{name: strings.TrimSpace(name), phrases: parsePhraseList(phrases)}
			_, twice := x.deliverables[id]
			isComplete := ok && d.name != "" && len(d.phrases) > 0
			if !isComplete || twice {
				return briefWords{}, fmt.Errorf("deliverable %q has no name, no phrases or is a duplicate", id)
			}
			x.deliverables[id] = d
		}
	}

	if !strings.Contains(x.both, "{a}") || !strings.Contains(x.both, "{b}") {
		return briefWords{}, errors.New(`"both" must contain {a} and {b}`)
	}

	return x, nil
}

// parsePhraseList returns the patterns in a list such as "web shop; online store*".
func parsePhraseList(list string) []pattern {
	var all []pattern
	for phrase := range strings.SplitSeq(list, ";") {
		if p := strings.Fields(analysis.Fold(phrase)); len(p) > 0 {
			all = append(all, p)
		}
	}
	return all
}

func parsePatterns(list string) patterns {
	var ps patterns
	for _, p := range parsePhraseList(list) {
		ps.add(p)
	}
	return ps
}

// maxBrief is the maximum number of bytes of a brief that are searched for what it asks for.
const maxBrief = 4_000

// maxIntent is the maximum number of words between a word of intent and a deliverable, as in "looking for a developer
// who can build us a small online store".
const maxIntent = 8

// deliverable returns the name, in edition e, of what a brief asks for, or "". A deliverable counts if the job title
// has it, or if a word of intent precedes it: "we run an online store and need a logo" asks for a logo. Title and text
// may be in any language of the bank.
func (b *Bank) deliverable(s *interview.Subject, e *edition) string {
	for _, part := range split(prefix(s.JobTitle, maxBrief)) {
		if id := b.deliverableIn(part.words, false); id != "" {
			return e.brief.deliverables[id].name
		}
	}
	for _, part := range split(prefix(s.Project, maxBrief)) {
		if id := b.deliverableIn(part.words, true); id != "" {
			return e.brief.deliverables[id].name
		}
	}
	return ""
}

// deliverableIn returns the ID of the first deliverable in a sentence, the longest phrase if several begin at the same
// word, or "".
func (b *Bank) deliverableIn(words []string, needsIntent bool) string {
	intended := -1 // up to this word
	for i := range words {
		id, longest := "", 0
		for _, e := range b.editions {
			if e.brief.intent.at(words, i) {
				intended = i + maxIntent
			}

			// Editions are in no order, so among phrases of the same length, the IDs decide.
			for candidate, d := range e.brief.deliverables {
				for _, p := range d.phrases {
					isPreferred := len(p) > longest || len(p) == longest && candidate < id
					if isPreferred && p.at(words, i) {
						id = candidate
						longest = len(p)
					}
				}
			}
		}

		isWanted := !needsIntent || i <= intended
		if id != "" && isWanted {
			return id
		}
	}

	return ""
}

// scale returns the first quantity in a brief, such as "10,000 products", or "". It returns nothing else of the brief.
func (b *Bank) scale(s *interview.Subject, e *edition) string {
	fields := strings.Fields(prefix(s.Project, maxBrief))
	for i := range len(fields) - 1 {
		number := strings.Trim(fields[i], "(~+")
		noun := strings.TrimFunc(fields[i+1], unicode.IsPunct)
		isScale := isWord(noun) && e.brief.scale.at([]string{analysis.Fold(noun)}, 0)
		if isScale && isQuantity(number) {
			return number + " " + noun
		}
	}
	return ""
}

// isWord reports whether a text has letters only.
func isWord(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// isQuantity reports whether a text is a number of at least two digits, possibly with separators, such as 1,200, 40k or
// 2.5m.
func isQuantity(text string) bool {
	digits := 0
	for i, r := range text {
		last := i == len(text)-1
		switch {
		case r >= '0' && r <= '9':
			digits++
		case i > 0 && !last && strings.ContainsRune(".,'", r):
		case i > 0 && last && strings.ContainsRune("kKmM", r):
			digits++
		default:
			return false
		}
	}
	return digits >= 2 && len(text) <= 12
}

// tools returns the names of up to two required skills besides the one with the given name, joined for a sentence, or
// "". Generic skills and languages are no tools.
func (f *filler) tools(name string) string {
	var names []string
	for _, tool := range f.toolNames {
		if tool != name && len(names) < 2 {
			names = append(names, tool)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.NewReplacer("{a}", names[0], "{b}", names[1]).Replace(f.both)
	}
}

// isTool reports whether a required skill is the name of a tool or technology, and not of an activity such as Calendar
// Management.
func (b *Bank) isTool(s *interview.Skill) bool {
	known, ok := b.taxonomy.Skill(s.ID)
	return ok && !known.Generic && !slices.Contains([]string{"Languages", "Knowledge", "Law"}, known.Category) &&
		!isActivity(known.Name)
}

// isActivity reports whether the last word of a skill's name in the taxonomy is the English name of an activity.
func isActivity(name string) bool {
	words := strings.Fields(analysis.Fold(name))
	last := words[len(words)-1]
	return slices.ContainsFunc([]string{
		"accounts", "analysis", "assistance", "automation", "bookkeeping", "crm", "design", "finance", "ing", "law",
		"ment", "payroll", "recruiting", "research", "sales", "seo", "service", "sion", "sis", "support", "tion",
	}, func(ending string) bool { return strings.HasSuffix(last, ending) })
}
