package sqlite

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestResults(t *testing.T) {
	storetest.Results(t, func(t *testing.T) storetest.ResultStore { return newDB(t).Results })
}
