package skills

import (
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// A use is a position or a project that may mention skills.
type use struct {
	text  string      // as a key, with a space on both sides
	ids   lexicon.Set // of the skills that it mentions
	end   string      // YYYY-MM or YYYY, "" if unknown
	order string      // of end, as a string that sorts by time
	time  dates.Period
	dated bool // the length of time is known
}

// uses returns the positions and projects of a resume with the skills that they mention.
func (r *Reader) uses(found *resume.Resume) []use {
	today := r.dates.Today()
	var all []use
	add := func(start, end string, current bool, texts ...string) {
		text := strings.Join(texts, "\n")
		u := use{text: " " + wording.Key(text) + " ", ids: make(lexicon.Set), end: end}
		for _, mention := range r.taxonomy.Extract(text) {
			u.ids[mention.ID] = true
		}

		if current {
			u.end = today.String()
		}
		u.order = u.end
		if len(u.end) == len("2006") {
			u.order += "-99" // a bare year means its end
		}

		s := dates.Span{From: dates.Parse(start), To: dates.Parse(end), Current: current}
		if u.time, u.dated = s.Period(today); s.From.Year == 0 {
			u.dated = false
		}
		all = append(all, u)
	}
	for _, p := range found.Experience {
		add(p.Start, p.End, p.Current, p.Title, p.Description)
	}

	for _, p := range found.Projects {
		add(p.Start, p.End, false, p.Name, p.Description)
	}

	return all
}

// withUse adds to each skill how long and until when positions and projects that mention it lasted. Overlapping time
// counts once.
func withUse(skills []resume.Skill, all []use) []resume.Skill {
	for i := range skills {
		s := &skills[i]
		written := " " + wording.Key(s.Written) + " "
		var times []dates.Period
		latest := ""
		for j := range all {
			u := &all[j]
			// A skill that the taxonomy lacks has only its words to be found by.
			mentioned := u.ids[s.ID] || s.ID == "" && strings.Contains(u.text, written)
			if !mentioned {
				continue
			}

			if u.order > latest {
				latest = u.order
				s.LastUsed = u.end
			}

			if u.dated {
				times = append(times, u.time)
			}
		}

		if len(times) > 0 {
			s.Months = matching.Some(dates.Covered(times))
		}
	}

	return skills
}
