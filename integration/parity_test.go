//go:build integration

package integration

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/synthetic"
	"freelancer-matching/match"
	"freelancer-matching/ranking"
	"freelancer-matching/tools/relevance/eval"
)

// The judged set is ranked as well on Elasticsearch as on the embedded engine.
func TestJudged_OnElasticsearch(t *testing.T) {
	embedded := judge(t, deploy(t, embeddedEngine()), judgedSet)
	elasticsearch := judge(t, deploy(t, onElasticsearch()), judgedSet)
	t.Logf("nDCG@10: embedded %v, Elasticsearch %v\n%s", embedded.Mean(eval.NDCG10), elasticsearch.Mean(eval.NDCG10),
		eval.Compare(elasticsearch, embedded))
	if by := elasticsearch.Minus(embedded, eval.NDCG10); math.Abs(by.Mean) > .01 {
		t.Errorf("nDCG@10 differs by %v, want at most .01", by)
	}
}

const (
	parityFreelancers = 20_000
	parityBriefs      = 200
	top               = 10
	// tolerance is by how much the scores of one of the ten may differ, and by how much those of two in another order.
	tolerance = 1e-4
	// rounding is the same for the others: of those, the embedded engine keeps what a word earns a document in a byte, which
	// shows where a brief has few words.
	rounding = 2e-3
)

// On the same freelancers, both engines give the same ten best to nearly all briefs, with the same scores, in the same
// order.
func TestParity(t *testing.T) {
	one, other := parityService(t, embeddedEngine()), parityService(t, onElasticsearch())
	t.Run("the same ten best", func(t *testing.T) { sameBest(t, one, other) })
	t.Run("the same answer each time", func(t *testing.T) { sameEachTime(t, other) })
}

func sameBest(t *testing.T, one, other *match.Service) {
	same, overlap, ofTen, ofAll, reasons := 0, 0., apart{}, apart{}, map[string]int{}
	briefs := parityBriefsOf(t)
	for i, b := range briefs {
		want, got := best(t, one, b), best(t, other, b)
		ten, all := compareScores(want[:min(top, len(want))], got), compareScores(want, got)
		if ten.most() > tolerance || all.score > rounding || all.swapped > 2*rounding {
			t.Errorf("brief %d: the ten differ by %+v, all by %+v: %s", i, ten, all, describe(b))
		}
		ofTen, ofAll = ofTen.max(ten), ofAll.max(all)
		missing := missingFrom(want, got)
		overlap += 1 - float64(len(missing))/float64(max(1, min(top, len(want))))
		if len(missing) == 0 {
			same++
			continue
		}
		why := reason(want, got, missing)
		reasons[why]++
		t.Logf("brief %d: %d of the ten differ, %s: %s", i, len(missing), why, describe(b))
	}
	share := float64(same) / float64(len(briefs))
	t.Logf("%d briefs on %d freelancers: %.1f%% of the sets of ten are the same, mean overlap %.4f; the ten differ by %+v at most, "+
		"a hundred by %+v; sets that differ, by reason: %v", len(briefs), parityFreelancers, 100*share, overlap/float64(len(briefs)),
		ofTen, ofAll, reasons)
	if len(briefs) != parityBriefs || share < .95 {
		t.Errorf("%d of %d sets are the same, want 95%% of %d", same, len(briefs), parityBriefs)
	}
}

// sameEachTime asks each brief some times more. The ten best are the same each time. Those far behind may change: which
// vectors are found by a graph that several threads search depends on which of them is first.
func sameEachTime(t *testing.T, s *match.Service) {
	const times = 5
	briefs, changed := parityBriefsOf(t), 0
	for i, b := range briefs {
		first, other := best(t, s, b), false
		for range times - 1 {
			again := best(t, s, b)
			if d := compareScores(first, again); d.score > 0 || !slices.Equal(ids(first[:min(top, len(first))]), ids(again[:min(top, len(again))])) {
				t.Errorf("brief %d: %d others of the ten, scores differ by %.6f: %s", i, len(missingFrom(first, again)), d.score, describe(b))
				break
			}
			other = other || !slices.Equal(ids(first), ids(again))
		}
		if other {
			changed++
		}
	}
	t.Logf("asked %d times each, %d of %d briefs had not the same hundred each time", times, changed, len(briefs))
	if changed > len(briefs)/50 {
		t.Errorf("%d of %d briefs had not the same hundred each time, want at most one of fifty", changed, len(briefs))
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
	s, err := x.Service()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// freelancers are n generated freelancers, the same ones for the same seed.
func freelancers(t *testing.T, n int, seed uint64) iter.Seq[matching.Freelancer] {
	t.Helper()
	g, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}
	return g.Freelancers(n, seed)
}

// best are the first hundred matches: ten that are compared, and the others, which tell why some of the ten differ.
func best(t *testing.T, s *match.Service, b matching.Brief) []matching.Match {
	t.Helper()
	b.Limit = 100
	answer, err := s.Match(t.Context(), &b)
	if err != nil {
		t.Fatalf("%s: %v", describe(b), err)
	}
	return answer.Matches
}

// apart is how far the answers of two engines to one brief are from each other, over all that both found.
type apart struct {
	score   float64 // the largest difference of the scores of one freelancer
	swapped float64 // the largest difference of the scores of two who are in another order
}

func (a apart) most() float64 { return max(a.score, a.swapped) }

func (a apart) max(b apart) apart { return apart{max(a.score, b.score), max(a.swapped, b.swapped)} }

// compareScores compares want with what the other engine says of the same freelancers.
func compareScores(want, got []matching.Match) (d apart) {
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

// missingFrom are those of the ten best of want that are not among the ten best of got.
func missingFrom(want, got []matching.Match) []matching.Match {
	var missing []matching.Match
	for _, m := range want[:min(top, len(want))] {
		if !slices.ContainsFunc(got[:min(top, len(got))], func(other matching.Match) bool { return other.Freelancer.ID == m.Freelancer.ID }) {
			missing = append(missing, m)
		}
	}
	return missing
}

// Why some of the ten differ.
const (
	reasonWindow   = "not among the candidates"
	reasonRounding = "rounding"
	reasonTie      = "tie"
)

// reason is why some of the ten of want are missing from those of got: the weightiest reason of any of them.
func reason(want, got, missing []matching.Match) string {
	why := reasonTie
	for _, m := range missing {
		found := slices.ContainsFunc(got, func(other matching.Match) bool { return other.Freelancer.ID == m.Freelancer.ID })
		switch gap := m.Score - want[min(top, len(want)-1)].Score; { // to who comes after the ten
		case !found || gap > 2*tolerance:
			return reasonWindow
		case gap > 1e-9:
			why = reasonRounding
		}
	}
	return why
}

func describe(b matching.Brief) string {
	text := fmt.Sprintf("title %q, skills %q, nice %q, profile %q, filters %+v, %q", b.JobTitle, b.RequiredSkills, b.NiceToHaveSkills,
		b.Profile, b.Filters, b.Description)
	return text[:min(len(text), 300)]
}

// parityBriefsOf are briefs of every kind: as clients write them, and each kind that is hard in its own way.
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
		case 0: // one skill and nothing else: the numbers alone decide among all who have it
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
		case 4: // hard conditions
			b.Filters = matching.Filters{Available: matching.Some(true), MaxHourlyRate: matching.Some(float64(20 + n%60)), MinRating: matching.Some(4.)}
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

// foreignBriefs are in other languages than the freelancers.
var foreignBriefs = []string{
	"Onlineshop für ein Keramikstudio\nGesucht wird jemand mit Erfahrung in React und Node.js für den Umbau unseres Shops.",
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
