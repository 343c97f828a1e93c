package interviews

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// A levelModel simulates a model server that knows the level of each candidate's answers. It shows what the service
// makes of a model's marks.
type levelModel struct {
	candidates []candidate
}

// knownLevels holds the level for each kind of answer.
var knownLevels = map[string]int{
	"expert": 5, "good": 4, "average": 3, "padded": 3, "weak": 2, "keywords": 2, "injected": 2, "evasive": 1,
	"opposite": 1, "no_idea": 1, wrongLevel: 1,
}

// A mark is part of a judgment.
type mark struct {
	Evidence []string `json:"evidence"`
	Level    int      `json:"level"`
}

// A point is part of a judgment.
type point struct {
	Point     int    `json:"point"`
	Quotation string `json:"quotation"`
	Covered   bool   `json:"covered"`
}

// A judgment is a reply in the format of the prompt "interview-answer".
type judgment struct {
	Points       []point                      `json:"points"`
	Marks        map[interview.Criterion]mark `json:"marks"`
	Feedback     string                       `json:"feedback"`
	Strengths    []string                     `json:"strengths"`
	Improvements []string                     `json:"improvements"`
	Remarks      []string                     `json:"remarks"`
}

// RoundTrip answers a request of a Chat.
func (m *levelModel) RoundTrip(r *http.Request) (*http.Response, error) {
	var request llmtest.ChatRequest
	// A RoundTripper must close the body, also when it fails.
	defer r.Body.Close()

	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return nil, err
	}

	reply, err := json.Marshal(m.judge(request))
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
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Request:    r,
		Body:       io.NopCloser(bytes.NewReader(body)),
	}, nil
}

// judge gives the known level for each criterion, quotes the first sentence as evidence, and covers a share of the
// points that corresponds to the level.
func (m *levelModel) judge(r llmtest.ChatRequest) judgment {
	answer := strings.Join(r.Data("answer"), "")
	level := interview.BestLevel
	points := 0
	for i := range m.candidates {
		c := &m.candidates[i]
		if asSent(c.Question.Text) != strings.Join(r.Data("question"), "") {
			continue
		}

		points = len(c.Question.Points)

		// Prompts are normalized before they are sent, so the known answers are compared in that form.
		for name, known := range knownLevels {
			if answer == asSent(c.Answers[name]) {
				level = known
			}
		}
	}

	quotation := firstSentence(answer)
	j := judgment{
		Marks:        make(map[interview.Criterion]mark),
		Feedback:     "Thank you.",
		Strengths:    []string{},
		Improvements: []string{},
		Remarks:      []string{},
	}

	// The lowest level, 1, covers no point, and the best one all. Rounded up, so that every level between covers one.
	covered := (points*(level-1) + interview.BestLevel - 2) / (interview.BestLevel - 1)
	for n := range points {
		j.Points = append(j.Points, point{n + 1, quotation, n < covered})
	}

	for c := range interview.DefaultWeights() {
		j.Marks[c] = mark{[]string{quotation}, level}
	}

	return j
}

// asSent returns a text in the form in which a Chat sends it.
func asSent(text string) string { return norm.NFKC.String(text) }

// firstSentence returns the first sentence of a text, shortened to the maximum length of a quotation.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	sentence, _, _ := strings.Cut(line, ". ")
	return string([]rune(sentence)[:min(300, len([]rune(sentence)))])
}
