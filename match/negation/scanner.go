package negation

// Limits of scopes, in words.
const (
	maxScope = 8
	maxItem  = 3 // of a list
	maxHead  = 6 // between "migrate" and "from"
)

// A scanner collects the spans of a text.
type scanner struct {
	words []word
	spans []Span
	done  int // words before it belong to earlier spans or cues
}

// step handles the word at i, and returns the next one to look at.
func (s *scanner) step(i int) int {
	w := &s.words[i]
	next := i + w.cueWords
	switch {
	case w.cue&pass != 0: // no negation, and nothing that a later cue reaches back over
		s.done = next
		return next

	// A phrase may have two roles: "nice to have" is about what precedes it, or if nothing does, about what follows.
	case w.cue&(after|plus) != 0 && s.backward(i, next, w.cue&after == 0):
		return next

	case w.cue&(before|verb) != 0:
		return s.forward(i, next, w.cue&verb != 0)

	case w.cue&optional != 0:
		end := s.scope(next, true)
		s.add(Optional, next, end, i, end)
		return max(next, end)

	case w.cue&(after|plus) != 0:
		s.done = next
		return next

	case w.roles&(move|swap) != 0:
		if end := s.replaced(i, w.roles); end > 0 {
			return end
		}
	}

	return i + 1
}

// add records a span of words, unless it is empty.
func (s *scanner) add(kind Kind, start, end, cueStart, cueEnd int) {
	s.done = max(s.done, end, cueEnd)
	if start >= end {
		return
	}
	s.spans = append(s.spans, Span{
		Kind: kind, Start: s.words[start].start, End: s.words[end-1].end,
		CueStart: s.words[cueStart].start, CueEnd: s.words[max(end, cueEnd)-1].end,
	})
}

// forward adds what a negation in front of it excludes. A second negation within its scope cancels both: "no
// applications without Kubernetes". After a negated verb of possession or success nothing is excluded: "we do not
// have".
func (s *scanner) forward(cue, start int, lists bool) int {
	// A cue with a list, such as "don't use", has a verb of its own, so a neutral verb after it isn't the negated one.
	inClause := start < len(s.words) && s.words[start].gap != boundary
	isNeutral := inClause && s.words[start].roles&neutral != 0
	if isNeutral && !lists {
		s.done = start + 1
		return start + 1
	}

	end := s.scope(start, lists)
	endsAtNegation := end < len(s.words) && s.words[end].gap == joined && s.words[end].cue&(before|verb) != 0
	if endsAtNegation && !s.listed(end-1) {
		second := end + s.words[end].cueWords
		s.done = second
		return second
	}

	// An item after "and" or "or" may have a negation of its own.
	for end > start && s.words[end-1].roles&(or|and) != 0 {
		end--
	}

	s.add(Excluded, start, end, cue, end)
	return max(start, end)
}

// listed reports whether a word connects the items of a list.
func (s *scanner) listed(i int) bool { return i >= 0 && s.words[i].roles&(or|and) != 0 }

// scope returns the end of the scope that starts at a word: the first word that a cue in front of it isn't about.
func (s *scanner) scope(start int, lists bool) int {
	content := 0 // words that say what is excluded
	for i := start; i < len(s.words); i++ {
		w := &s.words[i]
		if w.gap == boundary {
			return i
		}

		// A scope reaches over a comma only within a list: "no WordPress, Wix or Shopify".
		if w.gap == comma && i > start {
			listEnd := s.list(i, lists)
			if content == 0 || listEnd == 0 {
				return i
			}
			return listEnd
		}

		isLeadingFiller := w.roles&filler != 0 && content == 0 // "without any experience with SAP"
		if isLeadingFiller {
			continue
		}

		if w.endsScope(content > 0) {
			return i
		}

		switch {
		case w.roles&(or|and) != 0:
			// "without Redux and with TypeScript" ends here; "no PHP or Java" doesn't.
			if content == 0 || !s.continues(i+1) {
				return i
			}
		case w.roles&weak != 0: // in front of the content
		default:
			content++
			if content > maxScope {
				return i
			}
		}
	}
	return len(s.words)
}

// endsScope reports whether a word ends the scope that it follows. Before the scope has any content, a weak word or a
// cue that looks back doesn't end it.
func (w *word) endsScope(hasContent bool) bool {
	startsOwnScope := w.cue&(before|verb|optional|pass) != 0
	if startsOwnScope || w.roles&stop != 0 {
		return true
	}

	looksBack := w.cue&(after|plus) != 0
	isWeak := w.roles&weak != 0 // "without WordPress for a bakery"
	return hasContent && (looksBack || isWeak)
}

// continues reports whether a word can begin another item of a list.
func (s *scanner) continues(i int) bool {
	if i >= len(s.words) || s.words[i].gap != joined {
		return false
	}
	w := &s.words[i]
	return w.cue&cues == 0 && w.roles&(stop|weak|move|swap) == 0
}

// list returns the end of the items of a list from a comma on, or 0 if no list begins there: "WordPress, Wix or
// Shopify". Only a verb can have a list that ends in "and", as in "avoid PHP, Java and Python"; in "no PHP, Java and
// Python", the negation ends at the comma.
func (s *scanner) list(start int, lists bool) int {
	itemWords := 0      // of the current item
	isLastItem := false // the word that connects the last item was passed
	for i := start; i < len(s.words); i++ {
		w := &s.words[i]
		followsList := w.gap == boundary || w.gap == comma && isLastItem
		if followsList {
			return s.ended(i, isLastItem)
		}

		connects := w.roles&or != 0 || lists && w.roles&and != 0
		if connects && !isLastItem {
			isLastItem = true
			itemWords = 0
			continue
		}

		if w.gap == comma {
			itemWords = 0
		}

		followsItem := itemWords > 0 && w.roles&(weak|stop|and) != 0
		endsItem := followsItem || w.cue != 0
		if isLastItem && endsItem {
			return s.ended(i, true)
		}

		// What follows the comma is no item but the rest of the sentence.
		itemWords++
		isSentence := itemWords > maxItem || w.roles&(stop|weak) != 0 || w.cue != 0
		if isSentence {
			return 0
		}
	}
	return s.ended(len(s.words), isLastItem)
}

// ended returns the end of a list, or 0 if it isn't complete.
func (*scanner) ended(end int, last bool) int {
	if !last {
		return 0
	}
	return end
}

// backward adds what a cue behind it is about. It reports whether there is anything.
func (s *scanner) backward(cue, next int, nice bool) bool {
	start := s.backwardScope(cue)

	// A connecting word in front belongs to the text before.
	for start < cue && s.words[start].roles&(or|and) != 0 {
		start++
	}

	if start == cue {
		return false
	}

	kind := Excluded
	if nice {
		kind = Optional
	}
	s.add(kind, start, cue, start, next)
	return true
}

// backwardScope returns the start of what the cue behind it is about: the words up to a comma, or all items of a list.
// It is "SAP" in "React, SAP is not required", and "PHP, Java or Go" in "PHP, Java or Go is not required".
func (s *scanner) backwardScope(cue int) (start int) {
	itemWords := 0  // passed so far of an item
	isList := false // a word was passed that connects items
	for start = cue; start > s.done; start-- {
		w := &s.words[start-1]
		sign := s.words[start].gap // between w and the word that was passed last
		if sign == boundary {
			return start
		}

		// A comma right in front of the cue separates nothing.
		separates := sign == comma && start < cue
		isListed := isList && itemWords <= maxItem
		if separates && !isListed {
			return start
		}

		if w.roles&stop != 0 && w.roles&filler == 0 {
			return start
		}

		switch {
		case w.roles&(or|and) != 0:
			isList = true
			itemWords = 0
		case sign == comma:
			itemWords = 1
		default:
			itemWords++
		}
	}
	return start
}

// replaced adds what is replaced: "from X to Y" after "migrate", or X in "replace X with Y". It returns the end of the
// span, or 0 if nothing is.
func (s *scanner) replaced(head int, roles uint32) int {
	start := head + 1
	ends := uint32(by)
	if roles&move != 0 {
		// A word may have both roles: "cambiar de X a Y" and "cambiar X por Y".
		if start = s.find(start, maxHead, from); start == 0 {
			if roles&swap == 0 {
				return 0
			}
			start = head + 1
		} else {
			start++
			ends = to
		}
	}

	end := s.find(start, maxScope, ends)
	if end == 0 || end <= start {
		return 0
	}

	s.add(Excluded, start, end, start, end)
	return end
}

// find returns the first word with a role among a number of words of a clause, or 0.
func (s *scanner) find(start, n int, role uint32) int {
	for i := start; i < min(start+n, len(s.words)); i++ {
		if s.words[i].gap == boundary {
			return 0
		}
		if s.words[i].roles&role != 0 {
			return i
		}
	}
	return 0
}
