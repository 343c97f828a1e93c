//go:build integration

package skills_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/engine/elastic/elastictest"
)

// BenchmarkVerify_Elasticsearch runs BenchmarkVerify on the Elasticsearch at MATCHING_TEST_ELASTICSEARCH_URL. It
// deletes its index afterward.
func BenchmarkVerify_Elasticsearch(b *testing.B) {
	c, err := elastictest.FromEnvironment()
	if err != nil {
		b.Fatal(err)
	}
	if c == nil {
		b.Skip("set " + elastictest.URLVariable + " to the address of an Elasticsearch")
	}

	o := c.Options(fmt.Sprintf("bench-%d-", time.Now().UnixNano()))
	e, err := elastic.Open(o)
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()

	b.Cleanup(func() {
		// The engine doesn't delete an index that an alias points to.
		r, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, c.URL+"/"+o.Prefix+"generated", nil)
		if err != nil {
			b.Fatal(err)
		}

		answer, err := c.Do(r)
		if err != nil {
			b.Fatal(err)
		}

		answer.Body.Close()
	})

	benchmarkVerify(b, e)
}
