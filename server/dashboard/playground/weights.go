package playground

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
)

// weightField is the field for the weight of one feature.
type weightField struct {
	Feature, Label, Class string
	Name                  string // of the form field
	Value                 string // the weight of the answer
	Default               string // the weight of the profile
}

// requestWeights returns weights as a member of a request.
func requestWeights(weights map[string]float64) string {
	return strings.TrimSpace(strings.Trim(string(snippet.ReadableJSON(map[string]any{"weights": weights})), "{}"))
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

// plainNumber returns a number as a number field needs it.
func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// setWeights sets the weights of a request: those in the form that differ from the profile's. If the form starts from
// the published ranking of the account and changes it, the request names its profile, because the API ranks a request
// without profile and weights by the published ranking.
func (f *briefReader) setWeights(r *wire.MatchRequest) {
	base := r.Profile
	isPublished := base == "" && f.ranking != nil
	if isPublished {
		base = f.ranking.Profile
	}
	profile, err := ranking.Load(base)
	if err != nil {
		return // the API rejects an unknown profile
	}

	starting := profile.Weights
	if isPublished {
		starting = weightsOf(profile, f.ranking.Weights)
	}
	chosen := maps.Clone(starting)
	for _, name := range slices.Sorted(maps.Keys(starting)) {
		if n := f.Decimal(page.WeightPrefix + name); n != nil {
			chosen[name] = *n
		}
	}
	if maps.Equal(chosen, starting) {
		return
	}

	if isPublished {
		r.Profile = base
	}
	for name, weight := range chosen {
		if weight == profile.Weights[name] {
			continue
		}
		if r.Weights == nil {
			r.Weights = map[string]float64{}
		}
		r.Weights[name] = weight
	}
}
