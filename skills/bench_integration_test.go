//go:build integration

package skills_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"freelancer-matching/engine/elastic"
)

// BenchmarkVerify_Elasticsearch runs BenchmarkVerify on the Elasticsearch at MATCHING_TEST_ELASTICSEARCH_URL. It
// deletes its index afterward.
func BenchmarkVerify_Elasticsearch(b *testing.B) {
	url := os.Getenv("MATCHING_TEST_ELASTICSEARCH_URL")
	if url == "" {
		b.Skip("set MATCHING_TEST_ELASTICSEARCH_URL to the address of an Elasticsearch")
	}

	o := elastic.DefaultOptions()
	o.URLs, o.Prefix = []string{url}, fmt.Sprintf("bench-%d-", time.Now().UnixNano())
	e, err := elastic.Open(o)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()

	b.Cleanup(func() {
		// The engine doesn't delete an index that an alias points to.
		r, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, url+"/"+o.Prefix+"generated", nil)
		if err != nil {
			b.Fatal(err)
		}

		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}

		answer.Body.Close()
	})

	benchmarkVerify(b, e)
}
