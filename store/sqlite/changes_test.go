package sqlite

import (
	"testing"

	"freelancer-matching/access/changes"
	"freelancer-matching/store/storetest"
)

func TestChanges(t *testing.T) {
	storetest.Changes(t, func(t *testing.T) changes.Store { return newDB(t).Changes })
}
