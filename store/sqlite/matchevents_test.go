package sqlite

import (
	"testing"

	"freelancer-matching/store/storetest"
)

func TestMatchEvents(t *testing.T) {
	storetest.MatchEvents(t, func(t *testing.T) storetest.EventStore {
		db := newDB(t)
		return storetest.EventStore{MatchEventStore: db.MatchEvents(), Accounts: db}
	})
}
