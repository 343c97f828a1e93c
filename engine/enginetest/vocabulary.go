package enginetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// Vocabulary is that of documents, of which the last with the same id counts.
func Vocabulary(documents []*engine.Document) *engine.Vocabulary {
	skills, unknown, titles := map[string]int{}, map[string]int{}, map[string]int{}
	for _, d := range distinct(documents) {
		for _, s := range d.Skills {
			skills[s.ID]++
		}
		for _, word := range d.UnknownSkills {
			unknown[word]++
		}
		for _, word := range d.JobTitles {
			titles[word]++
		}
	}
	return &engine.Vocabulary{Skills: uses(skills), UnknownSkills: uses(unknown), JobTitles: uses(titles)}
}

func uses(counts map[string]int) []engine.WordCount {
	list := make([]engine.WordCount, 0, len(counts))
	for word, n := range counts {
		list = append(list, engine.WordCount{Word: word, Documents: n})
	}
	return engine.TopWords(list)
}

func says(titles, unknown []string) func(*engine.Document) {
	return func(d *engine.Document) { d.JobTitles, d.UnknownSkills = titles, unknown }
}

func testVocabulary(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("a", says([]string{"Painter", "C++ Developer"}, []string{"Glaze & Gild", "R&D"}), skill("go", matching.Listed)),
		document("b", says([]string{"Painter"}, []string{"ろくろ"}), skill("go", matching.InText), skill("~r d", matching.Listed)),
		document("c", says([]string{"Replaced"}, []string{"Replaced"}), skill("cobol", matching.Listed)),
		document("d"),
		document("c", says([]string{"painter"}, nil), skill("sql", matching.Implied)))
	got, err := s.Vocabulary(t.Context())
	want := &engine.Vocabulary{
		Skills:        []engine.WordCount{{Word: "go", Documents: 2}, {Word: "sql", Documents: 1}, {Word: "~r d", Documents: 1}},
		UnknownSkills: []engine.WordCount{{Word: "Glaze & Gild", Documents: 1}, {Word: "R&D", Documents: 1}, {Word: "ろくろ", Documents: 1}},
		JobTitles:     []engine.WordCount{{Word: "Painter", Documents: 2}, {Word: "C++ Developer", Documents: 1}, {Word: "painter", Documents: 1}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("vocabulary: %v (-want +got):\n%s", err, diff)
	}
}
