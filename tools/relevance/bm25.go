package relevance

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
	"freelancer-matching/tools/relevance/eval"
)

// bm25 ranks freelancers by all words of their profiles (Robertson and Zaragoza 2009), without stems or meaning. It
// exists to bring candidates into a pool that the service overlooks.
type bm25 struct {
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
	bm25K1     = 1.2
	bm25B      = .75
	commonWord = .15
)

// headWeight is how much more a word in a brief's title, first line or skills counts than one in its body.
const headWeight = 3

func newBM25(profiles []matching.Freelancer) *bm25 {
	b := &bm25{postings: map[string][]posting{}}
	for i := range profiles {
		p := &profiles[i]
		words := words(p.JobTitle + " " + strings.Join(p.Skills, " ") + " " + p.Description)
		b.ids = append(b.ids, p.ID)
		b.lengths = append(b.lengths, float64(len(words)))
		b.mean += float64(len(words)) / float64(len(profiles))
		counts := map[string]float64{}
		for _, w := range words {
			counts[w]++
		}
		for w, n := range counts {
			b.postings[w] = append(b.postings[w], posting{i, n})
		}
	}
	return b
}

// search returns the IDs of the n best freelancers who share a word with the brief.
func (b *bm25) search(brief eval.Brief, n int) ([]string, error) {
	body, err := readBody(brief)
	if err != nil {
		return nil, err
	}

	// The title, the first line and the skills say what is wanted; the rest describes the circumstances.
	first, rest, _ := strings.Cut(body.Description, "\n")
	weights := map[string]float64{}
	for _, w := range words(body.JobTitle + " " + first + " " + strings.Join(body.Skills, " ")) {
		weights[w] += headWeight
	}

	for _, w := range words(rest) {
		weights[w]++
	}

	scores := map[int]float64{}
	for w, weight := range weights {
		found := b.postings[w]
		share := float64(len(found)) / float64(len(b.ids))
		// Words that most profiles have cost the most time and decide nothing.
		if share > commonWord {
			continue
		}

		for _, p := range found {
			norm := bm25K1 * (1 - bm25B + bm25B*b.lengths[p.freelancer]/b.mean)
			scores[p.freelancer] += weight * math.Log(1/share) * p.count / (p.count + norm)
		}
	}

	// Map iteration adds up in any order, so equal scores can differ in their last bits.
	places := make([]int, 0, len(scores))
	for place, score := range scores {
		scores[place] = math.Round(score*1e9) / 1e9
		places = append(places, place)
	}

	slices.SortFunc(places, func(x, y int) int {
		return cmp.Or(cmp.Compare(scores[y], scores[x]), strings.Compare(b.ids[x], b.ids[y]))
	})
	var ids []string
	for _, place := range places[:min(n, len(places))] {
		ids = append(ids, b.ids[place])
	}

	return ids, nil
}

// words returns the words of a text in lower case. They may contain the signs of names such as c++ and c#.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#'
	})
}
