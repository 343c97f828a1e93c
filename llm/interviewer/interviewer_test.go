package interviewer_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/interviewer"
	"github.com/freelancer-matching/service/llm/llmtest"
)

const (
	questionsTask = "interview-questions"
	answerTask    = "interview-answer"
	dimensions    = 3 // of the server's vectors, which no test here asks for
)

// newChat returns a Chat with s, and mostly default options.
func newChat(t testing.TB, s *llmtest.Server, change ...func(*llm.ChatOptions)) *llm.Chat {
	t.Helper()
	o := llm.ChatOptions{BaseURL: s.URL, Model: "words", Transport: s.Transport}
	for _, f := range change {
		f(&o)
	}
	c, err := llm.NewChat(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newInterviewer(t testing.TB, s *llmtest.Server, change ...func(*llm.ChatOptions)) *interviewer.Interviewer {
	t.Helper()
	return interviewer.New(newChat(t, s, change...), analysis.New())
}

// subject returns an interview about an invented project with an invented freelancer.
func subject(change ...func(*interview.Subject)) *interview.Subject {
	s := &interview.Subject{
		Project: "We move the booking site of our gyms from PHP to Go, and want dashboards of its load. " +
			"Contact: Tamsin Oakenfold, tamsin@gyms.example or +44 20 7946 0958, Skype: live:tamsin. " +
			"Tamsin reads github.com/tamsin, too.\n\nKind regards,\nWilmot Pryce",
		JobTitle: "Backend developer",
		Skills: []interview.Skill{
			{ID: "go", Name: "Go", Category: "Programming languages"},
			{ID: "postgresql", Name: "PostgreSQL", Category: "Databases"},
			{ID: "grafana", Name: "Grafana", Gap: true},
		},
		Freelancer: interview.Profile{
			ID: "f1", Name: "Ramona Quillfeather", JobTitle: "Go developer", Skills: []string{"Go", "SQL"},
			Description: "I am Ramona Quillfeather, and I have built booking systems for two railway companies since 2015. " +
				"Write to ramona@quill.example or +49 170 1234567, see https://quill.example/me.",
			Experience: matching.Some(8.0),
		},
		Language: "en",
	}
	for _, f := range change {
		f(s)
	}

	return s
}

// item is a question as a model writes it.
type item map[string]any

// planLine finds the lines of a plan.
var planLine = regexp.MustCompile(`(?m)^number (\d+): skill (\d+)(?: \([a-z, ]+\))*, kind (\w+), difficulty (\w+)$`)

// planOf returns the questions that a request asks for, without texts.
func planOf(r llmtest.ChatRequest) []item {
	var items []item
	for _, m := range planLine.FindAllStringSubmatch(r.Messages[1].Content, -1) {
		number, _ := strconv.Atoi(m[1])
		skill, _ := strconv.Atoi(m[2])
		items = append(items, item{"number": number, "skill": skill, "kind": m[3], "difficulty": m[4]})
	}
	return items
}

// texts are questions that are not similar.
var texts = []string{
	"How do goroutines end, and what makes one stay for ever?",
	"A query over ten million bookings takes nine seconds. How do you find out why?",
	"Describe a move from one language to another that you led. What went wrong first?",
	"Which figures of a server would you put on the first page of its dashboards?",
	"What do interfaces cost at run time, and when does that matter?",
	"Two visitors book the last place in the same second. What happens in your design?",
	"When did you last delete code that others were proud of, and why?",
	"How would you bring a database of 200 GB to a new version without a night of downtime?",
	"Why do contexts carry deadlines, and who has to look at them?",
	"The load doubles every Monday at nine. What do you measure before you change anything?",
	"What was the worst outage that you caused, and what did you change afterwards?",
	"Which locks does an ALTER TABLE take, and for how long are they held?",
}

// written completes the questions of a plan like a good model, with the texts from number first on.
func written(items []item, first int) []item {
	for i, it := range items {
		for key, value := range map[string]any{
			"text": texts[(first+i)%len(texts)], "expected": "They name what happens, and why, with a case from their work.",
			"points":  []string{"Names the cause", "Measures before the change", "Tells what it costs"},
			"level_1": "Names a tool and nothing else.", "level_3": "Is right, without a reason.",
			"level_5":    "Weighs two ways against each other.",
			"follow_ups": []string{"What would you do next time?", "How did you know that it had worked?"},
		} {
			if _, ok := it[key]; !ok {
				it[key] = value
			}
		}
	}
	return items
}

func itemsReply(items []item) llmtest.ChatReply {
	text, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		panic(err)
	}
	return llmtest.ChatReply{Text: string(text)}
}

// writer returns a good model that never repeats a question.
func writer() llmtest.Model { return changedWriter(func(llmtest.ChatRequest, []item) {}) }

// changedWriter returns a good model whose questions go through change.
func changedWriter(change func(r llmtest.ChatRequest, items []item)) llmtest.Model {
	var mu sync.Mutex
	next := 0
	return func(r llmtest.ChatRequest) llmtest.ChatReply {
		items := planOf(r)
		mu.Lock()
		first := next
		next += len(items)
		mu.Unlock()
		items = written(items, first)
		change(r, items)
		return itemsReply(items)
	}
}

// ask returns all questions and the error after them.
func ask(
	t testing.TB, i *interviewer.Interviewer, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) (questions []interview.Question, failed error) {
	t.Helper()
	for q, err := range i.Ask(t.Context(), "", s, asked, n, aim) {
		if failed != nil {
			t.Fatal("got a question after an error")
		}
		if failed = err; err == nil {
			questions = append(questions, q)
		}
	}
	return questions, failed
}

func shape(questions []interview.Question) string {
	var b strings.Builder
	for _, q := range questions {
		fmt.Fprintf(&b, "%s/%s/%s ", q.Skill, q.Kind, q.Difficulty)
	}
	return strings.TrimSpace(b.String())
}
