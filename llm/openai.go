package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
)

// excerptLength is how many characters of a server's own words are told on: some servers repeat the whole request.
const excerptLength = 200

// server is one OpenAI-compatible server. It makes single calls; patience is the business of whoever calls.
type server struct {
	client *openai.Client
	key    string
}

// newServer is the server at a base URL, with a bound on the bytes of an answer.
func newServer(baseURL, key string, transport http.RoundTripper, limit int64) *server {
	config := openai.DefaultConfig(key)
	config.BaseURL = baseURL
	config.HTTPClient = &limitedClient{limit: limit, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(next *http.Request, _ []*http.Request) error { return &redirectError{next.URL.Redacted()} },
	}}
	return &server{client: openai.NewClientWithConfig(config), key: key}
}

// embed is one vector for each text, in the order of texts. Dimensions 0 leaves the size to the model.
func (s *server) embed(ctx context.Context, model string, dimensions int, texts []string) ([][]float32, error) {
	answer, err := s.client.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{
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

// explain tells a failed call in the terms of this package. What the server said is cut short, and freed of the key and of
// the texts that were sent.
func (s *server) explain(err error, header http.Header, sent []string) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("ask the model server: %w", err)
	}
	if status, message, ok := refusal(err); ok {
		return s.refused(status, s.excerpt(message, sent), header)
	}
	f := &failure{kind: ErrUnavailable, text: err.Error(), cause: err}
	switch {
	case isA[*redirectError](err):
		f.kind, f.text = ErrConfiguration, err.Error()+"; set the base URL to where the server really is"
	case isA[*http.MaxBytesError](err):
		f.kind, f.text = ErrConfiguration, "the answer is far longer than the vectors asked for; is this an embeddings server?"
	case isA[*json.SyntaxError](err), isA[*json.UnmarshalTypeError](err):
		f.kind, f.text = ErrConfiguration, "the answer is not one of /embeddings (base URLs usually end in /v1): "+err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.text = "the answer broke off: " + err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		f.text = "no answer in time: " + err.Error()
	}
	f.text = s.excerpt(f.text, sent)
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

func (s *server) refused(status int, message string, header http.Header) error {
	f := &failure{kind: ErrConfiguration, status: status, retryAfter: retryAfter(header, time.Now())}
	var advice string
	switch {
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		f.kind = ErrUnavailable
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		advice = "; check the key"
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		advice = "; check the model, and the base URL, which usually ends in /v1"
	case status == http.StatusRequestEntityTooLarge:
		advice = "; set a smaller batch"
	default:
		advice = "; check the model, the dimensions and the batch"
	}
	f.text = fmt.Sprintf("%d %s", status, http.StatusText(status))
	if f.retryAfter > 0 {
		f.text += fmt.Sprintf(", asks to wait %v", f.retryAfter)
	}
	f.text += advice + ": " + cmp.Or(message, "no message")
	return f
}

// excerpt is the beginning of what a server said, on one line, without the key and the texts sent: some servers repeat
// what they refuse, and errors are logged.
func (s *server) excerpt(text string, sent []string) string {
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, "[key]")
	}
	for _, t := range sent {
		quoted := strings.Trim(strconv.Quote(t), `"`) // as in JSON, but for rare characters
		text = strings.NewReplacer(t, "[text]", quoted, "[text]").Replace(text)
	}
	text = strings.Join(strings.Fields(text), " ")
	if short := cut(text, excerptLength); len(short) < len(text) {
		return short + " …"
	}
	return text
}

// retryAfter is the wait that a Retry-After header asks for, in seconds or until a date (RFC 9110, section 10.2.3).
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), int(24*time.Hour/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now).Round(time.Second), 0)
	}
	return 0
}

// limitedClient is an HTTP client that refuses to read more than limit bytes of an answer.
type limitedClient struct {
	client *http.Client
	limit  int64
}

// Do is http.Client.Do with the bound.
func (c *limitedClient) Do(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r) //nolint:gosec // the URL is an operator's setting, checked by NewEmbedder
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, c.limit)
	return response, nil
}

// redirectError is a server that sends callers elsewhere. They do not go: a redirected POST may lose its body, and the
// texts would reach a server that nobody named.
type redirectError struct{ location string }

func (e *redirectError) Error() string { return "the server redirects to " + e.location }
