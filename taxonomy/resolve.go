package taxonomy

import (
	"bytes"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Resolution is the skill that a name means.
type Resolution struct {
	ID    string // of the skill; of an unknown one "~" and its normal form, so that equal spellings still meet
	Name  string // canonical, or as it was given where the skill is unknown
	Known bool
}

// maxReductions bounds how many words are taken off a name until what is left is known.
const maxReductions = 3

// maxAcronym is the length of what in brackets explains a name, and means too many things to replace it.
const maxAcronym = 3

// Resolve finds the skill that a name means. Case, punctuation, spacing, accents and compatibility forms, plurals,
// version numbers ("Python 3.11"), words that add nothing ("React development") and those shortened in offices
// ("community mgmt") make no difference; spelling does. Of a pair of languages it is the translation of the one that is
// not English. A name that means several skills is unknown: see ResolveAll.
func (t *Taxonomy) Resolve(name string) Resolution {
	if l := t.resolve(name); l != nil {
		s := &t.skills[l.skill]
		return Resolution{ID: s.ID, Name: s.Name, Known: true}
	}
	if !isASCII(name) {
		name = norm.NFKC.String(name)
	}
	cleaned := strings.Join(strings.Fields(name), " ")
	id := Normalize(cleaned)
	if id == "" {
		id = strings.ToLower(cleaned)
	}
	return Resolution{ID: "~" + id, Name: cleaned}
}

// resolve is the label that a name means, nil for none.
func (t *Taxonomy) resolve(name string) *label {
	if !isASCII(name) {
		name = norm.NFKC.String(name)
	}
	var buf [maxKey + 32]byte
	key, breaks, ok := appendKey(buf[:0], name)
	if ok {
		if l := t.known(key); l != nil {
			return l
		}
	}
	if l := t.parenthesised(name); l != nil {
		return l
	}
	if !ok {
		return nil
	}
	if l := t.reduced(key, breaks); l != nil {
		return l
	}
	if skills := t.translations(name); len(skills) == 1 {
		return t.nameOf(skills[0])
	}
	if written := writtenOut(name); written != name {
		return t.resolve(written)
	}
	return nil
}

// nameOf is the label of a skill's canonical name.
func (t *Taxonomy) nameOf(skill int32) *label {
	var buf [maxKey + 32]byte
	key, _, _ := appendKey(buf[:0], t.skills[skill].Name)
	return t.known(key)
}

// writtenOut is a name with the shortened words of offices in full: "community mgmt", "software eng.", "dev. lead".
func writtenOut(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		long := ""
		switch strings.ToLower(strings.TrimSuffix(word, ".")) {
		case "mgmt", "mgt", "mngmt", "mgmnt":
			long = "management"
		case "mgr", "mngr":
			long = "manager"
		case "dev", "devt", "dvlpmt":
			long = "development"
		case "devs":
			long = "developers"
		case "eng", "engg", "engr", "engrg":
			long = "engineering"
		case "mktg", "mkt", "mktng", "mkting":
			long = "marketing"
		case "acctg", "acctng", "acct":
			long = "accounting"
		case "mfg", "mftg":
			long = "manufacturing"
		case "biz":
			long = "business"
		case "comms":
			long = "communications"
		case "ops":
			long = "operations"
		case "asst":
			long = "assistant"
		case "exec":
			long = "executive"
		case "admin":
			long = "administration"
		case "svc", "svcs":
			long = "services"
		case "sys":
			long = "systems"
		case "mech":
			long = "mechanical"
		case "elec", "elect":
			long = "electrical"
		case "cust":
			long = "customer"
		case "doc", "docs":
			long = "document"
		case "prog":
			long = "programming"
		case "graf", "gfx":
			long = "graphic"
		case "illus", "illo":
			long = "illustration"
		case "ecom":
			long = "ecommerce"
		default:
			long = word
		}
		words[i] = long
	}
	return strings.Join(words, " ")
}

// known is the label with a key.
func (t *Taxonomy) known(key []byte) *label {
	l, _ := t.find(hash(hashSeed, key), key)
	if l == nil || l.skill == noSkill {
		return nil
	}
	return l
}

// parenthesised reads "AI (Adobe Illustrator)": of the two names the longer one that is known.
func (t *Taxonomy) parenthesised(name string) *label {
	before, rest, ok := strings.Cut(name, "(")
	if !ok {
		return nil
	}
	inside, after, ok := strings.Cut(rest, ")")
	if !ok || strings.ContainsAny(after, "()") {
		return nil
	}
	outside := strings.TrimSpace(before + " " + after)
	first, second := inside, outside
	if len(outside) > len(inside) {
		first, second = outside, inside
	}
	for _, part := range []string{first, second} {
		if strings.ContainsAny(part, "()") || part == inside && len(part) <= maxAcronym {
			continue
		}
		if l := t.resolve(part); l != nil {
			return l
		}
	}
	return nil
}

// reduced is the label that is left of a key when plurals, versions and words that add nothing are taken off.
func (t *Taxonomy) reduced(key []byte, breaks uint64) *label {
	traded := false // "Photoshop design" means Photoshop, but "business design" is more than business
	for range maxReductions {
		last := lastBreak(breaks, len(key))
		tail := key[last:]
		l := t.plural(key)
		if l == nil {
			l = t.activity(key, last)
		}
		if l != nil {
			return unlessGeneral(l, traded)
		}
		switch glued := gluedVersion(key); {
		case last > 0 && (version(tail) || filler(string(tail))):
			key = key[:last]
		case last > 0 && trade(string(tail)):
			key, traded = key[:last], true
		case glued > 0:
			key = key[:glued]
		default:
			first := firstBreak(breaks, len(key))
			if first == 0 || !qualifier(string(key[:first])) {
				return nil
			}
			key, breaks = key[first:], breaks>>first
		}
		if l := t.known(key); l != nil {
			return unlessGeneral(l, traded)
		}
	}
	return nil
}

// unlessGeneral is a label, or nil where it is too general for what was taken off it.
func unlessGeneral(l *label, traded bool) *label {
	if traded && l.mode == Never {
		return nil
	}
	return l
}

// plural is the label that a key is the plural of.
func (t *Taxonomy) plural(key []byte) *label {
	stem, ok := bytes.CutSuffix(key, []byte("s"))
	if !ok || len(stem) < 3 || stem[len(stem)-1] == 's' {
		return nil
	}
	if l := t.known(stem); l != nil {
		return l
	}
	if short, ok := bytes.CutSuffix(stem, []byte("ie")); ok {
		var buf [maxKey + 1]byte
		return t.known(append(append(buf[:0], short...), 'y'))
	}
	if short, ok := bytes.CutSuffix(stem, []byte("e")); ok {
		return t.known(short)
	}
	return nil
}

// activity reads the one who does it as what is done: "logo designer" as "logo design".
func (t *Taxonomy) activity(key []byte, last int) *label {
	if last == 0 {
		return nil
	}
	tail := bytes.TrimSuffix(key[last:], []byte("s"))
	for _, p := range [...]struct{ from, to string }{
		{"designer", "design"},
		{"designing", "design"},
		{"developer", "development"},
		{"developing", "development"},
		{"programmer", "programming"},
		{"engineer", "engineering"},
		{"writer", "writing"},
		{"editor", "editing"},
		{"translator", "translation"},
		{"analyst", "analysis"},
		{"manager", "management"},
		{"marketer", "marketing"},
		{"consultant", "consulting"},
		{"tutor", "tutoring"},
		{"animator", "animation"},
		{"illustrator", "illustration"},
		{"photographer", "photography"},
		{"scraper", "scraping"},
		{"artist", "art"},
		{"tester", "testing"},
		{"administrator", "administration"},
		{"scientist", "science"},
		{"modeler", "modeling"},
		{"modelling", "modeling"},
	} {
		if string(tail) == p.from {
			var buf [2 * maxKey]byte
			return t.known(append(append(buf[:0], key[:last]...), p.to...))
		}
	}
	return nil
}

// lastBreak is where the last token of a key starts.
func lastBreak(breaks uint64, size int) int {
	for p := size - 1; p > 0; p-- {
		if breaks&(1<<p) != 0 {
			return p
		}
	}
	return 0
}

// firstBreak is where the second token of a key starts, 0 where there is none.
func firstBreak(breaks uint64, size int) int {
	for p := 1; p < size; p++ {
		if breaks&(1<<p) != 0 {
			return p
		}
	}
	return 0
}

// version reports whether a token is a version number: 3, 11, v2, 3x.
func version(token []byte) bool {
	token = bytes.TrimPrefix(token, []byte("v"))
	token = bytes.TrimSuffix(token, []byte("x"))
	if len(token) == 0 {
		return false
	}
	for _, c := range token {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// gluedVersion is where the version at the end of "html5" starts, 0 where there is none or the name is too short for
// the digits to be one ("s3").
func gluedVersion(key []byte) int {
	end := len(key)
	for end > 0 && '0' <= key[end-1] && key[end-1] <= '9' {
		end--
	}
	if end == len(key) || end < 3 {
		return 0
	}
	return end
}

// filler reports whether a word behind a skill adds nothing to it.
func filler(word string) bool {
	switch word {
	case "expert", "experts", "specialist", "specialists", "skill", "skills", "professional", "guru", "experience",
		"knowledge", "service", "services", "work", "project", "projects", "job", "jobs", "tasks", "certified", "proficiency":
		return true
	default:
		return false
	}
}

// trade reports whether a word behind the name of a tool or a craft says only that one works with it.
func trade(word string) bool {
	switch word {
	case "development", "developer", "developers", "programming", "programmer", "programmers", "design", "designer",
		"designing", "coding", "coder", "engineer", "engineers", "consultant", "consulting", "software", "language", "framework",
		"library", "tool", "tools", "app", "apps", "application", "applications", "script", "scripts", "scripting",
		"plugin", "plugins", "theme", "themes", "customization", "setup", "implementation", "administration",
		"administrator", "integration", "technology", "technologies", "platform", "system", "systems", "capabilities":
		return true
	default:
		return false
	}
}

// qualifier reports whether a word in front of a skill adds nothing to it.
func qualifier(word string) bool {
	switch word {
	case "advanced", "basic", "basics", "core", "expert", "professional", "freelance", "senior", "junior", "modern", "certified",
		"custom", "pure":
		return true
	default:
		return false
	}
}
