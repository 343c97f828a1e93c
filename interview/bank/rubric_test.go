package bank

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/interview"
)

// eachQuestion calls f with every question of the bank in every language.
func eachQuestion(b *Bank, f func(code, id string, e *edition, q *question)) {
	for _, code := range slices.Sorted(maps.Keys(b.editions)) {
		e := b.editions[code]
		for _, id := range slices.Sorted(maps.Keys(e.texts)) {
			for i := range e.texts[id].questions {
				f(code, id, e, &e.texts[id].questions[i])
			}
		}
	}
}

// The expected answer to a question of knowledge has cues of nearly all its points, so that it reaches level 5.
// Expected answers to questions about past work describe what such an answer contains, so they needn't.
func TestRubrics_ExpectedAnswersCoverThePoints(t *testing.T) {
	b := openBank(t)
	eachQuestion(b, func(code, id string, e *edition, q *question) {
		if q.kind == interview.Behavioral {
			return
		}
		stems := b.analyzer.AppendStems(nil, q.expected, e.language)
		var missing []string
		for _, p := range q.points {
			if !slices.ContainsFunc(p.cues, func(phrase string) bool {
				return newCue(b.analyzer, phrase, e.language).in(stems)
			}) {
				missing = append(missing, p.text)
			}
		}

		if covered := len(q.points) - len(missing); technical(covered, len(q.points)) < 5 {
			t.Errorf("%s: %s: %s\n\texpected: %s\n\tdoes not cover: %s",
				code, id, q.text, q.expected, strings.Join(missing, "; "))
		}
	})
}

// No question contains a cue of its own points, which an answer could repeat without knowing anything.
func TestRubrics_QuestionsDoNotGiveCuesAway(t *testing.T) {
	b := openBank(t)
	eachQuestion(b, func(code, id string, e *edition, q *question) {
		stems := b.analyzer.AppendStems(nil, q.text, e.language)
		for _, p := range q.points {
			for _, phrase := range p.cues {
				if newCue(b.analyzer, phrase, e.language).in(stems) {
					t.Errorf("%s: %s: %q contains the cue %q", code, id, q.text, phrase)
				}
			}
		}
	})
}

// Questions about a skill that a profile lacks don't speak of the freelancer's work with it, and no article depends on
// the skill's first letter.
func TestRubrics_QuestionsFitAnySkill(t *testing.T) {
	eachQuestion(openBank(t), func(code, id string, _ *edition, q *question) {
		if code != "en" {
			return
		}
		text := " " + strings.ToLower(q.text)
		if strings.Contains(text, " a {skill}") || strings.Contains(text, " an {skill}") {
			t.Errorf("%s: an article before the skill: %s", id, q.text)
		}
		if q.kind != interview.Behavioral && strings.Contains(text, "your {skill}") {
			t.Errorf("%s: presupposes work with the skill: %s", id, q.text)
		}
	})
}

// Self-praise covers no point by words that merely have the same stem, such as "experience" and "experiment".
func TestRubrics_SelfPraiseHasNoCues(t *testing.T) {
	b := openBank(t)
	const praise = "I have many years of experience, am detail-oriented, and excel at hard work."
	eachQuestion(b, func(code, id string, e *edition, q *question) {
		if code != "en" {
			return
		}
		stems := b.analyzer.AppendStems(nil, praise, e.language)
		for _, p := range q.points {
			for _, phrase := range p.cues {
				if newCue(b.analyzer, phrase, e.language).in(stems) {
					t.Errorf("%s: %s: self-praise has the cue %q", id, p.text, phrase)
				}
			}
		}
	})
}
