package fields

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A titling is a job title, as far as it was found beside or below a name.
type titling struct {
	text   string
	source string
	line   *line
	below  int // lines without contact details between the name and the title
	alone  bool
}

func sameTitle(a, b string) bool { return key(a) == key(b) }

// jobTitle returns the best candidate for the job title. Candidates are what follows a label, the parts beside the
// name, the line above it and the lines below it.
func (r *personReader) jobTitle(p *page, all []*section, c *contactReader, n naming) (choice[string], bool) {
	var found []candidate[string]
	for _, text := range c.labeledTitles {
		if utf8.RuneCountInString(text) < 80 {
			found = append(found, r.titleCandidate(p, titling{text: text, source: "label"}))
		}
	}

	for _, s := range all {
		at := slices.Index(s.lines, n.line) // -1: the first lines of the head
		if s.kind != head && at < 0 {
			continue
		}

		if at >= 0 {
			found = append(found, r.titlesBeside(p, n)...)
			for _, l := range s.lines[max(0, at-3):at] {
				if text := cmp.Or(r.titleIn(l.text), r.titlePart(l.text)); text != "" {
					found = append(found, r.titleCandidate(p, titling{text: text, source: "above the name", line: l}))
				}
			}
		}

		found = append(found, r.titlesBelow(p, s.lines[at+1:], at >= 0)...)
	}

	best, ok := choose(found, sameTitle)
	if best.score <= 0 {
		return choice[string]{}, false
	}

	return best, ok
}

// titlesBeside returns the job titles among the parts of the name's line.
func (r *personReader) titlesBeside(p *page, n naming) []candidate[string] {
	var found []candidate[string]
	parts := splitHeader(n.line.text)
	if len(parts) == 1 {
		parts = strings.SplitN(n.line.text, ",", 2)
	}
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if key(part) != key(n.name) && r.isTitle(part) {
			found = append(found, r.titleCandidate(p, titling{text: part, source: "beside the name", line: n.line}))
		}
	}
	return found
}

// titlesBelow returns the job titles among the first lines below the name, or of the head.
func (r *personReader) titlesBelow(p *page, lines []*line, named bool) []candidate[string] {
	const maxLines = 4
	var found []candidate[string]
	seen := 0
	for i, l := range lines[:min(len(lines), maxNameLines)] {
		isContact := webAddress(l.text) != "" || countDigits(l.text) >= minDigits || strings.Contains(l.text, "@") ||
			r.words.place(l.text) == placeByName
		if isContact {
			if text := r.titlePart(l.text); text != "" {
				t := titling{text: text, source: "below the name", line: l, below: seen}
				found = append(found, r.titleCandidate(p, t))
			}
			continue
		}

		if seen++; seen > maxLines {
			break
		}
		text := r.titleIn(l.text)
		if text == "" && seen == 1 && named {
			text = l.text
		}

		t := titling{text: text, source: "below the name", line: l, below: seen - 1, alone: text == l.text}
		if text != "" {
			found = append(found, r.titleCandidate(p, t))
		}

		if i+1 < len(lines) && r.titles.titleScore(newFragment(l.text)) == 0 && continuesTitle(l, lines[i+1]) {
			t.text = l.text + " " + lines[i+1].text
			t.alone = true
			if r.isTitle(t.text) && !sentence(t.text) {
				c := r.titleCandidate(p, t)
				c.features, c.score = append(c.features, feature{"on two lines that look alike", true, 1}), c.score+1
				found = append(found, c)
			}
		}
	}

	return found
}

// titleCandidate scores a job title.
func (r *personReader) titleCandidate(p *page, t titling) candidate[string] {
	d := r.words
	f := newFragment(t.text)
	score := r.titles.titleScore(f)
	_, labeled, _ := cutLabel(t.text)
	distinct := t.line != nil && (p.distinct(t.line) || t.line.style().size != p.body.size && t.line.Size > 0)
	ordinaryWords := 0
	for word := range strings.FieldsSeq(t.text) {
		if ordinary(word) {
			ordinaryWords++
		}
	}

	return newCandidate(t.text, t.source,
		feature{"any", true, -2},
		feature{"after a label", t.source == "label", 7},
		feature{"beside the name", t.source == "beside the name", 2},
		feature{"a word of job titles", score == 1, 2.5},
		feature{"a job title by its first or last word", score > 1, 4},
		feature{"directly below the name", t.source == "below the name" && t.below == 0, 1.5},
		feature{"a few words of their own directly below the name", t.alone && t.below == 0 && fewWords(t.text), 1},
		feature{"further below the name", t.below > 0, -.7 * float64(t.below)},
		feature{"above the name", t.source == "above the name", -.5},
		feature{"looks unlike running text", distinct, 1.5},
		feature{"only a part of its line", t.source == "below the name" && !t.alone, -.5},
		feature{"reads like a sentence", sentence(t.text) || strings.Count(t.text, " ") >= 12, -7},
		feature{"ends with a period", strings.HasSuffix(t.text, "."), -4},
		feature{"has digits", countDigits(t.text) > 1 && t.source != "label", -4},
		feature{"a place", d.place(t.text) == placeByName, -6},
		feature{"has the form of a place", d.place(t.text) == placeByForm && score == 0, -2},
		feature{"a heading", d.headings[f.key] != "", -7},
		feature{"a label with its value", labeled != "" && t.source != "label", -4},
		feature{"an organization", score == 0 && d.isOrganization(f.key), -4},
		feature{"a list", strings.Count(t.text, ",") > 2, -3},
		feature{"an address or a quotation", strings.ContainsAny(t.text, "@\"“„«") || webAddress(t.text) != "", -7},
		feature{"starts in lower case", firstIsLower(t.text), -1.5},
		feature{"no title word, but ordinary words", score == 0 && ordinaryWords > 0, -2.5},
	)
}

// continuesTitle reports whether the next line may continue a title: both look alike and have a few words.
func continuesTitle(l, next *line) bool {
	return l.style() == next.style() && l.Part == next.Part && next.Gap < .5 &&
		fewWords(l.text) && fewWords(next.text) && !firstIsLower(next.text) && !hasDigit(l.text+next.text)
}

// titlePart returns the first part of a line with contact details that is a job title.
func (r *personReader) titlePart(text string) string {
	for _, part := range splitHeader(truncate(text, maxContact)) {
		if !strings.ContainsAny(part, "@:") && r.isTitle(part) && r.titles.titleScore(newFragment(part)) > 0 {
			return part
		}
	}
	return ""
}

// fewWords reports whether a text has up to five words and no punctuation of addresses and lists.
func fewWords(text string) bool {
	return strings.Count(text, " ") < 5 && !strings.ContainsAny(text, ",:;.()|\t")
}

// ordinary reports whether a word is in lower case and longer than the words between parts of a title.
func ordinary(word string) bool { return firstIsLower(word) && utf8.RuneCountInString(word) > 3 }

// titleIn returns a line if all its parts are job titles, or else its first part that is one.
func (r *personReader) titleIn(text string) string {
	if utf8.RuneCountInString(text) > 100 || strings.ContainsAny(text, "@:。") ||
		wide(text) && utf8.RuneCountInString(text) > 24 {
		return ""
	}
	parts := splitHeader(text)
	first := slices.IndexFunc(parts, r.isTitle)
	if first < 0 {
		return ""
	}
	allTitles := !slices.ContainsFunc(parts, func(part string) bool { return !r.isTitle(part) })
	if allTitles && !strings.Contains(text, "\t") {
		return text
	}
	return parts[first]
}

func (r *personReader) isTitle(text string) bool {
	f := newFragment(text)
	return r.titles.titleScore(f) > 0 && !sentence(text) && strings.Count(text, " ") < 12 && !strings.HasSuffix(text, ".") &&
		countDigits(text) < 2 && r.words.place(text) < placeByName && r.words.headings[f.key] == ""
}
