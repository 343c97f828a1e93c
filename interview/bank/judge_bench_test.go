package bank

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/interview"
)

// invented returns about n bytes of different sentences of the given number of words, many of which name skills.
func invented(seed uint64, n, length int) string {
	vocabulary := strings.Fields(`I we built moved the service to PostgreSQL React Docker Kubernetes Go because it needs
		40 percent less memory and then measured faster deploys with Terraform AWS Redis queues while our team of 5
		reduced cost by 1200 euros so that customers saw pages in 200ms after migrating Python Django jobs first second
		finally for example when traffic doubled in 2021 data analysis testing design deployment monitoring`)
	random := rand.New(rand.NewPCG(seed, 1))
	var text strings.Builder
	for text.Len() < n {
		for i := range length {
			if i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(vocabulary[random.IntN(len(vocabulary))])
		}
		text.WriteString(". ")
	}
	return text.String()[:n]
}

// longest returns the longest subject and question of a request. The sentences of the expected answer have the given
// number of words.
func longest(words int) (*interview.Subject, *interview.Question) {
	q := &interview.Question{
		ID: "q1", Text: invented(2, interview.MaxQuestion, 15), Expected: invented(3, interview.MaxExpected, words),
		By: "client",
	}
	for i := range uint64(interview.MaxFollowUps) {
		q.FollowUps = append(q.FollowUps, invented(10+i, interview.MaxFollowUp, 15))
	}
	return &interview.Subject{Project: invented(1, interview.MaxProject, 12), Language: "en"}, q
}

// The work on an answer must not grow with the number of skills in the expected answer, times the number of sentences.
// Memory stands for the work, because it does not depend on the machine.
func TestJudge_LooksForSkillsOncePerSentence(t *testing.T) {
	j := openJudge(t)
	allocations := func(words int) float64 {
		s, q := longest(words)
		answer := invented(4, interview.MaxAnswer, 4)
		return testing.AllocsPerRun(3, func() {
			if _, err := j.Judge(t.Context(), "", s, q, answer); err != nil {
				t.Fatal(err)
			}
		})
	}
	// six points, of 15 or 100 words
	few := allocations(15)
	many := allocations(600)
	if many > 1.2*few {
		t.Errorf("%.0f allocations for an expected answer with many skills, %.0f for one with few", many, few)
	}
}

// BenchmarkJudge_Longest measures the judgment of the longest answer to the longest question.
func BenchmarkJudge_Longest(b *testing.B) {
	j := openJudge(b)
	for _, length := range []int{1, 4, 15, 5000} {
		for _, expected := range []int{15, 600} {
			b.Run(fmt.Sprintf("words=%d/expected=%d", length, expected), func(b *testing.B) {
				s, q := longest(expected)
				answer := invented(4, interview.MaxAnswer, length)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := j.Judge(b.Context(), "", s, q, answer); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
