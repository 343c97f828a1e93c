package sqlite

import (
	"testing"

	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestRankings(t *testing.T) {
	storetest.Rankings(t, func(t *testing.T) *store.DB { return newDB(t) })
}
