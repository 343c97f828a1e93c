package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/auditlog"
)

// A chainTest opens the same database as often as it is called, as several servers do.
type chainTest func() *store.DB

// AuditChains tests the chains of hashes of the audit log. open returns a function that opens the same empty database
// whenever it is called.
func AuditChains(t *testing.T, open func(t *testing.T) func() *store.DB) {
	suite[chainTest]{
		"entries are chained":                         chainsEntries,
		"concurrent servers make one chain":           chainsConcurrently,
		"what is rolled back leaves no gap":           chainsWithoutGaps,
		"erased entries stay in the chain":            chainsErased,
		"expired entries leave a checkpoint":          chainsExpired,
		"a clock that was wrong delays no expiry":     chainsExpiredBehindFuture,
		"entries of earlier releases are appended":    adoptsEntries,
		"concurrent servers append them once":         adoptsConcurrently,
		"a cut is found with a head kept elsewhere":   findsCut,
		"an export has everything":                    exportsChains,
		"changes while a chain is read are no faults": readsWhileChanging,
		"an export of expired records fails":          failsToExportExpired,
		"chains are verified once a day":              verifiesDaily,
		"a chain without its row can't be written to": refusesMissingChain,
	}.run(t, func(t *testing.T) chainTest { return open(t) })

	for name, statement := range tamperings() {
		t.Run("finds "+name, func(t *testing.T) { findsTampering(t, open(t)(), statement) })
	}
}

// freelancerEvent returns event n about a change of a freelancer.
func freelancerEvent(n int) audit.Event {
	e := event(n, "acc_1")
	e.Action = audit.FreelancerPatched
	return e
}

// recordBoth adds n entries to each chain.
func recordBoth(t *testing.T, s *store.DB, n int) {
	t.Helper()
	for i := range n {
		noError(t, s.AuditLog.Record(t.Context(), event(i, "acc_1"), freelancerEvent(i)))
	}
}

// wantChains verifies both chains against kept heads and returns their reports.
func wantChains(t *testing.T, s *store.DB, kept ...chain.Position) (reports []chain.Report) {
	t.Helper()
	noError(t, s.AuditLog.FindUnchained(t.Context()))
	for _, name := range chain.Names() {
		reports = append(reports, must(s.AuditLog.Verify(t.Context(), name, kept)))
	}
	return reports
}

// execute runs a statement as somebody does who can write to the database.
func execute(t *testing.T, s *store.DB, statement string) {
	t.Helper()
	_, err := s.Pools.Write.ExecContext(t.Context(), statement)
	noError(t, err)
}

func chainsEntries(t *testing.T, open chainTest) {
	s := open()
	wantChains(t, s)
	recordBoth(t, s, 3)
	noError(t, s.AuditLog.Record(t.Context()))
	noError(t, s.AuditLog.Record(t.Context(), event(4, "acc_1"), event(5, "acc_1")))

	reports := wantChains(t, s)
	wantEqual(t, []int64{5, 3}, []int64{reports[0].Records, reports[1].Records})
	wantEqual(t, []chain.Position{reports[0].Head, reports[1].Head}, must(s.AuditLog.Heads(t.Context())))

	// Another server goes on where this one has stopped.
	other := open()
	noError(t, other.AuditLog.Record(t.Context(), event(6, "acc_1")))
	wantEqual(t, int64(6), wantChains(t, s)[0].Records)
}

func chainsConcurrently(t *testing.T, open chainTest) {
	servers := []*store.DB{open(), open(), open()}
	concurrently(t, func(i int) error {
		s := servers[i%len(servers)]
		for n := range 5 {
			// The order of an entry's chains must not matter.
			events := []audit.Event{event(n, "acc_1"), freelancerEvent(n)}
			if i%2 == 0 {
				slices.Reverse(events)
			}
			if err := s.AuditLog.Record(t.Context(), events...); err != nil {
				return err
			}
			failed := func(int) string { return "failed" }
			if err := s.SignInFailures.AddEvent(t.Context(), testCounter(i), event(n, "acc_1"), failed); err != nil {
				return err
			}
		}
		return nil
	})

	// Of five failed sign-ins, the first, second and fourth have entries.
	reports := wantChains(t, servers[0])
	wantEqual(t, []int64{callers * (5 + 3), callers * 5}, []int64{reports[0].Records, reports[1].Records})
}

func chainsWithoutGaps(t *testing.T, open chainTest) {
	s := open()
	recordBoth(t, s, 2)
	insert := func(tx *sql.Tx) error {
		return s.AuditLog.Insert(t.Context(), tx, []audit.Event{event(3, "acc_1"), freelancerEvent(3)})
	}

	wantError(t, s.Transact(t.Context(), "fail", func(tx *sql.Tx) error {
		noError(t, insert(tx))
		return errTest
	}), errTest)

	// The end of its context ends a transaction wherever it is, like the end of a server.
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Transact(ctx, "be canceled", func(tx *sql.Tx) error {
		noError(t, insert(tx))
		cancel()
		return nil
	})
	if err == nil {
		t.Error("a canceled transaction was committed")
	}

	recordBoth(t, s, 1)
	reports := wantChains(t, s)
	wantEqual(t, []int64{3, 3}, []int64{reports[0].Records, reports[1].Records})
	wantEqual(t, 6, len(allEvents(t, s)))
}

// salts returns how many entries have a salt.
func salts(t *testing.T, s *store.DB) (n int) {
	t.Helper()
	noError(t, s.Pools.Read.QueryRowContext(t.Context(), "SELECT count(salt) FROM audit_events").Scan(&n))
	return n
}

func chainsErased(t *testing.T, open chainTest) {
	s := open()
	about := event(1, "acc_1")
	about.Detail = "about zzsecret"
	about.Address = ""
	by := event(2, "acc_2")
	by.Actor = "usr_000000000001"
	old := event(3, "acc_3")
	nothing := event(4, "acc_3")
	nothing.Address = ""
	recent := event(9, "acc_4")
	noError(t, s.AuditLog.Record(t.Context(), about, by, old, nothing, recent, freelancerEvent(8)))
	before := exported(t, s)
	kept := must(s.AuditLog.Heads(t.Context()))
	wantEqual(t, 6, salts(t, s))

	// The changes of a freelancer's entries and of a user's, and the end of the retention.
	wantEqual(t, 1, must(s.AuditLog.ReplaceMentions(t.Context(), []string{"zzsecret"}, nil)))
	noError(t, s.AuditLog.PseudonymizeUser(t.Context(), by.Actor, "nobody@example.com"))
	noError(t, s.AuditLog.Pseudonymize(t.Context(), after(5)))
	reports := wantChains(t, s, kept...)
	wantEqual(t, []int64{3, 0}, []int64{reports[0].Erased, reports[1].Erased})
	wantEqual(t, 3, salts(t, s))

	// An entry whose content didn't change stays provable.
	for _, e := range must(s.AuditLog.Events(t.Context(), audit.Query{Limit: 10})) {
		wasChanged := e.Account != "acc_4" && e.At != nothing.At && e.Action != audit.FreelancerPatched
		if e.Erased.IsZero() == wasChanged {
			t.Errorf("entry %+v, want erased: %v", e, wasChanged)
		}
	}

	now := exported(t, s)
	if !strings.Contains(before, "zzsecret") || strings.Contains(now, "zzsecret") || strings.Contains(now, by.Actor) {
		t.Errorf("the export before:\n%s\nand after the erasure:\n%s", before, now)
	}
}

// exported returns an export, which it verifies.
func exported(t *testing.T, s *store.DB) string {
	t.Helper()
	var out bytes.Buffer
	noError(t, s.AuditLog.Export(t.Context(), chain.NewExporter(&out)))
	must(chain.VerifyExport(bytes.NewReader(out.Bytes()), nil))
	return out.String()
}

func exportsChains(t *testing.T, s chainTest) {
	db := s()
	var events []audit.Event
	for n := range 1000 {
		events = append(events, event(n, "acc_1"))
	}
	noError(t, db.AuditLog.Record(t.Context(), events...))

	// One record more than a statement reads, in the middle of appending others.
	for range 2 {
		reports := must(chain.VerifyExport(strings.NewReader(exported(t, db)), must(db.AuditLog.Heads(t.Context()))))
		stored := wantChains(t, db)
		wantEqual(t, stored[0].Records, reports[0].Records)
		wantEqual(t, 1, reports[0].Compared)
		recordBoth(t, db, 1)
	}
}

// What is appended, erased and deleted between the parts of a chain that are read makes it no less whole.
func readsWhileChanging(t *testing.T, open chainTest) {
	s, other := open(), open()
	var events []audit.Event
	for n := range 2500 {
		events = append(events, freelancerEvent(n))
	}
	noError(t, s.AuditLog.Record(t.Context(), events...))

	concurrently(t, func(i int) error {
		switch i % 4 {
		case 0:
			_, err := s.AuditLog.Verify(t.Context(), chain.Freelancers, nil)
			return err
		case 1:
			return other.AuditLog.Record(t.Context(), freelancerEvent(5000+i), event(i, "acc_1"))
		case 2:
			_, err := other.AuditLog.ReplaceMentions(t.Context(), nil, []string{freelancerEvent(2400 + i).Subject})
			return err
		default:
			return other.AuditLog.Pseudonymize(t.Context(), after(100*i))
		}
	})
	wantChains(t, s)
}

// An export that has written what expires meanwhile can't be completed, and says so.
func failsToExportExpired(t *testing.T, open chainTest) {
	s := open()
	var events []audit.Event
	for n := range 2500 {
		events = append(events, freelancerEvent(n))
	}
	noError(t, s.AuditLog.Record(t.Context(), events...))

	// The first part has a thousand records. Then, all that the next part would have expire.
	w := &expiringWriter{expire: func() { noError(t, s.AuditLog.Pseudonymize(t.Context(), after(2100))) }}
	err := s.AuditLog.Export(t.Context(), chain.NewExporter(w))
	if err == nil || !strings.Contains(err.Error(), "run the command again") {
		t.Errorf("%v, want an error that says to run the command again", err)
	}
	exported(t, s)
}

// An expiringWriter calls a function when it has the first record of the chain freelancers.
type expiringWriter struct{ expire func() }

func (w *expiringWriter) Write(line []byte) (int, error) {
	if w.expire != nil && bytes.Contains(line, []byte(`"record","chain":"freelancers"`)) {
		w.expire()
		w.expire = nil
	}
	return len(line), nil
}

func chainsExpired(t *testing.T, open chainTest) {
	s := open()
	recordBoth(t, s, 2)
	early := must(s.AuditLog.Heads(t.Context()))
	for n := 2; n < 5; n++ {
		noError(t, s.AuditLog.Record(t.Context(), freelancerEvent(n)))
	}
	late := must(s.AuditLog.Heads(t.Context()))

	for range 2 {
		noError(t, s.AuditLog.Pseudonymize(t.Context(), after(3)))
		reports := wantChains(t, s, slices.Concat(early, late)...)
		wantEqual(t, []int64{2, 2}, []int64{reports[0].Records, reports[1].Records})
		wantEqual(t, int64(3), reports[1].Start.Sequence)
		wantEqual(t, []int{1, 1}, []int{reports[1].Expired, reports[1].Compared})
	}

	// The chain continues after all of its records have expired.
	noError(t, s.AuditLog.Pseudonymize(t.Context(), after(100)))
	wantEqual(t, int64(0), wantChains(t, s, late...)[1].Records)
	noError(t, s.AuditLog.Record(t.Context(), freelancerEvent(101)))
	wantEqual(t, int64(6), wantChains(t, s, late...)[1].Head.Sequence)

	// Only the checkpoint explains why records are missing.
	execute(t, s, "UPDATE audit_chains SET expired = 0")
	if _, err := s.AuditLog.Verify(t.Context(), chain.Freelancers, nil); !chain.IsBroken(err) {
		t.Errorf("%v, want a broken chain", err)
	}
}

func chainsExpiredBehindFuture(t *testing.T, open chainTest) {
	s := open()
	noError(t, s.AuditLog.Record(t.Context(), freelancerEvent(1), freelancerEvent(1_000_000), freelancerEvent(2)))
	noError(t, s.AuditLog.Pseudonymize(t.Context(), after(3)))
	reports := wantChains(t, s)
	wantEqual(t, []int64{2, 1}, []int64{reports[1].Records, reports[1].Erased})
	if export := exported(t, s); strings.Contains(export, freelancerEvent(2).Subject) {
		t.Errorf("the entry still has its content:\n%s", export)
	}
}

// makeUnchained makes all entries look as an earlier release has written them.
func makeUnchained(t *testing.T, s *store.DB) {
	t.Helper()
	execute(t, s, `
		UPDATE audit_events SET chain = NULL, sequence = NULL, salt = NULL, commitment = NULL, hash = NULL, erased = NULL`)
	execute(t, s, "UPDATE audit_chains SET sequence = 0, hash = expired_hash")
}

func adoptsEntries(t *testing.T, open chainTest) {
	s := open()
	wantEqual(t, 0, must(s.AuditLog.Adopt(t.Context())))
	recordBoth(t, s, 400)
	want := allEvents(t, s)
	makeUnchained(t, s)

	// What happens between an upgrade and its end: a user is removed, retention ends, and new entries are written.
	noError(t, s.AuditLog.PseudonymizeAccount(t.Context(), "acc_2"))
	noError(t, s.AuditLog.Pseudonymize(t.Context(), after(10)))
	recordBoth(t, s, 1)
	unchained := &auditlog.UnchainedError{}
	if err := s.AuditLog.FindUnchained(t.Context()); !errors.As(err, &unchained) || unchained.Entries != 790 {
		t.Fatalf("%v, want 790 entries in no chain", err)
	}

	wantEqual(t, 790, must(s.AuditLog.Adopt(t.Context())))
	reports := wantChains(t, s)
	wantEqual(t, []int64{401, 391}, []int64{reports[0].Records, reports[1].Records})
	wantEqual(t, int64(0), reports[0].Erased)
	wantEqual(t, 0, must(s.AuditLog.Adopt(t.Context())))
	got := allEvents(t, s)
	wantEqual(t, want[:10], got[:10])
}

func adoptsConcurrently(t *testing.T, open chainTest) {
	servers := []*store.DB{open(), open()}
	recordBoth(t, servers[0], 300)
	makeUnchained(t, servers[0])
	var adopted atomic.Int64
	concurrently(t, func(i int) error {
		s := servers[i%len(servers)]
		n, err := s.AuditLog.Adopt(t.Context())
		adopted.Add(int64(n))
		return errors.Join(err, s.AuditLog.Record(t.Context(), event(i, "acc_1")))
	})
	wantEqual(t, int64(600), adopted.Load())
	wantEqual(t, int64(300+callers), wantChains(t, servers[0])[0].Records)
}

// Somebody who can write to the database can cut off the end of a chain, and change its head accordingly.
func findsCut(t *testing.T, open chainTest) {
	s := open()
	recordBoth(t, s, 3)
	early := must(s.AuditLog.Heads(t.Context()))
	recordBoth(t, s, 2)
	kept := must(s.AuditLog.Heads(t.Context()))
	wantChains(t, s, kept...)

	execute(t, s, "DELETE FROM audit_events WHERE sequence > 3 AND chain = 'main'")
	execute(t, s, `UPDATE audit_chains SET sequence = 3,
		hash = (SELECT hash FROM audit_events WHERE chain = 'main' AND sequence = 3) WHERE chain = 'main'`)
	wantChains(t, s, early...)
	if _, err := s.AuditLog.Verify(t.Context(), chain.Main, kept); !chain.IsBroken(err) {
		t.Errorf("%v, want a broken chain", err)
	}
}

func verifiesDaily(t *testing.T, open chainTest) {
	s := open()
	recordBoth(t, s, 2)
	state := func() chain.State { return must(s.AuditLog.States(t.Context()))[0] }
	wantEqual(t, chain.State{Head: wantChains(t, s)[0].Head}, state())

	noError(t, s.AuditLog.VerifyDaily(t.Context(), start()))
	recordBoth(t, s, 1)
	wantEqual(t, chain.State{Head: wantChains(t, s)[0].Head, Verified: 2, VerifiedAt: start()}, state())

	// A fault is found a day later, and stays until a verification succeeds.
	execute(t, s, "UPDATE audit_events SET account = 'acc_9' WHERE chain = 'main' AND sequence = 2")
	noError(t, s.AuditLog.VerifyDaily(t.Context(), start().Add(23*time.Hour)))
	wantEqual(t, "", state().Fault)
	if err := s.AuditLog.VerifyDaily(t.Context(), start().Add(24*time.Hour)); !chain.IsBroken(err) {
		t.Fatalf("%v, want a broken chain", err)
	}
	if got := state(); !strings.Contains(got.Fault, "breaks at record 2") || got.Verified != 0 {
		t.Errorf("state %+v", got)
	}

	execute(t, s, "UPDATE audit_events SET account = 'acc_1' WHERE chain = 'main' AND sequence = 2")
	noError(t, s.AuditLog.VerifyDaily(t.Context(), start().Add(72*time.Hour)))
	wantEqual(t, "", state().Fault)
}

// A chain that began again would hide that its records are gone.
func refusesMissingChain(t *testing.T, open chainTest) {
	s := open()
	recordBoth(t, s, 1)
	execute(t, s, "DELETE FROM audit_chains WHERE chain = 'main'")
	if err := s.AuditLog.Record(t.Context(), event(2, "acc_1")); !chain.IsBroken(err) {
		t.Errorf("%v, want a broken chain", err)
	}
	if _, err := s.AuditLog.Verify(t.Context(), chain.Main, nil); !chain.IsBroken(err) {
		t.Errorf("%v, want a broken chain", err)
	}
	noError(t, s.AuditLog.Record(t.Context(), freelancerEvent(2)))
}

// tamperings returns statements that change one record of five in each chain, by what they do.
func tamperings() map[string]string {
	const second = " WHERE chain = 'main' AND sequence = 2"
	return map[string]string{
		"another time":       "UPDATE audit_events SET at = at + 1" + second,
		"another account":    "UPDATE audit_events SET account = 'acc_9'" + second,
		"another action":     "UPDATE audit_events SET action = 'key.created'" + second,
		"another actor":      "UPDATE audit_events SET actor = 'usr_9'" + second,
		"another subject":    "UPDATE audit_events SET subject = 'key_9'" + second,
		"another detail":     "UPDATE audit_events SET detail = ''" + second,
		"another address":    "UPDATE audit_events SET address = '192.0.2.9'" + second,
		"a missing salt":     "UPDATE audit_events SET salt = NULL" + second,
		"a missing hash":     "UPDATE audit_events SET hash = NULL" + second,
		"an erasure":         "UPDATE audit_events SET erased = 1" + second,
		"a removal":          "DELETE FROM audit_events" + second,
		"a cut":              "DELETE FROM audit_events WHERE chain = 'main' AND sequence > 2",
		"a removed chain":    "DELETE FROM audit_events WHERE chain = 'main'",
		"a moved record":     "UPDATE audit_events SET sequence = 9" + second,
		"a record elsewhere": "UPDATE audit_events SET chain = 'freelancers', sequence = 6" + second,
		"an unknown chain":   "UPDATE audit_events SET chain = 'other'" + second,
		"a record in no chain": `INSERT INTO audit_events (at, actor, account, action, subject, detail, address)
			VALUES (1, 'system', '', 'key.created', '', '', '')`,
		"a record before the first": `INSERT INTO audit_events
			(at, actor, account, action, subject, detail, address, chain, sequence, salt, commitment, hash)
			SELECT at, actor, account, action, subject, detail, address, chain, -1, salt, commitment, hash
			FROM audit_events` + second,
		"a record after the last": `INSERT INTO audit_events
			(at, actor, account, action, subject, detail, address, chain, sequence, salt, commitment, hash)
			SELECT at, actor, account, action, subject, detail, address, chain, 6, salt, commitment, hash
			FROM audit_events` + second,
		"an expired beginning": `UPDATE audit_chains SET expired = 2,
			expired_hash = (SELECT hash FROM audit_events` + second + ") WHERE chain = 'main'",
		"another head": "UPDATE audit_chains SET sequence = 4 WHERE chain = 'main'",
	}
}

func findsTampering(t *testing.T, s *store.DB, statement string) {
	recordBoth(t, s, 5)
	wantChains(t, s)
	execute(t, s, statement)

	err := s.AuditLog.FindUnchained(t.Context())
	for _, name := range chain.Names() {
		_, verifyErr := s.AuditLog.Verify(t.Context(), name, nil)
		if verifyErr != nil && !chain.IsBroken(verifyErr) {
			t.Errorf("chain %s can't be read: %v", name, verifyErr)
		}
		err = errors.Join(err, verifyErr)
	}
	if err == nil {
		t.Error("nothing found")
	}
}
