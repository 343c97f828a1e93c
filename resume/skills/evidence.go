package skills

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

// This file decides whether a name in running text means a skill of the person. Most names of skills also are ordinary
// words, abbreviations, companies, places or people, so the spelling of the name and the words around it count.

// A mentionReader decides whether running text mentions a skill of the person.
type mentionReader struct {
	words    *lexicon.Lexicon
	taxonomy *taxonomy.Taxonomy
}

// A spelling describes a name of a skill, and how a text writes it.
type spelling struct {
	words    bool // the name has several words
	distinct bool // an inner capital, a digit or a sign sets the name apart from ordinary words: "PostgreSQL", "C++"
	acronym  bool // the name has capitals only, at most maxAcronym: "LMS"
	exact    bool // the text writes the name with the same capitals and signs, apart from an s at its end
	lower    bool // the text writes it in lower case, and the taxonomy doesn't
	begins   bool // the canonical name goes on: "Banner" for Banner Design
	ends     bool // the name is the canonical one, or its end: "Photoshop" for Adobe Photoshop
}

const maxAcronym = 5

// spell compares a mention in a text with the name that the taxonomy has.
func spell(written string, m taxonomy.Mention, canonical string) spelling {
	name := wording.Key(m.Name)
	full := wording.Key(canonical)
	letters, signs := 0, 0
	for i, r := range m.Name {
		switch {
		case unicode.IsLetter(r):
			letters++
			if i > 0 && unicode.IsUpper(r) {
				signs++
			}

		case r != '-' && r != '\'' && r != ' ':
			signs++
		}
	}

	s := spelling{
		words:   strings.Contains(m.Name, " "),
		acronym: wording.Capitals(m.Name) && letters <= maxAcronym && !wording.HasDigit(m.Name),
		exact:   written == m.Name || strings.TrimSuffix(written, "s") == m.Name,
		lower:   strings.ToLower(written) == written && strings.ToLower(m.Name) != m.Name,
		begins:  strings.HasPrefix(full, strings.TrimSuffix(name, "s")+" "),
		ends:    name == full || strings.HasSuffix(full, " "+name),
	}

	s.distinct = signs > 0 && !s.acronym && !s.words
	return s
}

// Surroundings are what stands next to a mention in its line.
type surroundings struct {
	before, after string // the adjacent words; "" if a sign is between
	possessive    bool   // "Oracle's"
	inTitle       bool   // most words of the line have capitals
	opens         bool   // the mention opens its sentence
	beforeNumber  bool   // a number of three digits follows, as after the name of a course: "CS 101"
	place         bool   // a country or a region follows
}

// surroundingsOf returns what stands next to the text between two offsets.
func (r *mentionReader) surroundingsOf(text string, start, end int) surroundings {
	left := text[max(0, start-maxReach):start]
	left = left[strings.LastIndexByte(left, '\n')+1:]
	right, _, _ := strings.Cut(wording.Truncate(text[end:], maxReach), "\n")

	var s surroundings
	if words := strings.Fields(right); strings.HasPrefix(right, " ") && len(words) > 0 {
		s.after = strings.TrimRight(words[0], ",.;:)!?")
	}

	onlyWordBefore := false
	if words := strings.Fields(left); strings.HasSuffix(left, " ") && len(words) > 0 {
		s.before = words[len(words)-1]
		onlyWordBefore = len(words) == 1
	}

	s.opens = onlyWordBefore || strings.TrimSpace(left) == ""
	s.possessive = strings.HasPrefix(right, "'s") || strings.HasPrefix(right, "’s")

	// A letter may follow the number of a course: "CS 101L".
	digits := len(s.after) - len(strings.TrimLeft(s.after, "0123456789"))
	s.beforeNumber = digits == 3 && len(s.after) < 5

	// A region after a comma makes the name a place: "Reading, UK".
	if rest, ok := strings.CutPrefix(right, ", "); ok {
		region, _, _ := strings.Cut(rest, " ")
		k := wording.Key(strings.Trim(region, ",.;)"))
		s.place = r.words.Countries[k] != "" || r.words.Regions[k] != ""
	}

	// In a title, capitals say nothing about proper names.
	words := 0
	capitalized := 0
	for word := range strings.FieldsSeq(left + text[start:end] + right) {
		words++
		first, _ := utf8.DecodeRuneInString(word)
		if !unicode.IsLower(first) {
			capitalized++
		}
	}
	s.inTitle = 4*capitalized > 3*words

	return s
}

// maxReach is how many bytes before and after a mention are looked at.
const maxReach = 160

// properName reports whether a neighboring word and a mention are one longer proper name, as in "Spring Valley".
func (r *mentionReader) properName(s surroundings) bool {
	proper := func(word string) bool {
		nameCase := wording.Capitalized(word) && !wording.Capitals(word)
		return nameCase && !r.words.Titles.Has(wording.Key(word)) && !r.taxonomy.Resolve(word).Known
	}
	return !s.inTitle && (proper(s.after) || !s.opens && proper(s.before))
}

// employer reports whether words like "at" or "joined" before a mention make it the name of a company.
func (r *mentionReader) employer(text string, start int) bool {
	words := strings.Fields(wording.Key(text[max(0, start-maxReach):start]))
	for n := min(3, len(words)); n > 0; n-- {
		phrase := strings.Join(words[len(words)-n:], " ")
		if r.words.SkillLeads[phrase] {
			return false
		}
		if r.words.EmployerBefore[phrase] || slices.Contains(r.words.EmployerAfter, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// evidence returns how much speaks for a mention of a skill in running text, in log odds. related says that a skill is
// certain that often occurs together with this one.
func (r *mentionReader) evidence(t *proseText, m taxonomy.Mention, related bool) float64 {
	skill, _ := r.taxonomy.Skill(m.ID)
	written := t.text[m.Start:m.End]
	key := wording.Key(written)
	s := spell(written, m, skill.Name)
	near := r.surroundingsOf(t.text, m.Start, m.End)

	// Ordinary words and names of people look like a plain word.
	plainWord := !s.words && !s.distinct && !s.acronym
	short := plainWord || s.acronym
	isProduct := skill.Family != "" || r.taxonomy.InGroup(m.ID, "tech")

	lastWord := key[strings.LastIndexByte(key, ' ')+1:]
	isRole := r.words.Titles.Has(lastWord)
	roleOfOthers := isRole && !t.title
	supported := related && !roleOfOthers

	const commonUse, veryCommonUse = 100, 150 // of 255
	carelessAcronym := s.acronym && !s.exact && (!s.lower || skill.Use < veryCommonUse)
	ofActivity := plainWord && !isProduct && !s.begins && !s.ends
	mayBeName := plainWord && (m.Everyday || !isProduct)
	besideYear := year(near.after) || year(near.before)
	ofTeam := plainWord && !isProduct && r.words.Organizations.Has(wording.Key(near.after))
	otherSection := t.section == "education" || t.section == "other"

	return odds.Sum(
		odds.If("mentioned", true, 1),
		odds.If("several words", s.words, 1.5),
		odds.If("looks unlike a word", s.distinct, 1.5),
		odds.If("canonical name, or without its vendor", short && s.ends, .5),
		odds.If("common skill", skill.Use >= commonUse, .5),
		odds.If("everyday word", m.Everyday, -1),
		odds.If("everyday word with its capitals", m.Everyday && s.exact, 1),
		odds.If("abbreviation with its capitals", s.acronym && s.exact, .3),
		odds.If("abbreviation without its capitals", carelessAcronym, -4),
		odds.If("abbreviation of another name", s.acronym && !s.ends, -2),
		odds.If("name of a product in lower case", plainWord && s.lower && isProduct, -2.2),
		odds.If("thing instead of the work on it", plainWord && s.begins, -1.5),
		odds.If("other word for an activity", ofActivity, -1.2),
		odds.If("related skill", supported, 1.5),
		odds.If("title of the person", t.title, 1.5),
		odds.If("section about skills", t.section == "skills", 1.5),
		odds.If("role of somebody", roleOfOthers, -3),
		odds.If("education or other section", otherSection, -.3),
		odds.If("part of a longer name", mayBeName && r.properName(near), -2),
		odds.If("owner of something", short && near.possessive, -2.5),
		odds.If("number of a course", s.acronym && near.beforeNumber, -3),
		odds.If("season or month", besideYear && r.words.Seasons[key], -6),
		odds.If("describes a role", r.words.Seniority[key], -3),
		odds.If("employer", plainWord && r.employer(t.text, m.Start), -3),
		odds.If("place", plainWord && near.place, -3),
		odds.If("legal form", r.words.Legal[key] && wording.Capitalized(near.before), -4),
		odds.If("team or office", ofTeam, -1.5),
	)
}

// year reports whether a word has the form of a year.
func year(word string) bool { return len(word) == 4 && strings.Trim(word, "0123456789") == "" }

// related reports whether one of some skills often occurs together with a skill: it is of the same family or subject,
// or one implies the other, or the taxonomy relates them. Common technical skills occur with all others.
func (r *mentionReader) related(id string, certain lexicon.Set) bool {
	skill, _ := r.taxonomy.Skill(id)
	for _, list := range [][]string{skill.Related, skill.Implies, skill.Broader} {
		if slices.ContainsFunc(list, func(other string) bool { return certain[other] }) {
			return true
		}
	}
	mixed := []string{"", "Industry software", "Knowledge", "Software and tools"} // categories without a common subject
	for other := range certain {
		o, _ := r.taxonomy.Skill(other)
		technical := skill.Use >= 100 && r.taxonomy.InGroup(id, "tech") && r.taxonomy.InGroup(other, "tech")
		same := other != id && (technical || skill.Family != "" && o.Family == skill.Family ||
			o.Category == skill.Category && !slices.Contains(mixed, skill.Category))
		if same {
			return true
		}

		// A relation may be listed at either of the two skills.
		if slices.Contains(o.Related, id) || slices.Contains(o.Implies, id) {
			return true
		}
	}
	return false
}
