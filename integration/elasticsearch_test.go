//go:build integration

package integration

import (
	"bytes"
	"context"
	"crypto/rand"
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

	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/engine/elastic/elastictest"
)

const (
	// nodeVariable is the environment variable with the address of a node that the tests use instead of a container.
	nodeVariable = elastictest.URLVariable
	// dockerVariable is an environment variable. If it is set, the container is tested even if nodeVariable is set.
	dockerVariable = "MATCHING_TEST_DOCKER"
	// The image's tag must be a version: the testcontainers module infers from it whether the node uses TLS.
	image = "docker.elastic.co/elasticsearch/elasticsearch:8.19.13"
	// startup limits the start of a container. It usually takes twenty seconds, but may exceed the module's limit of one
	// minute on a busy machine.
	startup = 10 * time.Minute
)

func engines() []searchEngine { return []searchEngine{embeddedEngine(), elasticsearchEngine()} }

// elasticsearchEngine returns the Elasticsearch of this run, with a prefix that no other test uses.
func elasticsearchEngine() searchEngine {
	return searchEngine{name: "elasticsearch", flags: func(t *testing.T) []string {
		t.Helper()
		n := testNode(t)
		return n.flags(t, n.prefix(t))
	}}
}

// A node is an Elasticsearch node.
type node struct {
	url, user, password string
	ca                  []byte // PEM; nil without TLS
	client              *http.Client
}

// testNode returns the Elasticsearch of this run: the node in nodeVariable, or else a container. Without either, the
// test is skipped; in CI, it fails.
func testNode(t *testing.T) *node {
	t.Helper()
	if n := namedNode(t); n != nil {
		return n
	}
	return testContainer(t)
}

// namedNode returns the node that the environment names, or nil for none.
func namedNode(t *testing.T) *node {
	t.Helper()
	c, err := elastictest.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return nil
	}
	return &node{url: c.URL, user: c.User, password: c.Password, ca: c.CA, client: c.Client}
}

func testContainer(t *testing.T) *node {
	t.Helper()
	n, err := container()
	switch {
	case err == nil:
	case errors.Is(err, errNoDocker) && os.Getenv("CI") == "":
		t.Skipf("%v: start Docker, or set %s to the address of a node", err, nodeVariable)
	default:
		t.Fatalf("%v: tests with the tag integration need Docker, or the address of a node in %s", err, nodeVariable)
	}
	return n
}

var errNoDocker = errors.New("no Docker engine responds")

// container starts a container with TLS and a password, once per run. TestMain removes it.
var container = sync.OnceValues(func() (*node, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startup)
	defer cancel()
	if err := dockerHealth(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDocker, err)
	}
	c, err := elasticsearch.Run(ctx, image, elasticsearch.WithPassword(rand.Text()),
		testcontainers.WithEnv(map[string]string{"ES_JAVA_OPTS": "-Xms512m -Xmx512m"}),
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostStarts: []testcontainers.ContainerHook{waitForResponse},
		}))
	if c != nil {
		atEnd = append(atEnd, func() error { return testcontainers.TerminateContainer(c) })
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", image, err)
	}
	client, err := elastictest.ClientTrusting(c.Settings.CACert)
	if err != nil {
		return nil, err
	}
	return &node{
		url:      c.Settings.Address,
		user:     c.Settings.Username,
		password: c.Settings.Password,
		ca:       c.Settings.CACert,
		client:   client,
	}, nil
})

// waitForResponse waits until a container responds. The module's limit of one minute begins after that.
func waitForResponse(ctx context.Context, c testcontainers.Container) error {
	return wait.ForHTTP("/").WithPort("9200").WithTLS(true).WithAllowInsecure(true).WithStartupTimeout(startup).
		WithStatusCodeMatcher(func(int) bool { return true }).WaitUntilReady(ctx, c)
}

// dockerHealth returns an error if no Docker engine responds. The library panics if none is configured.
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

// prefix returns a new prefix for the index names of one test. Its indexes are deleted when the test ends.
func (n *node) prefix(t *testing.T) string {
	t.Helper()
	prefix := "test-" + strings.ToLower(rand.Text()[:12]) + "-"
	t.Cleanup(func() {
		for _, index := range n.indexes(t, prefix) {
			n.call(t, http.MethodDelete, "/"+index)
		}
	})
	return prefix
}

// indexes returns the names of all indexes that start with a prefix, including indexes of other programs.
func (n *node) indexes(t *testing.T, prefix string) []string {
	t.Helper()
	var found []struct{ Index string }
	body := n.call(t, http.MethodGet, "/_cat/indices/"+prefix+"*?h=index&format=json&expand_wildcards=all")
	if err := json.Unmarshal(body, &found); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Index)
	}
	return names
}

// flags returns the flags that make the programs use the node.
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

// secret writes a text to a file and returns its path.
func secret(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	writeFile(t, file, text)
	return file
}

// always returns a function that returns a secret.
func always(secret string) func() string { return func() string { return secret } }

// options returns the options that open an engine on the node.
func (n *node) options(prefix string) elastic.Options {
	o := elastic.DefaultOptions()
	o.URLs, o.Username, o.Password, o.CACert, o.Prefix = []string{n.url}, n.user, always(n.password), n.ca, prefix
	return o
}

// call sends a request without a body directly to the node, without an engine or proxy. The request must succeed; call
// returns the body of the response.
func (n *node) call(t *testing.T, method, path string) []byte {
	t.Helper()
	status, response, err := n.try(method, path, "")
	if err != nil {
		t.Fatal(err)
	}
	if status >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s", method, path, status, response)
	}
	return response
}

func (n *node) try(method, path, body string) (status int, response []byte, err error) {
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
