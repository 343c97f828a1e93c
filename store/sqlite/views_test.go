package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestViews(t *testing.T) {
	storetest.Views(t, func(t *testing.T) storetest.ViewStore { return newDB(t).Views })
}

func TestViews_TwoServers(t *testing.T) {
	storetest.SharedViews(t, func(t *testing.T) []storetest.ViewStore {
		path := filepath.Join(t.TempDir(), "service.db")
		return []storetest.ViewStore{openFile(t, path).Views, openFile(t, path).Views}
	})
}
