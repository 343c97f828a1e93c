package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// source is a document as stored in Elasticsearch. Its JSON also has one vector for each space.
type source struct {
	ID            string   `json:"id"`
	Position      int64    `json:"position"` // in the order of Add
	Skills        []string `json:"skills,omitempty"`
	SkillsListed  []string `json:"skills_listed,omitempty"`
	SkillsImplied []string `json:"skills_implied,omitempty"`
	SkillsTitle   []string `json:"skills_title,omitempty"`
	SkillsText    []string `json:"skills_text,omitempty"`
	Families      []string `json:"families,omitempty"`
	Labels        []string `json:"labels,omitempty"`
	AvailableFrom *int     `json:"available_from,omitempty"` // in days since 1970-01-01
	UnknownSkills []string `json:"unknown,omitempty"`
	JobTitles     []string `json:"job_titles,omitempty"`
	Terms         string   `json:"terms,omitempty"`
	Experience    *float64 `json:"experience,omitempty"`
	Rating        *float64 `json:"rating,omitempty"`
	HourlyRate    *float64 `json:"hourly_rate,omitempty"`
	Availability  *bool    `json:"availability,omitempty"`
	TotalSales    *int     `json:"total_sales,omitempty"`
	Ranking       []byte   `json:"ranking"`
	Freelancer    record   `json:"freelancer"`
}

// A record is the part of a document that Elasticsearch returns.
type record struct {
	*matching.Freelancer
	// Change identifies the change of Apply that stored the document, so that Apply can recognize its own write after the
	// answer was lost. It is "" if the document was loaded.
	Change string `json:"_change,omitempty"`
}

// Encode returns the JSON of a document. change is the value of record.Change. It returns an error if the document
// cannot be stored.
func Encode(d *engine.Document, position int64, change string) ([]byte, error) {
	f := &d.Freelancer
	if f.ID == "" {
		return nil, errors.New("no id")
	}
	if !utf8.ValidString(f.ID) {
		return nil, errors.New("the id is not valid UTF-8, which JSON requires")
	}

	s := source{
		ID: f.ID, Position: position,
		Families: d.Families, Labels: d.Labels, AvailableFrom: pointer(d.Schedule.From),
		UnknownSkills: d.UnknownSkills, JobTitles: d.JobTitles, Terms: strings.Join(d.Terms, " "),
		Experience: pointer(f.Experience), Rating: pointer(f.Rating), HourlyRate: pointer(f.HourlyRate),
		Availability: pointer(f.Availability), TotalSales: pointer(f.TotalSales),
		Ranking: AppendColumns(nil, d, position), Freelancer: record{f, change},
	}

	// Filters ask for a skill with any evidence, and the score for each kind, so a skill is in two fields.
	for _, skill := range d.Skills {
		s.Skills = append(s.Skills, skill.ID)
		field := s.byEvidence(skill.Evidence)
		if field == nil {
			return nil, fmt.Errorf("skill %q has invalid evidence %q", skill.ID, skill.Evidence)
		}
		*field = append(*field, skill.ID)
	}

	body, err := json.Marshal(&s)
	if err != nil {
		return nil, err
	}

	return appendVectors(body, d.Vectors)
}

func (s *source) byEvidence(e matching.Evidence) *[]string {
	switch e {
	case matching.Listed:
		return &s.SkillsListed
	case matching.Implied:
		return &s.SkillsImplied
	case matching.InTitle:
		return &s.SkillsTitle
	case matching.InText:
		return &s.SkillsText
	default:
		return nil
	}
}

func pointer[T any](o matching.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return &o.Value
}

// appendVectors adds the vectors to a JSON object. Elasticsearch rejects vectors of zeros, so they are left out like
// nil ones.
func appendVectors(object []byte, vectors []matching.Vector) ([]byte, error) {
	for i, v := range vectors {
		if IsZero(v) {
			continue
		}
		numbers, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		object = fmt.Appendf(object[:len(object)-1], `,%q:%s}`, VectorField(i), numbers)
	}
	return object, nil
}

// IsZero reports whether a vector is nil or has only zeros.
func IsZero(v matching.Vector) bool {
	return !slices.ContainsFunc(v, func(x int8) bool { return x != 0 })
}

// VectorField returns the name of the field with the vectors of a space.
func VectorField(space int) string { return fmt.Sprintf("vectors_%d", space) }
