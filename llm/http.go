package llm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// newTransport is http.DefaultTransport for so many calls at once to one server.
func newTransport(concurrency int) http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = concurrency
	return transport
}

// validateServer tells every fault of what names a server and its model. path is the endpoint's.
func validateServer(baseURL, path, key, model string) error {
	faults := []error{validateBaseURL(baseURL, path)}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		faults = append(faults, errors.New("the key holds a blank, a line break or a character outside ASCII; give it without"))
	}
	if model == "" {
		faults = append(faults, errors.New("the model is empty; give its name as the server knows it"))
	}
	return errors.Join(faults...)
}

// validateBaseURL never quotes a URL that may hold credentials.
func validateBaseURL(base, path string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return errors.New("the base URL is not a URL; one looks like http://127.0.0.1:11434/v1")
	case u.User != nil:
		return errors.New("the base URL holds credentials; take them out and give the key by its own setting")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("the base URL must begin with http:// or https:// and a host; one looks like http://127.0.0.1:11434/v1")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("the base URL has a query or a fragment; give it without (Azure: …/openai/v1)")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), path):
		return fmt.Errorf("the base URL ends in %s, which is added to it; leave that off", path)
	}
	return nil
}

// limitedClient is an HTTP client that refuses to read more than limit bytes of an answer.
type limitedClient struct {
	client *http.Client
	limit  int64
}

func newLimitedClient(transport http.RoundTripper, limit int64) *limitedClient {
	return &limitedClient{limit: limit, client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(next *http.Request, _ []*http.Request) error { return &redirectError{next.URL.Redacted()} },
	}}
}

// Do is http.Client.Do with the bound.
func (c *limitedClient) Do(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r) //nolint:gosec // the URL is an operator's setting, checked by NewEmbedder and NewChat
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

// chatClient is the HTTP client of one call to /chat/completions. It sees what go-openai does not show.
type chatClient struct {
	limited *limitedClient
	header  http.Header // of the answer
	body    watchedBody // of the answer
}

// Do sends temperature 0 as such. go-openai leaves a 0 out, which means the server's own temperature, mostly 1. The
// smallest number above 0, which it advises to send instead, is set to .01 by vLLM and divided by in llama.cpp.
func (c *chatClient) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	body = bytes.Replace(body, []byte(`"temperature":1e-45`), []byte(`"temperature":0`), 1) // no string has bare quotes
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()
	response, err := c.limited.Do(r)
	if err != nil {
		return nil, err
	}
	c.header, c.body.ReadCloser = response.Header, response.Body
	response.Body = &c.body
	return response, nil
}

// watchedBody is a body that remembers the last bytes that were read of it.
type watchedBody struct {
	io.ReadCloser
	last []byte
}

// done is the last line of a stream that came to its proper end.
const done = "data:[DONE]"

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.last = append(b.last, p[max(0, n-4*len(done)):n]...)
	b.last = b.last[max(0, len(b.last)-4*len(done)):]
	return n, err
}

// isDone reports whether what was read ends in [DONE].
func (b *watchedBody) isDone() bool {
	last := bytes.TrimSpace(b.last)
	line := last[bytes.LastIndexByte(last, '\n')+1:]
	return string(bytes.ReplaceAll(line, []byte(" "), nil)) == done
}
