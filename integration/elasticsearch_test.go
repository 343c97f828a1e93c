//go:build integration

package integration

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/elasticsearch"
	"github.com/testcontainers/testcontainers-go/wait"

	"freelancer-matching/engine/elastic"
)

const (
	// nodeVariable names the environment variable with the address of a node without TLS and password, which the tests use
	// in place of a container.
	nodeVariable = "MATCHING_TEST_ELASTICSEARCH_URL"
	// dockerVariable, when not empty, has the container tested also where there is a node.
	dockerVariable = "MATCHING_TEST_DOCKER"
	// image is named by its version: the module tells from that whether the node has TLS.
	image = "docker.elastic.co/elasticsearch/elasticsearch:8.19.13"
	// startup bounds the start of a container. It takes twenty seconds, and on a busy machine more than the minute that the
	// module gives it.
	startup = 4 * time.Minute
)

func engines() []searchEngine { return []searchEngine{embeddedEngine(), onElasticsearch()} }

// onElasticsearch is the node of this run, with a prefix of the test's own.
func onElasticsearch() searchEngine {
	return searchEngine{name: "elasticsearch", flags: func(t *testing.T) []string {
		t.Helper()
		n := theNode(t)
		return n.flags(t, n.prefix(t))
	}}
}

// node is an Elasticsearch.
type node struct {
	url, user, password string
	ca                  []byte // PEM; nil: no TLS
	client              *http.Client
}

// theNode is the Elasticsearch of this run: the one that the environment names, else a container. Without either the test
// is skipped, and in CI it fails.
func theNode(t *testing.T) *node {
	t.Helper()
	if url := os.Getenv(nodeVariable); url != "" {
		return &node{url: strings.TrimRight(url, "/"), client: http.DefaultClient}
	}
	return theContainer(t)
}

func theContainer(t *testing.T) *node {
	t.Helper()
	n, err := container()
	switch {
	case err == nil:
	case errors.Is(err, errNoDocker) && os.Getenv("CI") == "":
		t.Skipf("%v: start Docker, or name a node in %s", err, nodeVariable)
	default:
		t.Fatalf("%v: tests with the tag integration need Docker, or a node named in %s", err, nodeVariable)
	}
	return n
}

var errNoDocker = errors.New("no Docker engine answers")

// container is one container for the run, with TLS and a password. It ends with TestMain.
var container = sync.OnceValues(func() (*node, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startup)
	defer cancel()
	if err := dockerHealth(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDocker, err)
	}
	c, err := elasticsearch.Run(ctx, image, elasticsearch.WithPassword(rand.Text()),
		testcontainers.WithEnv(map[string]string{"ES_JAVA_OPTS": "-Xms512m -Xmx512m"}),
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostStarts: []testcontainers.ContainerHook{listens},
		}))
	if c != nil {
		atEnd = append(atEnd, func() error { return testcontainers.TerminateContainer(c) })
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", image, err)
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(c.Settings.CACert)
	return &node{
		url: c.Settings.Address, user: c.Settings.Username, password: c.Settings.Password, ca: c.Settings.CACert,
		client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}},
	}, nil
})

// listens waits until a container answers at all. Its minute begins afterwards.
func listens(ctx context.Context, c testcontainers.Container) error {
	return wait.ForHTTP("/").WithPort("9200").WithTLS(true).WithAllowInsecure(true).WithStartupTimeout(startup).
		WithStatusCodeMatcher(func(int) bool { return true }).WaitUntilReady(ctx, c)
}

// dockerHealth asks the Docker engine whether it is there. The library panics where it finds no trace of one.
func dockerHealth(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	provider, err := testcontainers.ProviderDocker.GetProvider()
	if err != nil {
		return err
	}
	defer provider.Close()
	return provider.Health(ctx)
}

// prefix is before all names of one test, and of no other; what bears it is removed when the test ends.
func (n *node) prefix(t *testing.T) string {
	t.Helper()
	prefix := "test-" + strings.ToLower(rand.Text()[:12]) + "-"
	t.Cleanup(func() {
		for _, index := range n.indexes(t, prefix) {
			n.call(t, http.MethodDelete, "/"+index, "")
		}
	})
	return prefix
}

// indexes are the names of all indexes that begin with a prefix, those of other programs too.
func (n *node) indexes(t *testing.T, prefix string) []string {
	t.Helper()
	var found []struct{ Index string }
	answer := n.call(t, http.MethodGet, "/_cat/indices/"+prefix+"*?h=index&format=json&expand_wildcards=all", "")
	if err := json.Unmarshal(answer, &found); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Index)
	}
	return names
}

// flags tell the programs of the node.
func (n *node) flags(t *testing.T, prefix string) []string {
	t.Helper()
	flags := []string{"-elasticsearch-url", n.url, "-elasticsearch-prefix", prefix}
	if n.user != "" {
		flags = append(flags, "-elasticsearch-user", n.user, "-elasticsearch-password-file", secret(t, n.password))
	}
	if n.ca != nil {
		flags = append(flags, "-elasticsearch-ca-file", secret(t, string(n.ca)))
	}
	return flags
}

// secret is a file with a text.
func secret(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	writeFile(t, file, text)
	return file
}

// options are those of an engine on the node.
func (n *node) options(prefix string) elastic.Options {
	o := elastic.DefaultOptions()
	o.URLs, o.Username, o.Password, o.CACert, o.Prefix = []string{n.url}, n.user, n.password, n.ca, prefix
	return o
}

// call asks the node itself, past every engine and proxy, and returns the body of the answer, which must be a good one.
func (n *node) call(t *testing.T, method, path, body string) []byte {
	t.Helper()
	status, answer, err := n.try(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	if status >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	return answer
}

func (n *node) try(method, path, body string) (status int, answer []byte, err error) {
	req, err := http.NewRequest(method, n.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if n.user != "" {
		req.SetBasicAuth(n.user, n.password)
	}
	resp, err := n.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err = io.Copy(&b, resp.Body)
	return resp.StatusCode, b.Bytes(), err
}
