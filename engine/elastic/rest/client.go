package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/sony/gobreaker/v2"

	"github.com/freelancer-matching/service/internal/retry"
)

const (
	// maxResponse is the maximum size of an answer in bytes, several times that of the largest page.
	maxResponse = 256 << 20
	// connectTimeout bounds a TCP connect, and a TLS handshake.
	connectTimeout = 2 * time.Second
	// CompressFrom is the size in bytes from which request bodies are compressed.
	CompressFrom = 64 << 10
)

// A Config says how to reach a cluster.
type Config struct {
	URLs     []string // http or https addresses of the nodes
	Username string
	Password func() string // called for every request; nil without a user
	APIKey   func() string // replaces user and password; called like Password
	CACert   []byte        // PEM certificate of the nodes' certificate authority; nil: the system's authorities
	RetryFor time.Duration // how long Retry repeats a request that Elasticsearch does not accept
	Waits    Waits
	Log      *slog.Logger
}

// A Client sends requests to the nodes of one cluster in turn. It is safe for concurrent use.
type Client struct {
	Transport   elastictransport.Interface
	MaxResponse int64

	pool     *http.Transport
	breaker  *gobreaker.CircuitBreaker[struct{}]
	retryFor time.Duration
	waits    Waits
	log      *slog.Logger
}

// New returns a client. It sends no request, so it succeeds even if the cluster is down.
func New(config *Config) (*Client, error) {
	if len(config.URLs) == 0 {
		return nil, errors.New("Elasticsearch has no address") //nolint:staticcheck // a proper noun
	}
	urls := make([]*url.URL, len(config.URLs))
	for i, text := range config.URLs {
		u, err := nodeURL(text)
		if err != nil {
			return nil, err
		}
		urls[i] = u
	}

	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12}
	if config.CACert != nil {
		tlsConfig.RootCAs = x509.NewCertPool()
		if !tlsConfig.RootCAs.AppendCertsFromPEM(config.CACert) {
			return nil, errors.New("the file of elasticsearch-ca-file holds no certificate in PEM format: " +
				"want -----BEGIN CERTIFICATE-----")
		}
	}

	pool := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: connectTimeout,
		TLSClientConfig:     tlsConfig,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     30 * time.Second,
		// Answers consist mostly of numbers: compressing one takes a node longer than sending it.
		DisableCompression: true,
	}

	settings := []elastictransport.Option{
		elastictransport.WithURLs(urls...),
		elastictransport.WithTransport(&authenticating{pool, config.Username, config.Password, config.APIKey}),
	}

	// If one of several nodes fails, the request goes to another one. A single node is asked once. All other retries are
	// up to the callers.
	if len(urls) == 1 {
		settings = append(settings, elastictransport.WithDisableRetry())
	} else {
		settings = append(settings,
			elastictransport.WithRetry(min(3, len(urls)-1),
				http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout),
			elastictransport.WithRetryBackoff(func(attempt int) time.Duration {
				return retry.Backoff(attempt, 20*time.Millisecond, 200*time.Millisecond)
			}))
	}

	plain, err := elastictransport.NewClient(settings...)
	if err != nil {
		return nil, fmt.Errorf("Elasticsearch client: %w", err) //nolint:staticcheck // a proper noun
	}
	compressing, err := elastictransport.NewClient(append(settings, elastictransport.WithCompression(gzip.BestSpeed))...)
	if err != nil {
		return nil, fmt.Errorf("Elasticsearch client: %w", err) //nolint:staticcheck // a proper noun
	}

	return &Client{
		Transport: &sizeTransport{plain, compressing}, MaxResponse: maxResponse, pool: pool,
		breaker: newBreaker(config.Log), retryFor: config.RetryFor, waits: config.Waits, log: config.Log,
	}, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.pool.CloseIdleConnections() }

// An authenticating transport adds the credentials of the moment to requests.
type authenticating struct {
	pool          *http.Transport
	username      string
	password, key func() string // may be nil
}

// RoundTrip implements http.RoundTripper.
func (t *authenticating) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.key == nil && t.password == nil {
		return t.pool.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	if key := call(t.key); key != "" {
		r.Header.Set("Authorization", "APIKey "+key)
	} else if t.username != "" {
		r.SetBasicAuth(t.username, call(t.password))
	}
	return t.pool.RoundTrip(r)
}

// call returns the result of f, or "" without a function.
func call(f func() string) string {
	if f == nil {
		return ""
	}
	return f()
}

// A sizeTransport compresses large request bodies, which load documents, but not those of searches: compressing them
// would take longer than sending them.
type sizeTransport struct{ plain, compressing elastictransport.Interface }

// Perform sends a request.
func (t *sizeTransport) Perform(r *http.Request) (*http.Response, error) {
	if r.ContentLength >= 0 && r.ContentLength < CompressFrom {
		return t.plain.Perform(r)
	}
	return t.compressing.Perform(r)
}

// nodeURL parses the address of a node. Its errors never contain what may be a password.
func nodeURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case err == nil && u.User != nil:
		return nil, fmt.Errorf("the address of Elasticsearch at %s contains a user: "+
			"set elasticsearch-user and elasticsearch-password-file instead", u.Host)
	case strings.Contains(text, "@"):
		return nil, errors.New("an address of Elasticsearch contains an @: " +
			"set elasticsearch-user and elasticsearch-password-file instead")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("invalid address of Elasticsearch %q, want one such as http://127.0.0.1:9200", text)
	}
	return u, nil
}

// Do sends a request and decodes the JSON answer into out, unless out is nil. It returns a *Failure if Elasticsearch
// answers with an error, and the context's error if ctx ends.
func (c *Client) Do(ctx context.Context, r Request, out any) error {
	h, err := r.http(ctx)
	if err != nil {
		return err
	}
	response, err := c.Transport.Perform(h)
	if err != nil {
		return callError(ctx, err)
	}
	defer response.Body.Close()

	if response.StatusCode > 299 {
		return newFailure(ctx, response.StatusCode, response.Body)
	}
	// Elasticsearch identifies itself in every answer. A proxy or another search engine does not.
	if response.Header.Get("X-Elastic-Product") != "Elasticsearch" {
		return &unreachable{ErrNotElasticsearch}
	}

	body, err := c.read(response)
	switch {
	case errors.Is(err, ErrTooLarge):
		return err
	case err != nil:
		return callError(ctx, err)
	case out == nil:
		return nil
	}

	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("decode the answer of Elasticsearch: %w", err)
	}

	return nil
}

// read reads the body of an answer to its end, so that the connection can be reused.
func (c *Client) read(response *http.Response) ([]byte, error) {
	var body bytes.Buffer
	if size, err := strconv.ParseInt(response.Header.Get("Content-Length"), 10, 64); err == nil && size <= c.MaxResponse {
		body.Grow(int(size) + bytes.MinRead) // ReadFrom needs room for one more read at the end
	}
	_, err := body.ReadFrom(io.LimitReader(response.Body, c.MaxResponse+1))
	if err == nil && int64(body.Len()) > c.MaxResponse {
		err = ErrTooLarge
	}
	return body.Bytes(), err
}
