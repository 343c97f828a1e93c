package sqlite

import (
	"testing"

	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestChanges(t *testing.T) {
	storetest.Changes(t, func(t *testing.T) changes.Store { return newDB(t).Changes })
}
