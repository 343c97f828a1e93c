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
