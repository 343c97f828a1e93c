package taxonomy

import (
	"bytes"
	"math/bits"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A Resolution is the skill that a name means.
type Resolution struct {
	ID    string // skill id; for an unknown skill "~" and the normalized name, so that equal spellings match
	Name  string // canonical name; for an unknown skill, the name as given
	Known bool
}

// maxReductions limits how many words Resolve removes from a name to find a known one.
const maxReductions = 3

// maxAcronym is the length in bytes of the longest acronym in parentheses. Acronyms this short mean too many things to
// stand for the name they explain.
const maxAcronym = 3

// Resolve returns the skill that a name means. It ignores case, punctuation, spacing, accents, compatibility forms,
// plurals, version numbers ("Python 3.11"), words that add nothing ("React development") and common abbreviations
// ("community mgmt"). It doesn't correct misspellings; see Suggest. A language pair resolves to the translation of the
// language that is not English. A name of several skills is unknown; see ResolveAll.
func (t *Taxonomy) Resolve(name string) Resolution {
	if len(name) > maxResolvedName {
		return t.resolveName(name)
	}
	if r := t.single.Get(name); r != nil {
		return *r
	}
	r := t.resolveName(name)
	r.Name = strings.Clone(r.Name) // may be a part of name
	return *t.single.Put(name, r)
}

// resolveName does the work of Resolve, which caches short names.
func (t *Taxonomy) resolveName(name string) Resolution {
	if l := t.resolver.resolve(name); l != nil {
		s := &t.names.skills[l.skill]
		return Resolution{ID: s.ID, Name: s.Name, Known: true}
	}
	name = norm.NFKC.String(name)
	cleaned := strings.Join(strings.Fields(name), " ")
	id := Normalize(cleaned)
	if id == "" {
		id = strings.ToLower(cleaned)
	}
	return Resolution{ID: "~" + id, Name: cleaned}
}

// A resolver finds the skill that a name means where no name has the same key.
type resolver struct {
	names     *names
	languages *languages
}

// resolve returns the label that a name means, or nil.
func (r *resolver) resolve(name string) *label {
	name = norm.NFKC.String(name)
	var buf [maxKey + 32]byte
	key, breaks, ok := appendKey(buf[:0], name)
	if ok {
		if l := r.names.known(key); l != nil {
			return l
		}
	}

	// The readings follow from sure to daring: an explanation in parentheses, fewer words, another language, and the
	// long form of an abbreviation.
	if l := r.parenthesized(name); l != nil {
		return l
	}
	if !ok {
		return nil
	}
	if l := r.reduced(key, breaks); l != nil {
		return l
	}
	if skills := r.languages.translations(name); len(skills) == 1 {
		return r.names.nameOf(skills[0])
	}
	if expanded := expandAbbreviations(name); expanded != name {
		return r.resolve(expanded)
	}

	return nil
}

// expandAbbreviations returns a name with its abbreviated words in full: "mech. eng." becomes "mechanical engineering".
func expandAbbreviations(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		if long, ok := abbreviations[strings.ToLower(strings.TrimSuffix(word, "."))]; ok {
			words[i] = long
		}
	}
	return strings.Join(words, " ")
}

// parenthesized resolves a name with an explanation, such as "AI (Adobe Illustrator)". Of the two names it prefers the
// longer one.
func (r *resolver) parenthesized(name string) *label {
	before, rest, ok := strings.Cut(name, "(")
	if !ok {
		return nil
	}

	inside, after, ok := strings.Cut(rest, ")")
	if !ok || strings.ContainsAny(after, "()") {
		return nil
	}

	// "Photoshop (Adobe)" and "AI (Adobe Illustrator)": the longer one says more.
	outside := strings.TrimSpace(before + " " + after)
	longestFirst := []string{inside, outside}
	if len(outside) > len(inside) {
		longestFirst = []string{outside, inside}
	}

	for _, part := range longestFirst {
		isAcronymInside := part == inside && len(part) <= maxAcronym
		if isAcronymInside || strings.ContainsAny(part, "()") {
			continue
		}
		if l := r.resolve(part); l != nil {
			return l
		}
	}

	return nil
}

// reduced returns the label that remains of a key without plurals, versions and words that add nothing, or nil.
func (r *resolver) reduced(key []byte, breaks uint64) *label {
	removedToolWord := false // "Photoshop design" means Photoshop, but "business design" doesn't mean business
	for range maxReductions {
		last := lastBreak(breaks, len(key))
		l := r.plural(key)
		if l == nil {
			l = r.activity(key, last)
		}

		if l != nil {
			return unlessGeneral(l, removedToolWord)
		}

		// Each round removes one thing from the key, at the end if it can.
		lastWord := key[last:]
		isOnlyWord := last == 0
		switch glued := gluedVersion(key); {
		case !isOnlyWord && (version(lastWord) || fillers[string(lastWord)]):
			key = key[:last]
		case !isOnlyWord && toolWords[string(lastWord)]:
			key = key[:last]
			removedToolWord = true
		case glued > 0:
			key = key[:glued]
		default:
			first := firstBreak(breaks, len(key))
			if first == 0 || !qualifiers[string(key[:first])] {
				return nil
			}
			// Breaks are offsets in the key, which now begins later.
			key = key[first:]
			breaks >>= first
		}

		if l := r.names.known(key); l != nil {
			return unlessGeneral(l, removedToolWord)
		}
	}

	return nil
}

// unlessGeneral returns l, or nil if a tool word was removed and what remains is too general.
func unlessGeneral(l *label, removedToolWord bool) *label {
	if removedToolWord && l.mode == Never {
		return nil
	}
	return l
}

// plural returns the label whose plural key is, or nil.
func (r *resolver) plural(key []byte) *label {
	stem, ok := bytes.CutSuffix(key, []byte("s"))
	if !ok || len(stem) < 3 {
		return nil
	}
	if stem[len(stem)-1] == 's' { // as in "wordpress"
		return nil
	}
	if l := r.names.known(stem); l != nil {
		return l
	}
	if short, ok := bytes.CutSuffix(stem, []byte("ie")); ok {
		var buf [maxKey + 1]byte
		return r.names.known(append(append(buf[:0], short...), 'y'))
	}
	if short, ok := bytes.CutSuffix(stem, []byte("e")); ok {
		return r.names.known(short)
	}
	return nil
}

// activity returns the label of what somebody does, given what they are: "logo designer" means "logo design".
func (r *resolver) activity(key []byte, last int) *label {
	if last == 0 {
		return nil
	}
	tail := bytes.TrimSuffix(key[last:], []byte("s"))
	doing, ok := activities[string(tail)]
	if !ok {
		return nil
	}
	var buf [2 * maxKey]byte
	return r.names.known(append(append(buf[:0], key[:last]...), doing...))
}

// lastBreak returns the offset of the last token of a key of the given size.
func lastBreak(breaks uint64, size int) int {
	return max(0, bits.Len64(breaks&(1<<size-1))-1)
}

// firstBreak returns the offset of the second token of a key of the given size, or 0 if the key is one token.
func firstBreak(breaks uint64, size int) int {
	if p := bits.TrailingZeros64(breaks &^ 1); p < size {
		return p
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

// gluedVersion returns the offset of the version at the end of "html5", or 0 if there is none or the name is too short
// to have one ("s3").
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
