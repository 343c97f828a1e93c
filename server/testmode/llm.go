package testmode

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
)

const (
	maxReplies = 1000
	// defaultLevel is the level of every mark without a script.
	defaultLevel = 3
)

// A reply is what the scripted model does for one call: it gives a level, replies with a value, or fails with a status.
type reply struct {
	Task   string          `json:"task"`   // of the call, such as interview-answer; "" for any that the reply fits
	When   string          `json:"when"`   // must occur in the data of the call, such as a word of the answer; "" for any
	Level  int             `json:"level"`  // of all criteria of an answer, 1 to 5; 0 for none
	JSON   json.RawMessage `json:"json"`   // the whole reply, as the task's schema requires
	Status int             `json:"status"` // with which the call fails, such as 503; 0 for success
}

// fits reports whether a reply is for a call.
func (r *reply) fits(c *modelCall) bool {
	task := r.Task
	if r.Level != 0 {
		task = answerTask
	}
	return (task == "" || task == c.task()) && strings.Contains(c.text(), r.When)
}

// A script is a language model that replies as a test says, in order, and otherwise with plausible texts that fit the
// schemas. It implements http.RoundTripper, so requests to it leave the server through the same code as to a real one.
type script struct {
	mu      sync.Mutex
	replies []reply
}

func (s *script) set(replies []reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = replies
}

// left returns the replies that no call has used.
func (s *script) left() []reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]reply{}, s.replies...)
}

// take returns the first reply for a call, and removes it.
func (s *script) take(c *modelCall) (r reply, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.replies {
		if r = s.replies[i]; r.fits(c) {
			s.replies = append(s.replies[:i:i], s.replies[i+1:]...)
			return r, true
		}
	}
	return reply{}, false
}

// The tasks of the model.
const (
	answerTask    = "interview-answer"
	questionsTask = "interview-questions"
	skillTask     = "skill-verdict"
)

// A modelCall is a request to the model.
type modelCall struct {
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// task returns the name of the task, which the first line of the instructions has, without its version.
func (c *modelCall) task() string {
	if len(c.Messages) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(c.Messages[0].Content, "\n")
	name, _, _ := strings.Cut(strings.TrimPrefix(line, "Task "), "@")
	return name
}

// text returns what the server says beside the general instructions.
func (c *modelCall) text() string {
	var text strings.Builder
	for i := range c.Messages {
		if c.Messages[i].Role == "user" {
			text.WriteString(c.Messages[i].Content)
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// data returns the text of the task's data with a label, or "".
func (c *modelCall) data(label string) string {
	text := c.text()
	begin := regexp.MustCompile(`(?m)^\[data ([A-Z2-7]+): ` + regexp.QuoteMeta(label) + `(?: \(.*\))?\]\n`)
	at := begin.FindStringSubmatchIndex(text)
	if at == nil {
		return ""
	}
	found, _, _ := strings.Cut(text[at[1]:], "\n[end "+text[at[2]:at[3]]+"]")
	return found
}

// RoundTrip implements http.RoundTripper.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	var c modelCall
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		return nil, fmt.Errorf("scripted model: %w", err)
	}

	scripted, ok := s.take(&c)
	if ok && scripted.Status != 0 {
		return respond(r, scripted.Status, "application/json", []byte(`{"error":{"message":"scripted failure"}}`)), nil
	}

	text, err := say(&c, scripted)
	if err != nil {
		return nil, err
	}
	if c.Stream {
		return respond(r, http.StatusOK, "text/event-stream", streamed(text, c.StreamOptions.IncludeUsage)), nil
	}
	body, err := json.Marshal(map[string]any{
		"id": "test", "object": "chat.completion", "model": "scripted", "usage": usage(),
		"choices": []any{map[string]any{
			"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop",
		}},
	})

	return respond(r, http.StatusOK, "application/json", body), err
}

func respond(r *http.Request, status int, contentType string, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: int64(len(body)),
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewReader(body)),
	}
}

func usage() map[string]int {
	return map[string]int{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
}

// streamed returns a reply as server-sent events.
func streamed(text string, withUsage bool) []byte {
	var body bytes.Buffer
	chunk := func(choices []any, used any) {
		data, _ := json.Marshal(map[string]any{ // strings and numbers can be encoded
			"id": "test", "object": "chat.completion.chunk", "model": "scripted", "choices": choices, "usage": used,
		})
		fmt.Fprintf(&body, "data: %s\n\n", data)
	}
	chunk([]any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": text}}}, nil)
	chunk([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}}, nil)
	if withUsage {
		chunk([]any{}, usage())
	}
	body.WriteString("data: [DONE]\n\n")
	return body.Bytes()
}

// say returns what the model says to a call.
func say(c *modelCall, scripted reply) (string, error) {
	var value any
	switch {
	case scripted.JSON != nil:
		value = scripted.JSON
	case c.task() == answerTask:
		value = marks(c, scripted.Level)
	case c.task() == questionsTask:
		value = questions(c)
	case c.task() == skillTask:
		value = map[string]any{
			"kind": "skill", "sure": "likely", "name": c.data("word"), "category": "other", "near": []int{},
		}
	default:
		return "", fmt.Errorf("scripted model: unknown task %q", c.task())
	}
	text, err := json.Marshal(value)
	return string(text), err
}

var rubricPoint = regexp.MustCompile(`(?m)^point (\d+): `)

// marks returns a mark of the same level for each criterion, with the answer as evidence. The server lowers levels that
// rest on no evidence, so the answer covers as many points as the level needs.
func marks(c *modelCall, level int) any {
	if level == 0 {
		level = defaultLevel
	}
	answer := c.data("answer")
	quotation := []string{cutRunes(answer, 200)}

	points := []any{}
	found := rubricPoint.FindAllStringSubmatch(c.data("rubric"), -1)
	for i, point := range found {
		number, _ := strconv.Atoi(point[1]) // digits
		points = append(points, map[string]any{
			"point": number, "quotation": quotation[0], "covered": i*5 < len(found)*level,
		})
	}

	mark := map[string]any{"evidence": quotation, "level": level}
	return map[string]any{
		"points": points, "marks": map[string]any{"technical": mark, "experience": mark, "communication": mark},
		"feedback": "The answer is clear. More detail would help.", "strengths": []string{}, "improvements": []string{},
		"remarks": []string{},
	}
}

// cutRunes returns the first n characters of a text.
func cutRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n])
	}
	return text
}

var planned = regexp.MustCompile(`(?m)^number (\d+): skill (\d+).*kind (\w+), difficulty (\w+)`)

// wordings begin questions. Each has words of its own, because the server rejects questions that resemble each other.
func wordings() []string {
	return []string{
		"How would you explain %s to a colleague who starts tomorrow?",
		"Which mistakes have you seen with %s, and what prevented them?",
		"What do you check first when %s causes trouble late at night?",
		"Describe a decision about %s that you would make differently today.",
		"Where does %s reach its limits, and what comes instead?",
		"Walk through the steps by which you introduce %s into an old project.",
		"Who should maintain %s after you leave, and which documents do they need?",
		"When is it wrong to choose %s at all?",
		"Compare two ways of testing %s before a release.",
		"Estimate the effort for adding %s, and name your assumptions.",
	}
}

// questions returns a question for each line of the plan.
func questions(c *modelCall) any {
	skills := strings.Split(c.data("required skills"), "\n")
	begun := strings.Count(c.data("questions asked before"), "- ")
	items := []any{}
	for _, line := range planned.FindAllStringSubmatch(c.text(), -1) {
		number, _ := strconv.Atoi(line[1]) // digits, as all groups with numbers
		skill, _ := strconv.Atoi(line[2])
		subject := "this project as a whole"
		if skill >= 1 && skill <= len(skills) {
			_, subject, _ = strings.Cut(skills[skill-1], ": ")
		}

		all := wordings()
		items = append(items, map[string]any{
			"number": number, "skill": skill, "kind": line[3], "difficulty": line[4],
			"text":     fmt.Sprintf(all[(begun+number-1+skill*3)%len(all)], subject),
			"expected": "A good answer names the goal, the steps towards it, and how they verified the result.",
			"points":   []string{"names the goal", "lists the steps", "says how the result was verified"},
			"level_1":  "The answer misses the question.", "level_3": "The answer is right but shallow.",
			"level_5": "The answer leaves nothing to ask for.",
			"follow_ups": []string{
				"What would you do with less time?", "How did you measure whether it worked?",
			},
		})
	}
	return map[string]any{"items": items}
}

// showModel handles GET /test/llm: the replies that no call has used.
func (s *Server) showModel(_ context.Context, call *endpoint.Call) error {
	return endpoint.WriteAnswer(call, map[string]any{"replies": s.model.left()})
}

// scriptModel handles PUT /test/llm. It replaces the script.
func (s *Server) scriptModel(_ context.Context, call *endpoint.Call) error {
	var body struct {
		Replies []reply `json:"replies"`
	}
	var faults validate.Faults
	if err := decode(call, &body); err != nil {
		return err
	}
	if len(body.Replies) > maxReplies {
		faults.Add("replies", "too_many", "replies must have at most %d entries; got %d.", maxReplies, len(body.Replies))
	}
	for i := range body.Replies {
		checkReply(&body.Replies[i], validate.Index("replies", i), &faults)
	}
	if err := faults.Err(); err != nil {
		return err
	}

	s.model.set(body.Replies)
	return endpoint.WriteAnswer(call, map[string]any{"replies": s.model.left()})
}

// checkReply adds the faults of a reply.
func checkReply(r *reply, field string, faults *validate.Faults) {
	set := 0
	for _, isSet := range []bool{r.Level != 0, r.JSON != nil, r.Status != 0} {
		if isSet {
			set++
		}
	}
	if set != 1 {
		faults.Add(field, "invalid", "%s must have one of level, json and status.", field)
	}
	if r.Task != "" {
		validate.OneOf(faults, validate.Join(field, "task"), &r.Task, answerTask, questionsTask, skillTask)
	}
	if r.Level != 0 {
		validate.Within(faults, validate.Join(field, "level"), &r.Level, 1, 5)
	}
	if r.Status != 0 {
		validate.Within(faults, validate.Join(field, "status"), &r.Status, 400, 599)
	}
}
