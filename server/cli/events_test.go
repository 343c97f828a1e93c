package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

// keyOwner creates a key without an account and returns its ID.
func (x terminal) keyOwner(t *testing.T) (id string) {
	t.Helper()
	x.open(t, func(s *app.Access) {
		_, k, err := s.Keys.Create(t.Context(), audit.By{Actor: audit.CommandLine},
			apikey.Request{Name: "x", Plan: "enterprise"})
		if err != nil {
			t.Fatal(err)
		}
		id = k.ID
	})
	return id
}

func TestEvents_Export(t *testing.T) {
	x := newTerminal(t)
	account := x.signUp(t).Account
	key := x.keyOwner(t)
	wantWords(t, x.ok(t, "events", "briefs"), "No briefs are kept")

	for _, owner := range []string{account, key} {
		wantWords(t, x.ok(t, "events", "keep-briefs", owner), "from now on")
		wantWords(t, x.ok(t, "events", "keep-briefs", owner), "already")
		wantWords(t, x.ok(t, "events", "briefs"), owner)
	}

	x.open(t, func(s *app.Access) {
		store := s.DB.MatchEvents
		at := time.Now()
		for _, m := range []events.Match{
			{Account: account, ID: "a", At: at, Brief: []byte(`{"job_title":"Writer","limit":5}`)},
			{Account: account, ID: "b", At: at, Brief: []byte(`{"job_title":"nobody reported"}`)},
			{Account: key, ID: "c", At: at, Brief: []byte(`{"job_title":"Editor"}`)},
			{Account: "acc_other", ID: "d", At: at, Brief: []byte(`{"job_title":"not agreed"}`)},
		} {
			m.Freelancers = []uint64{events.Hash("f1"), events.Hash("f2")}
			if err := store.AddMatches(t.Context(), []events.Match{m}); err != nil {
				t.Fatal(err)
			}

			if m.ID == "b" {
				continue
			}

			_, err := store.AddEvents(t.Context(), m.Account, []events.Event{
				{Account: m.Account, Match: m.ID, Freelancer: "f1", Type: events.Shown, At: at, Rank: 1},
				{Account: m.Account, Match: m.ID, Freelancer: "f2", Type: events.Hired, At: at, Rank: 2},
			}, 10)
			if err != nil {
				t.Fatal(err)
			}
		}
	})

	export := func(briefs int, words []string, owners ...string) {
		t.Helper()
		folder := filepath.Join(t.TempDir(), "judged")
		wantWords(t, x.ok(t, append([]string{"events", "export", "-o", folder}, owners...)...), words...)
		read, err := readWith(filepath.Join(folder, "briefs.jsonl"), eval.ReadBriefs)
		if err != nil || len(read) != briefs {
			t.Fatalf("%d briefs (%v), want %d", len(read), err, briefs)
		}

		judgments, err := readWith(filepath.Join(folder, "judgments.tsv"), eval.ReadJudgments)
		if err != nil {
			t.Fatal(err)
		}

		for _, b := range read {
			if grades := judgments[b.ID]; len(grades) != 2 || grades["f2"] != eval.Excellent || grades["f1"] != eval.Unsuitable {
				t.Errorf("brief %s has the grades %v", b.Body, grades)
			}
		}
	}

	export(2, []string{"2 briefs with 2 hired (3)", "1 match with events whose brief was not kept"})
	export(1, []string{"1 brief with 1 hired (3)"}, account)
	wantWords(t, x.ok(t, "accounts", "events", account), "events.exported", "events.briefs_kept")
	content := x.ok(t, "accounts", "export", account)
	wantWords(t, content, `"request_id": "a"`, `"job_title": "Writer"`, `"type": "hired"`, `"freelancer_id": "f2"`)

	wantWords(t, x.ok(t, "events", "drop-briefs", account), "deleted")
	wantWords(t, x.ok(t, "events", "drop-briefs", account), "were not kept")
	export(1, []string{"2 matches with events whose brief"})

	if files := x.filesWith(t, "nobody reported"); files != nil {
		t.Errorf("a dropped brief is still in %v", files)
	}
}

// The report has the groups of a file that nothing stores.
func TestEvents_Bias(t *testing.T) {
	x := newTerminal(t)
	account := x.signUp(t).Account
	groups := filepath.Join(t.TempDir(), "groups.csv")
	if err := os.WriteFile(groups, []byte("freelancer_id,sex\nf1,zzfemale\nf2,zzmale\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.open(t, func(s *app.Access) {
		store := s.DB.MatchEvents
		m := events.Match{
			Account: account, ID: "a", At: time.Now(), Freelancers: []uint64{events.Hash("f1"), events.Hash("f2")},
			Scores: []float64{.75, .5}, Versions: matching.Versions{Program: "1.2"},
		}
		if err := store.AddMatches(t.Context(), []events.Match{m}); err != nil {
			t.Fatal(err)
		}
		_, err := store.AddEvents(t.Context(), account, []events.Event{
			{Account: account, Match: "a", Freelancer: "f2", Type: events.Hired, At: m.At, Rank: 2},
		}, 10)
		if err != nil {
			t.Fatal(err)
		}
	})

	wantWords(t, x.ok(t, "events", "log", account), `"request_id":"a"`, `"program":"1.2"`, `"score":0.75`,
		`"type":"hired"`)
	wantWords(t, x.ok(t, "events", "bias", "-groups", groups, "-top", "1", account), "1 match from", "rank up to 1",
		"zzfemale  1       1         1.000  1.00", "zzmale    1       0         0.000  0.00 <")
	wantWords(t, x.ok(t, "events", "bias", "-groups", groups, "-json"), `"measure": "chosen"`, `"impact_ratio": 1`)
	wantWords(t, x.ok(t, "accounts", "events", account), "events.exported", "bias audit", "log of decisions")

	if files := x.filesWith(t, "zzfemale"); files != nil {
		t.Errorf("groups are stored in %v", files)
	}
}

func readWith[T any](path string, read func(io.Reader) (T, error)) (content T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return content, err
	}
	defer f.Close()
	return read(f)
}

func TestEvents_RejectInvalidCommands(t *testing.T) {
	x := newTerminal(t)
	existing := t.TempDir()
	for command, want := range map[string]string{
		"events":                                 "needs a command",
		"events export":                          "-o FOLDER",
		"events export -o " + existing:           "exists",
		"events export -o " + existing + "/x z":  "no such account",
		"events keep-briefs acc_none":            "no such account",
		"events keep-briefs":                     "wrong number",
		"events briefs -o x":                     "does not accept -o",
		"events bias":                            "-groups FILE",
		"events bias -groups x -top 0":           "-top must be at least 1",
		"events bias -groups x -min-share 2":     "-min-share must be 0 to 1",
		"events bias -groups " + existing + "/x": "no such file",
	} {
		_, stderr, code := x.run(t, strings.Fields(command)...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", command, code, stderr)
		}
	}

	if _, err := os.Stat(filepath.Join(existing, "x")); err == nil {
		t.Error("a failed export left its folder")
	}
}
