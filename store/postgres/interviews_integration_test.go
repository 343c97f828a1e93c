//go:build integration

package postgres

import (
	"testing"

	"freelancer-matching/store/storetest"
)

func TestInterviews(t *testing.T) {
	storetest.Interviews(t, func(t *testing.T) storetest.InterviewStore {
		db := newDB(t)
		return storetest.InterviewStore{Store: db.Interviews, Log: db.AuditLog}
	})
}
