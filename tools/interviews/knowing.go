package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/interview"
	"freelancer-matching/llm/llmtest"
)

// knowing is a model server in memory that knows the level of each candidate's answers. It shows what the service makes of a
// model's marks.
type knowing struct {
	candidates []candidate
}

// knownLevels are what it gives for the answers that it knows.
var knownLevels = map[string]int{"expert": 5, "good": 4, "average": 3, "padded": 3, "weak": 2, "evasive": 1, "injected": 2}

// mark, point and judgement are the reply, as the prompt "interview-answer" asks for it.
type mark struct {
	Evidence []string `json:"evidence"`
	Level    int      `json:"level"`
}

type point struct {
	Point     int    `json:"point"`
	Quotation string `json:"quotation"`
	Covered   bool   `json:"covered"`
}

type judgement struct {
	Points       []point                      `json:"points"`
	Marks        map[interview.Criterion]mark `json:"marks"`
	Feedback     string                       `json:"feedback"`
	Strengths    []string                     `json:"strengths"`
	Improvements []string                     `json:"improvements"`
	Remarks      []string                     `json:"remarks"`
}

// RoundTrip answers a request of a Chat.
func (k *knowing) RoundTrip(r *http.Request) (*http.Response, error) {
	var request llmtest.ChatRequest
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return nil, err
	}
	reply, err := json.Marshal(k.judge(request))
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"choices": []any{map[string]any{
		"message": map[string]string{"role": "assistant", "content": string(reply)}, "finish_reason": "stop",
	}}})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(body)),
	}, nil
}

// judge gives the known level. Whoever has it quotes the whole answer for everything, and has as many points.
func (k *knowing) judge(r llmtest.ChatRequest) judgement {
	answer := strings.Join(r.Data("answer"), "")
	level := interview.BestLevel
	points := 0
	for i := range k.candidates {
		c := &k.candidates[i]
		if asRead(c.Question.Text) != strings.Join(r.Data("question"), "") {
			continue
		}
		points = len(c.Question.Points)
		for name, known := range knownLevels {
			if answer == asRead(c.Answers[name]) {
				level = known
			}
		}
	}
	quotation := firstSentence(answer)
	j := judgement{
		Marks: make(map[interview.Criterion]mark), Feedback: "-", Strengths: []string{}, Improvements: []string{}, Remarks: []string{},
	}
	covered := (points*(level-1) + interview.BestLevel - 2) / (interview.BestLevel - 1)
	for n := range points {
		j.Points = append(j.Points, point{n + 1, quotation, n < covered})
	}
	for c := range interview.DefaultWeights() {
		j.Marks[c] = mark{[]string{quotation}, level}
	}
	return j
}

// asRead is a text as a Chat sends it.
func asRead(text string) string { return norm.NFKC.String(text) }

// firstSentence is enough of an answer for a quotation.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	sentence, _, _ := strings.Cut(line, ". ")
	return string([]rune(sentence)[:min(300, len([]rune(sentence)))])
}
