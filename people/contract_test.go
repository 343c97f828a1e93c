package people_test

import (
	"testing"

	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/store/storetest"
)

// The other tests of the list use the store in memory, so it has to behave like the databases.
func TestMemory(t *testing.T) {
	storetest.ErasedList(t, func(*testing.T) people.ListStore { return &people.Memory{} })
}
