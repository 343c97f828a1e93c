// Package dataset writes freelancers in file formats that the indexer reads, for exports and generated data.
package dataset

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
)

// WriteCSV writes freelancers as CSV (RFC 4180) under the header id,name,job_title,skills,experience,rating,
// hourly_rate,profile_url,availability,total_sales,description. Skills are joined by commas, or written as a JSON list
// if one of them contains a separator; unknown cells are empty.
func WriteCSV(w io.Writer, freelancers iter.Seq[matching.Freelancer]) error {
	out := csv.NewWriter(w)
	row := []string{
		"id", "name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url",
		"availability", "total_sales", "description",
	}
	if err := out.Write(row); err != nil {
		return fmt.Errorf("write header: %w", err)
	}
	for f := range freelancers {
		row = append(row[:0],
			f.ID, f.Name, f.JobTitle, skillsCell(f.Skills), cell(f.Experience, shortest), cell(f.Rating, shortest),
			cell(f.HourlyRate, shortest), f.ProfileURL, cell(f.Availability, strconv.FormatBool),
			cell(f.TotalSales, strconv.Itoa), f.Description,
		)
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write %s: %w", f.ID, err)
		}
	}
	out.Flush()
	return out.Error()
}

func cell[T any](value matching.Optional[T], format func(T) string) string {
	if !value.Known {
		return ""
	}
	return format(value.Value)
}

func shortest(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// skillsCell returns skills in a form that the indexer splits into the same skills.
func skillsCell(skills []string) string {
	for _, s := range skills {
		if !strings.ContainsAny(s, ",;|/•[\n") {
			continue
		}
		if list, err := json.Marshal(skills); err == nil { // always, for strings
			return string(list)
		}
	}
	return strings.Join(skills, ",")
}

// WriteNDJSON writes one JSON object per line, with the fields of WriteCSV in the same order. Skills are a list;
// unknown numbers and flags are null, unknown texts and lists empty.
func WriteNDJSON(w io.Writer, freelancers iter.Seq[matching.Freelancer]) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for f := range freelancers {
		skills := f.Skills
		if skills == nil {
			skills = []string{}
		}
		err := out.Encode(line{
			f.ID, f.Name, f.JobTitle, skills, f.Experience, f.Rating, f.HourlyRate, f.ProfileURL,
			f.Availability, f.TotalSales, f.Description,
		})
		if err != nil {
			return fmt.Errorf("write %s: %w", f.ID, err)
		}
	}
	return nil
}

// line is the NDJSON form of a freelancer.
type line struct {
	ID           string                     `json:"id"`
	Name         string                     `json:"name"`
	JobTitle     string                     `json:"job_title"`
	Skills       []string                   `json:"skills"`
	Experience   matching.Optional[float64] `json:"experience"`
	Rating       matching.Optional[float64] `json:"rating"`
	HourlyRate   matching.Optional[float64] `json:"hourly_rate"`
	ProfileURL   string                     `json:"profile_url"`
	Availability matching.Optional[bool]    `json:"availability"`
	TotalSales   matching.Optional[int]     `json:"total_sales"`
	Description  string                     `json:"description"`
}
