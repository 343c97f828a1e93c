package enginetest

import (
	"fmt"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

func words(titles, unknown []string) func(*engine.Document) {
	return func(d *engine.Document) { d.JobTitles, d.UnknownSkills = titles, unknown }
}

func testVocabulary(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("a", words([]string{"Painter", "C++ Developer"}, []string{"Glaze & Gild", "R&D"}),
			skill("go", matching.Listed)),
		document("b", words([]string{"Painter"}, []string{"ろくろ"}),
			skill("go", matching.InText), skill("~r d", matching.Listed)),
		document("c", words([]string{"Replaced"}, []string{"Replaced"}), skill("cobol", matching.Listed)),
		document("d"),
		document("c", words([]string{"painter"}, nil), skill("sql", matching.Implied)))

	v, err := s.Vocabulary(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		list string
		got  []engine.WordCount
		want string
	}{
		{"skills", v.Skills, "[{go 2} {sql 1} {~r d 1}]"},
		{"unknown skills", v.UnknownSkills, "[{Glaze & Gild 1} {R&D 1} {ろくろ 1}]"},
		{"job titles", v.JobTitles, "[{Painter 2} {C++ Developer 1} {painter 1}]"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s = %s, want %s", c.list, got, c.want)
		}
	}
}
