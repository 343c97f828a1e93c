package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/internal/matching"
)

// matchAnswer is the answer of POST /match.
type matchAnswer struct {
	Matches       []match                 `json:"matches"`
	Considered    int                     `json:"considered"`
	DerivedSkills []string                `json:"derived_skills"`
	UnknownSkills []matching.UnknownSkill `json:"unknown_skills"`
	Skipped       []matching.Skipped      `json:"skipped"`
	Reason        string                  `json:"reason"`
	ReasonDetail  []matching.FilterStep   `json:"reason_detail"`
	TookMS        float64                 `json:"took_ms"`
}

type match struct {
	Freelancer struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		JobTitle     string   `json:"job_title"`
		Skills       []string `json:"skills"`
		Experience   float64  `json:"experience"` // years
		Rating       float64  `json:"rating"`
		HourlyRate   float64  `json:"hourly_rate"`
		ProfileURL   string   `json:"profile_url"`
		Availability bool     `json:"availability"`
		TotalSales   int      `json:"total_sales"`
	} `json:"freelancer"`
	Score         float64            `json:"score"`
	MatchedSkills []string           `json:"matched_skills"`
	MissingSkills []string           `json:"missing_skills"`
	UnknownFields []string           `json:"unknown_fields"`
	Level         matching.Level     `json:"level"`
	Estimate      matching.Estimate  `json:"estimate"`
	Explanation   []matching.Feature `json:"explanation"`
}

// answerView is an answer as the playground shows it.
type answerView struct {
	matchAnswer
	Cards    []card
	WhyEmpty string // where there are no matches
}

// card is one match.
type card struct {
	match
	Rank     int
	URL      string // of the profile; "" where it is not on the web
	Facts    []string
	Unknown  []string // fields that the data says nothing of
	Segments []segment
}

// segment is what one feature added to a score: a part of the bar, and a row of the table below it.
type segment struct {
	matching.Feature
	Label string // the feature in a word
	Class string // for its colour
	X     float64
	Wide  float64 // of barLength
	// Of the row's own bar: what the feature could have added, and what it did.
	Could, Did float64
}

// barLength is how long the bar of the score 1 is.
const barLength = 1000

// featureWords is the features that have a colour and a word of their own.
func featureWords() map[string]string {
	return map[string]string{
		"skills": "Skills", "text": "Words", "semantic": "Meaning", "budget": "Budget", "timeline": "Timeline",
		"experience": "Experience", "quality": "Quality",
	}
}

func newAnswerView(a *matchAnswer) answerView {
	view := answerView{matchAnswer: *a, WhyEmpty: whyEmpty(a.Reason)}
	for i, m := range a.Matches {
		c := card{match: m, Rank: i + 1, Facts: facts(&m), Segments: segments(m.Explanation)}
		if strings.HasPrefix(m.Freelancer.ProfileURL, "https://") || strings.HasPrefix(m.Freelancer.ProfileURL, "http://") {
			c.URL = m.Freelancer.ProfileURL
		}
		for _, name := range m.UnknownFields {
			c.Unknown = append(c.Unknown, strings.ReplaceAll(name, "_", " "))
		}
		view.Cards = append(view.Cards, c)
	}
	return view
}

// facts is what is known of a freelancer beside name, title and skills.
func facts(m *match) []string {
	f := &m.Freelancer
	var known []string
	add := func(field, fact string) {
		if !slices.Contains(m.UnknownFields, field) {
			known = append(known, fact)
		}
	}
	add("hourly_rate", decimal(2, f.HourlyRate)+" an hour")
	add("rating", fmt.Sprintf("rated %s", decimal(2, f.Rating)))
	add("experience", decimal(1, f.Experience)+" years of experience")
	add("total_sales", plural(f.TotalSales, "project", "projects"))
	availability := "not available"
	if f.Availability {
		availability = "available"
	}
	add("availability", availability)
	return known
}

func segments(explanation []matching.Feature) []segment {
	words := featureWords()
	heaviest := 0.
	for _, f := range explanation {
		heaviest = max(heaviest, f.Weight)
	}
	var parts []segment
	x := 0.
	for _, f := range explanation {
		s := segment{Feature: f, Label: words[f.Name], Class: "f-" + f.Name, X: x, Wide: f.Contribution * barLength}
		if s.Label == "" {
			s.Label, s.Class = title(f.Name), "f-other"
		}
		if heaviest > 0 {
			s.Could, s.Did = 100*f.Weight/heaviest, 100*f.Contribution/heaviest
		}
		x += s.Wide
		parts = append(parts, s)
	}
	return parts
}

// whyEmpty is the reason of an empty answer in a sentence.
func whyEmpty(reason string) string {
	switch {
	case reason == "":
		return ""
	case reason == matching.ReasonNoData:
		return "No freelancers are loaded yet. Whoever runs this service loads them with the indexer."
	case reason == matching.ReasonNoOverlap:
		return "Nobody shares a skill or a word with this brief. Describe it in other words, or name other skills."
	case strings.HasPrefix(reason, matching.ReasonFilter):
		filter := strings.ReplaceAll(strings.TrimPrefix(reason, matching.ReasonFilter), "_", " ")
		return "The condition “" + filter + "” leaves nobody. Loosen it."
	default:
		return "There are no matches (" + reason + ")."
	}
}
