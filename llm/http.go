package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// newTransport returns http.DefaultTransport with one idle connection per concurrent call.
func newTransport(concurrency int) http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = concurrency
	return transport
}

// validateServer returns everything that is wrong with a server's URL, key and model. path is the endpoint's.
func validateServer(baseURL, path, key, model string) error {
	faults := []error{validateBaseURL(baseURL, path)}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		faults = append(faults, errors.New("the key contains a space, a line break or a character outside ASCII"))
	}
	if model == "" {
		faults = append(faults, errors.New("the model is empty; use the name that the server knows it by"))
	}
	return errors.Join(faults...)
}

// validateBaseURL returns the fault of a URL without quoting it: it may contain credentials.
func validateBaseURL(base, path string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return errors.New("the base URL is not a URL; use one like http://127.0.0.1:11434/v1")
	case u.User != nil:
		return errors.New("the base URL contains credentials; remove them and use the setting for the key")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("the base URL must begin with http:// or https:// and a host, like http://127.0.0.1:11434/v1")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("the base URL has a query or a fragment; remove it (Azure: …/openai/v1)")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), path):
		return fmt.Errorf("the base URL ends in %s, which is added automatically; remove it", path)
	}
	return nil
}

// limitedClient is an HTTP client that reads at most limit bytes of a response and follows no redirects.
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

// Do sends a request like http.Client.Do.
func (c *limitedClient) Do(r *http.Request) (*http.Response, error) {
	response, err := c.client.Do(r) //nolint:gosec // the URL is an operator's setting, checked by NewEmbedder and NewChat
	if err != nil {
		return nil, err
	}
	response.Body = http.MaxBytesReader(nil, response.Body, c.limit)
	return response, nil
}

// redirectError reports a redirect. Redirects are not followed: a redirected POST may lose its body, and the texts
// would reach a server that nobody configured.
type redirectError struct{ location string }

func (e *redirectError) Error() string { return "the server redirects to " + e.location }

// retryAfter returns the wait that a Retry-After header asks for: seconds, or a date (RFC 9110, section 10.2.3).
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

// chatClient is the HTTP client of one call to /chat/completions. It gives access to what go-openai hides.
type chatClient struct {
	limited *limitedClient
	header  http.Header // of the response
	events  *eventBody  // of the response; nil unless it is a stream
	body    []byte      // of the response, unless it is a stream
}

// Do sends temperature 0. go-openai omits a 0, and servers then use their own default, usually 1. The smallest number
// above 0, which go-openai recommends instead, becomes .01 in vLLM and a divisor in llama.cpp.
//
// It returns an error that a response with status 200 contains as a *providerError.
func (c *chatClient) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}

	// A string can't contain this text, because its quotation marks would be escaped.
	body = bytes.Replace(body, []byte(`"temperature":1e-45`), []byte(`"temperature":0`), 1)
	r.ContentLength = int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.Body, _ = r.GetBody()

	response, err := c.limited.Do(r)
	if err != nil {
		return nil, err
	}
	c.header = response.Header

	switch {
	case response.StatusCode >= http.StatusBadRequest:
		return response, nil
	case strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"):
		c.events = newEventBody(response.Body)
		response.Body = c.events
		return response, nil
	}

	defer response.Body.Close()
	if c.body, err = io.ReadAll(response.Body); err != nil {
		return nil, err
	}
	if e := findProviderError(c.body, false); e != nil {
		return nil, e
	}
	response.Body = io.NopCloser(bytes.NewReader(c.body))

	return response, nil
}

// checkUnstreamed returns errNoStream if the response to a request for a stream is a completion, or has events without
// their type. Anything else, such as the page of a proxy, says nothing about what the server supports.
func (c *chatClient) checkUnstreamed() error {
	if bytes.HasPrefix(bytes.TrimSpace(c.body), []byte("data:")) {
		return errNoStream
	}
	var completion struct{ Choices []any }
	if err := json.NewDecoder(bytes.NewReader(c.body)).Decode(&completion); err != nil {
		return err
	}
	return errNoStream
}
