package elastic

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// maxResponse bounds what is read of one answer: some times more than the largest page.
const maxResponse = 256 << 20

// client sends requests to the nodes of one cluster, in turn.
type client struct {
	transport *elastictransport.Client
	pool      *http.Transport
}

func newClient(o *Options) (*client, error) {
	urls := make([]*url.URL, len(o.URLs))
	for i, text := range o.URLs {
		u, err := url.Parse(strings.TrimRight(text, "/"))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("%q is no address of Elasticsearch; want one such as http://127.0.0.1:9200", text)
		}
		if u.User != nil {
			return nil, fmt.Errorf("the address of Elasticsearch at %s holds a password: give user and password by the settings for them", u.Host)
		}
		urls[i] = u
	}
	pool := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:   o.ConnectTimeout,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       30 * time.Second,
		ExpectContinueTimeout: time.Second,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
	}
	config := elastictransport.Config{
		URLs: urls, Username: o.Username, Password: o.Password, APIKey: o.APIKey,
		CACert: o.CACert, CertificateFingerprint: o.Fingerprint,
		CompressRequestBody: o.Compress, CompressRequestBodyLevel: 1, PoolCompressor: true,
		// One node more is tried for each that does not answer. Status 429 and 503 are for the callers, who know how patient
		// they may be.
		MaxRetries: min(3, len(urls)-1), DisableRetry: len(urls) == 1,
		RetryOnStatus: []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout},
		RetryBackoff:  func(attempt int) time.Duration { return backoff(attempt, 20*time.Millisecond, 200*time.Millisecond) },
		Transport:     pool,
	}
	transport, err := elastictransport.New(config)
	if err != nil {
		return nil, fmt.Errorf("the settings for Elasticsearch: %w", err)
	}
	return &client{transport: transport, pool: pool}, nil
}

// request is any of esapi's requests.
type request interface {
	Do(ctx context.Context, transport esapi.Transport) (*esapi.Response, error)
}

// do sends a request and decodes the JSON of its answer into out, unless that is nil. The error is a *Failure where
// Elasticsearch answered with one, and ctx's where that ended.
func (c *client) do(ctx context.Context, r request, out any) error {
	response, err := r.Do(ctx, c.transport)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()
	body := io.LimitReader(response.Body, maxResponse)
	if response.IsError() {
		return newFailure(ctx, response.StatusCode, body)
	}
	if out == nil {
		_, err := io.Copy(io.Discard, body) // so that the connection can be used again
		return cause(ctx, err)
	}
	data := new(bytes.Buffer)
	if n := response.Header.Get("Content-Length"); n != "" {
		var size int
		if _, err := fmt.Sscan(n, &size); err == nil && size <= maxResponse {
			data.Grow(size + bytes.MinRead)
		}
	}
	if _, err := data.ReadFrom(body); err != nil {
		return cause(ctx, err)
	}
	if err := json.Unmarshal(data.Bytes(), out); err != nil {
		return fmt.Errorf("the answer of Elasticsearch is not as expected: %w", err)
	}
	return nil
}

// cause is what ended a call: ctx, or the network.
func cause(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &unreachable{err}
}

// unreachable is a failure of the network, or of a node that does not listen.
type unreachable struct{ err error }

func (u *unreachable) Error() string { return "Elasticsearch does not answer: " + u.err.Error() }
func (u *unreachable) Unwrap() error { return u.err }

// Failure is an answer of Elasticsearch that tells of a failure.
type Failure struct {
	Status int    // of HTTP
	Type   string // such as index_not_found_exception; "" where the answer was not Elasticsearch's own
	Reason string
}

// Error tells type and reason.
func (f *Failure) Error() string {
	if f.Type == "" {
		return fmt.Sprintf("status %d %s from Elasticsearch, or what stands before it: %s", f.Status, http.StatusText(f.Status), f.Reason)
	}
	return fmt.Sprintf("Elasticsearch: %s: %s (status %d)", f.Type, f.Reason, f.Status)
}

// newFailure reads the body of an answer that tells of a failure.
func newFailure(ctx context.Context, status int, body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil {
		return cause(ctx, err)
	}
	f := &Failure{Status: status}
	var answer struct{ Error json.RawMessage }
	var detail struct {
		Type, Reason string
		RootCause    []struct{ Type, Reason string } `json:"root_cause"`
		FailedShards []struct {
			Reason struct{ Type, Reason string }
		} `json:"failed_shards"`
	}
	switch {
	case json.Unmarshal(data, &answer) != nil:
		f.Reason = strings.TrimSpace(string(data[:min(len(data), 200)]))
	case json.Unmarshal(answer.Error, &detail) != nil:
		f.Reason = strings.TrimSpace(string(answer.Error))
	default:
		f.Type, f.Reason = detail.Type, detail.Reason
		switch {
		case len(detail.FailedShards) > 0: // says more than "all shards failed"
			f.Type, f.Reason = detail.FailedShards[0].Reason.Type, detail.FailedShards[0].Reason.Reason
		case len(detail.RootCause) > 0 && detail.RootCause[0].Reason != "":
			f.Type, f.Reason = detail.RootCause[0].Type, detail.RootCause[0].Reason
		}
	}
	return f
}

// failed reports whether err is an answer of Elasticsearch with this status, or with this type of failure.
func failed(err error, status int, types ...string) bool {
	f, ok := errors.AsType[*Failure](err)
	if !ok || status != 0 && f.Status != status {
		return false
	}
	for _, t := range types {
		if f.Type == t {
			return true
		}
	}
	return len(types) == 0
}
