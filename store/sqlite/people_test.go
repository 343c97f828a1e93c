package sqlite

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
