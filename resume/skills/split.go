package skills

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/wording"
)

// This file splits texts that name several skills.

// openBracket reports whether a text ends within brackets.
func openBracket(text string) bool {
	return strings.LastIndexByte(text, '(') > strings.LastIndexByte(text, ')')
}

// splitList splits a text at the signs that separate the items of a list. Brackets, if all of them are closed, keep
// their items together.
func splitList(text string) []string {
	brackets := strings.Count(text, "(") == strings.Count(text, ")")
	var items []string
	depth, start := 0, 0
	cut := func(end, next int) {
		if item := strings.TrimSpace(text[start:end]); item != "" {
			items = append(items, item)
		}
		start = next
	}
	for i, r := range text {
		switch {
		case brackets && r == '(':
			depth++
		case brackets && r == ')':
			depth = max(depth-1, 0)
		case depth == 0 && wording.ListSign(r):
			cut(i, i+utf8.RuneLen(r))
		case depth == 0 && r == '.' && endsItem(text[start:i], text[i+1:]):
			cut(i, i+1)
		}
	}

	cut(len(text), len(text))
	return items
}

// endsItem reports whether a full stop between two texts ends a sentence.
func endsItem(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " "))
	word := before[strings.LastIndexByte(before, ' ')+1:]
	return strings.HasPrefix(after, " ") && unicode.IsUpper(next) && len(word) > 3
}

// splitGlued splits an item in which only spaces separate several skills, as between the columns of a list: "Project
// management Team building". A capital after a word in lower case starts a new skill. The item is not split, and the
// result is nil, unless the taxonomy knows one of the parts, or the item is long.
func (r *listReader) splitGlued(item string) (parts []string) {
	words := strings.Fields(item)
	starts := []int{0}

	for i := 1; i < len(words); i++ {
		before := strings.ToLower(words[i-1])
		startsName := wording.Capitalized(words[i]) && wording.FirstIsLower(words[i-1])
		joined := r.words.FunctionWords[before] || r.words.Joiners[before] // "internet of Things"
		if startsName && !joined {
			starts = append(starts, i)
		}
	}

	if len(starts) == 1 || !wording.Capitalized(words[0]) {
		return nil
	}

	// Without a known part, the item may be one name with a capital inside.
	known := len(starts) > 2 && len(words) > 5
	for i, start := range starts {
		end := len(words)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		part := strings.Join(words[start:end], " ")
		known = known || r.knownName(part)
		parts = append(parts, part)
	}

	if !known {
		return nil
	}

	return parts
}

// abbreviates reports whether short consists of the first letters of the words of a name.
func abbreviates(short, name string) bool {
	if len(short) > 6 || strings.Contains(short, " ") {
		return false
	}
	var initials strings.Builder
	between := func(r rune) bool { return strings.ContainsRune(" -/", r) }
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), between) {
		first, _ := utf8.DecodeRuneInString(word)
		initials.WriteRune(first)
	}
	return initials.String() == wording.Key(short) ||
		len(short) > 2 && strings.Contains(initials.String(), wording.Key(short))
}

// splitCompound splits an item at slashes, "&", "+" between spaces, and words like "and". slashes reports whether it
// was split at slashes only.
func (r *listReader) splitCompound(item string) (parts []string, slashes bool) {
	slashes = true
	start := 0
	for i := 0; i < len(item); {
		length := r.joinerAt(item, i)
		if length == 0 {
			i++
			continue
		}

		if part := trimItem(item[start:i]); part != "" {
			parts = append(parts, part)
		}
		slashes = slashes && item[i] == '/'
		i += length
		start = i
	}

	if part := trimItem(item[start:]); part != "" {
		parts = append(parts, part)
	}
	return parts, slashes
}

// joinerAt returns the length of the sign or the word at an offset that joins two names, with the spaces around a word,
// or 0.
func (r *listReader) joinerAt(item string, i int) int {
	rest := item[i:]
	switch {
	case rest[0] == '/':
		return 1

	// A plus sign inside a word belongs to a name: "C++".
	case rest[0] == '&' || strings.HasPrefix(rest, " + "):
		return len(rest) - len(strings.TrimLeft(rest, " +&"))

	case rest[0] == ' ':
		word, _, ok := strings.Cut(rest[1:], " ")
		if ok && r.words.Joiners[strings.ToLower(word)] {
			return len(word) + 2
		}
	}
	return 0
}

// trimItem returns an item without the signs around it, and without "etc.".
func trimItem(item string) string {
	item = strings.TrimSpace(item)
	for {
		// Signs and brackets enclose each other, so they are removed until nothing changes.
		before := item
		item = strings.TrimLeft(item, " \t:–—*•&/~>\"“”'")
		if !strings.HasPrefix(item, ".NET") && !strings.HasPrefix(item, ".net") {
			item = strings.TrimLeft(item, ".")
		}

		if strings.HasPrefix(item, "- ") || strings.HasPrefix(item, "+ ") {
			item = item[2:]
		}
		item = strings.TrimRight(item, " \t.:–—-*•&/\"“”'…")
		item = strings.TrimSuffix(item, " etc")
		if opened := strings.Count(item, "("); opened != strings.Count(item, ")") {
			item = strings.TrimSuffix(strings.TrimPrefix(item, "("), ")")
			if opened > 0 {
				item = strings.TrimSuffix(item, "(")
			}
		}

		if item == before {
			return item
		}
	}
}

// cutBrackets cuts the text in the brackets at the end of an item.
func cutBrackets(item string) (outside, inside string, ok bool) {
	open := strings.IndexAny(item, "([")
	if open < 0 {
		return "", "", false
	}
	length := strings.LastIndexAny(item[open:], ")]")
	if length < 0 {
		return strings.TrimSpace(item[:open]), strings.TrimSpace(item[open+1:]), true
	}
	outside = strings.TrimSpace(strings.TrimSpace(item[:open]) + " " + strings.TrimSpace(item[open+length+1:]))
	return outside, strings.TrimSpace(item[open+1 : open+length]), true
}

// cutRemark cuts an item at a dash between spaces: "Git – branching and reviews".
func cutRemark(item string) (name, remark string, ok bool) {
	for _, dash := range []string{" – ", " — ", " - "} {
		if name, remark, ok = strings.Cut(item, dash); ok {
			return name, remark, true
		}
	}
	return item, "", false
}
