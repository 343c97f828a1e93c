package storetest

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/store"
)

// contents is what the database of an earlier release contains; see testdata/backcompat/database.
type contents struct {
	At        time.Time
	Token     string
	Accounts  []account.Account
	Users     []account.User
	Keys      []apikey.Key
	Links     []account.Link
	Events    []audit.Event
	Usage     []usage.Count
	Failures  []usage.Failure
	Quota     quota.Windows
	Interview interview.Record
	Verdicts  []skills.KeptVerdict
}

// Backcompat compares a database of an earlier release, which Open has migrated, with the contents that the release
// wrote down in a file.
func Backcompat(t *testing.T, db *store.DB, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var want contents
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}

	got := contents{At: want.At, Token: want.Token}
	ctx := t.Context()
	read := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}

	got.Accounts, err = db.Accounts.List(ctx, "", 100)
	read(err)
	got.Keys, err = db.Keys.List(ctx)
	read(err)
	got.Links, err = db.Links.List(ctx, "", want.At)
	read(err)
	got.Events, err = db.AuditLog.Events(ctx, audit.Query{Limit: 100})
	read(err)
	got.Verdicts, err = db.Verdicts.List(ctx, want.At)
	read(err)
	got.Interview, err = db.Interviews.Find(ctx, want.Interview.ID, want.At)
	read(err)
	compareListed(t, db, &want.Interview, want.At)

	// Users and usage are listed by account, in the order of the file.
	for _, a := range want.Accounts {
		users, err := db.Users.List(ctx, a.ID)
		read(err)
		counts, err := db.Usage.Usage(ctx, a.ID, time.Unix(0, 0))
		read(err)
		failures, err := db.Usage.Failures(ctx, a.ID, 100)
		read(err)
		got.Users = append(got.Users, users...)
		got.Usage = append(got.Usage, counts...)
		got.Failures = append(got.Failures, failures...)
	}

	key, err := db.Keys.FindByHash(ctx, apikey.HashOf(want.Token))
	read(err)
	got.Quota, err = db.Quotas.Peek(ctx, key.Counter, want.Quota)
	read(err)

	// The chains then cover the entries of the earlier release.
	if n, err := db.AuditLog.Adopt(ctx); err != nil || n != len(want.Events) {
		t.Errorf("%d of %d entries appended to the chains, %v", n, len(want.Events), err)
	}
	wantChains(t, db)

	// Databases return times in different zones, which == tells apart.
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }),
		cmp.Comparer(func(a, b apikey.Hash) bool { return a == b })); diff != "" {
		t.Errorf("the database of an earlier release (-written +read):\n%s", diff)
	}
}

// compareListed checks the columns for listing, which later releases added. It sets them in the session that an earlier
// release wrote.
func compareListed(t *testing.T, db *store.DB, written *interview.Record, at time.Time) {
	t.Helper()
	var session struct{ Begun time.Time }
	if err := json.Unmarshal(written.Data, &session); err != nil {
		t.Fatal(err)
	}

	about, err := sessions.SubjectOf(*written)
	if err != nil {
		t.Fatal(err)
	}

	selected := interview.Selection{Account: written.Account, FreelancerID: about.ID}
	listed, err := db.Interviews.List(t.Context(), selected, interview.Place{}, 10, at)
	if err != nil || len(listed) != 1 || listed[0].ID != written.ID {
		t.Fatalf("listed %v, %v; want the session %s", listed, err, written.ID)
	}

	// The column has whole seconds, the session itself nanoseconds.
	if off := session.Begun.Sub(listed[0].Begun); off < 0 || off >= time.Second {
		t.Errorf("the session began at %v, want %v in whole seconds", listed[0].Begun, session.Begun)
	}

	written.Freelancer = about.ID
	written.Begun = listed[0].Begun
}
