package achievements

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

// A CertificationReader reads certifications.
type CertificationReader struct {
	words       *lexicon.Lexicon
	dates       *dates.Finder
	taxonomy    *taxonomy.Taxonomy
	sections    *sections.Reader
	calibration odds.Calibration
}

// NewCertificationReader returns a reader whose confidences c calibrates.
func NewCertificationReader(
	words *lexicon.Lexicon, d *dates.Finder, t *taxonomy.Taxonomy, s *sections.Reader, c odds.Calibration,
) *CertificationReader {
	return &CertificationReader{words, d, t, s, c}
}

// Read returns the entries of the sections about certifications, and of labeled lines elsewhere:
// "Certifications: PMP, CISSP".
func (r *CertificationReader) Read(p *page.Page, all []*sections.Section) []resume.Certification {
	var found []odds.Candidate[resume.Certification]
	for _, s := range all {
		lines := r.certificationLines(s)
		if len(lines) == 0 {
			continue
		}

		for _, block := range r.certificationBlocks(p, lines) {
			for _, c := range r.certificationsIn(p, block) {
				c.Score += odds.Sum(
					odds.If("in a section about certifications", s.Kind == lexicon.Certifications && s.Also == "", 1),
					odds.If("after a label for certifications", !s.Is(lexicon.Certifications), 1),
				)
				found = append(found, c)
			}
		}
	}

	var list []resume.Certification
	for _, c := range found {
		if c.Score > 0 && len(list) < page.MaxEntries {
			c.Value.Confidence = r.calibration.Confidence("certifications", c.Score)
			list = append(list, c.Value)
		}
	}

	return list
}

// A certificationLine is a line about certifications, divided into what it says.
type certificationLine struct {
	*page.Line
	rest   string // the line without dates and remarks
	issuer string // after "issued by"
	date   string
}

// certificationLines returns the lines of a section that are about certifications. In a section with a second subject,
// and in other sections, a line must have a label or a word for certifications.
func (r *CertificationReader) certificationLines(s *sections.Section) []certificationLine {
	var lines []certificationLine
	mixed := s.Is(lexicon.Certifications) && s.Also != "" && s.Kind != lexicon.Courses && s.Also != lexicon.Courses
	others := []lexicon.Kind{lexicon.Experience, lexicon.References, lexicon.Margin}
	if !s.Is(lexicon.Certifications) && slices.Contains(others, s.Kind) {
		return nil
	}
	for _, l := range s.Lines {
		text, label := r.sections.LabeledText(l)
		switch {
		case label == lexicon.Certifications:
			lines = append(lines, r.certificationLine(l.WithText(text)))
		case !s.Is(lexicon.Certifications), label != "" && text != "":
		case mixed && !r.words.Certifications.Any(l.Key) && r.aboutOther(l):
		case len(l.Text) > 3*wording.MaxHeader, wording.Sentence(l.Text) && !l.Bullet && len(r.dates.Find(l.Text)) == 0:
		default:
			lines = append(lines, r.certificationLine(l))
		}
	}
	return lines
}

// aboutOther reports whether a line of a section with two subjects is about skills, languages or degrees.
func (r *CertificationReader) aboutOther(l *page.Line) bool {
	c := r.sections.ContentOf([]*page.Line{l})
	list := strings.Count(l.Text, ", ") > 1 && c.Dates+c.Companies+c.Schools == 0
	return list || c.Languages > 0 || c.Degrees > 0 || c.Skills > 0 && c.Dates == 0 && 2*c.Skills >= c.Items
}

// certificationLine divides a line into the parts that name a certification or its issuer, the date of issue, and
// remarks, which are dropped: the end of validity, numbers and links.
func (r *CertificationReader) certificationLine(l *page.Line) certificationLine {
	c := certificationLine{Line: l}
	text := l.Text
	spans := r.dates.Find(text)

	// From the end, so that offsets of the earlier dates stay valid.
	for _, s := range slices.Backward(spans) {
		if r.version(text, s) {
			continue
		}
		before := wording.Key(text[:s.Start])
		if !endsWithAny(before, r.words.Expires) {
			c.date = s.From.String()
		}

		text = r.dates.Without(text, s)
	}

	// A date that was removed may have taken the closing bracket with it.
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
func (r *CertificationReader) version(text string, s dates.Span) bool {
	before := strings.TrimRight(text[:s.Start], " ")
	after := text[s.End:]
	word := before[strings.LastIndexAny(before, " (\t")+1:]
	return s.Single() && s.From.Month == 0 && before != text[:s.Start] && strings.Trim(after, " ") != "" &&
		!strings.HasSuffix(word, ",") && r.taxonomy.Resolve(word).Known
}

// issuerAfterLabel returns the text after "issued by" and the like.
func (r *CertificationReader) issuerAfterLabel(text string) (issuer string, ok bool) {
	words := wording.WordRanges(text, 4, wording.LetterOrMark)
	for n := len(words) - 1; n > 0; n-- {
		if r.words.Issuers[wording.Key(text[words[0].Start:words[n-1].End])] {
			return strings.Trim(text[words[n-1].End:], " :–-"), true
		}
	}
	return "", false
}

// remark reports whether a part of a line is neither a certification nor an issuer: it starts with a word such as
// "expires", "credential ID" or "issued", is a web address, or has no letters.
func (r *CertificationReader) remark(text string) bool {
	words := strings.Fields(wording.Key(text))
	for n := min(4, len(words)); n > 0; n-- {
		phrase := strings.Join(words[:n], " ")
		isNumber := r.words.CredentialIDs[phrase] && (n > 1 || wording.HasDigit(text))
		aboutDates := r.words.Expires[phrase] || r.words.Issued[phrase] && n == len(words)
		if isNumber || aboutDates {
			return true
		}
	}
	return lexicon.WebAddress(text) != "" || !strings.ContainsFunc(text, wording.LetterOrMark)
}

// endsWithAny reports whether a key ends with one of phrases.
func endsWithAny(k string, phrases lexicon.Set) bool {
	words := strings.Fields(k)
	for n := 1; n <= min(4, len(words)); n++ {
		if phrases[strings.Join(words[len(words)-n:], " ")] {
			return true
		}
	}
	return false
}
