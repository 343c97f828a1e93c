package bank

import (
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/taxonomy"
)

// sharedBank opens the bank once for all tests, because loading the taxonomy takes longer than most tests.
var sharedBank = sync.OnceValues(func() (*Bank, error) {
	t, err := taxonomy.Load()
	if err != nil {
		return nil, err
	}
	return Open(t, analysis.New())
})

func openBank(tb testing.TB) *Bank {
	tb.Helper()
	b, err := sharedBank()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestOpen_CompleteLanguages(t *testing.T) {
	b := openBank(t)
	if diff := cmp.Diff([]string{"en", "es"}, b.Languages()); diff != "" {
		t.Error(diff)
	}
	questions := 0
	kinds := make(map[interview.Kind]int)
	for _, tp := range b.topics {
		for _, q := range tp.questions {
			questions++
			kinds[q.kind]++
		}
	}
	t.Logf("%d topics, %d questions in each language, %v", len(b.topics), questions, kinds)
	if len(b.places.skills) < 40 || questions < 200 {
		t.Errorf("got %d skills and %d questions, want at least 40 and 200", len(b.places.skills), questions)
	}
}

// Every point has at least three cues, and every question has a reasonable length.
func TestOpen_CuesAndLengths(t *testing.T) {
	b := openBank(t)
	for _, code := range b.Languages() {
		for id, texts := range b.editions[code].texts {
			for _, q := range texts.questions {
				if n := len(words(q.text)); n < 7 || n > 60 {
					t.Errorf("%s: %s: a question has %d words, want 7 to 60", code, id, n)
				}
				for _, p := range q.points {
					if len(p.cues) < 3 {
						t.Errorf("%s: %s: %d cues for %q, want at least 3", code, id, len(p.cues), p.text)
					}
				}
			}
		}
	}
}

func TestOpen_Faults(t *testing.T) {
	good := "== a = any\nT easy What is it?\n= It.\n- One | one thing\n- Two | two things\n" +
		"- Three | three things\n1 a\n3 b\n5 c\n> And?\n"
	tests := map[string]struct{ topics, want string }{
		"unknown difficulty": {strings.Replace(good, "easy", "simple", 1), "difficulty is \"simple\""},
		"too few points":     {strings.Replace(good, "- Two | two things\n", "", 1), "2 points, want 3 to 6"},
		"unknown skill":      {strings.Replace(good, "= any", "= Zorbing Quux", 1), "no skill \"Zorbing Quux\""},
		"unknown category":   {strings.Replace(good, "= any", "= category Zorbing", 1), "no category \"Zorbing\""},
		"anchor missing":     {strings.Replace(good, "3 b\n", "", 1), "anchors must be of levels"},
		"second rubric missing": {
			good + "S hard What would you do about it?\n", `"What would you do about it?": expected answer missing`,
		},
		"rubric without question": {strings.Replace(good, "T easy What is it?\n", "", 1), "before the first question"},
		"unknown placeholder":     {strings.Replace(good, "is it", "is {it}", 1), "unknown placeholder {it}"},
		"placeholder of the brief": {
			strings.Replace(good, "is it", "is {scale}", 1), "{scale} must be in brackets",
		},
		"open bracket":    {strings.Replace(good, "is it", "is [it", 1), "unbalanced brackets"},
		"duplicate topic": {good + good, "duplicate topic"},
		"unknown sign":    {strings.Replace(good, "> And?", "? And?", 1), "line 10: topic a: unknown sign"},
		"empty cue":       {strings.Replace(good, "one thing", "the", 1), "has only stop words"},
	}

	b := openBank(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{"en/topics/a.txt": {Data: []byte(tt.topics)}}
			for _, f := range []string{"en/words.txt", "en/phrases.txt", "en/brief.txt"} {
				content, err := data.ReadFile("data/" + f)
				if err != nil {
					t.Fatal(err)
				}
				files[f] = &fstest.MapFile{Data: content}
			}

			opened, err := open(b.taxonomy, b.analyzer, files)
			if err == nil {
				err = opened.checkCues()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestCues_HaveStems(t *testing.T) {
	if err := openBank(t).checkCues(); err != nil {
		t.Error(err)
	}
}
