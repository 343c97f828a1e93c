package bm25_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/tools/relevance/bm25"
)

func TestIndex_Search(t *testing.T) {
	profiles := []matching.Freelancer{
		{ID: "go", JobTitle: "Go developer", Skills: []string{"Go", "C++"}},
		{ID: "long", JobTitle: "Developer", Description: strings.Repeat("Go and many other words about work. ", 30)},
		{ID: "logo", JobTitle: "Logo designer"},
		{ID: "cpp", JobTitle: "C++ developer"},
		{ID: "cook", JobTitle: "Cook"},
		{ID: "baker", JobTitle: "Baker"},
	}
	for i := range 20 { // words of more than 15 percent of the profiles are ignored
		profiles = append(profiles, matching.Freelancer{ID: strconv.Itoa(i), JobTitle: "Driver"})
	}

	index := bm25.New(profiles)
	tests := []struct {
		name  string
		brief matching.Brief
		want  []string
	}{
		{"short profiles before long ones", matching.Brief{Description: "Need Go"}, []string{"go", "long"}},
		{"signs are part of names", matching.Brief{Description: "x", RequiredSkills: []string{"c++"}}, []string{"cpp", "go"}},
		{"title", matching.Brief{JobTitle: "Cook"}, []string{"cook"}},
		{"the first line counts more", matching.Brief{Description: "baker\ncook"}, []string{"baker", "cook"}},
		{"a word of most profiles", matching.Brief{Description: "Driver"}, nil},
		{"nothing in common", matching.Brief{Description: "Steuerberater"}, nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, index.Search(&test.brief, 2)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
