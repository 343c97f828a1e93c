package storetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"freelancer-matching/access/audit"
	"freelancer-matching/interview"
)

// invitedRecord returns session n with an invitation that is due some seconds after the start, or never if seconds is
// 0.
func invitedRecord(n, seconds int) interview.Record {
	r := testRecord(n)
	r.Invitation = &interview.InvitationKey{Token: sha256.Sum256([]byte{byte(n)})}
	if seconds > 0 {
		r.Invitation.Due = after(seconds)
	}
	return r
}

// stored returns a record as Find returns it: without the key of its invitation.
func stored(r interview.Record) interview.Record {
	r.Invitation = nil
	return r
}

func findsInvited(t *testing.T, s InterviewStore) {
	first := invitedRecord(1, 0)
	insertInterviews(t, s, first, invitedRecord(2, 0), testRecord(3))
	wantEqual(t, stored(first), must(s.FindInvited(t.Context(), first.Invitation.Token, start())))

	second := nextVersion(first, "again")
	second.Invitation = &interview.InvitationKey{Token: sha256.Sum256([]byte("another"))}
	noError(t, s.UpdateAudited(t.Context(), second, nil))
	_, err := s.FindInvited(t.Context(), first.Invitation.Token, start())
	wantError(t, err, interview.ErrNotFound)
	wantEqual(t, stored(second), must(s.FindInvited(t.Context(), second.Invitation.Token, start())))

	_, err = s.FindInvited(t.Context(), second.Invitation.Token, second.Expires)
	wantError(t, err, interview.ErrNotFound)
	noError(t, s.DeleteAudited(t.Context(), second.Account, second.ID, event(1, "acc_1")))
	_, err = s.FindInvited(t.Context(), second.Invitation.Token, start())
	wantError(t, err, interview.ErrNotFound)
}

func findsDue(t *testing.T, s InterviewStore) {
	expired := invitedRecord(5, 5)
	expired.Expires = after(9)
	insertInterviews(t, s, invitedRecord(1, 10), invitedRecord(2, 8), invitedRecord(3, 11), invitedRecord(4, 0), expired)
	due := func(at time.Time, limit int) []string { return must(s.Due(t.Context(), at, limit)) }
	wantEqual(t, 0, len(due(after(4), 9)))
	wantEqual(t, []string{testRecord(2).ID, testRecord(1).ID}, due(after(10), 9))
	wantEqual(t, []string{testRecord(2).ID}, due(after(10), 1))
	done := nextVersion(invitedRecord(2, 0), "done")
	noError(t, s.Update(t.Context(), done, noLimits(), start(), nil))
	wantEqual(t, []string{testRecord(1).ID}, due(after(10), 9))
}

func updatesAudited(t *testing.T, s InterviewStore) {
	insertInterviews(t, s, testRecord(1))
	entry := event(1, "acc_1")
	second := nextVersion(testRecord(1), "2")
	noError(t, s.UpdateAudited(t.Context(), second, &entry))
	wantInterview(t, s, second)
	wantError(t, s.UpdateAudited(t.Context(), nextVersion(testRecord(1), "late"), &entry), interview.ErrChanged)
	wantEqual(t, []audit.Event{entry}, must(s.Log.Events(t.Context(), audit.Query{Limit: 10})))
}
