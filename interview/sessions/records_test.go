package sessions_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// byKey returns who reads and deletes sessions in tests.
func byKey() interview.Requester {
	return interview.Requester{By: audit.By{Actor: "key_1", Address: "192.0.2.1"}, Account: "acc_1"}
}

// about returns a request for a new session about a freelancer.
func about(freelancer string, m interview.Mode) interview.Request {
	r := fresh(m)
	r.FreelancerID = freelancer
	return r
}

// insertDamaged stores a session that can't be read.
func (f *fixture) insertDamaged(t *testing.T, id string) {
	t.Helper()
	err := f.config.Store.Insert(t.Context(), interview.Record{
		ID: id, Account: "acc_1", Version: 1, Open: true, Expires: f.clock.now().Add(time.Hour), Data: []byte("{"),
		Freelancer: "f1", Begun: f.clock.now(),
	}, interview.Limits{}, f.clock.now(), nil)
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) list(t *testing.T, s interview.Selection, after interview.Place, limit int) interview.Page {
	t.Helper()
	s.Account = "acc_1"
	page, err := f.List(t.Context(), s, after, limit)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestList(t *testing.T) {
	f := newFixture(t)
	first := f.conduct(t, about("f1", interview.CustomFull))
	f.clock.pass(time.Minute)
	done := f.conduct(t, followUp(about("f1", interview.CustomFull), first.SessionID, interview.CustomFull,
		levels(4, 0)...))
	second := f.conduct(t, about("f2", interview.Adaptive))
	foreign := about("f1", interview.Full)
	foreign.Account = "acc_2"
	f.conduct(t, foreign)

	got := f.list(t, interview.Selection{}, interview.Place{}, 10)
	want := interview.Page{Sessions: []interview.Summary{
		{
			SessionID: second.SessionID, Freelancer: second.Freelancer, JobTitle: "Developer",
			Project: second.Brief.Project, Mode: interview.Adaptive,
			State: interview.Open, Language: "en", Begun: second.Begun, Expires: second.Expires, Questions: 1,
		},
		{
			SessionID: done.SessionID, Freelancer: done.Freelancer, JobTitle: "Developer",
			Project: done.Brief.Project, Mode: interview.CustomFull,
			State: interview.Evaluated, Language: "en", Begun: first.Begun, Evaluated: done.Evaluation.At,
			Expires: done.Expires, Questions: 2, Answered: 1, Overall: done.Evaluation.Overall,
			Points: &done.Evaluation.Points, Recommendation: done.Evaluation.Recommendation,
		},
	}}

	wantSame(t, want, got)
	wantSame(t, want.Sessions[1:], f.list(t, interview.Selection{FreelancerID: "f1"}, interview.Place{}, 10).Sessions)
	wantSame(t, want.Sessions[:1], f.list(t, interview.Selection{State: interview.Open}, interview.Place{}, 10).Sessions)
	f.clock.pass(31 * 24 * time.Hour)
	wantSame(t, interview.Page{}, f.list(t, interview.Selection{}, interview.Place{}, 10))
}

// Pages continue where the one before ended, across the chunks in which the store is read.
func TestList_Pages(t *testing.T) {
	f := newFixture(t, withoutModel)
	var want []string
	for range 45 {
		want = append([]string{f.conduct(t, fresh(interview.CustomFull)).SessionID}, want...)
		f.clock.pass(time.Second)
	}

	for _, limit := range []int{1, 19, 20, 21, 44, 45, 100} {
		var got []string
		after := interview.Place{}
		for pages := 1; ; pages++ {
			page := f.list(t, interview.Selection{}, after, limit)
			for _, sum := range page.Sessions {
				got = append(got, sum.SessionID)
			}

			if after = page.Next; after.ID == "" {
				if most := (len(want) + limit - 1) / limit; pages != most {
					t.Errorf("%d pages of %d, want %d", pages, limit, most)
				}
				break
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
}

func TestRead(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.CustomFull)
	open := f.conduct(t, r)
	got, err := f.Read(t.Context(), "acc_1", open.SessionID, byKey())
	if err != nil {
		t.Fatal(err)
	}

	wantSame(t, f.conduct(t, followUp(r, open.SessionID, interview.Report)), got)
	f.wantReads(t) // no answers yet
	done := f.conduct(t, followUp(r, open.SessionID, interview.CustomFull, levels(4, 3)...))
	got, err = f.Read(t.Context(), "acc_1", open.SessionID, byKey())
	if err != nil {
		t.Fatal(err)
	}

	done.Mode = interview.Report
	wantSame(t, done, got)
	f.wantReads(t, open.SessionID)

	for _, id := range []string{"", "x", fmt.Sprintf("%032x", 1)} {
		if _, err := f.Read(t.Context(), "acc_1", id, byKey()); matching.CodeOf(err) != interview.CodeSessionNotFound {
			t.Errorf("session %q: %v", id, err)
		}
	}

	_, err = f.Read(t.Context(), "acc_2", open.SessionID, byKey())
	if matching.CodeOf(err) != interview.CodeSessionNotFound {
		t.Errorf("another account: %v", err)
	}
}

// wantReads checks who has read sessions, the last one first.
func (f *fixture) wantReads(t *testing.T, sessions ...string) {
	t.Helper()
	entries, err := f.db.AuditLog.Events(t.Context(), audit.Query{Account: "acc_1", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.Action == audit.InterviewRead && e.Actor == "key_1" {
			got = append(got, e.Subject)
		}
	}
	wantSame(t, sessions, got)
}

func TestExport(t *testing.T) {
	f := newFixture(t)
	done := f.conduct(t, followUp(fresh(interview.CustomFull),
		f.conduct(t, fresh(interview.CustomFull)).SessionID, interview.CustomFull, levels(4, 3)...))
	f.clock.pass(time.Second)
	damaged := fmt.Sprintf("%032x", 7)
	f.insertDamaged(t, damaged)
	f.clock.pass(time.Second)
	open := f.conduct(t, about("f2", interview.Full))
	var ids []string
	for r, err := range f.Export(t.Context(), interview.Selection{Account: "acc_1"}, byKey()) {
		if ids = append(ids, r.SessionID); err != nil && (r.SessionID != damaged || !errors.Is(err, interview.ErrDamaged)) {
			t.Fatal(err)
		}

		if r.SessionID == done.SessionID {
			done.Mode = interview.Report
			wantSame(t, done, r)
		}
	}

	wantSame(t, []string{open.SessionID, damaged, done.SessionID}, ids)
	f.wantReads(t, done.SessionID)
	if page := f.list(t, interview.Selection{}, interview.Place{}, 10); page.Damaged != 1 || len(page.Sessions) != 2 {
		t.Errorf("a list with a damaged session is %+v", page)
	}
}

func TestDeleteAll(t *testing.T) {
	f := newFixture(t, withoutModel)
	first := f.conduct(t, about("f1", interview.Full))
	kept := f.conduct(t, about("f2", interview.Full))
	foreign := about("f1", interview.Full)
	foreign.Account = "acc_2"
	f.conduct(t, foreign)
	f.insertDamaged(t, fmt.Sprintf("%032x", 7))

	for range 100 { // more than one transaction deletes
		f.conduct(t, about("f1", interview.CustomFull))
	}
	n, err := f.DeleteAll(t.Context(), interview.Selection{Account: "acc_1", FreelancerID: "f1"}, byKey())
	if err != nil || n != 102 {
		t.Errorf("deleted %d, %v; want 102", n, err)
	}

	f.refused(t, followUp(about("f1", interview.Full), first.SessionID, interview.Report), interview.CodeSessionNotFound)
	if ids, err := f.db.Interviews.IDs(t.Context()); err != nil || len(ids) != 2 {
		t.Errorf("sessions left: %v, %v; want that of the other freelancer and that of the other account", ids, err)
	}
	wantSame(t, kept.SessionID, f.list(t, interview.Selection{}, interview.Place{}, 10).Sessions[0].SessionID)
	entries, err := f.db.AuditLog.Events(t.Context(), audit.Query{Account: "acc_1", Limit: 1000})
	deleted := 0
	for _, e := range entries {
		if e.Action == audit.InterviewDeleted && e.Actor == "key_1" {
			deleted++
		}
	}

	if err != nil || deleted != 102 {
		t.Errorf("%d deletions recorded, %v; want 102", deleted, err)
	}
}
