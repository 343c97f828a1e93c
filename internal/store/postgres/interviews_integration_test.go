//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/internal/interview"
	"freelancer-matching/internal/store/storetest"
)

func TestInterviews(t *testing.T) {
	storetest.Interviews(t, func(t *testing.T) interview.Store { return newDB(t).Interviews() })
}
