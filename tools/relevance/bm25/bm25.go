// Package bm25 ranks freelancers by all words of their profiles (Robertson and Zaragoza 2009), without stems or
// meaning. It exists to bring candidates into a pool that the service overlooks.
package bm25

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
)

// An Index holds the words of profiles.
type Index struct {
	ids      []string
	lengths  []float64            // in words, by freelancer
	postings map[string][]posting // by word
	mean     float64              // length
}

type posting struct {
	freelancer int
	count      float64
}

// The usual parameters of BM25, and the share of profiles above which a word says nothing.
const (
	k1         = 1.2
	b          = .75
	commonWord = .15
)

// headWeight is how much more a word in a brief's title, first line or skills counts than one in its body.
const headWeight = 3

// New returns the index of some profiles.
func New(profiles []matching.Freelancer) *Index {
	x := &Index{postings: map[string][]posting{}}
	for i := range profiles {
		p := &profiles[i]
		words := words(p.JobTitle + " " + strings.Join(p.Skills, " ") + " " + p.Description)
		x.ids = append(x.ids, p.ID)
		x.lengths = append(x.lengths, float64(len(words)))
		x.mean += float64(len(words)) / float64(len(profiles))
		counts := map[string]float64{}
		for _, w := range words {
			counts[w]++
		}
		for w, n := range counts {
			x.postings[w] = append(x.postings[w], posting{i, n})
		}
	}
	return x
}

// Search returns the IDs of the n best freelancers who share a word with the title, the required skills or the
// description of a brief.
func (x *Index) Search(brief *matching.Brief, n int) []string {
	// The title, the first line and the skills say what is wanted; the rest describes the circumstances.
	first, rest, _ := strings.Cut(brief.Description, "\n")
	weights := map[string]float64{}
	for _, w := range words(brief.JobTitle + " " + first + " " + strings.Join(brief.RequiredSkills, " ")) {
		weights[w] += headWeight
	}

	for _, w := range words(rest) {
		weights[w]++
	}

	scores := map[int]float64{}
	for w, weight := range weights {
		found := x.postings[w]
		share := float64(len(found)) / float64(len(x.ids))
		// Words that most profiles have cost the most time and decide nothing.
		if share > commonWord {
			continue
		}

		for _, p := range found {
			norm := k1 * (1 - b + b*x.lengths[p.freelancer]/x.mean)
			scores[p.freelancer] += weight * math.Log(1/share) * p.count / (p.count + norm)
		}
	}

	// Map iteration adds up in any order, so equal scores can differ in their last bits.
	places := make([]int, 0, len(scores))
	for place, score := range scores {
		scores[place] = math.Round(score*1e9) / 1e9
		places = append(places, place)
	}

	slices.SortFunc(places, func(i, j int) int {
		return cmp.Or(cmp.Compare(scores[j], scores[i]), strings.Compare(x.ids[i], x.ids[j]))
	})
	var ids []string
	for _, place := range places[:min(n, len(places))] {
		ids = append(ids, x.ids[place])
	}

	return ids
}

// words returns the words of a text in lower case. They may contain the signs of names such as c++ and c#.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#'
	})
}
