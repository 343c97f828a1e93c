package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
)

// server makes single calls to one endpoint of an OpenAI-compatible server.
type server struct {
	baseURL  string
	http     *limitedClient
	key      func() string // may be nil
	endpoint endpoint
}

// endpoint describes what failures at an endpoint mean.
type endpoint struct {
	path     string
	tooLong  failure // the response exceeds the limit
	tooLarge string  // what to do if the server finds the request too large
	context  string  // what to do if the texts are longer than the model's context
	settings string  // that may cause a rejected request
}

func newServer(baseURL string, key func() string, transport http.RoundTripper, limit int64, at endpoint) *server {
	return &server{baseURL: baseURL, http: newLimitedClient(transport, limit), key: key, endpoint: at}
}

// currentKey returns the key of the moment, or "" for none.
func currentKey(key func() string) string {
	if key == nil {
		return ""
	}
	return key()
}

// client returns a go-openai client that sends its requests with over.
func (s *server) client(over openai.HTTPDoer) *openai.Client {
	config := openai.DefaultConfig(currentKey(s.key))
	config.BaseURL = s.baseURL
	config.EmptyMessagesLimit = math.MaxInt // keep-alive lines in streams; the limit on bytes covers them
	config.HTTPClient = over
	return openai.NewClientWithConfig(config)
}

// embed returns one vector per text, in the same order. The model chooses their size: many servers reject requests with
// dimensions.
func (s *server) embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	answer, err := s.client(s.http).CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{
		Input: texts, Model: openai.EmbeddingModel(model),
	})
	if err != nil {
		return nil, s.explain(err, answer.Header(), texts)
	}

	if len(answer.Data) != len(texts) {
		return nil, misconfigured("the server returned %d vectors for %d texts; is this an embeddings server?",
			len(answer.Data), len(texts))
	}

	// Vectors are assigned by their index, because servers may return them in any order.
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(texts) {
			return nil, misconfigured("the server returned index %d for %d texts; use another server", d.Index, len(texts))
		}
		if vectors[d.Index] != nil {
			return nil, misconfigured("the server returned index %d twice; set the batch to 1 or use another server", d.Index)
		}
		if len(d.Embedding) == 0 {
			return nil, misconfigured("the server returned an empty vector; is %q an embeddings model?", model)
		}

		vectors[d.Index] = d.Embedding
	}

	return vectors, nil
}

// misconfigured returns the error of a response with status 200 that can't be used.
func misconfigured(format string, args ...any) error {
	return &failure{kind: ErrConfiguration, text: fmt.Sprintf(format, args...), status: http.StatusOK}
}

// prompt is the content of one call to a model.
type prompt struct {
	model     string
	messages  []turn
	name      string          // of the reply's schema
	schema    json.RawMessage // of the reply
	maxTokens int             // of the reply
	seed      int             // 0: none
	hostile   []string        // texts in the messages that no error may repeat
}

// turn is one message of a conversation.
type turn struct{ role, text string }

// The roles of messages.
const (
	roleSystem    = openai.ChatMessageRoleSystem
	roleUser      = openai.ChatMessageRoleUser
	roleAssistant = openai.ChatMessageRoleAssistant
)

// request returns the prompt in a server's dialect.
func (p *prompt) request(d dialect) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: p.model}
	for _, m := range p.messages {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: m.role, Content: m.text})
	}

	// Either field limits the reply. Each is rejected by some servers.
	if d.maxCompletionTokens {
		r.MaxCompletionTokens = p.maxTokens
	} else {
		r.MaxTokens = p.maxTokens //nolint:staticcheck // deprecated by OpenAI, and the only field that many servers know
	}

	if !d.noTemperature {
		r.Temperature = math.SmallestNonzeroFloat32 // sent as 0 by chatClient
	}

	if !d.noSeed && p.seed != 0 {
		r.Seed = &p.seed
	}

	switch d.format {
	case strictSchema, looseSchema:
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: p.name, Schema: p.schema, Strict: true,
			},
		}

	case anyObject:
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	case plainText:
	}

	return r
}

// completion is the response to one call.
type completion struct {
	text      string
	reasoning string // sent apart from the text; it is the text if there is no other
	refusal   string
	finish    string // the finish_reason
	usage     Usage  // zero if the server doesn't report it
	noChoice  bool   // the response contains no choice
	complete  bool   // the response was read to its end
}

// complete makes a call without a stream.
func (s *server) complete(ctx context.Context, p *prompt, d dialect) (completion, error) {
	client := &chatClient{limited: s.http}
	answer, err := s.client(client).CreateChatCompletion(ctx, p.request(d))
	if err != nil {
		return completion{}, s.explain(err, client.header, p.hostile)
	}
	c := completion{usage: usageOf(&answer.Usage), noChoice: len(answer.Choices) == 0, complete: true}
	if !c.noChoice {
		choice := answer.Choices[0]
		c.text, c.refusal, c.finish = choice.Message.Content, choice.Message.Refusal, string(choice.FinishReason)
		for _, part := range choice.Message.MultiContent {
			c.text += part.Text
		}

		c.reasoning = choice.Message.ReasoningContent
		if strings.TrimSpace(c.text) == "" {
			c.text, c.reasoning = c.reasoning, ""
		}
	}
	return c, nil
}

func usageOf(u *openai.Usage) Usage {
	if u == nil {
		return Usage{}
	}
	return Usage{Prompt: max(u.PromptTokens, 0), Completion: max(u.CompletionTokens, 0)}
}

// errNoStream means that the server doesn't stream: it sent its whole response at once.
var errNoStream = errors.New("the server does not stream")

// stream makes a call whose reply arrives in pieces, and calls read with it. If read returns early, stream ends the
// call. It returns what has arrived, even with an error.
func (s *server) stream(ctx context.Context, p *prompt, d dialect, read func(reply io.Reader)) (completion, error) {
	request := p.request(d)
	// Without this option, many servers report no usage in a stream.
	if !d.noUsage {
		request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}

	client := &chatClient{limited: s.http}
	stream, err := s.client(client).CreateChatCompletionStream(ctx, request)
	if err != nil {
		return completion{noChoice: true}, s.explain(err, client.header, p.hostile)
	}
	defer stream.Close()

	if client.events == nil {
		err := client.checkUnstreamed()
		if !errors.Is(err, errNoStream) {
			err = s.explain(err, client.header, p.hostile)
		}
		return completion{noChoice: true}, err
	}

	reply := &streamedReply{stream: stream, events: client.events, completion: completion{noChoice: true}}
	read(reply)
	c := reply.completion
	c.text = reply.text.String()
	c.reasoning = reply.reasoning.String()
	if reply.err != nil && !c.complete {
		return c, s.explain(reply.err, client.header, append([]string{c.text, c.reasoning}, p.hostile...))
	}

	return c, nil
}

// streamedReply reads the text of a reply from the chunks of a stream.
type streamedReply struct {
	stream     *openai.ChatCompletionStream
	events     *eventBody
	completion completion // without its texts
	text       strings.Builder
	reasoning  strings.Builder
	unread     string
	err        error // of the stream; io.EOF at its proper end
}

func (r *streamedReply) Read(p []byte) (int, error) {
	for r.unread == "" {
		if r.err != nil {
			return 0, r.err
		}
		chunk, err := r.stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && !r.events.isDone:
			r.err = io.ErrUnexpectedEOF
		case err != nil:
			r.err = err
			r.completion.complete = errors.Is(err, io.EOF)
		default:
			var reasoning string
			r.unread, reasoning = r.completion.add(&chunk)
			r.text.WriteString(r.unread)
			r.reasoning.WriteString(reasoning)
		}

		// Some servers put the whole reply of a reasoning model there.
		if r.completion.complete && strings.TrimSpace(r.text.String()) == "" {
			r.unread = r.reasoning.String()
			r.text.WriteString(r.unread)
			r.reasoning.Reset()
		}
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

// add takes over the metadata of a chunk, and returns its pieces of the text and of the reasoning.
func (c *completion) add(chunk *openai.ChatCompletionStreamResponse) (text, reasoning string) {
	if chunk.Usage != nil {
		c.usage = usageOf(chunk.Usage)
	}
	for _, choice := range chunk.Choices {
		if choice.Index == 0 {
			c.noChoice = false
			text += choice.Delta.Content
			reasoning += choice.Delta.ReasoningContent
			c.refusal += choice.Delta.Refusal
			c.finish = cmp.Or(string(choice.FinishReason), c.finish)
		}
	}
	return text, reasoning
}

// explain translates the error of a call into a failure. It shortens the server's message, and removes the key and the
// texts that were sent.
func (s *server) explain(err error, header http.Header, sent []string) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("call the model server: %w", err)
	}

	if e, ok := errors.AsType[*providerError](err); ok {
		if e.code == contentFilter {
			return filtered(http.StatusOK)
		}
		f := s.rejected(e.status, s.redact(e.message, sent), cmp.Or(retryAfter(header, time.Now()), e.wait))
		f.inSuccess = true
		return f
	}

	if status, message, ok := rejection(err); ok {
		if isFiltered(err) {
			return filtered(status)
		}
		wait := cmp.Or(retryAfter(header, time.Now()), statedWait(message))
		return s.rejected(status, s.redact(message, sent), wait)
	}

	// The client library refuses some requests without sending them. They are treated like a server's rejection.
	if field := unsupported(err); field != "" {
		f := &failure{kind: ErrConfiguration, status: http.StatusBadRequest, message: field}
		f.text = "models of this name do not support " + field
		return f
	}

	// Anything else counts as a temporary fault of the network, apart from the cases below.
	f := &failure{kind: ErrUnavailable, text: err.Error(), cause: err}
	switch {
	case isA[*redirectError](err):
		f.kind, f.text = ErrConfiguration, err.Error()+"; set the base URL to that server"
	case isA[*http.MaxBytesError](err):
		f.kind = s.endpoint.tooLong.kind
		f.text = s.endpoint.tooLong.text
	case isA[*json.SyntaxError](err), isA[*json.UnmarshalTypeError](err):
		f.kind = ErrConfiguration
		f.text = "the response is not one of " + s.endpoint.path + " (base URLs usually end in /v1): " + err.Error()
	case errors.Is(err, openai.ErrChatCompletionInvalidModel):
		f.kind = ErrConfiguration
		f.text = "the model does not support chat; choose another one"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.text = "the response broke off: " + err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		f.text = "no response in time: " + err.Error()
	}

	f.text = shorten(s.redact(f.text, sent))
	return f
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// rejection returns the status and the message of a response whose status is not 200.
func rejection(err error) (status int, message string, ok bool) {
	if e, ok := errors.AsType[*openai.APIError](err); ok && e.HTTPStatusCode != 0 {
		return e.HTTPStatusCode, e.Message, true
	}
	if e, ok := errors.AsType[*openai.RequestError](err); ok { // a body that is not in OpenAI's form
		return e.HTTPStatusCode, string(e.Body), true
	}
	return 0, "", false
}

// contentFilter is the code of an error if Azure's content filter rejected a prompt.
const contentFilter = "content_filter"

func isFiltered(err error) bool {
	e, ok := errors.AsType[*openai.APIError](err)
	return ok && e.Code == contentFilter
}

// filtered returns the failure of a task that a content filter rejected.
func filtered(status int) *failure {
	return &failure{kind: ErrReply, status: status, text: "a content filter of the server rejected the task"}
}

// unsupported returns the field that go-openai itself refuses to send to models of certain names, or "".
func unsupported(err error) string {
	switch {
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return maxTokensField
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		return "temperature"
	}
	return ""
}

// contextPattern matches how servers say that the texts are longer than what the model reads at once: llama.cpp (also
// with status 500), OpenAI, vLLM, Ollama and text-embeddings-inference.
var contextPattern = regexp.MustCompile(`(?i)\bcontext (?:size|length|window)\b|\bmaximum (?:model|sequence) length\b` +
	`|too large to process\. increase the physical batch size|must have less than \d+ tokens`)

// unparsable matches how llama.cpp reports, with status 500, that a reply is not of the requested form.
var unparsable = regexp.MustCompile(`(?i)\bmodel produced output that does not match\b|^failed to parse input at pos `)

// llama-cpp-python reports permanent faults of a request with status 500.
var (
	invalidBody  = regexp.MustCompile(`^\d+ validation errors?:.*\('body', `)
	noEmbeddings = regexp.MustCompile(`\bembedding=True\b`) // a model for chat
)

// rejected returns the failure for a response with an error, with a redacted message. A status of 0 means that the
// error has none, in a response with status 200.
func (s *server) rejected(status int, message string, wait time.Duration) *failure {
	f := &failure{
		kind: ErrConfiguration, status: cmp.Or(status, http.StatusOK), retryAfter: wait, message: message,
		alive: status == http.StatusTooManyRequests,
	}

	var advice string
	// Messages come before most statuses, because servers use different statuses for the same fault.
	switch {
	case unparsable.MatchString(message):
		f.kind = ErrReply
		advice = "; the server could not parse the reply"
	case status != http.StatusTooManyRequests && contextPattern.MatchString(message):
		f.cause = ErrContext
		advice = "; " + s.endpoint.context
	case status == http.StatusNotImplemented,
		status == http.StatusInternalServerError && noEmbeddings.MatchString(message):
		advice = "; use a server and a model that offer " + s.endpoint.path
	case status == http.StatusInternalServerError && invalidBody.MatchString(message):
		advice = "; check " + s.endpoint.settings
	// Most errors without a status come from a relay whose provider failed.
	case status == 0, status == http.StatusRequestTimeout, status == http.StatusTooManyRequests,
		status >= http.StatusInternalServerError:
		f.kind = ErrUnavailable
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		advice = "; check the key"
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		advice = "; check the model, and the base URL, which usually ends in /v1"
	case status == http.StatusRequestEntityTooLarge:
		advice = "; " + s.endpoint.tooLarge
	default:
		advice = "; check " + s.endpoint.settings
	}

	f.text = fmt.Sprintf("%d %s", status, http.StatusText(status))
	if status == 0 {
		f.text = "the response has status 200 and an error"
	}
	if f.retryAfter > 0 {
		f.text += fmt.Sprintf(", retry after %v", f.retryAfter)
	}
	f.text += advice + ": " + cmp.Or(shorten(message), "no message")

	return f
}
