//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/people"
	"freelancer-matching/store/storetest"
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
