package sqlite

import (
	"testing"

	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/store/storetest"
)

func TestPseudonyms(t *testing.T) {
	storetest.Pseudonyms(t, openEmpty)
}

func TestErasedList(t *testing.T) {
	storetest.ErasedList(t, func(t *testing.T) people.ListStore { return newDB(t).ErasedPeople })
}
