package elastic

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
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/elastic/go-elasticsearch/v8/esapi"

	"freelancer-matching/internal/retry"
)

// maxResponse bounds what is read of one answer: some times more than the largest page.
const maxResponse = 256 << 20

// client sends requests to the nodes of one cluster, in turn.
type client struct {
	transport esapi.Transport
	pool      *http.Transport
	most      int64 // bytes of one answer
}

func newClient(o *Options) (*client, error) {
	urls := make([]*url.URL, len(o.URLs))
	for i, text := range o.URLs {
		u, err := nodeURL(text)
		if err != nil {
			return nil, err
		}
		urls[i] = u
	}
	secured := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CACert != nil {
		secured.RootCAs = x509.NewCertPool()
		if !secured.RootCAs.AppendCertsFromPEM(o.CACert) {
			return nil, errors.New("the file of elasticsearch-ca-file holds no certificate in PEM format: " +
				"want -----BEGIN CERTIFICATE-----")
		}
	}
	pool := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: o.ConnectTimeout,
		TLSClientConfig:     secured,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     30 * time.Second,
		// An answer is mostly numbers: to compress it takes a node longer than to send it.
		DisableCompression: true,
	}
	settings := []elastictransport.Option{
		elastictransport.WithURLs(urls...), elastictransport.WithTransport(pool),
		elastictransport.WithBasicAuth(o.Username, o.Password), elastictransport.WithAPIKey(o.APIKey),
	}
	// Where one node does not answer, or not well, another one is asked; a node alone is asked once. How patient to be beyond
	// that is for the callers.
	if len(urls) == 1 {
		settings = append(settings, elastictransport.WithDisableRetry())
	} else {
		settings = append(settings,
			elastictransport.WithRetry(min(3, len(urls)-1), http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout),
			elastictransport.WithRetryBackoff(func(attempt int) time.Duration {
				return retry.Backoff(attempt, 20*time.Millisecond, 200*time.Millisecond)
			}))
	}
	plain, err := elastictransport.NewClient(settings...)
	if err != nil {
		return nil, fmt.Errorf("the settings for Elasticsearch: %w", err)
	}
	c := &client{transport: plain, pool: pool, most: maxResponse}
	if o.Compress {
		compressing, err := elastictransport.NewClient(append(settings, elastictransport.WithCompression(gzip.BestSpeed))...)
		if err != nil {
			return nil, fmt.Errorf("the settings for Elasticsearch: %w", err)
		}
		c.transport = &bySize{plain, compressing}
	}
	return c, nil
}

// bySize compresses the bodies of requests, but not those of searches, which are small: to compress one takes longer than to
// send it.
type bySize struct{ plain, compressing esapi.Transport }

// compressFrom is the size in bytes from which bodies are compressed.
const compressFrom = 64 << 10

// Perform sends a request.
func (t *bySize) Perform(r *http.Request) (*http.Response, error) {
	if r.ContentLength >= 0 && r.ContentLength < compressFrom {
		return t.plain.Perform(r)
	}
	return t.compressing.Perform(r)
}

// nodeURL is the address of a node. The error does not repeat what may be a password.
func nodeURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case err == nil && u.User != nil:
		return nil, fmt.Errorf("the address of Elasticsearch at %s holds a user: give user and password by the settings for them", u.Host)
	case strings.Contains(text, "@"):
		return nil, errors.New("an address of Elasticsearch holds an @: give user and password by the settings for them")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is no address of Elasticsearch; want one such as http://127.0.0.1:9200", text)
	}
	return u, nil
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
	if response.IsError() {
		return newFailure(ctx, response.StatusCode, response.Body)
	}
	// Elasticsearch names itself in every answer; what else might listen, a proxy or another engine, does not.
	if response.Header.Get("X-Elastic-Product") != "Elasticsearch" {
		return &unreachable{errNotElasticsearch}
	}
	body, err := c.read(response)
	switch {
	case errors.Is(err, errTooLarge):
		return err
	case err != nil:
		return cause(ctx, err)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("the answer of Elasticsearch is not as expected: %w", err)
	}
	return nil
}

// read is the whole body of an answer, to its end so that the connection can be used again.
func (c *client) read(response *esapi.Response) ([]byte, error) {
	var body bytes.Buffer
	if size, err := strconv.ParseInt(response.Header.Get("Content-Length"), 10, 64); err == nil && size <= c.most {
		body.Grow(int(size) + bytes.MinRead) // its last read needs that
	}
	_, err := body.ReadFrom(io.LimitReader(response.Body, c.most+1))
	if err == nil && int64(body.Len()) > c.most {
		err = errTooLarge
	}
	return body.Bytes(), err
}
