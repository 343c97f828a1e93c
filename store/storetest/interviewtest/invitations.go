package interviewtest

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store/storetest/check"
)

// invitedRecord returns session n with an invitation that is due some seconds after the start, or never if seconds is
// 0.
func invitedRecord(n, seconds int) interview.Record {
	r := testRecord(n)
	r.Invitation = &interview.InvitationKey{Token: sha256.Sum256([]byte{byte(n)})}
	if seconds > 0 {
		r.Invitation.Due = check.After(seconds)
	}
	return r
}

// stored returns a record as Find returns it: without the key of its invitation.
func stored(r interview.Record) interview.Record {
	r.Invitation = nil
	return r
}

func findsInvited(t *testing.T, s Store) {
	first := invitedRecord(1, 0)
	insertInterviews(t, s, first, invitedRecord(2, 0), testRecord(3))
	check.Equal(t, stored(first), check.Must(s.FindInvited(t.Context(), first.Invitation.Token, check.Start())))

	second := nextVersion(first, "again")
	second.Invitation = &interview.InvitationKey{Token: sha256.Sum256([]byte("another"))}
	check.NoError(t, s.UpdateAudited(t.Context(), second, nil))
	_, err := s.FindInvited(t.Context(), first.Invitation.Token, check.Start())
	check.Error(t, err, interview.ErrNotFound)
	check.Equal(t, stored(second), check.Must(s.FindInvited(t.Context(), second.Invitation.Token, check.Start())))

	_, err = s.FindInvited(t.Context(), second.Invitation.Token, second.Expires)
	check.Error(t, err, interview.ErrNotFound)
	check.NoError(t, s.DeleteAudited(t.Context(), second.Account, second.ID, deletion()))
	_, err = s.FindInvited(t.Context(), second.Invitation.Token, check.Start())
	check.Error(t, err, interview.ErrNotFound)
}

func findsDue(t *testing.T, s Store) {
	expired := invitedRecord(5, 5)
	expired.Expires = check.After(9)
	insertInterviews(t, s, invitedRecord(1, 10), invitedRecord(2, 8), invitedRecord(3, 11), invitedRecord(4, 0), expired)
	due := func(at time.Time, limit int) []string { return check.Must(s.Due(t.Context(), at, limit)) }
	check.Equal(t, 0, len(due(check.After(4), 9)))
	check.Equal(t, []string{testRecord(2).ID, testRecord(1).ID}, due(check.After(10), 9))
	check.Equal(t, []string{testRecord(2).ID}, due(check.After(10), 1))
	done := nextVersion(invitedRecord(2, 0), "done")
	check.NoError(t, s.Update(t.Context(), done, noLimits(), check.Start(), nil))
	check.Equal(t, []string{testRecord(1).ID}, due(check.After(10), 9))
}

func updatesAudited(t *testing.T, s Store) {
	insertInterviews(t, s, testRecord(1))
	entry := deletion()
	entry.Action = audit.InterviewRead
	second := nextVersion(testRecord(1), "2")
	check.NoError(t, s.UpdateAudited(t.Context(), second, &entry))
	wantInterview(t, s, second)
	check.Error(t, s.UpdateAudited(t.Context(), nextVersion(testRecord(1), "late"), &entry), interview.ErrChanged)
	check.Equal(t, []audit.Event{entry}, check.Must(s.Log.Events(t.Context(), audit.Query{Limit: 10})))
}
