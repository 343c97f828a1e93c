package ranking

import (
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestLoad_ShippedProfiles(t *testing.T) {
	if diff := cmp.Diff([]string{"default", "economy", "expertise"}, Names()); diff != "" {
		t.Fatalf("names:\n%s", diff)
	}
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name {
			t.Errorf("profile %q is named %q", name, p.Name)
		}
	}
}

func TestLoad_EmptyNameIsTheDefault(t *testing.T) {
	p, err := Load("")
	if err != nil || p.Name != "default" {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestLoad_UnknownNameListsTheNames(t *testing.T) {
	for _, name := range []string{"Default", "../default", "default.json", "cheap"} {
		_, err := Load(name)
		if err == nil || !strings.Contains(err.Error(), "use one of: default, economy, expertise") {
			t.Errorf("Load(%q): %v", name, err)
		}
	}
}

func TestProfile_MergeRefusesUnknownNumbers(t *testing.T) {
	if err := defaults(t).merge([]byte(`{"skills": {"rareness": 3}}`)); err == nil {
		t.Error("an unknown number was taken")
	}
}

func TestProfile_ValidateNamesTheFault(t *testing.T) {
	tests := []struct{ file, want string }{
		{`{"weights": {"skills": 0.05}}`, "weights.skills must be at least weights.quality"},
		{`{"weights": {"skils": 0.3}}`, `weights.skils: unknown feature; did you mean skills?`},
		{`{"weights": {"text": -1}}`, "weights.text: must not be negative"},
		{`{"skills": {"credit": {"sibling": 0.5}}}`, "skills.credit.sibling must be at most 0.4"},
		{`{"skills": {"credit": {"in_title": 0.4}}}`, "skills.credit must rise"},
		{`{"skills": {"credit": {"listed": 1.5}}}`, "skills.credit must rise"},
		{`{"skills": {"rarity_bound": 0.9}}`, "skills.rarity_bound must be at least 1"},
		{`{"skills": {"nice_to_have": 2}}`, "skills.nice_to_have must be from 0 to 1"},
		{`{"skills": {"derived": -1}}`, "skills.derived must be from 0 to 1"},
		{`{"semantic": {"model": -1}}`, "semantic.model must be from 0 to 1000"},
		{`{"semantic": {"encoder": -1}}`, "semantic.encoder must be from 0 to 1000"},
		{`{"semantic": {"ceiling": 0}}`, "semantic.ceiling must be over 0 and at most 1"},
		{`{"semantic": {"compared": 0}}`, "semantic.compared must be at least 1"},
		{`{"curve": [[0, 0], [0.5, 0.9]]}`, "curve must consist of points that rise"},
		{`{"curve": [[0, 0.1], [1, 1]]}`, "curve must consist of points that rise"},
		{`{"curve": [[0, 0], [0.5, 0.5], [0.6, 0.5], [1, 1]]}`, "curve must consist of points that rise"},
		{`{"work": {"complexity": {"huge": 1000}}}`, "work.complexity must define low, medium and high"},
		{`{"work": {"complexity": {"low": 0}}}`, "work.complexity.low must be positive"},
		{`{"work": {"pace": {"expert": 0.5}}}`, "work.pace must be positive and must not fall"},
		{`{"limits": {"known": {"reach": 1}}}`, "limits.known needs a reach over 1 and a spread over 0"},
		{`{"work": {"hours_per_day": 25}}`, "work.hours_per_day must be over 0 and at most 24"},
		{`{"work": {"days_per_week": 0}}`, "work.days_per_week must be over 0 and at most 7"},
		{`{"work": {"unavailable": -1}}`, "work.unavailable must be from 0 to 1"},
		{`{"experience": {"years": {"low": -1}}}`, "experience.years.low must be positive"},
		{`{"quality": {"prior_projects": 0}}`, "quality.prior_projects must be positive"},
		{`{"quality": {"unknown_projects": -1}}`, "quality.unknown_projects must not be negative"},
		{`{"neutral": 2}`, "neutral must be from 0 to 1"},
		{`{"levels": {"fair": 0.9}}`, "levels must rise"},
		{`{"levels": {"understood": 1.1}}`, "levels.understood must be from 0 to 1"},
		{`{"levels": {"trade": -0.1}}`, "levels.trade must be from 0 to 1"},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			p := defaults(t)
			if err := p.merge([]byte(test.file)); err != nil {
				t.Fatal(err)
			}

			if err := p.validate(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v", test.file, err)
			}
		})
	}
}

func TestProfile_Level(t *testing.T) {
	p := defaults(t)
	for score, want := range map[float64]matching.Level{
		1: "excellent", .65: "excellent", .649999: "strong", .5: "strong", .35: "fair", .349999: "weak", 0: "weak",
	} {
		if got := p.Level(score); got != want {
			t.Errorf("Level(%v) = %s, want %s", score, got, want)
		}
	}
}

func TestWithWeights_Faults(t *testing.T) {
	type weights = map[string]float64
	zero := weights{}
	for _, name := range featureNames() {
		zero[name] = 0
	}

	tests := []struct {
		name  string
		in    weights
		wants []string // field code
	}{
		{"fine", weights{"skills": 2, "quality": 0}, nil},
		{"none", nil, nil},
		{"unknown", weights{"skils": 1}, []string{"weights.skils unknown_field"}},
		{"negative", weights{"text": -.1}, []string{"weights.text negative"}},
		{"not finite", weights{"text": math.NaN(), "budget": math.Inf(1)}, []string{
			"weights.budget not_a_number", "weights.text not_a_number",
		}},
		{"too large", weights{"text": 1e300}, []string{"weights.text too_large"}},
		{"all zero", zero, []string{"weights all_zero"}},
		{"everything at once", weights{"": 1, "text": -1, "price": math.NaN()}, []string{
			"weights. unknown_field", "weights.price unknown_field", "weights.text negative",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, faults := defaults(t).WithWeights(test.in)
			var got []string
			for _, f := range faults {
				got = append(got, f.Field+" "+f.Code)
			}

			if diff := cmp.Diff(test.wants, got); diff != "" {
				t.Errorf("faults:\n%s", diff)
			}

			if (p == nil) != (len(faults) > 0) {
				t.Errorf("profile %v with %d faults", p, len(faults))
			}
		})
	}
}

func TestWithWeights_NamesTheNearestFeature(t *testing.T) {
	for name, want := range map[string]string{"skils": "did you mean skills?", "prestige": "use skills, text"} {
		_, faults := defaults(t).WithWeights(map[string]float64{name: 1})
		if len(faults) != 1 || !strings.Contains(faults[0].Message, want) {
			t.Errorf("%s: %v, want %q", name, faults, want)
		}
	}
}

func TestWithWeights_LeavesTheProfileAlone(t *testing.T) {
	p := defaults(t)
	before := maps.Clone(p.Weights)
	changed, faults := p.WithWeights(map[string]float64{"budget": .5})
	if len(faults) > 0 || changed.Weights["budget"] != .5 || changed.Weights["text"] != p.Weights["text"] {
		t.Errorf("changed to %v, %v", changed, faults)
	}
	if diff := cmp.Diff(before, p.Weights); diff != "" || p.overridden != [features]bool{} {
		t.Errorf("the original changed:\n%s", diff)
	}
}

func defaults(t *testing.T) *Profile {
	t.Helper()
	p, err := Load(defaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
