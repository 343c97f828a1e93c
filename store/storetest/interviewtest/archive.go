package interviewtest

import (
	"context"
	"testing"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/storetest/check"
)

// An ArchiveStore is an interview.Store that can be searched for people.
type ArchiveStore interface {
	interview.Store
	IDs(ctx context.Context) ([]string, error)
	IDsOf(ctx context.Context, account string) ([]string, error)
	IDsWith(ctx context.Context, text []byte) ([]string, error)
	Read(ctx context.Context, id string) (interview.Record, [][]byte, error)
	Redact(ctx context.Context, r interview.Record, data []byte) error
}

// Archive tests an ArchiveStore.
func Archive(t *testing.T, open func(t *testing.T) ArchiveStore) {
	check.Suite[ArchiveStore]{
		"all interviews are listed, even expired ones":      listsInterviews,
		"an interview is read with the results about it":    readsResults,
		"an interview is redacted, and the results deleted": redactsInterview,
	}.Run(t, open)
}

func listsInterviews(t *testing.T, s ArchiveStore) {
	expired := testRecord(2)
	other := testRecord(3)
	expired.Expires = check.Start().Add(-time.Hour)
	other.Account = "acc_2"
	insertInterviews(t, s, testRecord(1), expired, other)
	check.Equal(t, []string{testRecord(1).ID, expired.ID, other.ID}, check.Must(s.IDs(t.Context())))
	check.Equal(t, []string{testRecord(1).ID, expired.ID}, check.Must(s.IDsOf(t.Context(), "acc_1")))
	check.Equal(t, []string{expired.ID}, check.Must(s.IDsWith(t.Context(), []byte(`{"n":2,`))))
	check.Equal(t, []string{testRecord(1).ID, expired.ID, other.ID}, check.Must(s.IDsWith(t.Context(), []byte("é"))))
	check.Equal(t, 0, len(check.Must(s.IDsWith(t.Context(), []byte("É")))))
	got, results, err := s.Read(t.Context(), expired.ID)
	check.NoError(t, err)
	check.Equal(t, expired, got)
	check.Equal(t, 0, len(results))
	_, _, err = s.Read(t.Context(), testRecord(9).ID)
	check.Error(t, err, interview.ErrNotFound)
}

// settleResult inserts a session together with the result of a request about it.
func settleResult(t *testing.T, s ArchiveStore, r interview.Record) {
	t.Helper()
	claim := check.Must(s.Claim(t.Context(), testClaim(1), check.Start()))
	insertInterviews(t, s, r)
	check.NoError(t, s.Settle(t.Context(), *settled(claim, r.ID)))
}

func readsResults(t *testing.T, s ArchiveStore) {
	settleResult(t, s, testRecord(1))
	_, results, err := s.Read(t.Context(), testRecord(1).ID)
	check.NoError(t, err)
	check.Equal(t, [][]byte{[]byte(`{"a":1}`)}, results)
}

func redactsInterview(t *testing.T, s ArchiveStore) {
	r := testRecord(1)
	settleResult(t, s, r)
	check.NoError(t, s.Redact(t.Context(), r, []byte(`{}`)))
	got, results, err := s.Read(t.Context(), r.ID)
	check.NoError(t, err)
	check.Equal(t, nextVersion(r, `{}`), got)
	check.Equal(t, 0, len(results))
	check.Error(t, s.Redact(t.Context(), r, []byte(`late`)), interview.ErrChanged)
}
