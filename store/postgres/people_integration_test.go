//go:build integration

package postgres

import (
	"testing"
	"time"

	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestPseudonyms(t *testing.T) {
	storetest.Pseudonyms(t, openEmpty)
}

func TestErasedList(t *testing.T) {
	storetest.ErasedList(t, func(t *testing.T) people.ListStore { return newDB(t).ErasedPeople })
}

// The first load may come before the first start of a server.
func TestErasedPeople_WithoutTables(t *testing.T) {
	report, err := ErasedPeople(t.Context(), newSchema(t), nil)
	if err != nil || report.Exists || report.Missing() {
		t.Errorf("got %+v, %v; want an empty list", report, err)
	}
}

func TestEdits(t *testing.T) {
	address := newSchema(t)
	read := func(since time.Time) (map[string][]string, error) { return Edits(t.Context(), address, nil, since) }
	if edits, err := read(time.Time{}); len(edits) > 0 || err != nil {
		t.Errorf("without tables: %v, %v; want nothing", edits, err)
	}
	storetest.Edits(t, openAt(t, address), read)
}
