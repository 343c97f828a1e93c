package llm_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/llm"
	"freelancer-matching/llm/llmtest"
)

// sent is what of a request depends on what a server takes.
type sent struct {
	Format      string // and whether it is a schema without bounds
	Shown       bool   // the schema stands among the instructions
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

// What a server refuses is learnt by refusals, each of them once, in the words of real servers.
func TestAsk_LearnsWhatAServerTakes(t *testing.T) {
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
		name     string
		fault    llmtest.Fault
		want     sent
		refusals int
	}{
		{"nothing refused", nil, all, 0},
		{"no schema", noSchema, with(func(s *sent) { s.Format, s.Shown = "json_object", true }), 1},
		{
			"no form at all", refuse("response_format", "unknown field: response_format"),
			with(func(s *sent) { s.Format, s.Shown = "", true }), 2,
		},
		{
			"no bounds", refuse("response_format.json_schema.schema.properties.level.maximum",
				"Invalid schema for response_format 'mark_1': In context=('properties', 'level'), 'maximum' is not permitted."),
			with(func(s *sent) { s.Format, s.Shown = "json_schema without bounds", true }), 1,
		},
		{"another field", noTokens, with(func(s *sent) { s.Tokens = "max_completion_tokens" }), 1},
		{"no temperature", noTemperature, with(func(s *sent) { s.Temperature = false }), 1},
		{
			"no seed", llmtest.RefuseField("seed", `[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]`),
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
			if n := len(requests); n != tasks+test.refusals {
				t.Errorf("%d requests for %d tasks, want %d refused", n, tasks, test.refusals)
			}
			if diff := cmp.Diff(test.want, sentIn(requests[len(requests)-1])); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := strings.Count(log.String(), "asked otherwise"); n != test.refusals {
				t.Errorf("%d refusals in the log, want %d", n, test.refusals)
			}
		})
	}
}

// A refusal that no other request would mend is told, at once.
func TestAsk_DoesNotLearnWhatIsNoRefusalOfAField(t *testing.T) {
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
			t.Errorf("%s: %d requests, %v", test.message, n, err)
		}
	}
}

// A server that refuses everything, whatever it names, is asked a few times and no more.
func TestAsk_DoesNotLearnForEver(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Always(llmtest.Status(400, "response_format, json_schema, max_tokens, max_completion_tokens, temperature, seed, stream", ""))
	c := newChat(t, s, func(o *llm.ChatOptions) { o.Seed = 1 })
	_, err := c.Ask(t.Context(), markTask())
	if n := len(s.Requests()); n != 6 || !errors.Is(err, llm.ErrConfiguration) {
		t.Errorf("%d requests, want 6; %v", n, err)
	}
}

// A configured field is an operator's word.
func TestAsk_SendsTheConfiguredField(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodMark))
	c := newChat(t, s, func(o *llm.ChatOptions) { o.TokenField = llm.MaxCompletionTokensField })
	if _, err := c.Ask(t.Context(), markTask()); err != nil {
		t.Fatal(err)
	}
	if r := s.ChatRequests()[0]; r.MaxTokens != 0 || r.MaxCompletionTokens != 300 {
		t.Errorf("max_tokens %d, max_completion_tokens %d", r.MaxTokens, r.MaxCompletionTokens)
	}
	s.Always(llmtest.RefuseField("max_completion_tokens", "max_completion_tokens: unknown field, use max_tokens"))
	if _, err := c.Ask(t.Context(), markTask()); !errors.Is(err, llm.ErrConfiguration) {
		t.Errorf("got %v", err)
	}
}

// go-openai knows some names, and refuses by itself what their models refuse.
func TestAsk_ModelsThatReason(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodMark))
	c := newChat(t, s, func(o *llm.ChatOptions) { o.Model = "o3-mini" })
	if _, err := c.Ask(t.Context(), markTask()); err != nil {
		t.Fatal(err)
	}
	want := sent{Format: "json_schema", Tokens: "max_completion_tokens"}
	if diff := cmp.Diff(want, sentIn(s.ChatRequests()[0])); diff != "" || len(s.Requests()) != 1 {
		t.Errorf("%d requests (-want +got):\n%s", len(s.Requests()), diff)
	}
}

// Some servers take a schema and do not hold their model to it; then it is shown to the model.
func TestAsk_ShowsTheSchemaWhereItIsTakenInVain(t *testing.T) {
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
		t.Errorf("%d requests", len(requests))
	}
}

func TestStream_LearnsThatUsageIsNotTold(t *testing.T) {
	s := llmtest.StartInMemory(t, dimensions)
	s.Play("", llmtest.Say(goodList))
	s.Always(llmtest.RefuseField("stream_options", "Unknown parameter: 'stream_options'"))
	c := newChat(t, s)
	for range 2 {
		if got, err := collect(t.Context(), c, listTask()); err != nil || len(got) != 3 {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if r := s.ChatRequests(); len(r) != 3 || !r[2].Stream || r[2].StreamOptions != nil {
		t.Errorf("%d requests", len(r))
	}
}
