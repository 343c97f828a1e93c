//go:build integration

package integration

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// A rig is a path to the node that fails on demand: a network connection (wire), then a gateway that sees each request.
type rig struct {
	node    *node
	prefix  string
	wire    *toxiproxy.Proxy
	gateway *gateway
}

// newRig returns a rig to the node of this run, with a prefix that no other test uses.
func newRig(t *testing.T) *rig {
	t.Helper()
	n := testNode(t)
	r := &rig{node: n, prefix: n.prefix(t), gateway: newGateway(t, n)}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	server.Metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	r.wire = toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", strings.TrimPrefix(r.gateway.url, "http://"))
	r.mend(t)
	t.Cleanup(r.wire.Stop)
	return r
}

// engine returns an engine that reaches the node through the rig. The gateway adds TLS and the password if the node
// requires them; clients of the gateway use neither.
func (r *rig) engine() searchEngine {
	return searchEngine{name: "elasticsearch", flags: func(*testing.T) []string {
		return []string{"-elasticsearch-url", r.url(), "-elasticsearch-prefix", r.prefix}
	}}
}

func (r *rig) url() string { return "http://" + r.wire.Listen }

// cut closes all connections and refuses new ones until mend is called.
func (r *rig) cut() { r.wire.Stop() }

// mend accepts connections again.
func (r *rig) mend(t *testing.T) {
	t.Helper()
	if err := r.wire.Start(); err != nil {
		t.Fatal(err)
	}
}

// poison degrades the responses of the node, such as by latency, until the returned function is called.
func (r *rig) poison(t *testing.T, kind, attributes string) (cure func()) {
	t.Helper()
	toxic := fmt.Sprintf(`{"name":%q,"type":%q,"attributes":%s}`, kind, kind, attributes)
	if _, err := r.wire.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := r.wire.Toxics.RemoveToxic(t.Context(), kind); err != nil {
			t.Error(err)
		}
	}
}

// A gateway forwards requests to the node and counts them. A test can intercept them.
type gateway struct {
	url         string
	pass        http.Handler
	interceptor atomic.Pointer[http.HandlerFunc] // nil: pass
	requests    atomic.Int64
	mu          sync.Mutex // guards the fields below
	inProgress  int        // requests
	most        int        // the peak of inProgress since the last call of peak
}

func newGateway(t *testing.T, n *node) *gateway {
	t.Helper()
	target, err := url.Parse(n.url)
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{pass: passTo(n, target)}
	server := httptest.NewUnstartedServer(g)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // tests drop connections on purpose
	server.Start()
	t.Cleanup(func() {
		g.intercept(nil)
		server.CloseClientConnections()
		server.Close()
	})
	g.url = server.URL
	return g
}

// passTo returns a handler that forwards requests to a node. If that fails, it drops the connection.
func passTo(n *node, target *url.URL) http.Handler {
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	if n.ca != nil {
		authorities := x509.NewCertPool()
		authorities.AppendCertsFromPEM(n.ca)
		transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
	}
	return &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // so that tests can read the responses
			if n.user != "" {
				r.Out.SetBasicAuth(n.user, n.password)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) { dropConnection(w, r) },
	}
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.requests.Add(1)
	g.countInProgress(1)
	defer g.countInProgress(-1)
	if handler := g.interceptor.Load(); handler != nil {
		(*handler)(w, r)
		return
	}
	g.pass.ServeHTTP(w, r)
}

func (g *gateway) countInProgress(change int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inProgress += change
	g.most = max(g.most, g.inProgress)
}

// peak returns the largest number of concurrent requests since the last call.
func (g *gateway) peak() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	most := g.most
	g.most = g.inProgress
	return most
}

// intercept passes all further requests to handler instead of the node. If handler is nil, they go to the node again.
func (g *gateway) intercept(handler http.HandlerFunc) {
	if handler == nil {
		g.interceptor.Store(nil)
		return
	}
	g.interceptor.Store(&handler)
}

// dropConnection closes the connection without a response, like a node that dies.
func dropConnection(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// rejectRequest responds like Elasticsearch with full queues.
func rejectRequest(w http.ResponseWriter, r *http.Request) {
	// With the body half read, the server would close the connection, and the client might not see the response.
	_, _ = io.Copy(io.Discard, r.Body)
	const reason = `{"type":"es_rejected_execution_exception","reason":"rejected execution: queue capacity is reached"}`
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusTooManyRequests)
	fmt.Fprintf(w, `{"error":{"root_cause":[%s],"type":"es_rejected_execution_exception","reason":"rejected"},`+
		`"status":429}`, reason)
}

func isBulk(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/_bulk") }

func isSearch(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/_search") || strings.HasSuffix(r.URL.Path, "/_msearch")
}

// editBody replaces the body of a request with the result of change. It decompresses the body first.
func editBody(t *testing.T, r *http.Request, change func(body []byte) []byte) {
	var reader io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		reader = unzipped
		r.Header.Del("Content-Encoding")
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		panic(http.ErrAbortHandler) // the client has disconnected
	}
	body = change(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}
