package sessions

import (
	"testing"

	"github.com/freelancer-matching/service/interview"
)

func TestOwnWorkPhrases(t *testing.T) {
	asks := []string{
		"Tell me about a time when a release failed.",
		"How did you find out why a React page was slow?",
		"Have you ever migrated a database?",
		"Cuéntame de un proyecto que salió mal.",
		"¿Qué has hecho con PostgreSQL?",
		"Beschreiben Sie ein Projekt, das Sie geleitet haben.",
		"Parlez-moi d'un client difficile.",
		"Você já trabalhou com Docker?",
	}

	other := []string{
		"What is a join?",
		"How would you find out why a query is slow?",
		"In your own words, what is an index?",
		"Explain how you would test a payment form.",
		"Tell me about the difference between TCP and UDP.",
		"¿Qué es un índice?",
		"Wie würden Sie eine langsame Abfrage untersuchen?",
		"Qu'est-ce qu'une jointure ?",
		"O que é um índice?",
	}

	phrases := ownWorkPhrases()
	for _, text := range asks {
		if !phrases.in(text) {
			t.Errorf("%q asks for own work", text)
		}
	}

	for _, text := range other {
		if phrases.in(text) {
			t.Errorf("%q doesn't ask for own work", text)
		}
	}
}

func TestSpread(t *testing.T) {
	skills := []interview.Skill{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e"}}
	for _, tt := range []struct {
		skills, questions int
		want              string
	}{
		{0, 5, ""},
		{1, 1, "a"},
		{1, 4, "aaaa"},
		{1, 5, "aaaa"},
		{3, 5, "abca"},
		{4, 5, "abcd"},
		{5, 5, "abcde"},
		{5, 3, "abc"},
		{2, 10, "abababab"},
	} {
		var got string
		for _, s := range spread(skills[:tt.skills], tt.questions) {
			got += s.Name
		}

		if got != tt.want {
			t.Errorf("%d skills, %d questions: got %s, want %s", tt.skills, tt.questions, got, tt.want)
		}
	}
}
