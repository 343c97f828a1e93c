package llm_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// sent is the part of a request that depends on the dialect.
type sent struct {
	Format      string // and whether a schema has no bounds
	Shown       bool   // the schema is in the instructions
	Tokens      string
	Temperature bool
	Seed        bool
}

func sentIn(r llmtest.ChatRequest) sent {
	s := sent{Temperature: r.Temperature != nil, Seed: r.Seed != nil, Tokens: "max_tokens"}
	if f := r.ResponseFormat; f != nil {
		s.Format = f.Type
		if f.JSONSchema != nil && !strings.Contains(string(f.JSONSchema.Schema), "maximum") {
			s.Format += " without bounds"
		}
	}
	if r.MaxCompletionTokens > 0 {
		s.Tokens = "max_completion_tokens"
	}
	s.Shown = strings.Contains(r.Messages[0].Content, "additionalProperties")
	return s
}

// Each field that the server rejects costs one request. The messages come from real servers.
func TestAsk_AdaptsToTheServer(t *testing.T) {
	all := sent{Format: "json_schema", Tokens: "max_tokens", Temperature: true, Seed: true}
	with := func(change func(*sent)) sent {
		s := all
		change(&s)
		return s
	}

	refuse := llmtest.RefuseField
	noSchema := refuse("response_format.type=json_schema", "This model does not support response format `json_schema`")
	noTokens := refuse("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. "+
		"Use 'max_completion_tokens' instead.")
	noTemperature := refuse("temperature", "Unsupported value: 'temperature' does not support 0 with this model.")
	tests := []struct {
		name       string
		fault      llmtest.Fault
		want       sent
		rejections int
	}{
		{"everything accepted", nil, all, 0},
		{"no schema", noSchema, with(func(s *sent) { s.Format, s.Shown = "json_object", true }), 1},
		{
			"no response format", refuse("response_format", "unknown field: response_format"),
			with(func(s *sent) { s.Format, s.Shown = "", true }), 2,
		},
		{
			"no bounds", refuse("response_format.json_schema.schema.properties.level.maximum",
				"Invalid schema for response_format 'mark_1': In context=('properties', 'level'), 'maximum' is not permitted."),
			with(func(s *sent) { s.Format, s.Shown = "json_schema without bounds", true }), 1,
		},
		{
			"grammar with too many repetitions", refuse("response_format.json_schema.schema.properties.level.maximum",
				"Failed to initialize samplers: failed to parse grammar"), // llama.cpp
			with(func(s *sent) { s.Format, s.Shown = "json_schema without bounds", true }), 1,
		},
		{
			"no schema, with status 500", llmtest.RefuseFieldWith(500, "response_format.type=json_schema",
				"1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input "+
					"should be 'text' or 'json_object'\", 'input': 'json_schema'}"), // llama-cpp-python
			with(func(s *sent) { s.Format, s.Shown = "json_object", true }), 1,
		},
		{"other token field", noTokens, with(func(s *sent) { s.Tokens = "max_completion_tokens" }), 1},
		{"no temperature", noTemperature, with(func(s *sent) { s.Temperature = false }), 1},
		{
			"no seed", refuse("seed",
				`[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]`),
			with(func(s *sent) { s.Seed = false }), 1,
		},
		{
			"several", llmtest.Together(noTokens, noSchema, noTemperature),
			sent{Format: "json_object", Shown: true, Tokens: "max_completion_tokens", Seed: true},
			3,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := llmtest.StartInMemory(t, dimensions)
			s.Play("", llmtest.Say(goodMark))
			s.Always(test.fault)
			var log bytes.Buffer
			c := newChat(t, s, func(o *llm.ChatOptions) { o.Seed, o.Log = 1, slog.New(slog.NewTextHandler(&log, nil)) })
			const tasks = 3
			for range tasks {
				if _, err := c.Ask(t.Context(), markTask()); err != nil {
					t.Fatal(err)
				}
			}

			requests := s.ChatRequests()
			if n := len(requests); n != tasks+test.rejections {
				t.Errorf("got %d requests for %d tasks, want %d rejected ones", n, tasks, test.rejections)
			}

			if diff := cmp.Diff(test.want, sentIn(requests[len(requests)-1])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}

			if n := strings.Count(log.String(), "adapting"); n != test.rejections {
				t.Errorf("got %d rejections in the log, want %d", n, test.rejections)
			}
		})
	}
}

// An error that no other dialect avoids is returned at once.
func TestAsk_AdaptsOnlyToRejectedFields(t *testing.T) {
	tests := []struct {
		status  int
		message string
	}{
		{400, "'max_tokens' or 'max_completion_tokens' is too large: 300. This model's maximum context length is 256 tokens"},
		{400, "upstream said no"},
		{400, "prompt is empty"},
		{404, "there is no model json_schema"},
		{403, "no access to response_format"},
	}
	for _, test := range tests {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Status(test.status, test.message, ""))
		_, err := newChat(t, s).Ask(t.Context(), markTask())
		if n := len(s.Requests()); n != 1 || !errors.Is(err, llm.ErrConfiguration) {
			t.Errorf("%s: got %d requests, %v, want one and ErrConfiguration", test.message, n, err)
		}
	}
}

// A server that rejects everything gets a few requests and no more.
func TestAsk_StopsAdapting(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Always(llmtest.Status(400,
		"response_format, json_schema, max_tokens, max_completion_tokens, temperature, seed, stream", ""))
	c := newChat(t, s, func(o *llm.ChatOptions) { o.Seed = 1 })
	_, err := c.Ask(t.Context(), markTask())
	if n := len(s.Requests()); n != 6 || !errors.Is(err, llm.ErrConfiguration) {
		t.Errorf("got %d requests, %v, want 6 and ErrConfiguration", n, err)
	}
}

// go-openai knows the names of some models, and rejects the fields that these models reject.
func TestAsk_ReasoningModels(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodMark))
	c := newChat(t, s, func(o *llm.ChatOptions) { o.Model = "o3-mini" })
	if _, err := c.Ask(t.Context(), markTask()); err != nil {
		t.Fatal(err)
	}
	want := sent{Format: "json_schema", Tokens: "max_completion_tokens"}
	if diff := cmp.Diff(want, sentIn(s.ChatRequests()[0])); diff != "" || len(s.Requests()) != 1 {
		t.Errorf("got %d requests, want 1 (-want +got):\n%s", len(s.Requests()), diff)
	}
}

// Some servers accept a schema without enforcing it.
func TestAsk_ShowsTheSchemaIfTheServerIgnoresIt(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.InTurn(llmtest.Say(`{"mark":4}`), llmtest.Say(goodMark)))
	c := newChat(t, s)
	for range 2 {
		if _, err := c.Ask(t.Context(), markTask()); err != nil {
			t.Fatal(err)
		}
	}
	requests := s.ChatRequests()
	if len(requests) != 3 || sentIn(requests[0]).Shown || !sentIn(requests[2]).Shown {
		t.Errorf("got %d requests, want 3, the last one with the schema in its instructions", len(requests))
	}
}

func TestStream_AdaptsToServersWithoutUsage(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodList))
	s.Always(llmtest.RefuseField("stream_options", "Unknown parameter: 'stream_options'"))
	c := newChat(t, s)
	for range 2 {
		if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
			t.Fatalf("got %q, %v, want 3 elements", got, err)
		}
	}
	if r := s.ChatRequests(); len(r) != 3 || !r[2].Stream || r[2].StreamOptions != nil {
		t.Errorf("got %d requests, want 3, the last one without stream_options", len(r))
	}
}
