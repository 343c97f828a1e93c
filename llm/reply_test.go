package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

func TestAsk_FindsTheObjectInAReply(t *testing.T) {
	tests := []struct{ name, reply string }{
		{"alone", goodMark},
		{"spaces", " \n" + goodMark + "\n"},
		{"fence", "```json\n" + goodMark + "\n```"},
		{"prose", "Sure! Here is {my} mark:\n\n" + goodMark + "\n\nLet me know if you need more."},
		{"reasoning", "<think>Level 3: {\"level\":3}? No.</think>\n" + goodMark},
		{"reasoning without its beginning", "Level 3: {\"level\":3}? No.</think>\n" + goodMark},
		{"another name of reasoning", "<thinking>{\"level\":3}</thinking>" + goodMark},
		{"half an object in reasoning", `So {"level":3,"evidence":"no</think>` + goodMark},
		{
			"gpt-oss", `<|channel|>analysis<|message|>{"level":3}?<|end|><|start|>assistant<|channel|>final ` +
				`<|constrain|>json<|message|>` + goodMark + `<|return|>`,
		},
		{"an end of reasoning in a string", `{"level":1,"evidence":"</think>{}"}`},
		{"braces in a string", `{"level":1,"evidence":"}{ \"{"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play("", llmtest.Say(test.reply))
			reply, err := newChat(t, s).Ask(t.Context(), markTask())
			if err != nil || reply.Repaired || !strings.Contains(test.reply, string(reply.JSON)) {
				t.Errorf("got %+v, %v, want an unrepaired reply", reply, err)
			}
		})
	}
}

// Some servers put the whole reply of a reasoning model into another field.
func TestChat_FindsTheReplyInTheReasoning(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	c := newChat(t, s)
	s.Play("mark", llmtest.Reply(llmtest.ChatReply{Reasoning: "Hm.</think>" + goodMark}))
	if reply, err := c.Ask(t.Context(), markTask()); err != nil || string(reply.JSON) != goodMark {
		t.Errorf("got %s, %v", reply.JSON, err)
	}

	s.Play("list", llmtest.Reply(llmtest.ChatReply{Reasoning: goodList}))
	if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
		t.Errorf("got %q, %v, want 3 elements", got, err)
	}

	// A reply in its own field is the reply, whatever the reasoning says.
	s.Play("list", llmtest.Reply(llmtest.ChatReply{Reasoning: `{"items":[{"n":9}]}`, Text: goodList}))
	if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
		t.Errorf("got %q, %v, want 3 elements", got, err)
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("got %d requests, want 3: no repair", n)
	}
}

// The model sees an invalid reply once, with its faults.
func TestAsk_RepairsOnce(t *testing.T) {
	tooMuch := errors.New("level 4 has no evidence in the answer")
	tests := []struct {
		name, reply string
		check       func(json.RawMessage) error
		advice      string // part of the message to the model
		public      string // part of the error
	}{
		{"no JSON", "I would say four.", nil, "no complete JSON object", "no complete JSON object"},
		{"two objects", goodMark + " or " + goodMark, nil, "more than one JSON object", "more than one JSON object"},
		{"broken JSON", `{"level":4,"evidence":}`, nil, "no complete JSON object", "no complete JSON object"},
		{"truncated", goodMark[:20], nil, "no complete JSON object", "no complete JSON object"},
		{
			"wrong type", `{"level":"four","evidence":"x"}`, nil,
			"at /level: got string, want integer", "it does not fit its schema: at /level: type",
		},
		{"out of range", `{"level":100,"evidence":"x"}`, nil, "maximum", "at /level: maximum"},
		{"missing", `{"level":1}`, nil, "missing property 'evidence'", "at /: required"},
		{
			"additional property", `{"level":1,"evidence":"x","total":99}`, nil,
			"additional properties 'total' not allowed", "at /: additionalProperties",
		},
		{
			"the caller's check", goodMark, func(json.RawMessage) error { return tooMuch },
			"level 4 has no evidence in the answer", "it failed the task's check",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			var log bytes.Buffer
			c := newChat(t, s, func(o *llm.ChatOptions) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
			checks := 0
			task := markTask(func(task *llm.Task) {
				task.Check = func(reply json.RawMessage) error {
					if checks++; checks == 1 && test.check != nil {
						return test.check(reply)
					}
					return nil
				}
			})

			s.Play("mark", llmtest.InTurn(llmtest.Say(test.reply), llmtest.Say(goodMark)))
			reply, err := c.Ask(t.Context(), task)
			if err != nil || !reply.Repaired || string(reply.JSON) != goodMark {
				t.Fatalf("got %+v, %v, want a repaired reply", reply, err)
			}

			requests := s.ChatRequests()
			if len(requests) != 2 || requests[0].IsRepair() || !requests[1].IsRepair() {
				t.Fatalf("got %d requests, want 2, the last one a repair", len(requests))
			}
			last := requests[1].Messages
			if len(last) != 4 || last[2].Content != test.reply || !strings.Contains(last[3].Content, test.advice) {
				t.Errorf("got repair %q, want %q in it", last[2:], test.advice)
			}

			if !strings.Contains(last[3].Content, markSchema) {
				t.Error("want the schema in the repair")
			}

			s.Play("mark", llmtest.Say(test.reply))
			task.Check = test.check
			_, err = c.Ask(t.Context(), task)
			if !errors.Is(err, llm.ErrReply) || !strings.Contains(err.Error(), "after one repair, ") ||
				!strings.Contains(err.Error(), test.public) {
				t.Errorf("got %v, want %q", err, test.public)
			}

			if test.check != nil && !errors.Is(err, tooMuch) {
				t.Errorf("got %v, want the check's error wrapped", err)
			}

			if n := len(s.ChatRequests()); n != 4 {
				t.Errorf("got %d requests, want 4", n)
			}

			for _, text := range []string{test.reply, "total", tooMuch.Error()} {
				if strings.Contains(err.Error(), text) || strings.Contains(log.String(), text) {
					t.Errorf("%q is in the error or the log: %v\n%s", text, err, log.String())
				}
			}
		})
	}
}
