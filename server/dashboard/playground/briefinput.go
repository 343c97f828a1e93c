package playground

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/taxonomy"
)

// Skills completes the names of skills.
type Skills interface {
	// Complete is described in taxonomy.Taxonomy.
	Complete(prefix string, n int) []taxonomy.Completion
}

const maxCompletions = 10

// skillCompletion is a skill that a field for skills suggests.
type skillCompletion struct {
	Name  string `json:"name"`
	Alias string `json:"alias,omitempty"` // the synonym that starts with what was typed
}

// completeSkill returns skills whose names start with the query, as JSON for the script of the fields for skills. Names
// with a comma are left out, because commas separate the skills of a field.
func (h *matchHandler) completeSkill(v *page.Visit) error {
	completions := []skillCompletion{}
	for _, c := range h.Skills.Complete(v.Request.FormValue("q"), maxCompletions) {
		if !strings.Contains(c.Name, ",") {
			completions = append(completions, skillCompletion{c.Name, c.Alias})
		}
	}
	body, err := json.Marshal(map[string]any{"skills": completions})
	if err != nil {
		return err
	}
	v.Writer.Header().Set("Content-Type", "application/json")
	v.Writer.Header().Set("Cache-Control", "private, max-age=300")
	v.Writer.WriteHeader(http.StatusOK)
	_, _ = v.Writer.Write(body) // fails only if the client has disconnected
	return nil
}

// currencyChoice holds the currencies that a brief may be in.
type currencyChoice struct {
	Data   string   // of the data set; "" if unknown
	Others []string // those with an exchange rate
}

// Choices returns the choices for the currency of a brief. A submitted currency stays among them, whatever it is.
func (c currencyChoice) Choices(submitted string) []page.Option {
	standard := page.Option{Value: "", Label: "Default"}
	if c.Data != "" {
		standard.Label = c.Data
	}
	choices := []page.Option{standard}
	codes := c.Others
	if submitted != "" && !slices.Contains(codes, submitted) {
		codes = append(slices.Clone(codes), submitted)
	}
	for _, code := range codes {
		if code != c.Data || code == submitted {
			choices = append(choices, page.Option{Value: code, Label: code})
		}
	}
	return choices
}
