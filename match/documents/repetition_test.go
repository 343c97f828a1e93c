package documents

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestPrepare_RepeatedKeywordsCountForNothing(t *testing.T) {
	p := newPreparerWithVectors(t)
	const keywords = "Kubernetes Terraform AWS cluster operator Go microservices monitoring "
	own := "I repair boilers, pipes and taps in old houses. My customers like that I clean up, explain what was broken " +
		"and come back when something drips. I also advise landlords on heating costs."
	for name, description := range map[string]string{
		"only keywords":       strings.Repeat(keywords, 20),
		"in other cases":      strings.Repeat(keywords+strings.ToUpper(keywords), 10),
		"an uneven number":    strings.Repeat(keywords, 35),
		"after an own text":   strings.Repeat(own+" ", 1) + strings.Repeat(keywords, 40),
		"before an own text":  strings.Repeat(keywords, 40) + own,
		"with a little order": strings.Repeat(keywords+"I know "+keywords, 12),
	} {
		f := matching.Freelancer{ID: "f", JobTitle: "Plumber", Description: description}
		terms := prepareOne(t, p, f).Terms
		count := 0
		for _, term := range terms {
			if term == "terraform" {
				count++
			}
		}

		if count > 3 {
			t.Errorf("%s: Terraform counts %d times", name, count)
		}
	}

	f := matching.Freelancer{ID: "f", JobTitle: "Plumber", Description: own}
	if terms := prepareOne(t, p, f).Terms; !slices.Contains(terms, "boiler") {
		t.Errorf("terms %q, want those of the description", terms)
	}
}
