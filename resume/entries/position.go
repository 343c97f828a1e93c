package entries

import (
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
)

// A PositionReader reads the sections about experience and volunteering.
type PositionReader struct {
	entries     *EntryReader
	calibration odds.Calibration
}

// NewPositionReader returns a reader of the entries that e finds. c calibrates its confidences.
func NewPositionReader(e *EntryReader, c odds.Calibration) *PositionReader {
	return &PositionReader{e, c}
}

// Read returns the entries of the sections about experience, and the time that they cover.
func (r *PositionReader) Read(
	p *page.Page, all []*sections.Section, today dates.Date,
) (positions []resume.Position, covered []dates.Period) {
	for _, s := range all {
		if !s.Is(lexicon.Experience) {
			continue
		}
		more, times := r.positionsIn(p, s, today, "experience")
		positions = append(positions, more...)
		covered = append(covered, times...)
	}
	return positions[:min(len(positions), page.MaxEntries)], covered
}

// Volunteering returns the entries of the sections about volunteering.
func (r *PositionReader) Volunteering(
	p *page.Page, all []*sections.Section, today dates.Date,
) (list []resume.Position) {
	for _, s := range all {
		if s.Kind == lexicon.Volunteer {
			positions, _ := r.positionsIn(p, s, today, "volunteering")
			list = append(list, positions...)
		}
	}
	return list[:min(len(list), page.MaxEntries)]
}

// positionsIn returns the positions of a section, and the time that they cover. field is the name of their list.
func (r *PositionReader) positionsIn(
	p *page.Page, s *sections.Section, today dates.Date, field string,
) (positions []resume.Position, covered []dates.Period) {
	items := r.entries.entries(p, s, &positionGrammar)
	if len(items) == 0 {
		items = r.entries.undatedPositions(p, s)
	}
	completeHosts(items)

	for _, it := range items {
		if it.texts[lead] == "" && it.texts[host] == "" {
			continue
		}

		// Dates of an employer count as experience even where its positions have none.
		if p, ok := it.span.Period(today); ok {
			covered = append(covered, p)
		}

		if it.group {
			continue
		}

		positions = append(positions, resume.Position{
			Title:       it.texts[lead],
			Company:     it.texts[host],
			Location:    it.texts[where],
			Start:       it.span.From.String(),
			End:         it.span.To.String(),
			Current:     it.span.Current,
			Months:      it.span.Months(today),
			Description: it.description,
			Confidence:  r.calibration.Confidence(field, it.strength()),
		})
	}

	return positions, covered
}

// completeHosts completes the positions of an employer that has several, and the degrees of a school: the name of the
// employer, which may have dates of its own, is above the first one.
func completeHosts(items []item) {
	for i := 1; i < len(items); i++ {
		before := &items[i-1]
		it := &items[i]
		onlyHost := before.texts[lead] == "" && before.description == ""
		onlyLead := it.texts[host] == "" && it.texts[lead] != ""
		ownHeader := it.above > 0 && !onlyHost && !it.relation.sharesHost()
		if !onlyLead || ownHeader {
			continue
		}

		// The employer is alone in the header above, or the position before has it above its date.
		hostAbove := before.texts[host] != "" && before.lines[host] < 0
		sharesHost := onlyHost && it.adjacent || before.shared || hostAbove || it.relation.sharesHost()
		if sharesHost {
			it.texts[host] = before.texts[host]
			it.shared = true
			before.group = onlyHost
			if it.texts[where] == "" {
				it.texts[where] = before.texts[where]
			}
		}
	}
}
