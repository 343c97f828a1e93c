package storetest

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/store"
)

func deletesVerdict(t *testing.T, s VerdictStore) {
	for _, key := range []string{"a", "b"} {
		noError(t, s.KeepVerdict(t.Context(), key, testVerdict(), start(), after(60)))
	}
	noError(t, s.Delete(t.Context(), "a"))
	noError(t, s.Delete(t.Context(), "a"))
	wantEqual(t, "b", allVerdicts(t, s, start())[0].Key)
}

// Pseudonyms tests the audit log, which can be pseudonymized.
func Pseudonyms(t *testing.T, open func(t *testing.T) *store.DB) {
	suite[*store.DB]{
		"a pseudonym is always the same":                  stablePseudonyms,
		"mentions of a text are replaced":                 replacesMentions,
		"entries about freelancers are found by ID":       replacesFreelancers,
		"old entries about freelancers are deleted":       deletesFreelancerEntries,
		"old entries lose what identifies people":         pseudonymizesOldEntries,
		"more entries than fit in a transaction are done": pseudonymizesManyEntries,
		"old addresses of keys are forgotten":             forgetsAddresses,
	}.run(t, open)
}

func stablePseudonyms(t *testing.T, s *store.DB) {
	first := must(s.AuditLog.Pseudonym(t.Context(), "fl-1"))
	wantEqual(t, first, must(s.AuditLog.Pseudonym(t.Context(), "fl-1")))
	if other := must(s.AuditLog.Pseudonym(t.Context(), "fl-2")); other == first || strings.Contains(first, "fl-1") {
		t.Errorf("pseudonyms %q and %q", first, other)
	}
}

func replacesMentions(t *testing.T, s *store.DB) {
	const id = `fl_0%\x1` // with the special characters of LIKE
	by := func(n int, subject, detail string) audit.Event {
		e := event(n, "acc_1")
		e.Subject = subject
		e.Detail = detail
		return e
	}
	events := []audit.Event{by(1, id, ""), by(2, "key", "about "+id+"; "+id), by(3, "flx0yz1", `FL_0%\X1`)}
	noError(t, s.AuditLog.Record(t.Context(), events...))
	wantEqual(t, 0, must(s.AuditLog.CountMentions(t.Context(), nil, nil)))
	wantEqual(t, 2, must(s.AuditLog.CountMentions(t.Context(), []string{id, "nothing"}, nil)))
	wantEqual(t, 2, must(s.AuditLog.ReplaceMentions(t.Context(), []string{id, "nothing"}, nil)))
	wantEqual(t, 0, must(s.AuditLog.ReplaceMentions(t.Context(), []string{id}, nil)))
	pseudonym := must(s.AuditLog.Pseudonym(t.Context(), id))
	events[0].Subject = pseudonym
	events[1].Detail = "about " + pseudonym + "; " + pseudonym
	wantEqual(t, []audit.Event{events[2], events[1], events[0]}, allEvents(t, s))
}

// A short ID such as 17 is found only where it must be an ID.
func replacesFreelancers(t *testing.T, s *store.DB) {
	changed := event(1, "acc_1")
	other := event(2, "acc_1")
	changed.Action = audit.FreelancerPatched
	changed.Subject = "17"
	changed.Detail = "hourly_rate"
	other.Subject = "17"
	other.Detail = "17 times"
	noError(t, s.AuditLog.Record(t.Context(), changed, other))
	wantEqual(t, 0, must(s.AuditLog.CountMentions(t.Context(), nil, []string{"1"})))
	wantEqual(t, 1, must(s.AuditLog.CountMentions(t.Context(), nil, []string{"17"})))
	wantEqual(t, 1, must(s.AuditLog.ReplaceMentions(t.Context(), nil, []string{"17"})))
	changed.Subject = must(s.AuditLog.Pseudonym(t.Context(), "17"))
	wantEqual(t, []audit.Event{other, changed}, allEvents(t, s))
}

func deletesFreelancerEntries(t *testing.T, s *store.DB) {
	before := event(1, "acc_1")
	after := event(3, "acc_1")
	other := event(1, "acc_1")
	before.Action = audit.FreelancerStored
	after.Action = audit.FreelancerStored
	noError(t, s.AuditLog.Record(t.Context(), before, after, other))
	noError(t, s.AuditLog.Pseudonymize(t.Context(), event(2, "").At))
	list := allEvents(t, s)
	if len(list) != 2 || list[0].Action != audit.FreelancerStored || list[1].Action != other.Action {
		t.Errorf("left %v", list)
	}
}

func pseudonymizesOldEntries(t *testing.T, s *store.DB) {
	user := "usr_000000000001"
	email := "Ada.L+x@example.com"
	old := audit.Event{
		At: after(1), Actor: user, Account: "acc_1", Action: audit.UserCreated, Subject: user,
		Detail: `"Ada \"L\"", ` + email + `, owner`, Address: "192.0.2.7",
	}

	// The command line is no person, so it keeps its name as an actor.
	command := old
	command.Actor, command.Subject, command.At = audit.CommandLine, "key_1", after(2)
	recent := old
	recent.At = after(3)
	noError(t, s.AuditLog.Record(t.Context(), old, command, recent))

	// A second run must not replace the pseudonyms by new ones.
	for range 2 {
		noError(t, s.AuditLog.Pseudonymize(t.Context(), after(3)))
		who := must(s.AuditLog.Pseudonym(t.Context(), user))
		address := must(s.AuditLog.Pseudonym(t.Context(), strings.ToLower(email)))
		old.Actor = who
		old.Subject = who
		old.Address = ""
		old.Detail = `"…", ` + address + ", owner"
		command.Address = ""
		command.Detail = old.Detail
		wantEqual(t, []audit.Event{recent, command, old}, allEvents(t, s))
	}
}

func pseudonymizesManyEntries(t *testing.T, s *store.DB) {
	var events []audit.Event
	for n := range 1001 {
		events = append(events, event(n, "acc_1"))
	}
	noError(t, s.AuditLog.Record(t.Context(), events...))
	noError(t, s.AuditLog.Pseudonymize(t.Context(), after(1000)))
	for _, e := range must(s.AuditLog.Events(t.Context(), audit.Query{Limit: 2000})) {
		if kept := e.Address != ""; kept != e.At.Equal(after(1000)) {
			t.Fatalf("entry %+v", e)
		}
	}
}

func forgetsAddresses(t *testing.T, s *store.DB) {
	insertKeys(t, s, testKey(1), testKey(2))
	uses := map[string]usage.Use{testKey(1).ID: used(1), testKey(2).ID: used(2)}
	noError(t, s.Usage.AddUsage(t.Context(), usageOf(uses)))
	noError(t, s.AuditLog.Pseudonymize(t.Context(), after(2)))
	for n, want := range map[int]string{1: "", 2: used(2).Address} {
		k := must(s.Keys.Find(t.Context(), testKey(n).ID))
		wantEqual(t, want, k.LastFrom)
		wantEqual(t, after(n), k.LastUsed)
	}
}
