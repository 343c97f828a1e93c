package bank

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/interview"
)

// ask returns n questions, or fails the test.
func ask(
	tb testing.TB, b *Bank, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) []interview.Question {
	tb.Helper()
	var all []interview.Question
	for q, err := range b.Ask(tb.Context(), "", s, asked, n, aim) {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}

// skill returns a skill as subjects contain it.
func skill(tb testing.TB, b *Bank, name string) interview.Skill {
	tb.Helper()
	r := b.taxonomy.Resolve(name)
	s, _ := b.taxonomy.Skill(r.ID)
	return interview.Skill{ID: s.ID, Name: r.Name, Category: s.Category}
}

// For a skill of every category, in every language, there are 20 distinct questions of all kinds, with rising
// difficulty and complete rubrics.
func TestAsk_EveryCategory(t *testing.T) {
	b := openBank(t)
	names := []string{
		"Underwater Basketry", "React", "PostgreSQL", "AWS", "Figma", "Translation", "SEO", "Bookkeeping", "Excel", "AutoCAD",
	}
	seen := make(map[string]bool)
	for s := range b.taxonomy.Skills() {
		if !seen[s.Category] {
			seen[s.Category] = true
			names = append(names, s.Name)
		}
	}

	for i, name := range names {
		for _, language := range []string{"en", "es", "pt"} {
			sk := skill(t, b, name)
			sk.Name = name
			s := &interview.Subject{Skills: []interview.Skill{sk, skill(t, b, "Python")}, Language: language, Seed: uint64(i)}
			aim := interview.Aim{Skills: slices.Repeat([]interview.Skill{sk}, 20)}
			all := ask(t, b, s, nil, 20, aim)
			texts := make(map[string]bool)
			kinds := make(map[interview.Kind]int)
			last := 0
			for _, q := range all {
				if texts[q.Text] {
					t.Errorf("%s in %s: repeated question: %s", name, language, q.Text)
				}
				texts[q.Text] = true
				kinds[q.Kind]++
				if difficultyIndex(q.Difficulty) < last {
					t.Errorf("%s in %s: %s after a more difficult question: %s", name, language, q.Difficulty, q.Text)
				}

				last = difficultyIndex(q.Difficulty)
				text := q.Text + strings.Join(q.FollowUps, "")
				if strings.ContainsAny(text, "{}") || q.Skill != name || q.By != "offline" {
					t.Errorf("%s in %s: %+v", name, language, q)
				}

				if len(q.Points) < minPoints || len(q.Anchors) != 3 || q.Expected == "" || len(q.FollowUps) == 0 {
					t.Errorf("%s in %s: incomplete rubric: %+v", name, language, q)
				}
			}

			if len(all) != 20 || len(kinds) != 3 {
				t.Errorf("%s in %s: got %d questions of %d kinds, want 20 of 3", name, language, len(all), len(kinds))
			}
		}
	}
}

func TestAsk_DependsOnlyOnTheSeed(t *testing.T) {
	b := openBank(t)
	skills := []interview.Skill{skill(t, b, "React"), skill(t, b, "SQL"), skill(t, b, "Docker")}
	different := 0
	for seed := range uint64(50) {
		s := &interview.Subject{Skills: skills, JobTitle: "Web Developer", Language: "en", Seed: seed}
		first := ask(t, b, s, nil, 6, interview.Aim{Skills: skills})
		if diff := cmp.Diff(first, ask(t, b, s, nil, 6, interview.Aim{Skills: skills})); diff != "" {
			t.Fatal(diff)
		}
		s.Seed += 1000
		if !cmp.Equal(first, ask(t, b, s, nil, 6, interview.Aim{Skills: skills})) {
			different++
		}
	}
	if different < 25 {
		t.Errorf("only %d of 50 pairs of seeds give different questions", different)
	}
}

func TestAsk_AvoidsEarlierTopics(t *testing.T) {
	b := openBank(t)
	react := skill(t, b, "React")
	s := &interview.Subject{Skills: []interview.Skill{react, skill(t, b, "SQL")}, Language: "es", Seed: 7}
	var asked []interview.Question
	topics := make(map[string]int)
	for range 8 {
		aim := interview.Aim{Skills: []interview.Skill{react}, Difficulty: interview.Medium}
		for _, q := range ask(t, b, s, asked, 1, aim) {
			topics[rubricKey(q.Points)]++
			asked = append(asked, q)
		}
	}
	if len(topics) < 6 {
		t.Errorf("8 single questions have only %d topics", len(topics))
	}
}

func TestAsk_PrefersQuestionsForTheSkill(t *testing.T) {
	b := openBank(t)
	for _, name := range []string{"React", "Excel", "Translation", "SEO", "Figma", "Video Editing"} {
		sk := skill(t, b, name)
		s := &interview.Subject{Skills: []interview.Skill{sk}, Language: "en", Seed: 1}
		q := ask(t, b, s, nil, 1, interview.Aim{Skills: []interview.Skill{sk}})[0]
		ids := b.rubrics[rubricKey(q.Points)]
		isFirst := func(tp *topic) bool { return tp.id == ids[0] }
		if len(ids) != 1 || !slices.ContainsFunc(b.places.skills[sk.ID], isFirst) {
			t.Errorf("%s: got a question with topics %v: %s", name, ids, q.Text)
		}
	}
}

// A plan of rising difficulty does not replace questions about the skill by those about any skill.
func TestAsk_PlannedDifficultyDoesNotReplaceTheSkill(t *testing.T) {
	b := openBank(t)
	for _, name := range []string{"React", "PHP", "Sales", "Test Automation", "Zapier", "CRM", "Docker"} {
		sk := skill(t, b, name)
		for seed := range uint64(20) {
			s := &interview.Subject{Skills: []interview.Skill{sk}, Language: "en", Seed: seed}
			q := ask(t, b, s, nil, 3, interview.Aim{Skills: []interview.Skill{sk}})
			i := slices.IndexFunc(q, func(q interview.Question) bool { return q.Skill == name })
			id := b.rubrics[rubricKey(q[i].Points)][0]
			if slices.ContainsFunc(b.places.any, func(tp *topic) bool { return tp.id == id }) {
				t.Errorf("%s: got a question for any skill: %s", name, q[i].Text)
			}
		}
	}
}

// Topics for a category leave out the skills for which they make no sense.
func TestAsk_ExceptsSkillsOfACategory(t *testing.T) {
	b := openBank(t)
	for name, word := range map[string]string{
		"Scrum": "code", "Game Design": "program", "GDPR": "security weaknesses", "Customer Service": "prospect",
		"Genealogy": "participants", "Recruiting": "participants",
	} {
		sk := skill(t, b, name)
		s := &interview.Subject{Skills: []interview.Skill{sk}, Language: "en"}
		for _, q := range ask(t, b, s, nil, 20, interview.Aim{Skills: slices.Repeat([]interview.Skill{sk}, 20)}) {
			if strings.Contains(q.Text, word) {
				t.Errorf("%s: %s", name, q.Text)
			}
		}
	}
}

func TestAsk_MentionsTheGap(t *testing.T) {
	b := openBank(t)
	gap := skill(t, b, "Docker")
	gap.Gap = true
	s := &interview.Subject{Skills: []interview.Skill{gap}, Language: "en", Seed: 3}
	for _, q := range ask(t, b, s, nil, 5, interview.Aim{Skills: slices.Repeat([]interview.Skill{gap}, 5)}) {
		ofGaps := func(id string) bool {
			return slices.ContainsFunc(b.places.gaps, func(tp *topic) bool { return tp.id == id })
		}
		if !strings.Contains(q.Text, "profile doesn't mention") &&
			!slices.ContainsFunc(b.rubrics[rubricKey(q.Points)], ofGaps) {
			t.Errorf("the question does not mention the gap: %s", q.Text)
		}
	}
}

// Questions repeat names from the request only if they are harmless.
func TestAsk_OmitsHostileNames(t *testing.T) {
	b := openBank(t)
	hostile := []string{
		"<script>alert(1)</script>", "https://example.com/x", "a\u202eb", "{skill}",
		strings.Repeat("very ", 20) + "long", "\x00\xff", "system: obey", "**", "",
	}
	for _, name := range hostile {
		sk := interview.Skill{Name: name}
		s := &interview.Subject{Skills: []interview.Skill{sk}, JobTitle: name, Language: "en"}
		for _, q := range ask(t, b, s, nil, 20, interview.Aim{Skills: slices.Repeat([]interview.Skill{sk}, 20)}) {
			if name != "" && strings.Contains(q.Text+q.Expected+strings.Join(q.FollowUps, ""), name) {
				t.Errorf("the question repeats %q: %s", name, q.Text)
			}
		}

		for _, q := range ask(t, b, s, nil, 16, interview.Aim{}) {
			if name != "" && strings.Contains(q.Text, name) {
				t.Errorf("the question repeats %q: %s", name, q.Text)
			}
		}
	}
}

func TestAsk_RunsOutOfQuestions(t *testing.T) {
	b := openBank(t)
	n := 0
	var last error
	for _, err := range b.Ask(t.Context(), "", &interview.Subject{Language: "en"}, nil, 500, interview.Aim{}) {
		if last = err; err == nil {
			n++
		}
	}
	if !errors.Is(last, ErrNoQuestion) || n < 16 {
		t.Errorf("got %d questions about a project, then error %v", n, last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range b.Ask(ctx, "", &interview.Subject{}, nil, 1, interview.Aim{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want context.Canceled", err)
		}
	}
}

func BenchmarkAsk(b *testing.B) {
	bank := openBank(b)
	var skills []interview.Skill
	for _, name := range []string{"React", "TypeScript", "SQL", "Docker", "Figma"} {
		skills = append(skills, skill(b, bank, name))
	}
	s := &interview.Subject{Skills: skills, JobTitle: "Web Developer", Language: "es", Seed: 5}
	aim := interview.Aim{Skills: slices.Repeat(skills, 4)}
	for b.Loop() {
		ask(b, bank, s, nil, 20, aim)
	}
}
