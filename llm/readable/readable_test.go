package readable

import (
	"strings"
	"testing"
)

// Nonsense comes from a model with random weights whose replies llama.cpp made fit the schema.
func TestCheckQuestion_Nonsense(t *testing.T) {
	tests := map[string]string{
		"signs":                 "}{)(&^ #@! ~~ ||| %%% a",
		"digits without words":  "777702 90 4 1234567?",
		"a control character":   "How do you find\x01 a slow query?",
		"an escape sequence":    "How do you find \x1b[31m a slow query?",
		"an invalid character":  "How do you find \uFFFD a slow query?",
		"a zero-width space":    "How do you find a\u200b slow query?",
		"an endless word":       "How do you " + strings.Repeat("longif", 20) + "?",
		"a word in a row":       "Which state skill skill skill do you describe?",
		"a few words":           "With first were state with first were state with were first with state were with?",
		"a fragment":            " been statemos been with with will code into and inifV with first state shew",
		"one word":              "Explaindescribe?",
		"ends with a comma":     "How do you find a slow query, and then,",
		"ends within a bracket": "How do you find a slow query (with",
	}
	for name, text := range tests {
		err := Check(text)
		if err == nil {
			err = CheckQuestion(text)
		}

		if err == nil {
			t.Errorf("%s: accepted %q", name, text)
		}
	}
}

func TestCheckQuestion_Questions(t *testing.T) {
	tests := []string{
		"How do you find out why a query is slow?",
		"What does `for i := range ch { wg.Go(func() { f(i) }) }` do?",
		`What is wrong with "SELECT * FROM t WHERE id IN (SELECT …)"?`,
		"Tell me about a time when a release went wrong.",
		"What, very, very roughly, does a move to Kubernetes 1.33 cost (in days)?",
		"¿Cómo encuentra usted la causa de una consulta lenta?",
		"Wie erklären Sie die Donaudampfschifffahrtsgesellschaftskapitänswitwe in einem Satz?",
		"Que feriez-vous si le client changeait d'avis\u00a0?",
		"Como explicaria uma consulta lenta a um cliente?",
		"Почему запрос медленный, и как это выяснить?",
		"Πώς βρίσκετε γιατί αργεί ένα ερώτημα;",
		"如何找出查询缓慢的原因？",
		"クエリが遅い原因をどのように調べますか",
		"คุณจะหาสาเหตุที่คิวรีช้าได้อย่างไร",
		"كيف تكتشف سبب بطء الاستعلام؟",
		"느린 쿼리의 원인을 어떻게 찾습니까?",
		"आप धीमी क्वेरी का कारण कैसे खोजते हैं?",
	}
	for _, text := range tests {
		if err := Check(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if err := CheckQuestion(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
