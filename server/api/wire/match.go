package wire

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// MatchAnswer is the response of POST /match.
type MatchAnswer struct {
	Status         string                   `json:"status"` // success
	Matches        []Match                  `json:"matches"`
	Considered     int                      `json:"considered"`
	NextOffset     matching.Optional[int]   `json:"next_offset"` // null on the last page
	DerivedSkills  []string                 `json:"derived_skills,omitempty"`
	NiceToHave     []string                 `json:"nice_to_have_skills,omitempty"` // found in the text
	ExcludedSkills []string                 `json:"excluded_skills,omitempty"`
	RequiredSkills []matching.RequiredSkill `json:"required_skills,omitempty"`
	// AllRequiredSkills is about required_skills together.
	AllRequiredSkills *matching.AllRequiredSkills `json:"all_required_skills,omitempty"`

	UnknownSkills []matching.UnknownSkill    `json:"unknown_skills"`
	Skipped       []matching.Skipped         `json:"skipped"`
	Effort        *matching.Effort           `json:"effort,omitempty"`
	Budget        *matching.BudgetReading    `json:"budget,omitempty"`
	Encoder       *matching.EncoderUse       `json:"encoder,omitempty"`
	Ranking       *matching.RankingUse       `json:"ranking,omitempty"`
	Explored      *matching.Explored         `json:"explored,omitempty"`
	Understood    matching.Optional[float64] `json:"understood,omitzero"` // absent if the brief has no words
	Reason        string                     `json:"reason,omitempty"`
	ReasonDetail  []matching.FilterStep      `json:"reason_detail,omitempty"`
	Filters       []matching.FilterCount     `json:"filters,omitempty"`
	// Currency belongs to the estimates and to the amounts in the request. Without data, both currencies are "".
	Currency           string                     `json:"currency,omitempty"`
	HourlyRateCurrency string                     `json:"hourly_rate_currency,omitempty"`
	ExchangeRate       *matching.Conversion       `json:"exchange_rate,omitempty"`
	SuggestedFilters   []matching.SuggestedFilter `json:"suggested_filters,omitempty"`
	Brief              *DocumentBrief             `json:"brief,omitempty"` // of POST /match/document
	RequestID          string                     `json:"request_id"`
	TookMS             float64                    `json:"took_ms"`
}

// NewMatchAnswer returns the response to a brief, without its request ID, its time and the next page.
func NewMatchAnswer(b *matching.Brief, a *matching.Answer, form UnknownForm) MatchAnswer {
	matches := make([]Match, len(a.Matches))
	for i := range a.Matches {
		matches[i] = newMatch(&a.Matches[i], form)
		if !b.Explain {
			matches[i].Explanation = nil
			matches[i].Adjustments = nil
		}

		if b.Details {
			matches[i].Details = newDetails(&a.Matches[i].Freelancer.Details)
		}
	}

	unknown := make([]matching.UnknownSkill, len(a.UnknownSkills))
	for i, u := range a.UnknownSkills {
		u.Suggestions = OrEmpty(u.Suggestions)
		unknown[i] = u
	}

	return MatchAnswer{
		Status: "success", Matches: matches, Considered: a.Considered, DerivedSkills: a.DerivedSkills,
		NiceToHave: a.NiceToHaveSkills, ExcludedSkills: a.ExcludedSkills, RequiredSkills: a.RequiredSkills,
		AllRequiredSkills: a.AllRequiredSkills,
		UnknownSkills:     unknown, Skipped: OrEmpty(a.Skipped), Effort: a.Effort, Budget: a.Budget,
		Encoder: a.Encoder, Ranking: a.Ranking, Explored: a.Explored, Understood: a.Understood, Reason: a.Reason,
		ReasonDetail: a.ReasonDetail,
		Filters:      a.Filters, Currency: a.Currency, HourlyRateCurrency: a.DataCurrency, ExchangeRate: a.Conversion,
		SuggestedFilters: a.SuggestedFilters,
	}
}

// SetNextPage says where the next page begins, unless this one is the last, or the next would be too deep for a plan.
func (a *MatchAnswer) SetNextPage(b *matching.Brief, maxDepth int) {
	next := b.Offset + b.Limit
	if next < a.Considered && next+b.Limit <= maxDepth {
		a.NextOffset = matching.Some(next)
	}
}

// A Match is one entry of matches.
type Match struct {
	Freelancer     Freelancer            `json:"freelancer"`
	Score          float64               `json:"score"`
	Fit            float64               `json:"fit"`
	MatchingSkills int                   `json:"matching_skills"`
	MatchedSkills  []string              `json:"matched_skills"`
	MissingSkills  []string              `json:"missing_skills"`
	UnknownFields  []string              `json:"unknown_fields"`
	Level          matching.Level        `json:"level"`
	Price          *matching.Price       `json:"price,omitempty"`
	Estimate       matching.Estimate     `json:"estimate"`
	Details        *Details              `json:"details,omitempty"`
	Explanation    []matching.Feature    `json:"explanation,omitempty"`
	Adjustments    []matching.Adjustment `json:"adjustments,omitempty"`

	form UnknownForm // of the values of the freelancer
}

// MarshalJSON writes the match.
func (m Match) MarshalJSON() ([]byte, error) {
	type plain Match // without this method
	if m.form == AsZero {
		return Encode(plain(m))
	}

	// Of two members with the same name, encoding/json writes the outer one.
	return Encode(struct {
		Freelancer nullableFreelancer `json:"freelancer"`
		plain
	}{newNullableFreelancer(&m.Freelancer, m.UnknownFields), plain(m)})
}

func newMatch(m *matching.Match, form UnknownForm) Match {
	var price *matching.Price
	if m.Price.Verdict != "" {
		price = &m.Price
	}
	return Match{
		Freelancer: newFreelancer(&m.Freelancer), Score: m.Score, Fit: m.Fit, Price: price,
		MatchingSkills: len(m.MatchedSkills), MatchedSkills: OrEmpty(m.MatchedSkills),
		MissingSkills: OrEmpty(m.MissingSkills),
		UnknownFields: m.Freelancer.UnknownFields(), Level: m.Level, Estimate: m.Estimate, Explanation: m.Explanation,
		Adjustments: m.Adjustments, form: form,
	}
}

// MatchBatchRequest is the body of POST /match/batch.
type MatchBatchRequest struct {
	Briefs []MatchRequest `json:"briefs"`
}

// MatchBatchAnswer is the response of POST /match/batch.
type MatchBatchAnswer = Answer[MatchBatch]

// A MatchBatch holds the results of a batch.
type MatchBatch struct {
	Succeeded int           `json:"succeeded"`
	Failed    int           `json:"failed"`
	Results   []BatchResult `json:"results"` // in the order of the briefs
}

// A BatchResult is the response of POST /match to one brief, as JSON: a MatchAnswer or a Failure.
type BatchResult json.RawMessage

// MarshalJSON returns the result.
func (r BatchResult) MarshalJSON() ([]byte, error) { return r, nil }

// A DocumentBrief is what was read from a document. Its description, sent to POST /match, leads to the same matches.
type DocumentBrief struct {
	Title       NullableString         `json:"title"` // the first line of the description
	Description string                 `json:"description"`
	Characters  int                    `json:"characters"` // of description
	Omitted     int                    `json:"omitted"`    // characters after those
	Format      string                 `json:"format"`     // pdf or docx
	Pages       matching.Optional[int] `json:"pages"`
	Warnings    []resume.Warning       `json:"warnings"`
}

// NewDocumentBrief returns what was read from a document.
func NewDocumentBrief(t *resume.Text) *DocumentBrief {
	b := &DocumentBrief{
		Title: NullableString(t.Title), Description: t.Text, Characters: utf8.RuneCountInString(t.Text), Omitted: t.Omitted,
		Format: t.Format.String(), Warnings: OrEmpty(t.Warnings),
	}
	if t.Pages > 0 {
		b.Pages = matching.Some(t.Pages)
	}
	return b
}

// ExplainRequest is the body of POST /match/explain.
type ExplainRequest struct {
	MatchRequest
	FreelancerID string `json:"freelancer_id,omitempty"`
}

// ExplainAnswer is the response of POST /match/explain.
type ExplainAnswer = Answer[Standing]

// A Standing is the place of a freelancer in the ranking of a brief.
type Standing struct {
	Match      Match                  `json:"match"`
	Rank       matching.Optional[int] `json:"rank"`
	Total      int                    `json:"total"`
	Excluded   bool                   `json:"excluded"`
	ExcludedBy []matching.Exclusion   `json:"excluded_by"`
	LastShown  *matching.ShownMatch   `json:"last_shown"`
	Shortfalls []matching.Shortfall   `json:"shortfalls"`

	DerivedSkills      []string                   `json:"derived_skills,omitempty"`
	NiceToHave         []string                   `json:"nice_to_have_skills,omitempty"` // found in the text
	ExcludedSkills     []string                   `json:"excluded_skills,omitempty"`
	UnknownSkills      []matching.UnknownSkill    `json:"unknown_skills"`
	Skipped            []matching.Skipped         `json:"skipped"`
	Effort             *matching.Effort           `json:"effort,omitempty"`
	Budget             *matching.BudgetReading    `json:"budget,omitempty"`
	Encoder            *matching.EncoderUse       `json:"encoder,omitempty"`
	Ranking            *matching.RankingUse       `json:"ranking,omitempty"`
	Understood         matching.Optional[float64] `json:"understood,omitzero"` // see MatchAnswer
	Currency           string                     `json:"currency,omitempty"`
	HourlyRateCurrency string                     `json:"hourly_rate_currency,omitempty"`
	ExchangeRate       *matching.Conversion       `json:"exchange_rate,omitempty"`
}

// NewStanding returns the standing of a freelancer as clients see it.
func NewStanding(b *matching.Brief, st *matching.Standing, form UnknownForm) Standing {
	answer := st.Answer
	explained := *b
	explained.Explain = true
	answer.Matches = []matching.Match{st.Match}
	a := NewMatchAnswer(&explained, &answer, form)
	wire := Standing{
		Match: a.Matches[0], Rank: st.Rank, Total: st.Total, Excluded: len(st.ExcludedBy) > 0,
		ExcludedBy: OrEmpty(st.ExcludedBy), Shortfalls: OrEmpty(st.Shortfalls),
		DerivedSkills: a.DerivedSkills, NiceToHave: a.NiceToHave, ExcludedSkills: a.ExcludedSkills,
		UnknownSkills: a.UnknownSkills, Skipped: a.Skipped, Effort: a.Effort, Budget: a.Budget, Encoder: a.Encoder,
		Ranking: a.Ranking, Understood: a.Understood, Currency: a.Currency,
		HourlyRateCurrency: a.HourlyRateCurrency, ExchangeRate: a.ExchangeRate,
	}
	if st.LastShown.Known {
		wire.LastShown = &st.LastShown.Value
	}
	return wire
}
