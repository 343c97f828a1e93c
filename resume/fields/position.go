package fields

import (
	"strings"

	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

// A positionReader reads the sections about experience and volunteering.
type positionReader struct {
	entries     *entryReader
	calibration calibration
}

func newPositionReader(e *entryReader, c calibration) *positionReader { return &positionReader{e, c} }

// positions returns the entries of the sections about experience, and the time that they cover.
func (r *positionReader) positions(p *page, all []*section, today date) (positions []resume.Position, covered []period) {
	for _, s := range all {
		if !s.is(experience) {
			continue
		}
		more, times := r.positionsIn(p, s, today, "experience")
		positions = append(positions, more...)
		covered = append(covered, times...)
	}
	return positions[:min(len(positions), maxEntries)], covered
}

// volunteering returns the entries of the sections about volunteering.
func (r *positionReader) volunteering(p *page, all []*section, today date) (list []resume.Position) {
	for _, s := range all {
		if s.kind == volunteer {
			positions, _ := r.positionsIn(p, s, today, "volunteering")
			list = append(list, positions...)
		}
	}
	return list[:min(len(list), maxEntries)]
}

// positionsIn returns the positions of a section, and the time that they cover. field is the name of their list.
func (r *positionReader) positionsIn(
	p *page, s *section, today date, field string,
) (positions []resume.Position, covered []period) {
	items := r.entries.entries(p, s, &positionGrammar)
	if len(items) == 0 {
		items = r.entries.undatedPositions(p, s)
	}
	employers(items)

	for _, it := range items {
		if it.texts[lead] == "" && it.texts[host] == "" {
			continue
		}

		if p, ok := it.span.period(today); ok {
			covered = append(covered, p)
		}

		if it.group {
			continue
		}

		positions = append(positions, resume.Position{
			Title:       it.texts[lead],
			Company:     it.texts[host],
			Location:    it.texts[where],
			Start:       it.span.from.String(),
			End:         it.span.to.String(),
			Current:     it.span.current,
			Months:      it.span.months(today),
			Description: it.description,
			Confidence:  r.calibration.confidence(field, it.strength()),
		})
	}

	return positions, covered
}

// employers completes the positions of an employer that has several: the name of the employer, which may have dates of
// its own, is above the first one.
func employers(items []item) {
	for i := 1; i < len(items); i++ {
		before := &items[i-1]
		it := &items[i]
		onlyEmployer := before.texts[lead] == "" && before.description == ""
		if it.texts[host] != "" || it.texts[lead] == "" || it.above > 0 && !onlyEmployer {
			continue
		}
		if onlyEmployer && it.adjacent || before.shared || before.texts[host] != "" && before.lines[host] < 0 {
			it.texts[host] = before.texts[host]
			it.shared = true
			before.group = onlyEmployer
			if it.texts[where] == "" {
				it.texts[where] = before.texts[where]
			}
		}
	}
}

// A titles rates texts as job titles.
type titles struct {
	words    *dictionary
	taxonomy *taxonomy.Taxonomy
}

func newTitles(words *dictionary, t *taxonomy.Taxonomy) *titles { return &titles{words, t} }

// titleScore returns how much a fragment reads like a job title, from 0 to 3. A noun for jobs counts most as the first
// or the last word.
func (t *titles) titleScore(f fragment) int {
	words := strings.Fields(f.key)
	if len(words) == 0 || len(words) > 12 || t.words.endsLegal(f.key) {
		return 0
	}
	score := 0
	for i, word := range words {
		switch {
		case !t.words.titles.has(word):
		case i == 0 || i == len(words)-1 || wide(word):
			score = 2
		default:
			score = max(score, 1)
		}
	}

	if score == 0 && len(words) > 1 && t.words.seniority[words[0]] {
		score = 1
	}

	if _, ok := t.taxonomy.JobTitle(f.text); ok {
		score++
	}

	return score
}

// companyScore returns how much a fragment reads like an organization, from 0 to 3.
func (d *jobWords) companyScore(f fragment) int {
	switch {
	case d.endsLegal(f.key), d.employerWords[f.key]:
		return 3
	case d.schools.any(f.key):
		return 2
	case d.organizations.any(f.key):
		return 1
	default:
		return 0
	}
}

// endsLegal reports whether a key ends with a legal form, as the names of companies do. The single letters of "S. A.
// S." belong together.
func (d *jobWords) endsLegal(k string) bool {
	words := strings.Fields(k)
	last := ""
	for i := len(words) - 1; i > 0; i-- {
		last = words[i] + last
		if d.legal[last] {
			return true
		}
		if len(words[i]) > 1 {
			return false
		}
	}
	return false
}
