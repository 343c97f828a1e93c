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

// rig is a way to the node that breaks on demand: a network (wire), and behind it a gateway that sees each request.
type rig struct {
	node    *node
	prefix  string
	wire    *toxiproxy.Proxy
	gateway *gateway
}

// newRig leads to the node of this run, under a prefix of the test's own.
func newRig(t *testing.T) *rig {
	t.Helper()
	n := theNode(t)
	r := &rig{node: n, prefix: n.prefix(t), gateway: newGateway(t, n)}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	server.Metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	r.wire = toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", strings.TrimPrefix(r.gateway.url, "http://"))
	r.mend(t)
	t.Cleanup(r.wire.Stop)
	return r
}

// engine tells the programs of the rig. The gateway speaks to the node as the node wants it; before it there is neither
// TLS nor a password.
func (r *rig) engine() searchEngine {
	return searchEngine{name: "elasticsearch", flags: func(*testing.T) []string {
		return []string{"-elasticsearch-url", r.url(), "-elasticsearch-prefix", r.prefix}
	}}
}

func (r *rig) url() string { return "http://" + r.wire.Listen }

// cut ends every connection, and refuses new ones until mend.
func (r *rig) cut() { r.wire.Stop() }

func (r *rig) mend(t *testing.T) {
	t.Helper()
	if err := r.wire.Start(); err != nil {
		t.Fatal(err)
	}
}

// poison has something happen to what the node answers, such as latency, until cure.
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

// gateway passes requests on to the node, and counts them. A test can step between.
type gateway struct {
	url      string
	pass     http.Handler
	step     atomic.Pointer[http.HandlerFunc] // nil: pass
	requests atomic.Int64
	mu       sync.Mutex // guards what follows
	now      int        // requests under way
	most     int        // of them at once
}

func newGateway(t *testing.T, n *node) *gateway {
	t.Helper()
	target, err := url.Parse(n.url)
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{pass: passTo(n, target)}
	server := httptest.NewUnstartedServer(g)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that a test breaks
	server.Start()
	t.Cleanup(func() {
		g.step.Store(nil)
		server.CloseClientConnections()
		server.Close()
	})
	g.url = server.URL
	return g
}

// passTo passes requests on to a node. Where that fails, the connection breaks off.
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
			r.Out.Header.Del("Accept-Encoding") // so that tests can read the answers
			if n.user != "" {
				r.Out.SetBasicAuth(n.user, n.password)
			}
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.requests.Add(1)
	g.underWay(1)
	defer g.underWay(-1)
	if step := g.step.Load(); step != nil {
		(*step)(w, r)
		return
	}
	g.pass.ServeHTTP(w, r)
}

func (g *gateway) underWay(change int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += change
	g.most = max(g.most, g.now)
}

// peak is how many requests were under way at once since the last call.
func (g *gateway) peak() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	most := g.most
	g.most = g.now
	return most
}

// between puts a step between; nil: none.
func (g *gateway) between(step http.HandlerFunc) {
	if step == nil {
		g.step.Store(nil)
		return
	}
	g.step.Store(&step)
}

// breakOff ends the connection of a request without an answer, as a node does that dies.
func breakOff(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// refuse answers as Elasticsearch does when its queues are full.
func refuse(w http.ResponseWriter, _ *http.Request) {
	const reason = `{"type":"es_rejected_execution_exception","reason":"rejected execution: queue capacity is reached"}`
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusTooManyRequests)
	fmt.Fprintf(w, `{"error":{"root_cause":[%s],"type":"es_rejected_execution_exception","reason":"rejected"},"status":429}`, reason)
}

func isBulk(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/_bulk") }

func isSearch(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/_search") || strings.HasSuffix(r.URL.Path, "/_msearch")
}

// edit lets a test change the body of a request on its way.
func edit(t *testing.T, r *http.Request, change func(body []byte) []byte) {
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
		panic(http.ErrAbortHandler) // the client has gone
	}
	body = change(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}
