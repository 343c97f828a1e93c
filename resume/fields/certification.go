package fields

import (
	"slices"
	"strings"

	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

// A certificationReader reads certifications.
type certificationReader struct {
	words       *dictionary
	dates       *dates
	taxonomy    *taxonomy.Taxonomy
	sections    *sectionReader
	calibration calibration
}

func newCertificationReader(
	words *dictionary, d *dates, t *taxonomy.Taxonomy, s *sectionReader, c calibration,
) *certificationReader {
	return &certificationReader{words, d, t, s, c}
}

// certifications returns the entries of the sections about certifications, and of labeled lines elsewhere:
// "Certifications: PMP, CISSP".
func (r *certificationReader) certifications(p *page, all []*section) []resume.Certification {
	var found []candidate[resume.Certification]
	for _, s := range all {
		lines := r.certificationLines(s)
		if len(lines) == 0 {
			continue
		}

		for _, block := range r.certificationBlocks(p, lines) {
			for _, c := range r.certificationsIn(p, block) {
				c.score += sum(
					feature{"in a section about certifications", s.kind == certifications && s.also == "", 1},
					feature{"after a label for certifications", !s.is(certifications), 1},
				)
				found = append(found, c)
			}
		}
	}

	var list []resume.Certification
	for _, c := range found {
		if c.score > 0 && len(list) < maxEntries {
			c.value.Confidence = r.calibration.confidence("certifications", c.score)
			list = append(list, c.value)
		}
	}

	return list
}

// A certificationLine is a line about certifications, divided into what it says.
type certificationLine struct {
	*line
	rest   string // the line without dates and remarks
	issuer string // after "issued by"
	date   string
}

// certificationLines returns the lines of a section that are about certifications. In a section with a second subject,
// and in other sections, a line must have a label or a word for certifications.
func (r *certificationReader) certificationLines(s *section) []certificationLine {
	var lines []certificationLine
	mixed := s.is(certifications) && s.also != "" && s.kind != courses && s.also != courses
	if !s.is(certifications) && slices.Contains([]kind{experience, references, margin}, s.kind) {
		return nil
	}
	for _, l := range s.lines {
		text, label := r.sections.labeledSection(l)
		switch {
		case label == certifications:
			lines = append(lines, r.certificationLine(l.withText(text)))
		case !s.is(certifications), label != "" && text != "":
		case mixed && !r.words.certifications.any(l.key) && r.aboutOther(l):
		case len(l.text) > 3*maxHeader, sentence(l.text) && !l.Bullet && len(r.dates.find(l.text)) == 0:
		default:
			lines = append(lines, r.certificationLine(l))
		}
	}
	return lines
}

// labeledSection returns the text after a label that is a heading, and the kind of that heading: "Skills: Go, SQL".
func (r *sectionReader) labeledSection(l *line) (text string, k kind) {
	label, rest, ok := strings.Cut(l.text, ":")
	if !ok || len(label) > maxHeading {
		return l.text, ""
	}
	if h, w := r.words.lookUpHeading(label); w > partWords {
		return strings.TrimSpace(rest), h.kind
	}
	return l.text, ""
}

// aboutOther reports whether a line of a section with two subjects is about skills, languages or degrees.
func (r *certificationReader) aboutOther(l *line) bool {
	c := r.sections.contentOf([]*line{l})
	list := strings.Count(l.text, ", ") > 1 && c.dates+c.companies+c.schools == 0
	return list || c.languages > 0 || c.degrees > 0 || c.skills > 0 && c.dates == 0 && 2*c.skills >= c.items
}

// certificationLine divides a line into the parts that name a certification or its issuer, the date of issue, and
// remarks, which are dropped: the end of validity, numbers and links.
func (r *certificationReader) certificationLine(l *line) certificationLine {
	c := certificationLine{line: l}
	text := l.text
	spans := r.dates.find(text)
	for _, s := range slices.Backward(spans) {
		if r.version(text, s) {
			continue
		}
		before := key(text[:s.start])
		if !endsWithAny(before, r.words.expires) {
			c.date = s.from.String()
		}

		text = r.dates.without(text, s)
	}

	if strings.Count(text, "(") > strings.Count(text, ")") {
		text = strings.TrimRight(text, " \t,;") + ")"
	}
	var parts []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\t|·•", r) }) {
		var kept []string
		for segment := range strings.SplitSeq(part, ", ") {
			segment = strings.Trim(segment, " ,;:–—-")
			if by, ok := r.issuerAfterLabel(segment); ok {
				c.issuer = by
			} else if !r.remark(segment) {
				kept = append(kept, segment)
			}
		}

		if len(kept) > 0 {
			parts = append(parts, strings.Join(kept, ", "))
		}
	}

	c.rest = strings.Join(parts, "\t")
	return c
}

// version reports whether a date is the version of a product in the middle of a name: "Excel Expert (Office 2016)".
func (r *certificationReader) version(text string, s span) bool {
	before := strings.TrimRight(text[:s.start], " ")
	after := text[s.end:]
	word := before[strings.LastIndexAny(before, " (\t")+1:]
	return s.single() && s.from.month == 0 && before != text[:s.start] && strings.Trim(after, " ") != "" &&
		!strings.HasSuffix(word, ",") && r.taxonomy.Resolve(word).Known
}

// issuerAfterLabel returns the text after "issued by" and the like.
func (r *certificationReader) issuerAfterLabel(text string) (issuer string, ok bool) {
	words := wordRanges(text, 4, letterOrMark)
	for n := len(words) - 1; n > 0; n-- {
		if r.words.issuers[key(text[words[0].start:words[n-1].end])] {
			return strings.Trim(text[words[n-1].end:], " :–-"), true
		}
	}
	return "", false
}

// remark reports whether a part of a line is neither a certification nor an issuer: it starts with a word such as
// "expires", "credential ID" or "issued", is a web address, or has no letters.
func (r *certificationReader) remark(text string) bool {
	words := strings.Fields(key(text))
	for n := min(4, len(words)); n > 0; n-- {
		phrase := strings.Join(words[:n], " ")
		isNumber := r.words.credentialIDs[phrase] && (n > 1 || hasDigit(text))
		if r.words.expires[phrase] || isNumber || r.words.issued[phrase] && n == len(words) {
			return true
		}
	}
	return webAddress(text) != "" || !strings.ContainsFunc(text, letterOrMark)
}

// endsWithAny reports whether a key ends with one of phrases.
func endsWithAny(k string, phrases set) bool {
	words := strings.Fields(k)
	for n := 1; n <= min(4, len(words)); n++ {
		if phrases[strings.Join(words[len(words)-n:], " ")] {
			return true
		}
	}
	return false
}
