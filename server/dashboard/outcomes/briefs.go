package outcomes

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// poorBrief is a brief whose best match isn't strong.
type poorBrief struct {
	Title  string // "" if it isn't stored
	URL    string // of its result; "" if that is no longer stored
	ID     string // of the request
	At     time.Time
	People int // in the response
	Best   float64
	Level  matching.Level
}

// keptBrief is the part of a stored request that the page needs.
type keptBrief struct {
	JobTitle       string   `json:"job_title"`
	Description    string   `json:"description"`
	RequiredSkills []string `json:"required_skills"`
}

// title returns the brief in a few words, or "".
func (b *keptBrief) title() string {
	return page.Gist(cmp.Or(b.JobTitle, b.Description, strings.Join(b.RequiredSkills, ", ")))
}

// poorBriefs returns the newest briefs without a good match. Records of matches don't have those without people, which
// are known from results only.
func poorBriefs(s *sources) (list []poorBrief) {
	byRequest := map[string]*answered{}
	for i := range s.results {
		r := &s.results[i]
		byRequest[r.response.RequestID] = r
		if len(r.response.Matches) == 0 {
			list = append(list, poorBrief{
				Title: r.Title, URL: page.ResultURL(r.ID), ID: r.response.RequestID, At: r.CreatedAt, Level: s.profile.Level(0),
			})
		}
	}

	for i := range s.matches {
		m := &s.matches[i]
		best, known := bestScore(m)
		if !known || isGood(s, best) {
			continue
		}
		poor := poorBrief{ID: m.ID, At: m.At, People: len(m.Freelancers), Best: best, Level: s.profile.Level(best)}
		var kept keptBrief
		if json.Unmarshal(m.Brief, &kept) == nil {
			poor.Title = kept.title()
		}
		if r := byRequest[m.ID]; r != nil {
			poor.Title = r.Title
			poor.URL = page.ResultURL(r.ID)
		}
		list = append(list, poor)
	}

	slices.SortStableFunc(list, func(a, b poorBrief) int { return b.At.Compare(a.At) })
	return list[:min(len(list), maxRows)]
}

// skillRow is a skill that briefs ask for and few people have.
type skillRow struct {
	Skill  string
	Briefs int
	People int // who have it now
}

// skills returns the skills that briefs ask for and few people have, the most wanted first, and how many distinct
// skills were asked for. Without an index, nothing is known about the supply.
func (h *Handler) skills(ctx context.Context, s *sources) (short []skillRow, asked int) {
	wanted := demand(s)
	names := slices.SortedFunc(maps.Keys(wanted), func(a, b string) int {
		return cmp.Or(wanted[b].Briefs-wanted[a].Briefs, cmp.Compare(a, b))
	})
	if len(names) == 0 {
		return nil, 0
	}

	brief := &matching.Brief{Limit: 1}
	for _, name := range names[:min(len(names), maxSkills)] {
		brief.RequiredSkills = append(brief.RequiredSkills, wanted[name].Skill)
	}
	answer, err := h.Matcher.Match(ctx, brief)
	if err != nil {
		h.Log.WarnContext(ctx, "supply of skills not counted", "error", err)
		return nil, len(names)
	}

	for _, supply := range answer.RequiredSkills {
		row := wanted[strings.ToLower(supply.Skill)]
		if row == nil || supply.Freelancers > fewPeople {
			continue
		}
		row.People = supply.Freelancers
		short = append(short, *row)
	}
	slices.SortStableFunc(short, func(a, b skillRow) int { return b.Briefs - a.Briefs })
	return short[:min(len(short), maxRows)], len(names)
}

// demand returns the required skills of stored briefs, by their name in lower case.
func demand(s *sources) map[string]*skillRow {
	wanted := map[string]*skillRow{}
	add := func(skills []string) {
		seen := map[string]bool{}
		for _, skill := range skills {
			name := strings.ToLower(skill)
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			if wanted[name] == nil {
				wanted[name] = &skillRow{Skill: skill}
			}
			wanted[name].Briefs++
		}
	}

	counted := map[string]bool{} // requests; a brief can be in a result and in a record
	for i := range s.results {
		counted[s.results[i].response.RequestID] = true
		add(s.results[i].request.RequiredSkills)
	}
	for i := range s.matches {
		var kept keptBrief
		if !counted[s.matches[i].ID] && json.Unmarshal(s.matches[i].Brief, &kept) == nil {
			add(kept.RequiredSkills)
		}
	}
	return wanted
}

// lackRow is a field that some profiles lack.
type lackRow struct {
	Field string
	share
}

// thinProfile is a person about whom several fields are unknown.
type thinProfile struct {
	Name   string
	ID     string
	URL    string // of the page about the person in a result
	Lacks  []string
	Places int // results with the person
}

// thinProfiles returns which fields the people of recent results lack, the thinnest profiles, and the number of people.
func thinProfiles(list []answered) (lacks []lackRow, thin []thinProfile, people int) {
	byID := map[string]*thinProfile{}
	fields := map[string]int{}

	// The newest result comes first, so each person counts as last seen.
	for i := range list {
		for _, m := range list[i].response.Matches {
			if known := byID[m.Freelancer.ID]; known != nil {
				known.Places++
				continue
			}
			p := &thinProfile{
				Name: cmp.Or(m.Freelancer.Name, m.Freelancer.ID), ID: m.Freelancer.ID, Places: 1,
				URL: page.ResultURL(list[i].ID) + "?person=" + url.QueryEscape(m.Freelancer.ID),
			}
			byID[p.ID] = p
			missing := m.UnknownFields
			if m.Freelancer.JobTitle == "" {
				missing = append(slices.Clone(missing), "job_title")
			}
			for _, field := range missing {
				fields[field]++
				p.Lacks = append(p.Lacks, strings.ReplaceAll(field, "_", " "))
			}
		}
	}

	for _, field := range slices.Sorted(maps.Keys(fields)) {
		lacks = append(lacks, lackRow{page.Title(field), share{fields[field], len(byID)}})
	}
	slices.SortStableFunc(lacks, func(a, b lackRow) int { return b.Part - a.Part })

	for _, id := range slices.Sorted(maps.Keys(byID)) {
		if len(byID[id].Lacks) >= thinFields {
			thin = append(thin, *byID[id])
		}
	}
	slices.SortStableFunc(thin, func(a, b thinProfile) int {
		return cmp.Or(b.Places-a.Places, len(b.Lacks)-len(a.Lacks))
	})
	return lacks[:min(len(lacks), maxRows)], thin[:min(len(thin), maxRows)], len(byID)
}
