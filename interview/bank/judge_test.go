package bank

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/interview"
)

var update = flag.Bool("update", false, "rewrite golden files")

// A simulated candidate is a question with answers of known level.
type simulated struct {
	ID       string             `json:"id"`
	Language string             `json:"language"`
	Topic    string             `json:"topic"`
	Project  string             `json:"project"`
	Question interview.Question `json:"question"`
	Answers  map[string]string  `json:"answers"`
}

// The folders of the answers that the judge was fitted to, and of others.
const (
	tuningFolder = "../testdata/candidates"
	unseenFolder = "../testdata/candidates/unseen"
)

// candidates reads the committed answers that the judge was fitted to.
func candidates(tb testing.TB) []simulated { return candidatesIn(tb, tuningFolder) }

func candidatesIn(tb testing.TB, folder string) []simulated {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		tb.Fatal(err)
	}
	all := make([]simulated, len(names))
	for i, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		if err := json.Unmarshal(file, &all[i]); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		all[i].Question.By, all[i].Question.Weights = Method, interview.DefaultWeights().ForKind(all[i].Question.Kind)
	}
	return all
}

func openJudge(tb testing.TB) *Judge {
	tb.Helper()
	vectors, err := embedding.Load()
	if err != nil {
		tb.Fatal(err)
	}
	return NewJudge(openBank(tb), vectors)
}

func judge(tb testing.TB, j *Judge, c simulated, answer string) interview.Judgment {
	tb.Helper()
	s := &interview.Subject{Project: c.Project, Language: c.Language}
	out, err := j.Judge(tb.Context(), "", s, &c.Question, answer)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// total returns the score of 0 to 100 for a judgment.
func total(j interview.Judgment, w interview.Weights) int {
	sum := 0
	for _, m := range j.Marks {
		sum += m.Level * w[m.Criterion]
	}
	return sum / interview.BestLevel
}

// The judge puts answers of known level in the right order. Padding and instructions to a model earn nothing.
func TestJudge_OrdersAnswersOfKnownLevel(t *testing.T) {
	j := openJudge(t)
	levels := []string{
		"expert", "good", "average", "weak", "evasive", "no_idea", "opposite", "keywords", "padded", "injected",
	}
	var golden strings.Builder
	fmt.Fprintf(&golden, "%-18s", "")

	for _, level := range levels {
		fmt.Fprintf(&golden, "%9s", level)
	}
	golden.WriteByte('\n')

	for _, folder := range []string{tuningFolder, unseenFolder} {
		for _, c := range candidatesIn(t, folder) {
			got := make(map[string]int)
			fmt.Fprintf(&golden, "%-18s", c.ID)
			for _, level := range levels {
				out := judge(t, j, c, c.Answers[level])
				got[level] = total(out, c.Question.Weights)
				marks := ""
				for _, m := range out.Marks {
					marks += fmt.Sprint(m.Level)
				}

				fmt.Fprintf(&golden, "%5d %3s", got[level], marks)
			}

			golden.WriteByte('\n')
			switch {
			case got["expert"] <= got["weak"] || got["good"] <= got["weak"] || got["expert"] < got["average"]:
				t.Errorf("%s: expert, good, average and weak are in the wrong order: %v", c.ID, got)
			case got["average"] < got["weak"] || got["average"] < got["evasive"]:
				t.Errorf("%s: average is below weak or evasive: %v", c.ID, got)
			case got["padded"] > got["average"] || got["injected"] > got["weak"]:
				t.Errorf("%s: padding or instructions raise the score: %v", c.ID, got)
			case got["no_idea"] != 0:
				t.Errorf("%s: %q gets %d", c.ID, c.Answers["no_idea"], got["no_idea"])
			}

			if folder == tuningFolder && (got["expert"] < 90 || got["good"] < 80) {
				t.Errorf("%s: expert must get at least 90, good 80: %v", c.ID, got)
			}
		}
	}

	name := filepath.Join("testdata", "marks.golden")
	if *update {
		if err := os.WriteFile(name, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), golden.String()); diff != "" {
		t.Error(diff)
	}
}

// The committed answers are to questions of the bank. With -update, the files get the bank's questions.
func TestCandidates_HaveQuestionsOfTheBank(t *testing.T) {
	b := openBank(t)
	for _, folder := range []string{tuningFolder, unseenFolder} {
		for _, c := range candidatesIn(t, folder) {
			e := b.editions[c.Language]
			if e == nil || e.texts[c.Topic] == nil || e.texts[c.Topic].question(c.Question.Kind) == nil {
				t.Errorf("%s: the bank has no %s question %q in %s", c.ID, c.Question.Kind, c.Topic, c.Language)
				continue
			}

			about := skill(t, b, c.Question.Skill)
			f := b.filler(&interview.Subject{
				Project: c.Project, Language: c.Language, Skills: []interview.Skill{about},
			}, e)
			own := e.texts[c.Topic].question(c.Question.Kind)
			text, ok := f.fill(own.text, &about)
			if !ok {
				t.Errorf("%s: the question needs a name that is missing: %s", c.ID, own.text)
			}

			want := fileQuestion{
				ID: "q1", Text: text, Skill: c.Question.Skill, Kind: own.kind,
				Difficulty: b.editions[fallback].texts[c.Topic].question(own.kind).difficulty,
				Expected:   own.expected, Points: own.pointTexts(),
			}
			for _, a := range own.anchors {
				want.Anchors = append(want.Anchors, fileAnchor(a))
			}

			file := filepath.Join(folder, c.ID+".json")
			if *update {
				want.replaceIn(t, file)
				continue
			}

			got := fileQuestion{
				ID: c.Question.ID, Text: c.Question.Text, Skill: c.Question.Skill, Kind: c.Question.Kind,
				Difficulty: c.Question.Difficulty, Expected: c.Question.Expected, Points: c.Question.Points,
			}
			for _, a := range c.Question.Anchors {
				got.Anchors = append(got.Anchors, fileAnchor(a))
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s differs from the bank; run the tests with -update:\n%s", file, diff)
			}
		}
	}
}

// A fileQuestion is a question as the files of committed answers have it.
type fileQuestion struct {
	ID         string               `json:"id"`
	Text       string               `json:"text"`
	Skill      string               `json:"skill"`
	Kind       interview.Kind       `json:"kind"`
	Difficulty interview.Difficulty `json:"difficulty"`
	Expected   string               `json:"expected"`
	Points     []string             `json:"points"`
	Anchors    []fileAnchor         `json:"anchors"`
}

type fileAnchor struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// replaceIn replaces the question in a file. It keeps the other text, including the order of the answers.
func (q *fileQuestion) replaceIn(tb testing.TB, file string) {
	tb.Helper()
	old, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}

	before, rest, found := strings.Cut(string(old), "  \"question\": ")
	_, after, foundAnswers := strings.Cut(rest, "  \"answers\": ")
	if !found || !foundAnswers {
		tb.Fatalf("%s: question or answers missing", file)
	}

	var question bytes.Buffer
	encoder := json.NewEncoder(&question)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("  ", "  ")

	if err := encoder.Encode(q); err != nil {
		tb.Fatal(err)
	}
	updated := before + "  \"question\": " + strings.TrimSpace(question.String()) + ",\n  \"answers\": " + after
	if err := os.WriteFile(file, []byte(updated), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func TestJudge_Remarks(t *testing.T) {
	j := openJudge(t)
	all := candidates(t)
	c := all[slices.IndexFunc(all, func(c simulated) bool { return c.ID == "react-state" })]
	const spanish = "Guardo el estado cerca del componente que lo usa y lo subo al padre común solo cuando varios lo " +
		"comparten. Lo que sigue de otros datos no lo guardo, y los del servidor van en una caché aparte."
	tests := map[string]struct {
		answer string
		want   []interview.Remark
	}{
		"good":      {c.Answers["good"], nil},
		"too short": {"I use hooks.", []interview.Remark{interview.RemarkTooShort}},
		"repetitive": {
			strings.Repeat("I lift state up to the common parent when it is shared. ", 6),
			[]interview.Remark{interview.RemarkRepetitive},
		},
		"off topic": {
			"My grandmother baked wonderful bread every Sunday morning and the whole village came to eat with us.",
			[]interview.Remark{interview.RemarkOffTopic},
		},
		"language": {spanish, []interview.Remark{interview.RemarkLanguage}},
		"empty":    {" \n ", []interview.Remark{interview.RemarkTooShort}},
		"copied": {
			c.Question.Text + " " + c.Question.Expected,
			[]interview.Remark{interview.RemarkRepetitive, interview.RemarkTooShort},
		},
		"copied from rubric": {
			strings.Join(c.Question.Points, ". "),
			[]interview.Remark{interview.RemarkRepetitive, interview.RemarkTooShort},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out := judge(t, j, c, tt.answer)
			got := slices.Sorted(slices.Values(out.Remarks))
			want := slices.Sorted(slices.Values(tt.want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%+v", diff, out)
			}

			if out.Feedback == "" {
				t.Error("got no feedback")
			}
		})
	}
}

func TestJudge_AdmittedIgnoranceCoversNoPoint(t *testing.T) {
	j := openJudge(t)
	all := candidates(t)
	c := all[slices.IndexFunc(all, func(c simulated) bool { return c.ID == "react-state" })]
	out := judge(t, j, c, "I have never used TanStack Query or the profiler.")
	if len(out.Covered) != 0 {
		t.Errorf("covered %v, want no point", out.Covered)
	}
	out = judge(t, j, c, "I have never used TanStack Query, but I keep local state in the component.")
	if !slices.Equal(out.Covered, []int{0}) {
		t.Errorf("covered %v, want the first point", out.Covered)
	}
	out = judge(t, j, c, "lift state, derived, react query, profiler, useeffect")
	if len(out.Covered) > 1 {
		t.Errorf("a list of keywords covered %v, want at most one point", out.Covered)
	}
}

func TestJudge_NoIdea(t *testing.T) {
	j := openJudge(t)
	all := candidates(t)
	c := all[slices.IndexFunc(all, func(c simulated) bool { return c.ID == "react-state" })]
	for answer, want := range map[string]bool{
		"No idea, sorry.":            true,
		"I don't know.":              true,
		"no sé":                      true,
		"No lo sé, perdón.":          true,
		"Keine Ahnung.":              true,
		"Das weiß ich leider nicht.": true,
		"je ne sais pas":             true,
		"Não sei, desculpe.":         true,
		"Pass":                       true,
		"Sorry, I have never worked with React, so I can't say anything about it.":                                  true,
		"I don't know, but I would ask the team.":                                                                   true,
		"I haven't used React, but I would keep local state in the component and derive the rest while it renders.": false,
		"I use hooks.":       false,
		"I pass props down.": false,
		"It depends.":        false,
	} {
		out := judge(t, j, c, answer)
		if got := slices.Contains(out.Remarks, interview.RemarkNoIdea); got != want {
			t.Errorf("%q: remarks are %v, want %s: %v", answer, out.Remarks, interview.RemarkNoIdea, want)
		}

		if got := total(out, c.Question.Weights); want != (got == 0) {
			t.Errorf("%q: total %d", answer, got)
		}
	}
}

// What the writer rejects or finds useless covers nothing, unless the point is about what not to do.
func TestJudge_RejectedIdeasCoverNoPoint(t *testing.T) {
	j := openJudge(t)
	all := candidates(t)
	c := all[slices.IndexFunc(all, func(c simulated) bool { return c.ID == "react-state" })]
	for answer, want := range map[string]int{
		"I would colocate the state first, and then look at what is left to change in the code.": 1,
		"I would not colocate the state.":                                           0,
		"You don't need to colocate state, it is slow anyway.":                      0,
		"To colocate the state is useless in practice.":                             0,
		"I would not change anything in the component before I colocate its state.": 1,
		"Good words for React are colocated, siblings, derived, tanstack, zustand":  0,
		"This answer covers how to colocate the state of React.":                    0,
	} {
		if out := judge(t, j, c, answer); len(out.Covered) != want {
			t.Errorf("%q covers %v, want %d points", answer, out.Covered, want)
		}
	}
}

// A question that has no weight for experience is not marked for it, and its feedback does not ask for a story.
func TestJudge_KnowledgeNeedsNoAnecdote(t *testing.T) {
	j := openJudge(t)
	all := candidates(t)
	c := all[slices.IndexFunc(all, func(c simulated) bool { return c.ID == "react-state" })]
	out := judge(t, j, c, "State stays in the component that uses it and is lifted to the closest common parent when a "+
		"second component needs it. What follows from other state is computed during render, because copies drift apart. "+
		"Server data is a cache, so it belongs in TanStack Query. Before memoizing, look at the profiler.")
	if got := total(out, c.Question.Weights); got < 90 {
		t.Errorf("total %d, want at least 90: %+v", got, out)
	}

	for _, m := range out.Marks {
		if m.Criterion == interview.Experience {
			t.Errorf("got a mark for experience: %+v", m)
		}
	}

	feedback := j.bank.phrases("en")
	for _, text := range []string{feedback["no own work"], feedback["no result"]} {
		if slices.Contains(out.Improvements, text) {
			t.Errorf("improvements contain %q", text)
		}
	}

	if want := "5 of 5 points covered: Keeps state local"; !strings.HasPrefix(out.Feedback, want) {
		t.Errorf("feedback %q, want it to begin with %q", out.Feedback, want)
	}
	c.Question.Weights = interview.DefaultWeights()
	if out = judge(t, j, c, c.Answers["good"]); len(out.Marks) != 3 {
		t.Errorf("got marks %+v, want three", out.Marks)
	}
}

// A change of a number is a result, in digits and in words, also without a verb that the judge knows.
func TestJudge_ChangesOfNumbersAreResults(t *testing.T) {
	b := openBank(t)
	for text, want := range map[string]bool{
		"en: Bugs per month fell from five to one.":            true,
		"en: The list went from 40 to 12 ms.":                  true,
		"en: Loading came from 48 seconds to 0.3 seconds.":     true,
		"en: That cut our bill by half.":                       true,
		"en: It runs in 0.3 s instead of 48 s now.":            true,
		"en: I worked from Monday to Friday.":                  false,
		"en: I moved the service from one team to the other.":  false,
		"de: Die Fehler gingen von fünf auf einen zurück.":     true,
		"de: Die Ladezeit ging um die Hälfte zurück.":          true,
		"es: Los errores pasaron de cinco a uno.":              true,
		"es: La página quedó en 12 ms en lugar de 40.":         true,
		"fr: Les erreurs sont passées de cinq à une par mois.": true,
		"fr: La facture a diminué de moitié.":                  true,
		"pt: Os erros foram de cinco para um por mês.":         true,
		"pt: A fatura caiu pela metade.":                       true,
	} {
		language, text, _ := strings.Cut(text, ": ")
		words := split(text)[0].words
		if got := b.editions[language].words.changesNumber(words); got != want {
			t.Errorf("%s: %q changes a number: %v, want %v", language, words, got, want)
		}
	}
}

// Questions from clients and models have no cues, so the judge looks for the words of their points.
func TestJudge_QuestionsWithoutCues(t *testing.T) {
	j := openJudge(t)
	s := &interview.Subject{Language: "en"}
	q := &interview.Question{
		ID: "q1", Text: "How do you roll out a new version of the billing service?", By: "client",
		Points: []string{"Deploys to a small share of traffic first", "Has a tested way to roll back the database migration"},
	}

	answer := "I deploy the new version to a small share of traffic, two percent in March, and watch errors. " +
		"The database migration has a rollback that we tested on staging, so going back takes four minutes."
	out, err := j.Judge(t.Context(), "", s, q, answer)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]int{0, 1}, out.Covered); diff != "" {
		t.Error(diff)
	}
	q.Points = nil
	if out, err = j.Judge(t.Context(), "", s, q, answer); err != nil {
		t.Fatal(err)
	}

	for _, m := range out.Marks {
		if m.Criterion == interview.Technical {
			t.Errorf("got %+v for a question without points", m)
		}
	}
}

// Any answer gets valid levels, evidence that it contains, and the same marks again.
func FuzzJudge(f *testing.F) {
	j := openJudge(f)
	all := candidates(f)
	for i, c := range all[:3] {
		f.Add(i, c.Answers["injected"])
	}

	f.Add(0, "\xff\xfe. \u2028 i\u0307 \U000e0041;;;?!\n\n\n- ")
	for _, hostile := range []string{"never used but ", "QUFB", "i ", "测试", "&#73;", "[(<"} {
		f.Add(1, strings.Repeat(hostile, 300))
	}

	f.Fuzz(func(t *testing.T, which int, answer string) {
		c := all[uint(which)%uint(len(all))]
		out := judge(t, j, c, answer)
		if diff := cmp.Diff(out, judge(t, j, c, answer)); diff != "" {
			t.Error(diff)
		}

		valid := strings.ToValidUTF8(answer, " ")
		for _, m := range out.Marks {
			if m.Level < interview.NoAnswer || m.Level > interview.BestLevel {
				t.Errorf("level %d", m.Level)
			}

			for _, e := range m.Evidence {
				if e == "" || !strings.Contains(valid, e) {
					t.Errorf("evidence %q is not in the answer", e)
				}
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	j := openJudge(b)
	c := candidates(b)[0]
	answers := map[string]string{
		"words=120": c.Answers["expert"],
		"kB=20":     strings.Repeat("Nunca he usado eso pero la llame, i g n o r e y medi 40 pedidos. ", 400),
	}
	for name, answer := range answers {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				judge(b, j, c, answer)
			}
		})
	}
}
