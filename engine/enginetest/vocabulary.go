package enginetest

import (
	"fmt"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// words returns a setter of the words that a Vocabulary counts beside skills.
func words(titles, unknownSkills []string) func(*engine.Document) {
	return func(d *engine.Document) {
		d.JobTitles = titles
		d.UnknownSkills = unknownSkills
	}
}

// testVocabulary counts how many documents use each skill and word. Lists come by descending count, and words of equal
// count in byte order, where capital letters precede small ones and other alphabets come last.
func testVocabulary(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		// Words count as they are written, with their punctuation.
		document("a", words([]string{"Painter", "C++ Developer"}, []string{"Glaze & Gild", "R&D"}),
			skill("go", matching.Listed)),
		// A skill counts whatever the evidence for it. "~" begins the id of a skill that the taxonomy doesn't know.
		document("b", words([]string{"Painter"}, []string{"ろくろ"}),
			skill("go", matching.InText), skill("~r d", matching.Listed)),
		document("without words"),
		// The second document with an id replaces the first one, whose words must not count.
		document("c", words([]string{"Replaced"}, []string{"Replaced"}), skill("cobol", matching.Listed)),
		document("c", words([]string{"painter"}, nil), skill("sql", matching.Implied)))

	vocabulary, err := s.Vocabulary(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		list string
		got  []engine.WordCount
		want string
	}{
		{"skills", vocabulary.Skills, "[{go 2} {sql 1} {~r d 1}]"},
		{"unknown skills", vocabulary.UnknownSkills, "[{Glaze & Gild 1} {R&D 1} {ろくろ 1}]"},
		{"job titles", vocabulary.JobTitles, "[{Painter 2} {C++ Developer 1} {painter 1}]"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s = %s, want %s", c.list, got, c.want)
		}
	}
}
