//go:build integration

package postgres

import (
	"testing"

	"github.com/freelancer-matching/service/store/storetest/interviewtest"
)

func TestInterviews(t *testing.T) {
	interviewtest.Interviews(t, func(t *testing.T) interviewtest.Store {
		db := newDB(t)
		return interviewtest.Store{Store: db.Interviews, Log: db.AuditLog}
	})
}

func TestArchive(t *testing.T) {
	interviewtest.Archive(t, func(t *testing.T) interviewtest.ArchiveStore { return newDB(t).Interviews })
}

func TestWebhooks(t *testing.T) {
	interviewtest.Webhooks(t, openEmpty)
}
