package sqlite

import (
	"testing"

	"freelancer-matching/store"
	"freelancer-matching/store/storetest"
)

func TestWebhooks(t *testing.T) {
	storetest.Webhooks(t, func(t *testing.T) *store.DB { return newDB(t) })
}
