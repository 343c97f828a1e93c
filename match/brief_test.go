package match_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
)

func unknown(a *matching.Answer) (names []string) {
	for _, u := range a.UnknownSkills {
		names = append(names, u.Skill)
	}
	return names
}

// A name that means several skills is as many requirements, by their canonical names; a part that nobody knows is
// reported by itself.
func TestMatch_Compounds(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "both", Skills: []string{"iOS", "Android"}},
		matching.Freelancer{ID: "one", Skills: []string{"Android / Kotlin"}},
	)
	tests := []struct {
		name                      string
		required                  []string
		matched, missing, unknown []string // of "one"
	}{
		{"two", []string{"iOS/Android"}, []string{"Android Development"}, []string{"iOS Development"}, nil},
		{"as written where it means one", []string{"android"}, []string{"android"}, []string{}, nil},
		{"a part twice", []string{"Android", "iOS & Android"}, []string{"Android"}, []string{"iOS Development"}, nil},
		{"an unknown part", []string{"Android/Quillfeather"}, []string{"Android Development"}, []string{"Quillfeather"}, []string{"Quillfeather"}},
		{
			"an unknown part twice",
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

func TestMatch_CompoundsThatOneMustHave(t *testing.T) {
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
		{"Android/Quillfeather", []string{}, []string{"Quillfeather"}},
	}
	for _, test := range tests {
		answer := w.match(matching.Brief{
			RequiredSkills: []string{"Android"}, Filters: matching.Filters{MustHaveSkills: []string{test.must}},
		})
		if diff := cmp.Diff(test.want, slices.Sorted(slices.Values(ids(answer)))); diff != "" && len(test.want)+len(ids(answer)) > 0 {
			t.Errorf("%s (-want +got):\n%s", test.must, diff)
		}
		if diff := cmp.Diff(test.unknown, unknown(answer)); diff != "" {
			t.Errorf("%s: unknown skills (-want +got):\n%s", test.must, diff)
		}
	}
}

// Where the client names no skill, those of the title and the beginning of the text count, and those that it comes back
// to; what it mentions once, further down, counts where there is nothing else. Generic skills never do.
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
		{"behind a title", strings.Repeat("Hello ", 20), "Our Kubernetes cluster. " + filler, []string{"Kubernetes"}},
		{
			"repeated further down", "", "Our Kubernetes cluster. " + filler + "Terraform is a must: you wrote Terraform before.",
			[]string{"Kubernetes", "Terraform"},
		},
		{"once further down, nothing else", "", filler + "Terraform is used.", []string{"Terraform"}},
		{"generic beside another", "", "Software development on Kubernetes. Software development it is.", []string{"Kubernetes"}},
		{"generic alone", "Software development", "Software development.", nil},
		{"none", "", filler, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := w.match(matching.Brief{JobTitle: test.title, Description: test.description})
			if diff := cmp.Diff(test.want, answer.DerivedSkills); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Briefs of no usable word, in other scripts and out of range are answered, with words as the reader tells them apart.
func TestMatch_OddBriefs(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", JobTitle: "React developer", Skills: []string{"React"}, Description: "AWS too."})
	for _, description := range []string{
		"the of and", "🚀🔥", "zxqv", "\xff\xfe\x00", strings.Repeat("a", 20_000), strings.Repeat("日本", 10_000), "...", "?",
	} {
		w.match(matching.Brief{Description: description, Explain: true})
	}
	m := find(t, w.match(matching.Brief{Description: "使用React开发，*AWS*. https://example.com/" + strings.Repeat("x", 100), Explain: true}), "a")
	text, ok := feature(m, "text")
	if want := "found: React, AWS; not found: 使用, 开发"; !ok || !strings.HasSuffix(text.Summary, want) {
		t.Errorf("%q, want it to end with %q", text.Summary, want)
	}
}

// Words that nobody has fit nobody: they must not drop out of the score, or whoever is well rated would look like a match.
func TestMatch_WordsThatNobodyHasCountAsUnfit(t *testing.T) {
	w := newWorld(t, matching.Freelancer{
		ID: "a", JobTitle: "Bookkeeper", Skills: []string{"Payroll"}, Signals: known(50, 5, 9, 300, true),
	})
	for _, description := range []string{"ロゴのデザインをお願いします", "zxqv", "the and of", "???"} {
		answer := w.match(matching.Brief{Description: description, Filters: matching.Filters{IDs: []string{"a"}}, Explain: true})
		m := answer.Matches[0]
		text := slices.IndexFunc(m.Explanation, func(f matching.Feature) bool { return f.Name == "text" })
		if m.Level != matching.LevelWeak || text < 0 || m.Explanation[text].Value != 0 {
			t.Errorf("%q: level %s with %+v", description, m.Level, m.Explanation)
		}
	}
}

// A first line that nobody understands leaves the rest of the description to go by.
func TestMatch_ForeignHeadlineOverAKnownBody(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "potter", JobTitle: "Potter", Description: "I glaze ceramic bowls by hand."},
		matching.Freelancer{ID: "other", JobTitle: "Driver", Description: "I drive a van."},
	)
	answer := w.match(matching.Brief{Description: "Bittzxq vrrtl\nSomeone who can glaze ceramic bowls.", Explain: true})
	first := answer.Matches[0]
	if first.Freelancer.ID != "potter" {
		t.Fatalf("first is %s", first.Freelancer.ID)
	}
	for _, f := range first.Explanation {
		if f.Name == "text" && f.Value < .3 {
			t.Errorf("text is worth %v: %s", f.Value, f.Summary)
		}
	}
}
