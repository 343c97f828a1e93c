package playground

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
)

// weightsView is the part of a match result that changes the weights of the ranking profile.
type weightsView struct {
	Fields  []weightField
	Model   string // JSON of a weightsModel, for weights.js
	Request string // the weights as a member of a request
}

// weightField is the field for the weight of one feature.
type weightField struct {
	Feature, Label, Class string
	Name                  string // of the form field
	Value                 string // the weight of the answer
	Default               string // the weight of the profile
}

// weightsModel is what weights.js needs to compute the scores of the shown matches as package ranking does.
type weightsModel struct {
	Floor    float64            `json:"floor"`   // ranking.Profile.Limits.Floor
	Weights  map[string]float64 `json:"weights"` // of the answer, by feature
	Defaults map[string]float64 `json:"defaults"`
	Shares   map[string]float64 `json:"shares"` // of the features in the answer, by feature
	Matches  []weightsMatch     `json:"matches"`
}

type weightsMatch struct {
	Name   string             `json:"name"`
	Score  float64            `json:"score"`
	Kept   float64            `json:"kept"` // the factor for lacking required skills; 1 for others
	Values map[string]float64 `json:"values"`
}

// isExplained reports whether there are matches with the parts of their scores.
func (a *answerView) isExplained() bool { return len(a.Cards) > 0 && len(a.Cards[0].Explanation) > 0 }

// weights returns the part of a page that changes the weights of its answer, or nil if the page has no explained
// matches.
func weights(p *page.Page) (*weightsView, error) {
	match, ok := p.Data.(matchView)
	if !ok || !match.Answer.isExplained() {
		return nil, nil
	}
	profile, err := ranking.Load(p.Form.Get("profile"))
	if err != nil {
		return nil, err
	}

	model := weightsModel{
		Floor: profile.Limits.Floor, Weights: maps.Clone(profile.Weights), Defaults: profile.Weights,
		Shares: map[string]float64{},
	}

	// Weights that were sent with the brief are in the answer.
	for name := range profile.Weights {
		if weight, err := strconv.ParseFloat(p.Form.Get(page.WeightPrefix+name), 64); err == nil {
			model.Weights[name] = weight
		}
	}

	for i := range match.Answer.Cards {
		model.Matches = append(model.Matches, newWeightsMatch(&match.Answer.Cards[i]))
	}

	for _, f := range match.Answer.Cards[0].Explanation {
		model.Shares[f.Name] = f.Weight
	}

	view := &weightsView{}
	chosen := map[string]float64{}
	for _, f := range featureFields() {
		name := f.Feature
		// A feature without a share takes no part in the scores, unless its weight was set to 0 here.
		if _, takesPart := model.Shares[name]; !takesPart && model.Weights[name] > 0 {
			continue
		}
		f.Value = plainNumber(model.Weights[name])
		f.Default = plainNumber(profile.Weights[name])
		view.Fields = append(view.Fields, f)
		chosen[name] = model.Weights[name]
	}

	text, err := json.Marshal(model)
	if err != nil {
		return nil, err
	}
	view.Model = string(text)
	view.Request = strings.TrimSpace(strings.Trim(string(snippet.ReadableJSON(map[string]any{"weights": chosen})), "{}"))

	return view, nil
}

// featureFields returns the fields for the weights of all features, in the order of explanations.
func featureFields() []weightField {
	labels := featureLabels()
	var fields []weightField
	for _, name := range []string{"skills", "text", "semantic", "budget", "timeline", "experience", "quality"} {
		fields = append(fields, weightField{
			Feature: name, Label: labels[name], Class: "f-" + name, Name: page.WeightPrefix + name,
		})
	}
	return fields
}

func newWeightsMatch(c *card) weightsMatch {
	m := weightsMatch{Name: c.Freelancer.Name, Score: c.Score, Kept: 1, Values: map[string]float64{}}
	if m.Name == "" {
		m.Name = c.Freelancer.ID
	}
	for _, f := range c.Explanation {
		m.Values[f.Name] = f.Value
	}
	for _, a := range c.Adjustments {
		if ranking.LacksSkills(a) {
			m.Kept = a.Factor
		}
	}
	return m
}

// plainNumber returns a number as a number field needs it.
func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// weights returns the weights in the form that differ from those of the request's profile.
func (f *briefReader) weights(r *wire.MatchRequest) map[string]float64 {
	defaults := map[string]float64{}
	if profile, err := ranking.Load(r.Profile); err == nil { // the API rejects an unknown profile
		defaults = profile.Weights
	}
	var changed map[string]float64
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if n := f.Decimal(page.WeightPrefix + name); n != nil && *n != defaults[name] {
			if changed == nil {
				changed = map[string]float64{}
			}
			changed[name] = *n
		}
	}
	return changed
}
