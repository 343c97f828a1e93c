package playground

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/spreadsheet"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
)

// A resultHandler serves saved results.
type resultHandler struct{ *client }

// matchColumns returns the names of the columns of matches as CSV.
func matchColumns() []string {
	return []string{
		"rank", "id", "name", "job_title", "score", "level", "hourly_rate", "hourly_rate_currency", "availability",
		"matched_skills", "missing_skills", "estimated_hours", "estimated_cost", "currency", "profile_url",
	}
}

// exportMatchesCSV sends the matches of a saved result as CSV: all, or those with the ids in the query.
func (h *resultHandler) exportMatchesCSV(v *page.Visit) error {
	r, err := h.savedMatches(v)
	if err != nil {
		return err
	}
	var answer wire.MatchAnswer
	if err := decodeResponse(r.Response, &answer); err != nil {
		return err
	}

	offset, err := offsetOf(&r)
	if err != nil {
		return err
	}

	ids := v.Request.URL.Query()["ids"]
	return v.Download("matches.csv", func(w io.Writer) error {
		file := csv.NewWriter(w)
		_ = file.Write(matchColumns()) // Error returns the first failure

		// A row has the rank in the whole answer, also if only some rows are exported.
		for i := range answer.Matches {
			if m := &answer.Matches[i]; len(ids) == 0 || slices.Contains(ids, m.Freelancer.ID) {
				_ = file.Write(matchRow(offset+i+1, m, &answer))
			}
		}

		file.Flush()
		return file.Error()
	})
}

// matchRow returns the row of a match, in the order of matchColumns. Cells of unknown values are empty.
func matchRow(rank int, m *wire.Match, a *wire.MatchAnswer) []string {
	f := &m.Freelancer
	row := []string{strconv.Itoa(rank), f.ID, f.Name, f.JobTitle, plainNumber(m.Score), string(m.Level)}
	rate, free := terms(m, "")
	if rate != "" {
		rate = plainNumber(f.HourlyRate)
	}
	row = append(row, rate, a.HourlyRateCurrency, free, strings.Join(m.MatchedSkills, ", "),
		strings.Join(m.MissingSkills, ", "))
	row = append(row, knownNumber(m.Estimate.Hours), knownNumber(m.Estimate.Cost), m.Estimate.Currency, f.ProfileURL)
	for i := range row {
		row[i] = spreadsheet.Cell(row[i])
	}
	return row
}

// knownNumber returns a number, or "" if it is not known.
func knownNumber(n matching.Optional[float64]) string {
	if !n.Known {
		return ""
	}
	return plainNumber(n.Value)
}

// exportMatchesJSON sends the API's response of a saved result. If the query has ids, the response has only their
// matches.
func (h *resultHandler) exportMatchesJSON(v *page.Visit) error {
	r, err := h.savedMatches(v)
	if err != nil {
		return err
	}
	var response struct{ Matches []json.RawMessage }
	var members map[string]json.RawMessage

	// The response is decoded twice: matches one by one, so that they can be picked, and all other members as they are.
	if err := decodeResponse(r.Response, &response); err != nil {
		return err
	}
	if err := decodeResponse(r.Response, &members); err != nil {
		return err
	}

	if ids := v.Request.URL.Query()["ids"]; len(ids) > 0 {
		response.Matches = slices.DeleteFunc(response.Matches, func(match json.RawMessage) bool {
			var m wire.Match
			return json.Unmarshal(match, &m) != nil || !slices.Contains(ids, m.Freelancer.ID)
		})
		if members["matches"], err = json.Marshal(response.Matches); err != nil {
			return err
		}
	}

	return v.Download("matches.json", func(w io.Writer) error {
		_, err := w.Write(append(snippet.ReadableJSON(members), '\n'))
		return err
	})
}
