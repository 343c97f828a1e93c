package suggest

import (
	"math"
	"regexp/syntax"
	"slices"
	"strings"
)

// Limits of what is computed from an expression: the texts that one list of alternatives may have, the runes that a
// class may have to count as alternatives, and the length of a text that is worth looking for.
const (
	maxAlternatives = 400
	maxClass        = 3
	minLiteral      = 2
)

// A literals describes the texts that an expression matches.
type literals struct {
	// exact lists all texts that the expression matches. It is nil if they are too many.
	exact []string
	// needed has lists of texts. A text that contains no item of one of the lists has no match.
	needed [][]string
}

// neededLiterals returns lists of texts, the shortest first. A text that contains no item of one of the lists has no
// match of the expression.
func neededLiterals(expression string) ([][]string, error) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	found := literalsOf(tree)
	lists := found.lists()
	slices.SortStableFunc(lists, func(a, b []string) int { return len(a) - len(b) })
	return lists, nil
}

// literalsOf returns what is known about an expression without matching it, as the trigram index of Google Code Search
// does (Cox, 2012). An empty result says nothing.
func literalsOf(tree *syntax.Regexp) literals {
	switch tree.Op { //nolint:exhaustive // the others say nothing
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return literals{exact: []string{string(tree.Rune)}}
		}

	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return literals{exact: []string{""}}

	case syntax.OpCharClass:
		return literals{exact: smallClass(tree.Rune)}

	case syntax.OpCapture:
		return literalsOf(tree.Sub[0])

	case syntax.OpQuest:
		if exact := literalsOf(tree.Sub[0]).exact; exact != nil {
			return literals{exact: append(exact, "")}
		}

	case syntax.OpPlus:
		of := literalsOf(tree.Sub[0])
		return literals{needed: of.lists()}

	case syntax.OpRepeat:
		if tree.Min > 0 {
			of := literalsOf(tree.Sub[0])
			return literals{needed: of.lists()}
		}

	case syntax.OpConcat:
		return concatenated(tree.Sub)

	case syntax.OpAlternate:
		return alternatives(tree.Sub)
	}

	return literals{}
}

// smallClass returns the runes of a class, given by its ranges, or nil if they are many.
func smallClass(ranges []rune) (exact []string) {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] >= maxClass || len(exact) > maxClass {
			return nil
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			exact = append(exact, string(r))
		}
	}
	return exact
}

// concatenated returns the literals of expressions that match one after the other. Adjacent ones with few texts are
// joined, so that the parts of a word, as the parser factors them out, become words again.
func concatenated(parts []*syntax.Regexp) literals {
	all := literals{exact: []string{""}}
	joined := []string{""} // the texts of the last parts
	for _, part := range parts {
		next := literalsOf(part)
		isJoinable := next.exact != nil && len(joined)*len(next.exact) <= maxAlternatives
		if isJoinable {
			joined = product(joined, next.exact)
			continue
		}

		all.exact = nil
		all.needed = append(all.needed, literals{exact: joined}.lists()...)
		joined = []string{""}
		if next.exact != nil {
			joined = next.exact
			continue
		}
		all.needed = append(all.needed, next.needed...)
	}

	if all.exact != nil {
		return literals{exact: joined}
	}
	all.needed = append(all.needed, literals{exact: joined}.lists()...)
	return all
}

// product returns all texts that consist of one of each list.
func product(first, second []string) []string {
	all := make([]string, 0, len(first)*len(second))
	for _, a := range first {
		for _, b := range second {
			all = append(all, a+b)
		}
	}
	return all
}

// alternatives returns the literals of expressions one of which matches. Each must contribute a list.
func alternatives(of []*syntax.Regexp) literals {
	exact := []string{}
	var needed []string
	for _, alternative := range of {
		l := literalsOf(alternative)
		if l.exact == nil || exact == nil {
			exact = nil
		} else {
			exact = append(exact, l.exact...)
		}

		best := l.best()
		if best == nil {
			return literals{}
		}
		needed = append(needed, best...)
	}

	if exact != nil && len(exact) <= maxAlternatives {
		return literals{exact: exact}
	}
	if len(needed) > maxAlternatives || shortest(needed) < minLiteral {
		return literals{}
	}
	return literals{needed: [][]string{needed}}
}

// lists returns the needed lists that say anything: every item is long enough to look for.
func (l literals) lists() [][]string {
	lists := l.needed
	if shortest(l.exact) >= minLiteral {
		lists = append(lists, l.exact)
	}
	return lists
}

// best returns the list whose shortest item is the longest, because fewest texts contain one of its items. It returns
// the exact texts, however short, if there is no list.
func (l literals) best() []string {
	best := l.exact
	for _, list := range l.lists() {
		if best == nil || shortest(list) > shortest(best) {
			best = list
		}
	}
	return best
}

// shortest returns the length of the shortest item, or 0 for an empty list.
func shortest(list []string) int {
	if len(list) == 0 {
		return 0
	}
	least := math.MaxInt
	for _, item := range list {
		least = min(least, len(item))
	}
	return least
}

// A vocabulary numbers the texts that rules need, most of which several rules share.
type vocabulary struct {
	texts   []string
	numbers map[string]int
}

// add returns the numbers of the texts of lists.
func (v *vocabulary) add(lists [][]string) [][]int {
	if v.numbers == nil {
		v.numbers = make(map[string]int)
	}

	var numbered [][]int
	for _, list := range lists {
		var numbers []int
		for _, text := range list {
			number, known := v.numbers[text]
			if !known {
				number = len(v.texts)
				v.numbers[text] = number
				v.texts = append(v.texts, text)
			}
			numbers = append(numbers, number)
		}
		numbered = append(numbered, numbers)
	}
	return numbered
}

// A finder looks for texts of a vocabulary in one sentence, for each of them once.
type finder struct {
	texts    []string
	in       string
	searched []bool // by number
	found    []bool
}

// finder returns a finder, which must be reset to a sentence first.
func (v *vocabulary) finder() *finder {
	return &finder{texts: v.texts, searched: make([]bool, len(v.texts)), found: make([]bool, len(v.texts))}
}

// reset makes f look in a sentence.
func (f *finder) reset(in string) {
	f.in = in
	clear(f.searched)
}

// hasAll reports whether the sentence contains a text of each of the lists.
func (f *finder) hasAll(lists [][]int) bool {
	for _, list := range lists {
		if !slices.ContainsFunc(list, f.has) {
			return false
		}
	}
	return true
}

func (f *finder) has(number int) bool {
	if !f.searched[number] {
		f.searched[number] = true
		f.found[number] = strings.Contains(f.in, f.texts[number])
	}
	return f.found[number]
}
