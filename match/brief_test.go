package match_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func unknown(a *matching.Answer) (names []string) {
	for _, u := range a.UnknownSkills {
		names = append(names, u.Skill)
	}
	return names
}

// A name of several skills becomes several requirements with canonical names. An unknown part is reported on its own.
func TestMatch_CompoundSkills(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "both", Skills: []string{"iOS", "Android"}},
		matching.Freelancer{ID: "one", Skills: []string{"Android / Kotlin"}},
	)

	tests := []struct {
		name                      string
		required                  []string
		matched, missing, unknown []string // of "one"
	}{
		{"two skills", []string{"iOS/Android"}, []string{"Android Development"}, []string{"iOS Development"}, nil},
		{"one skill keeps its spelling", []string{"android"}, []string{"android"}, []string{}, nil},
		{"repeated part", []string{"Android", "iOS & Android"}, []string{"Android"}, []string{"iOS Development"}, nil},
		{
			"unknown part",
			[]string{"Android/Quillfeather"},
			[]string{"Android Development"},
			[]string{"Quillfeather"},
			[]string{"Quillfeather"},
		},
		{
			"repeated unknown part",
			[]string{"Android/Quillfeather", "Kotlin/Quillfeather"},
			[]string{"Android Development", "Kotlin"},
			[]string{"Quillfeather"},
			[]string{"Quillfeather"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := w.match(matching.Brief{RequiredSkills: test.required})
			m := find(t, answer, "one")
			if diff := cmp.Diff(test.matched, m.MatchedSkills); diff != "" {
				t.Errorf("matched skills (-want +got):\n%s", diff)
			}

			if diff := cmp.Diff(test.missing, m.MissingSkills); diff != "" {
				t.Errorf("missing skills (-want +got):\n%s", diff)
			}

			if diff := cmp.Diff(test.unknown, unknown(answer)); diff != "" {
				t.Errorf("unknown skills (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMatch_CompoundMustHaveSkills(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "both", Skills: []string{"iOS", "Android"}},
		matching.Freelancer{ID: "one", Skills: []string{"Android"}},
	)

	tests := []struct {
		must          string
		want, unknown []string
	}{
		{"iOS/Android", []string{"both"}, nil},
		{"android", []string{"both", "one"}, nil},
		{"Android/Quillfeather", nil, []string{"Quillfeather"}},
	}
	for _, test := range tests {
		answer := w.match(matching.Brief{
			RequiredSkills: []string{"Android"},
			Filters:        matching.Filters{MustHaveSkills: []string{test.must}},
		})
		if diff := cmp.Diff(test.want, slices.Sorted(slices.Values(ids(answer)))); diff != "" {
			t.Errorf("%s: matches (-want +got):\n%s", test.must, diff)
		}

		if diff := cmp.Diff(test.unknown, unknown(answer)); diff != "" {
			t.Errorf("%s: unknown skills (-want +got):\n%s", test.must, diff)
		}
	}
}

// In a brief without skills, the skills of the title, of the beginning of the text, and those mentioned repeatedly
// count. A skill mentioned once, further down, counts only if there is no other. Generic skills never count.
func TestMatch_DerivesMainSkills(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"Kubernetes"}})
	filler := strings.Repeat("We look forward to hearing from people near the sea. ", 6)
	tests := []struct {
		name               string
		title, description string
		want               []string
	}{
		{"in the title", "Kubernetes help", filler, []string{"Kubernetes"}},
		{"at the beginning", "", "Our Kubernetes cluster. " + filler + "Terraform is used too.", []string{"Kubernetes"}},
		{"after a title", strings.Repeat("Hello ", 20), "Our Kubernetes cluster. " + filler, []string{"Kubernetes"}},
		{
			"repeated further down",
			"",
			"Our Kubernetes cluster. " + filler + "Terraform is a must: you wrote Terraform before.",
			[]string{"Kubernetes", "Terraform"},
		},
		{"once, further down, alone", "", filler + "Terraform is used.", []string{"Terraform"}},
		{"generic and specific", "", "Software development on Kubernetes. Software development.", []string{"Kubernetes"}},
		{"generic only", "Software development", "Software development.", nil},
		{"none", "", filler, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := w.match(matching.Brief{JobTitle: test.title, Description: test.description})
			if diff := cmp.Diff(test.want, answer.DerivedSkills); diff != "" {
				t.Errorf("derived skills (-want +got):\n%s", diff)
			}
		})
	}
}

// Briefs without a usable word, in other scripts or with very long words get an answer. The explanation names words and
// leaves out links.
func TestMatch_OddBriefs(t *testing.T) {
	w := newWorld(t, matching.Freelancer{
		ID:          "a",
		JobTitle:    "React developer",
		Skills:      []string{"React"},
		Description: "AWS too.",
	})
	for _, description := range []string{
		"the of and", "🚀🔥", "zxqv", "\xff\xfe\x00", strings.Repeat("a", 20_000), strings.Repeat("日本", 10_000), "...", "?",
	} {
		w.match(matching.Brief{Description: description, Explain: true})
	}

	m := find(t, w.match(matching.Brief{
		Description: "使用React开发，*AWS*. https://example.com/" + strings.Repeat("x", 100),
		Explain:     true,
	}), "a")

	text, ok := feature(m, "text")
	if want := "found: React, AWS; not found: 使用, 开发"; !ok || !strings.HasSuffix(text.Summary, want) {
		t.Errorf("summary %q, want it to end with %q", text.Summary, want)
	}
}

// Words that the index doesn't contain must count as not found. If they were ignored, a good rating alone would make a
// strong match.
func TestMatch_UnknownWordsCountAsMissing(t *testing.T) {
	w := newWorld(t, matching.Freelancer{
		ID: "a", JobTitle: "Bookkeeper", Skills: []string{"Payroll"}, Signals: known(50, 5, 9, 300, true),
	})
	for _, description := range []string{"ロゴのデザインをお願いします", "zxqv", "the and of", "???"} {
		m := w.match(matching.Brief{
			Description: description,
			Filters:     matching.Filters{IDs: []string{"a"}},
			Explain:     true,
		}).Matches[0]
		text, ok := feature(m, "text")
		if m.Level != matching.LevelWeak || !ok || text.Value != 0 {
			t.Errorf("%q: level %s with %+v, want weak with a text value of 0", description, m.Level, m.Explanation)
		}
	}
}

// If the index contains no word of the first line, the rest of the description is used.
func TestMatch_ForeignHeadline(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "potter", JobTitle: "Potter", Description: "I glaze ceramic bowls by hand."},
		matching.Freelancer{ID: "other", JobTitle: "Driver", Description: "I drive a van."},
	)
	answer := w.match(matching.Brief{Description: "Bittzxq vrrtl\nSomeone who can glaze ceramic bowls.", Explain: true})
	first := answer.Matches[0]
	if first.Freelancer.ID != "potter" {
		t.Fatalf("the first match is %q, want potter", first.Freelancer.ID)
	}
	if text, _ := feature(first, "text"); text.Value < .3 {
		t.Errorf("text value %v (%s), want at least .3", text.Value, text.Summary)
	}
}
