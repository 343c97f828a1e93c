package sqlite

import (
	"testing"

	"freelancer-matching/interview"
	"freelancer-matching/store/storetest"
)

func TestInterviews(t *testing.T) {
	storetest.Interviews(t, func(t *testing.T) interview.Store { return newDB(t).Interviews() })
}
