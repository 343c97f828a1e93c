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
	"slices"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
)

// server is one OpenAI-compatible server, as asked at one of its endpoints. It makes single calls; patience is the business
// of whoever calls.
type server struct {
	config   openai.ClientConfig
	http     *limitedClient
	key      string
	endpoint endpoint
}

// endpoint is what failures at an endpoint mean.
type endpoint struct {
	path     string
	tooLong  failure // the answer is
	tooLarge string  // the request is
	settings string  // that a refused request may be due to
}

func newServer(baseURL, key string, transport http.RoundTripper, limit int64, at endpoint) *server {
	config := openai.DefaultConfig(key)
	config.BaseURL = baseURL
	config.EmptyMessagesLimit = math.MaxInt // lines that keep a stream alive; the limit on bytes bounds them
	return &server{config: config, http: newLimitedClient(transport, limit), key: key, endpoint: at}
}

// client is go-openai over an HTTP client.
func (s *server) client(over openai.HTTPDoer) *openai.Client {
	config := s.config
	config.HTTPClient = over
	return openai.NewClientWithConfig(config)
}

// embed is one vector for each text, in the order of texts. Dimensions 0 leaves the size to the model.
func (s *server) embed(ctx context.Context, model string, dimensions int, texts []string) ([][]float32, error) {
	answer, err := s.client(s.http).CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{
		Input: texts, Model: openai.EmbeddingModel(model), Dimensions: dimensions,
	})
	if err != nil {
		return nil, s.explain(err, answer.Header(), texts)
	}
	if len(answer.Data) != len(texts) {
		return nil, misbehaved("the server answered %d vectors for %d texts; is this an embeddings server?",
			len(answer.Data), len(texts))
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index < 0 || d.Index >= len(texts) {
			return nil, misbehaved("the server answered index %d for %d texts; use another server", d.Index, len(texts))
		}
		if vectors[d.Index] != nil {
			return nil, misbehaved("the server answered index %d twice; set the batch to 1 or use another server", d.Index)
		}
		if len(d.Embedding) == 0 {
			return nil, misbehaved("the server answered no numbers for a text; is %q an embeddings model?", model)
		}
		vectors[d.Index] = d.Embedding
	}
	return vectors, nil
}

func misbehaved(format string, args ...any) error {
	return &failure{kind: ErrConfiguration, text: fmt.Sprintf(format, args...), status: http.StatusOK}
}

// prompt is what a model is asked in one call.
type prompt struct {
	model     string
	messages  []turn
	name      string          // of the reply's form
	schema    json.RawMessage // of the reply, for a server that takes one
	maxTokens int             // of the reply
	seed      int             // 0: none
	hostile   []string        // the texts in it that no error may tell
}

// turn is one message of a conversation.
type turn struct{ role, text string }

// The roles of turns.
const (
	roleSystem    = openai.ChatMessageRoleSystem
	roleUser      = openai.ChatMessageRoleUser
	roleAssistant = openai.ChatMessageRoleAssistant
)

// request is the prompt in a server's dialect.
func (p *prompt) request(d dialect) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: p.model}
	for _, m := range p.messages {
		r.Messages = append(r.Messages, openai.ChatCompletionMessage{Role: m.role, Content: m.text})
	}
	if d.tokens == MaxCompletionTokensField {
		r.MaxCompletionTokens = p.maxTokens
	} else {
		r.MaxTokens = p.maxTokens //nolint:staticcheck // deprecated by OpenAI, and the only one that many servers know
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

// completion is what a model said in one call.
type completion struct {
	text    string
	refusal string
	finish  string // the finish_reason
	usage   Usage  // the zero Usage: the server does not say
	none    bool   // there is no choice in the answer
}

// complete makes a call that is answered at once.
func (s *server) complete(ctx context.Context, p *prompt, d dialect) (completion, error) {
	client := &chatClient{limited: s.http}
	answer, err := s.client(client).CreateChatCompletion(ctx, p.request(d))
	if err != nil {
		return completion{}, s.explain(err, client.header, p.hostile)
	}
	c := completion{usage: usageOf(&answer.Usage), none: len(answer.Choices) == 0}
	if !c.none {
		choice := answer.Choices[0]
		c.text, c.refusal, c.finish = choice.Message.Content, choice.Message.Refusal, string(choice.FinishReason)
		for _, part := range choice.Message.MultiContent {
			c.text += part.Text
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

// errNoStream is a server that answers at once what it was asked to stream.
var errNoStream = errors.New("the server does not stream")

// stream makes a call that is answered in pieces. Each is handed to receive, whose error ends the call. The completion
// is what came so far, also beside an error.
func (s *server) stream(
	ctx context.Context, p *prompt, d dialect, receive func(piece string) error,
) (c completion, err error) {
	request := p.request(d)
	if !d.noUsage {
		request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	client := &chatClient{limited: s.http}
	c.none = true
	stream, err := s.client(client).CreateChatCompletionStream(ctx, request)
	if err != nil {
		return c, s.explain(err, client.header, p.hostile)
	}
	defer stream.Close()
	if !strings.HasPrefix(client.header.Get("Content-Type"), "text/event-stream") {
		return c, errNoStream
	}
	var text strings.Builder
	defer func() { c.text = text.String() }()
	for {
		chunk, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && client.body.isDone():
			return c, nil
		case errors.Is(err, io.EOF):
			return c, s.explain(io.ErrUnexpectedEOF, nil, nil)
		case err != nil:
			return c, s.explain(err, nil, slices.Concat(p.hostile, []string{text.String()}))
		}
		piece := c.add(&chunk)
		text.WriteString(piece)
		if err := receive(piece); err != nil {
			return c, err
		}
	}
}

// add takes up what a chunk of a stream says, and is its piece of the text.
func (c *completion) add(chunk *openai.ChatCompletionStreamResponse) (piece string) {
	if chunk.Usage != nil {
		c.usage = usageOf(chunk.Usage)
	}
	for _, choice := range chunk.Choices {
		if choice.Index == 0 {
			c.none = false
			piece += choice.Delta.Content
			c.refusal += choice.Delta.Refusal
			c.finish = cmp.Or(string(choice.FinishReason), c.finish)
		}
	}
	return piece
}

// explain tells a failed call in the terms of this package. What the server said is cut short, and freed of the key and of
// the texts that were sent.
func (s *server) explain(err error, header http.Header, sent []string) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("ask the model server: %w", err)
	}
	if status, message, ok := refusal(err); ok {
		if isFiltered(err) {
			return &failure{kind: ErrReply, status: status, text: "a content filter of the server holds the task back"}
		}
		return s.refused(status, s.redact(message, sent), header)
	}
	if field := unsupported(err); field != "" {
		f := &failure{kind: ErrConfiguration, status: http.StatusBadRequest, words: field}
		f.text = "the model takes no " + field + " by its name"
		return f
	}
	f := &failure{kind: ErrUnavailable, text: err.Error(), cause: err}
	switch {
	case isA[*redirectError](err):
		f.kind, f.text = ErrConfiguration, err.Error()+"; set the base URL to where the server really is"
	case isA[*http.MaxBytesError](err):
		f.kind, f.text = s.endpoint.tooLong.kind, s.endpoint.tooLong.text
	case isA[*json.SyntaxError](err), isA[*json.UnmarshalTypeError](err):
		f.kind = ErrConfiguration
		f.text = "the answer is not one of " + s.endpoint.path + " (base URLs usually end in /v1): " + err.Error()
	case errors.Is(err, openai.ErrChatCompletionInvalidModel):
		f.kind, f.text = ErrConfiguration, "the model does not chat; choose another one"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.text = "the answer broke off: " + err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		f.text = "no answer in time: " + err.Error()
	}
	f.text = shorten(s.redact(f.text, sent))
	return f
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// refusal is the status and the words of an answer that is not 200.
func refusal(err error) (status int, message string, ok bool) {
	if e, ok := errors.AsType[*openai.APIError](err); ok && e.HTTPStatusCode != 0 {
		return e.HTTPStatusCode, e.Message, true
	}
	if e, ok := errors.AsType[*openai.RequestError](err); ok { // words in another shape than OpenAI's
		return e.HTTPStatusCode, string(e.Body), true
	}
	return 0, "", false
}

// isFiltered reports whether Azure's filter refused a prompt.
func isFiltered(err error) bool {
	e, ok := errors.AsType[*openai.APIError](err)
	return ok && e.Code == "content_filter"
}

// unsupported is the field that go-openai itself refuses to send to models of some names; "": it is not that.
func unsupported(err error) string {
	switch {
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return string(MaxTokensField)
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		return "temperature"
	}
	return ""
}

// refused tells of an answer with a status that is not 200, in words that were redacted.
func (s *server) refused(status int, words string, header http.Header) error {
	f := &failure{
		kind: ErrConfiguration, status: status, retryAfter: retryAfter(header, time.Now()), words: words,
		alive: status == http.StatusTooManyRequests,
	}
	var advice string
	switch {
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
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
	if f.retryAfter > 0 {
		f.text += fmt.Sprintf(", asks to wait %v", f.retryAfter)
	}
	f.text += advice + ": " + cmp.Or(shorten(words), "no message")
	return f
}
