//go:build integration

package elastic_test

import (
	"testing"

	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/match/encoding"
	"github.com/freelancer-matching/service/match/encoding/storetest"
)

func TestEncoded(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func(space string) encoding.Store {
		o := testOptions(t)
		elastic.ShortenWaits(&o)
		return func(space string) encoding.Store { return openEngine(t, o).Encoded(space, "test") }
	})
}
