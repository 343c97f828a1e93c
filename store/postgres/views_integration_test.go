//go:build integration

package postgres

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestViews(t *testing.T) {
	storetest.Views(t, func(t *testing.T) storetest.ViewStore { return newDB(t).Views })
}

func TestViews_TwoServers(t *testing.T) {
	storetest.SharedViews(t, func(t *testing.T) []storetest.ViewStore {
		address := newSchema(t)
		return []storetest.ViewStore{openAt(t, address).Views, openAt(t, address).Views}
	})
}
