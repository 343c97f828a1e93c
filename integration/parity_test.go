//go:build integration

package integration

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

// Elasticsearch ranks the judged set as well as the embedded engine does.
func TestJudged_OnElasticsearch(t *testing.T) {
	embedded := judge(t, deploy(t, embeddedEngine()), judgedSet)
	elasticsearch := judge(t, deploy(t, elasticsearchEngine()), judgedSet)
	t.Logf("nDCG@10: embedded %v, Elasticsearch %v\n%s", embedded.Mean(eval.NDCG10), elasticsearch.Mean(eval.NDCG10),
		eval.Compare(elasticsearch, embedded))
	if difference := elasticsearch.Minus(embedded, eval.NDCG10); math.Abs(difference.Mean) > .01 {
		t.Errorf("nDCG@10 differs by %v, want at most .01", difference)
	}
}

const (
	parityFreelancers = 20_000
	parityBriefs      = 200
	top               = 10
	// tolerance is the largest accepted difference between the scores of a match in the top ten on both engines, and
	// between the scores of two such matches whose order differs.
	tolerance = 1e-4
	// rounding is the tolerance for the other matches. It is larger because the embedded engine stores the weight of a
	// word in a document as one byte, which shows in briefs with few words.
	rounding = 2e-3
)

// For the same freelancers, both engines return the same top ten to nearly every brief, with the same scores and in the
// same order.
func TestParity(t *testing.T) {
	embedded := parityService(t, embeddedEngine())
	elasticsearch := parityService(t, elasticsearchEngine())
	t.Run("same top ten", func(t *testing.T) { wantSameTop(t, embedded, elasticsearch) })
	t.Run("repeatable", func(t *testing.T) { wantRepeatable(t, elasticsearch) })
}

func wantSameTop(t *testing.T, embedded, elasticsearch *match.Service) {
	same := 0
	overlap := 0.
	reasons := map[string]int{}
	var maxTop, maxAll scoreDifference
	briefs := parityBriefsOf(t)
	for i, b := range briefs {
		want := topHundred(t, embedded, b)
		got := topHundred(t, elasticsearch, b)
		ten := compareScores(want[:min(top, len(want))], got)
		all := compareScores(want, got)
		if ten.largest() > tolerance || all.score > rounding || all.swapped > 2*rounding {
			t.Errorf("brief %d: the top ten differ by %+v, all by %+v: %s", i, ten, all, describe(b))
		}

		maxTop = maxTop.max(ten)
		maxAll = maxAll.max(all)
		missing := missingFrom(want, got)
		overlap += 1 - float64(len(missing))/float64(max(1, min(top, len(want))))

		if len(missing) == 0 {
			same++
			continue
		}

		why := reason(want, got, missing)
		reasons[why]++
		t.Logf("brief %d: %d of the top ten differ, %s: %s", i, len(missing), why, describe(b))
	}

	share := float64(same) / float64(len(briefs))
	t.Logf("%d briefs on %d freelancers: %.1f%% have the same top ten, mean overlap %.4f; the top ten differ by at most "+
		"%+v, the top hundred by %+v; reasons for a different top ten: %v",
		len(briefs), parityFreelancers, 100*share, overlap/float64(len(briefs)), maxTop, maxAll, reasons)

	if len(briefs) != parityBriefs || share < .95 {
		t.Errorf("%d of %d briefs have the same top ten, want 95%% of %d", same, len(briefs), parityBriefs)
	}
}

// wantRepeatable sends each brief several times. The top ten must not change. A few of the lower matches may: several
// threads search the vector graph, and the order in which they finish affects the candidates.
func wantRepeatable(t *testing.T, s *match.Service) {
	const times = 5
	briefs := parityBriefsOf(t)
	changed := 0
	for i, b := range briefs {
		first := topHundred(t, s, b)
		differs := false
		firstTop := ids(first[:min(top, len(first))])
		for range times - 1 {
			next := topHundred(t, s, b)
			d := compareScores(first, next)
			if d.score > 0 || !slices.Equal(firstTop, ids(next[:min(top, len(next))])) {
				t.Errorf("brief %d: %d of the top ten changed, scores by %.6f: %s",
					i, len(missingFrom(first, next)), d.score, describe(b))
				break
			}

			differs = differs || !slices.Equal(ids(first), ids(next))
		}

		if differs {
			changed++
		}
	}

	t.Logf("sent %d times each, %d of %d briefs got different matches among the top hundred", times, changed, len(briefs))
	if changed > len(briefs)/50 {
		t.Errorf("%d of %d briefs got different matches, want at most 1 in 50", changed, len(briefs))
	}
}

func ids(matches []matching.Match) []string {
	var ids []string
	for _, m := range matches {
		ids = append(ids, m.Freelancer.ID)
	}
	return ids
}

func parityService(t *testing.T, e searchEngine) *match.Service {
	t.Helper()
	x := deploy(t, e).open(t)
	if err := x.Fill(t.Context(), freelancers(t, parityFreelancers, 1), "generated", "USD"); err != nil {
		t.Fatal(err)
	}
	s, err := x.Service(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// freelancers generates n freelancers. The same seed gives the same freelancers.
func freelancers(t *testing.T, n int, seed uint64) iter.Seq[matching.Freelancer] {
	t.Helper()
	g, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}
	return g.Freelancers(n, seed)
}

// topHundred returns the first hundred matches. Ten are compared; the others show why some of the ten differ.
func topHundred(t *testing.T, s *match.Service, b matching.Brief) []matching.Match {
	t.Helper()
	b.Limit = 100
	result, err := s.Match(t.Context(), &b)
	if err != nil {
		t.Fatalf("%s: %v", describe(b), err)
	}
	return result.Matches
}

// A scoreDifference compares two lists of matches for a brief, over the freelancers that are in both.
type scoreDifference struct {
	score   float64 // the largest difference between the two scores of a freelancer
	swapped float64 // the largest difference between the scores of two freelancers whose order differs
}

func (a scoreDifference) largest() float64 { return max(a.score, a.swapped) }

func (a scoreDifference) max(b scoreDifference) scoreDifference {
	return scoreDifference{max(a.score, b.score), max(a.swapped, b.swapped)}
}

// compareScores compares the matches in want with the same freelancers in got.
func compareScores(want, got []matching.Match) (d scoreDifference) {
	places := map[string]int{}
	for i, m := range got {
		places[m.Freelancer.ID] = i
	}
	for i, a := range want {
		inGot, ok := places[a.Freelancer.ID]
		if !ok {
			continue
		}
		d.score = max(d.score, math.Abs(a.Score-got[inGot].Score))
		for _, b := range want[i+1:] {
			if other, ok := places[b.Freelancer.ID]; ok && other < inGot {
				d.swapped = max(d.swapped, a.Score-b.Score)
			}
		}
	}
	return d
}

// missingFrom returns the matches in the top ten of want that are not in the top ten of got.
func missingFrom(want, got []matching.Match) []matching.Match {
	var missing []matching.Match
	for _, m := range want[:min(top, len(want))] {
		if !contains(got[:min(top, len(got))], m) {
			missing = append(missing, m)
		}
	}
	return missing
}

// contains reports whether matches contains the freelancer of m.
func contains(matches []matching.Match, m matching.Match) bool {
	return slices.ContainsFunc(matches, func(other matching.Match) bool { return other.Freelancer.ID == m.Freelancer.ID })
}

// The reasons why a top ten differs.
const (
	reasonWindow   = "not among the candidates"
	reasonRounding = "rounding"
	reasonTie      = "tie"
)

// reason returns the most serious reason why matches in the top ten of want are missing from that of got.
func reason(want, got, missing []matching.Match) string {
	why := reasonTie
	for _, m := range missing {
		switch gap := m.Score - want[min(top, len(want)-1)].Score; { // to the first match after the top ten
		case !contains(got, m) || gap > 2*tolerance:
			return reasonWindow
		case gap > 1e-9:
			why = reasonRounding
		}
	}
	return why
}

func describe(b matching.Brief) string {
	text := fmt.Sprintf("title %q, skills %q, nice %q, profile %q, filters %+v, %q",
		b.JobTitle, b.RequiredSkills, b.NiceToHaveSkills, b.Profile, b.Filters, b.Description)
	return text[:min(len(text), 300)]
}

// parityBriefsOf returns typical briefs, and several kinds of unusual ones.
func parityBriefsOf(t *testing.T) []matching.Brief {
	t.Helper()
	g, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}

	profiles := ranking.Names()
	var briefs []matching.Brief
	n := 0
	for b := range g.Briefs(7) {
		if len(briefs) == parityBriefs-len(foreignBriefs) {
			break
		}

		full := b

		switch n++; n % 10 {
		case 0: // a single skill, so that only numeric features rank the freelancers who have it
			if len(b.RequiredSkills) == 0 {
				continue
			}
			b = matching.Brief{RequiredSkills: b.RequiredSkills[:1]}

		case 1: // skills only
			b = matching.Brief{RequiredSkills: append(b.RequiredSkills, b.NiceToHaveSkills...)}
		case 2: // a title only
			b = matching.Brief{JobTitle: b.JobTitle}
		case 3: // one word
			words := strings.Fields(b.Description)
			b = matching.Brief{Description: words[n%len(words)]}
		case 4: // filters
			b.Filters = matching.Filters{
				Available:     matching.Some(true),
				MaxHourlyRate: matching.Some(float64(20 + n%60)),
				MinRating:     matching.Some(4.),
			}

		case 5: // another profile
			b.Profile = profiles[n/10%len(profiles)]
		}

		if b.Description+b.JobTitle == "" && len(b.RequiredSkills) == 0 {
			b = full
		}

		briefs = append(briefs, b)
	}

	for _, text := range foreignBriefs {
		briefs = append(briefs, matching.Brief{Description: text})
	}

	return slices.Clip(briefs)
}

// foreignBriefs are written in languages that no freelancer's record uses.
var foreignBriefs = []string{
	"Onlineshop für ein Keramikstudio\n" +
		"Gesucht wird jemand mit Erfahrung in React und Node.js für den Umbau unseres Shops.",
	"Übersetzung einer Bedienungsanleitung\nAus dem Deutschen ins Englische, etwa vierzig Seiten, bis Ende des Monats.",
	"Création d'un site vitrine\nNous cherchons une personne pour un site WordPress, avec référencement et photos.",
	"Illustrations pour un livre d'enfants\nVingt aquarelles, livraison au printemps.",
	"Aplicación móvil para una clínica\nBuscamos experiencia en Flutter, Firebase y diseño de interfaces.",
	"Gestión de redes sociales\nPublicaciones semanales en Instagram y anuncios de pago.",
	"Sviluppo di un gestionale\nPython, Django e PostgreSQL, con test automatici.",
	"Montagem de vídeo\nProcuramos alguém para editar vídeos curtos com Premiere e After Effects.",
	"Webwinkel koppelen aan boekhouding\nErvaring met Shopify en API's is nodig.",
	"Разработка сайта\nНужен опыт с PHP и Laravel.",
}
