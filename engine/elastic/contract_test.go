//go:build integration

package elastic_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/engine/elastic/elastictest"
	"github.com/freelancer-matching/service/engine/enginetest"
)

func TestContract(t *testing.T) {
	enginetest.Run(t, enginetest.Options{
		New: func(t *testing.T) func() enginetest.Engine {
			o := testOptions(t)
			return func() enginetest.Engine { return openEngine(t, o) }
		},
		Approximate:        true,
		SnapshotsExpire:    true,
		ReplacedStillCount: true,
		TextError:          1e-5,
		SumError:           2e-4, // in queries that give words less weight than any profile
		BandError:          1e-4,
		Large:              3000,
	})
}

// cluster returns the Elasticsearch for integration tests, or skips the test.
func cluster(t testing.TB) *elastictest.Cluster {
	t.Helper()
	c, err := elastictest.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("set " + elastictest.URLVariable + " to the address of an Elasticsearch to run this test")
	}
	return c
}

// testOptions returns options with a prefix of their own, whose indexes are dropped when the test ends.
func testOptions(t testing.TB) elastic.Options {
	t.Helper()
	o := cluster(t).Options("test-" + strings.ToLower(rand.Text()[:10]) + "-")
	t.Cleanup(func() { dropAll(t, o) })
	return o
}

func openEngine(t testing.TB, o elastic.Options) *elastic.Engine {
	t.Helper()
	e, err := elastic.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// dropAll drops all indexes under the prefix.
func dropAll(t testing.TB, o elastic.Options) {
	t.Helper()
	for _, name := range indexNames(t, o) {
		ask(t, http.MethodDelete, o.URLs[0]+"/"+name, "")
	}
}

// indexNames returns the full names of all indexes under the prefix, including hidden ones.
func indexNames(t testing.TB, o elastic.Options) []string {
	t.Helper()
	url := o.URLs[0] + "/_cat/indices/" + o.Prefix + "*?h=index&expand_wildcards=all"
	return strings.Fields(ask(t, http.MethodGet, url, ""))
}

// ask sends a request and returns the body of the answer.
func ask(t testing.TB, method, url, body string) string {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // usable during cleanup too
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := cluster(t).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s, %v", method, url, response.StatusCode, answer, err)
	}
	return string(answer)
}
