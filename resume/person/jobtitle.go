package person

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// A titling is a job title, as far as it was found beside or below a name.
type titling struct {
	text   string
	source string
	line   *page.Line
	below  int // lines without contact details between the name and the title
	alone  bool
}

func sameTitle(a, b string) bool { return wording.Key(a) == wording.Key(b) }

// JobTitle returns the best candidate for the job title. Candidates are what follows a label, the parts beside the
// name, the line above it and the lines below it.
func (r *Reader) JobTitle(p *page.Page, all []*sections.Section, c *Contacts, n Naming) (odds.Choice[string], bool) {
	var found []odds.Candidate[string]
	for _, text := range c.labeledTitles {
		if utf8.RuneCountInString(text) < 80 {
			found = append(found, r.titleCandidate(p, titling{text: text, source: "label"}))
		}
	}

	for _, s := range all {
		at := slices.Index(s.Lines, n.line) // -1: the first lines of the head
		if s.Kind != lexicon.Head && at < 0 {
			continue
		}

		if at >= 0 {
			found = append(found, r.titlesBeside(p, n)...)
			for _, l := range s.Lines[max(0, at-3):at] {
				if text := cmp.Or(r.titleIn(l.Text), r.titlePart(l.Text)); text != "" {
					found = append(found, r.titleCandidate(p, titling{text: text, source: "above the name", line: l}))
				}
			}
		}

		found = append(found, r.titlesBelow(p, s.Lines[at+1:], at >= 0)...)
	}

	best, ok := odds.Choose(found, sameTitle)
	if best.Score <= 0 {
		return odds.Choice[string]{}, false
	}

	return best, ok
}

// titlesBeside returns the job titles among the parts of the name's line.
func (r *Reader) titlesBeside(p *page.Page, n Naming) []odds.Candidate[string] {
	var found []odds.Candidate[string]
	parts := wording.SplitHeader(n.line.Text)
	if len(parts) == 1 {
		parts = strings.SplitN(n.line.Text, ",", 2)
	}
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if wording.Key(part) != wording.Key(n.Name) && r.isTitle(part) {
			found = append(found, r.titleCandidate(p, titling{text: part, source: "beside the name", line: n.line}))
		}
	}
	return found
}

// titlesBelow returns the job titles among the first lines below the name, or of the head.
func (r *Reader) titlesBelow(p *page.Page, lines []*page.Line, named bool) []odds.Candidate[string] {
	const maxLines = 4
	var found []odds.Candidate[string]
	seen := 0
	for i, l := range lines[:min(len(lines), maxNameLines)] {
		hasAddress := lexicon.WebAddress(l.Text) != "" || strings.Contains(l.Text, "@")
		hasNumber := wording.CountDigits(l.Text) >= minDigits
		isContact := hasAddress || hasNumber || r.words.Place(l.Text) == lexicon.PlaceByName
		if isContact {
			if text := r.titlePart(l.Text); text != "" {
				t := titling{text: text, source: "below the name", line: l, below: seen}
				found = append(found, r.titleCandidate(p, t))
			}
			continue
		}

		// Contact details between the name and the title don't count as distance.
		if seen++; seen > maxLines {
			break
		}
		text := r.titleIn(l.Text)

		// Some titles have no usual word, so the line below the name is a candidate in any case.
		belowName := named && seen == 1
		if text == "" && belowName {
			text = l.Text
		}

		t := titling{text: text, source: "below the name", line: l, below: seen - 1, alone: text == l.Text}
		if text != "" {
			found = append(found, r.titleCandidate(p, t))
		}

		continues := i+1 < len(lines) && r.titles.TitleScore(wording.NewFragment(l.Text)) == 0 &&
			continuesTitle(l, lines[i+1])
		if continues {
			t.text = l.Text + " " + lines[i+1].Text
			t.alone = true
			if r.isTitle(t.text) && !wording.Sentence(t.text) {
				c := r.titleCandidate(p, t)
				c.Features = append(c.Features, odds.If("on two lines that look alike", true, 1))
				c.Score++
				found = append(found, c)
			}
		}
	}

	return found
}

// titleCandidate scores a job title.
func (r *Reader) titleCandidate(p *page.Page, t titling) odds.Candidate[string] {
	d := r.words
	f := wording.NewFragment(t.text)
	score := r.titles.TitleScore(f)
	_, labeled, _ := wording.CutLabel(t.text)
	distinct := t.line != nil && (p.Distinct(t.line) || t.line.Style().Size != p.Body.Size && t.line.Size > 0)
	ordinaryWords := 0
	for word := range strings.FieldsSeq(t.text) {
		if ordinary(word) {
			ordinaryWords++
		}
	}

	// Where the text stands matters as much as its words, because titles such as "Wizard" have no usual word.
	return odds.NewCandidate(t.text, t.source,
		odds.If("any", true, -2),
		odds.If("after a label", t.source == "label", 7),
		odds.If("beside the name", t.source == "beside the name", 2),
		odds.If("a word of job titles", score == 1, 2.5),
		odds.If("a job title by its first or last word", score > 1, 4),
		odds.If("directly below the name", t.source == "below the name" && t.below == 0, 1.5),
		odds.If("a few words of their own directly below the name", t.alone && t.below == 0 && fewWords(t.text), 1),
		odds.If("further below the name", t.below > 0, -.7*float64(t.below)),
		odds.If("above the name", t.source == "above the name", -.5),
		odds.If("looks unlike running text", distinct, 1.5),
		odds.If("only a part of its line", t.source == "below the name" && !t.alone, -.5),
		odds.If("reads like a sentence", wording.Sentence(t.text) || strings.Count(t.text, " ") >= 12, -7),
		odds.If("ends with a period", strings.HasSuffix(t.text, "."), -4),
		odds.If("has digits", wording.CountDigits(t.text) > 1 && t.source != "label", -4),
		odds.If("a place", d.Place(t.text) == lexicon.PlaceByName, -6),
		odds.If("has the form of a place", d.Place(t.text) == lexicon.PlaceByForm && score == 0, -2),
		odds.If("a heading", d.Headings[f.Key] != "", -7),
		odds.If("a heading with other words", distinct && d.NamesSection(t.text), -5),
		odds.If("a wish for a job", d.SeeksJob(f.Key), -7),
		odds.If("a greeting", d.Greets(t.text), -7),
		odds.If("a street", d.IsStreet(t.text), -6),
		odds.If("a label with its value", labeled != "" && t.source != "label", -4),
		odds.If("an organization", score == 0 && d.IsOrganization(f.Key), -4),
		odds.If("a list", strings.Count(t.text, ",") > 2, -3),
		odds.If("an address or a quotation", strings.ContainsAny(t.text, "@\"“„«") || lexicon.WebAddress(t.text) != "", -7),
		odds.If("starts in lower case", wording.FirstIsLower(t.text), -1.5),
		odds.If("no title word, but ordinary words", score == 0 && ordinaryWords > 0, -2.5),
	)
}

// continuesTitle reports whether the next line may continue a title: both look alike and have a few words.
func continuesTitle(l, next *page.Line) bool {
	return l.Style() == next.Style() && l.Part == next.Part && next.Gap < .5 &&
		fewWords(l.Text) && fewWords(next.Text) && !wording.FirstIsLower(next.Text) && !wording.HasDigit(l.Text+next.Text)
}

// titlePart returns the first part of a line with contact details that is a job title.
func (r *Reader) titlePart(text string) string {
	for _, part := range wording.SplitHeader(wording.Truncate(text, maxContact)) {
		if strings.ContainsAny(part, "@:") {
			continue
		}

		if r.isTitle(part) && r.titles.TitleScore(wording.NewFragment(part)) > 0 {
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
func ordinary(word string) bool {
	return wording.FirstIsLower(word) && utf8.RuneCountInString(word) > 3
}

// titleIn returns a line if all its parts are job titles, or else its first part that is one.
func (r *Reader) titleIn(text string) string {
	characters := utf8.RuneCountInString(text)
	tooLong := characters > 100 || characters > 24 && wording.Wide(text)
	if tooLong || strings.ContainsAny(text, "@:。") {
		return ""
	}

	parts := wording.SplitHeader(text)
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

func (r *Reader) isTitle(text string) bool {
	f := wording.NewFragment(text)
	if r.titles.TitleScore(f) == 0 {
		return false
	}

	runningText := wording.Sentence(text) || strings.Count(text, " ") >= 12 || strings.HasSuffix(text, ".")
	if runningText || wording.CountDigits(text) > 1 {
		return false
	}

	if r.words.Greets(text) {
		return false
	}

	return r.words.Place(text) < lexicon.PlaceByName && r.words.Headings[f.Key] == ""
}
