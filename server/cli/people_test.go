package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/skills"
)

// The person of these tests. Each text occurs nowhere else.
const (
	adaID    = "p-zorblax-001"
	adaEmail = "ada@zorblax.example"
)

func ada() matching.Freelancer {
	return matching.Freelancer{
		ID: adaID, Name: "Ada Zorblax", JobTitle: "Go developer", Skills: []string{"Go"},
		Description: "Write to " + strings.ToUpper(adaEmail) + ". I built flumwhistles.",
		ProfileURL:  "https://zorblax.example",
	}
}

func bob() matching.Freelancer {
	return matching.Freelancer{ID: "p-bob-002", Name: "Bob Quimby", JobTitle: "Go developer", Skills: []string{"Go"}}
}

// load makes an index with these freelancers live.
func (x terminal) load(t *testing.T, freelancers ...matching.Freelancer) {
	t.Helper()
	index, err := setup.OpenIndex(x.config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Fill(t.Context(), slices.Values(freelancers), "generated", "USD"); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Error(err)
	}
}

// interview stores an account's interview about a freelancer.
func (x terminal) interview(t *testing.T, id, account string, about matching.Freelancer, project string) {
	t.Helper()
	data, err := json.Marshal(map[string]any{"Format": 1, "Subject": interview.Subject{
		Project: project, Freelancer: interview.Profile{ID: about.ID, Name: about.Name, Description: about.Description},
	}})
	if err != nil {
		t.Fatal(err)
	}
	x.open(t, func(s *app.Access) {
		r := interview.Record{ID: id, Account: account, Version: 1, Expires: time.Now().Add(time.Hour), Data: data}
		if err := s.DB.Interviews.Insert(t.Context(), r, interview.Limits{}, time.Now(), nil); err != nil {
			t.Fatal(err)
		}
	})
}

// result stores a playground result of an account, and a request in its log, with a freelancer in the response.
func (x terminal) result(t *testing.T, account string, about matching.Freelancer) {
	t.Helper()
	response, err := json.Marshal(map[string]any{"matches": []any{map[string]any{"freelancer": about}}})
	if err != nil {
		t.Fatal(err)
	}
	x.open(t, func(s *app.Access) {
		_, err := results.New(s.DB.Results, time.Now).Save(t.Context(), results.Result{
			Summary: results.Summary{Account: account, User: "usr_1", Kind: results.Match, Title: "A shop", Status: 200},
			Content: results.Content{Key: "key_1", Path: "/api/v1/match", Response: response},
		})
		if err != nil {
			t.Fatal(err)
		}

		recorder := requestlog.NewRecorder(s.DB.RequestLog, slog.New(slog.DiscardHandler))
		recorder.Record(requestlog.Request{
			Summary:      requestlog.Summary{Account: account, Key: "key_1", Operation: "match", Status: 200, At: time.Now()},
			Content:      requestlog.Content{Method: "POST", Route: "/api/v1/match"},
			ResponseBody: response,
		})
		if err := recorder.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// project stores a project of a new account with Ada and Bob, whose texts mention Ada, and returns its ID.
func (x terminal) project(t *testing.T) (id string) {
	t.Helper()
	u := x.join(t, "owner@example.com", "Kiln & Glaze")
	x.open(t, func(s *app.Access) {
		p, err := projects.New(s.DB.Projects, time.Now).Create(t.Context(), audit.By{Actor: u.ID}, projects.Project{
			Account: u.Account, Name: "A shop", Note: "Fixed price.\nWrote to " + adaEmail + "\nStarts in May.",
			Brief: projects.Brief{Form: url.Values{"description": {"A shop\nlike https://zorblax.example"}}},
		}, []projects.Person{
			{Freelancer: adaID, Note: "Knows flumwhistles"},
			{Freelancer: bob().ID, Note: "Knows Ada Zorblax\nSpeaks German"},
		})
		if err != nil {
			t.Fatal(err)
		}
		id = p.ID
	})
	return id
}

// populate stores the person wherever a person can be, next to others.
func (x terminal) populate(t *testing.T) (project string) {
	t.Helper()
	x.load(t, ada(), bob())
	x.interview(t, "about-ada", "acc_1", ada(), "A shop")
	x.interview(t, "about-bob", "acc_1", bob(), "A shop. Questions? <"+adaEmail+">")
	letters := filepath.Join(x.config.Data, setup.DeadLettersDir)
	content := `{"file":"a.csv","line":3,"value":"ada zorblax","reason":"no id"}` + "\n" +
		`{"file":"a.csv","line":4,"value":"Bob Quimby","reason":"no id"}` + "\n"

	if err := os.MkdirAll(letters, 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(letters, "custom.ndjson"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	x.report(t, adaID)
	x.result(t, "acc_1", ada())
	x.result(t, "acc_1", bob())
	project = x.project(t)
	exports := map[string]string{
		"all.ndjson":     `{"id":"` + adaID + `","name":"A. Z."}` + "\n" + `{"id":"p-bob-002"}` + "\n",
		"exports/my.csv": "name,id\n\"A.\nZ.\"," + adaID + "\nBob,p-bob-002\n",
	}

	if err := os.MkdirAll(filepath.Join(x.config.Data, "exports"), 0o700); err != nil {
		t.Fatal(err)
	}

	for name, content := range exports {
		if err := os.WriteFile(filepath.Join(x.config.Data, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	x.open(t, func(s *app.Access) {
		for key, word := range map[string]string{"ada zorblax": "Ada Zorblax", "kintsugi": "Kintsugi"} {
			verdict := skills.Verdict{Word: word, By: "test"}
			err := s.DB.Verdicts.KeepVerdict(t.Context(), key, verdict, time.Now(), time.Now().Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	return project
}

// report stores matches and events of two accounts: a match with a freelancer, who was hired, and Bob, and a brief that
// names the freelancer.
func (x terminal) report(t *testing.T, freelancer string) {
	t.Helper()
	x.open(t, func(s *app.Access) {
		store := s.DB.MatchEvents
		if _, err := store.KeepBriefs(t.Context(), "acc_1", true, audit.Event{At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		at := time.Now().UTC()
		shown := events.Match{Account: "acc_1", ID: "r-1", At: at, Freelancers: []uint64{
			events.Hash(freelancer), events.Hash(bob().ID),
		}}
		named := events.Match{
			Account: "acc_1", ID: "r-2", At: at, Freelancers: []uint64{events.Hash(bob().ID)},
			Brief: []byte(`{"description":"Somebody like https://zorblax.example"}`),
		}

		other := events.Match{Account: "acc_2", ID: "r-1", At: at, Freelancers: []uint64{events.Hash(bob().ID)}}
		if err := store.AddMatches(t.Context(), []events.Match{shown, named, other}); err != nil {
			t.Fatal(err)
		}

		for _, e := range []events.Event{
			{Account: "acc_1", Match: "r-1", Freelancer: freelancer, Type: events.Hired, At: at, Rank: 1},
			{Account: "acc_1", Match: "r-1", Freelancer: bob().ID, Type: events.Shown, At: at, Rank: 2},
		} {
			if _, err := store.AddEvents(t.Context(), e.Account, []events.Event{e}, 10); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// filesWith returns the files in the data folder that contain a text, regardless of case. In the database, the text as
// a part of the freelancer's ID doesn't count.
func (x terminal) filesWith(t *testing.T, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(x.config.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.HasPrefix(d.Name(), "matching.db") { // the feed tells receivers of the erasure, by ID alone
			content = bytes.ReplaceAll(content, []byte(adaID), nil)
		}
		if bytes.Contains(bytes.ToLower(content), []byte(strings.ToLower(text))) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestPeople_FindAndExport(t *testing.T) {
	x := newTerminal(t)
	x.populate(t)
	for _, who := range []string{adaID, strings.ToUpper(adaEmail)} {
		out := x.ok(t, "people", "find", who)
		wantWords(t, out, "(live)", adaID, "Ada Zorblax", "dead letters custom.ndjson", "line 1", "about-ada",
			`"Ada Zorblax"`, "1 event of account acc_1", "1 record, as a hash", "1 stored brief", ": shortlisted",
			"brief or notes with")
		if strings.Contains(out, "line 2") || strings.Contains(out, "Quimby") {
			t.Errorf("another person was found:\n%s", out)
		}
	}

	wantWords(t, x.ok(t, "people", "find", adaEmail), "about-bob", "about somebody else")
	wantWords(t, x.ok(t, "people", "find", "nobody@example.com"), "Nothing is stored")

	file := filepath.Join(t.TempDir(), "ada.json")
	wantWords(t, x.ok(t, "people", "export", adaEmail, "-o", file), "Written to")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var got people.Found
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatalf("%v:\n%s", err, content)
	}

	if len(got.Freelancers) != 1 || got.Freelancers[0].Record.Description != ada().Description ||
		len(got.DeadLetters) != 1 || len(got.Interviews) != 1 || !slices.Equal(got.MentionedIn, []string{"about-bob"}) ||
		!bytes.Contains(got.Interviews[0].Session, []byte("flumwhistles")) || len(got.Verdicts) != 1 ||
		len(got.Events) != 1 || got.Events[0].Type != events.Hired || got.ShownIn != 1 || got.Briefs != 1 ||
		len(got.Shortlisted) != 1 || got.Shortlisted[0].Note != "Knows flumwhistles" || len(got.ProjectTexts) != 1 {
		t.Errorf("export %s", content)
	}

	if bytes.Contains(content, []byte("Quimby")) {
		t.Errorf("the export has another person: %s", content)
	}
	log := x.ok(t, "accounts", "events")
	wantWords(t, log, "person.found", "person.exported", "anon-")

	for _, text := range []string{"zorblax", adaEmail} {
		if strings.Contains(log, text) {
			t.Errorf("the audit log reveals %q:\n%s", text, log)
		}
	}
}

func TestPeople_Delete(t *testing.T) {
	for name, who := range map[string][]string{
		"by address": {adaEmail}, "by ID and address": {adaID, adaEmail},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTerminal(t)
			project := x.populate(t)
			wantWords(t, x.ok(t, append([]string{"people", "delete", "-yes"}, who...)...), "Erased:", "  1 record in an index",
				"  1 dead letter\n", "  2 lines of exports", "  1 interview,", "  1 mention in", "  1 verdict",
				"  1 event about", "  1 hash in a record", "  1 stored brief", "deleted from all indexes", "1 place in a project",
				"1 project whose", "anon-")
			x.wantErasedFrom(t, project)

			for _, text := range []string{"zorblax", "flumwhistle"} {
				for _, file := range x.filesWith(t, text) {
					// Until a merge, the ID is in the log of changes, and words are in the search structures.
					if base := filepath.Base(file); !strings.HasPrefix(base, "changes-") && !strings.HasPrefix(base, "index") {
						t.Errorf("%q is still in %s", text, file)
					}
				}
			}

			wantWords(t, x.ok(t, "people", "find", adaEmail), "The list of erased people", "Nothing is stored")
			wantWords(t, x.ok(t, "people", "find", bob().ID), "(live)", "Bob Quimby", "about-bob", "line 1",
				"1 event of account acc_1", "3 records, as a hash")
			_, stderr, code := x.run(t, "people", "delete", "-yes", adaEmail)
			if code != 1 || !strings.Contains(stderr, "nothing is stored") {
				t.Errorf("second time: exit code %d, %s", code, stderr)
			}

			wantWords(t, x.ok(t, append([]string{"people", "readmit"}, who...)...), "can load the freelancer again")
		})
	}
}

// wantErasedFrom checks that a project, see terminal.project, has lost Ada and the lines about her, and nothing else.
func (x terminal) wantErasedFrom(t *testing.T, id string) {
	t.Helper()
	x.open(t, func(s *app.Access) {
		err := s.DB.Projects.Each(t.Context(), "", func(p projects.Project, people []projects.Person) error {
			if p.ID != id || p.Note != "Fixed price.\nStarts in May." || p.Brief.Form.Get("description") != "A shop" ||
				len(people) != 1 || people[0].Freelancer != bob().ID || people[0].Note != "Speaks German" {
				t.Errorf("the project is %+v with %+v", p, people)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Somebody else may mention an address. Only freelancers that were named are erased then.
func TestPeople_DeleteByAddressOfSeveral(t *testing.T) {
	x := newTerminal(t)
	other := bob()
	other.Description = "Ask my agent, " + adaEmail
	x.load(t, ada(), other)
	for _, who := range [][]string{{adaEmail}, {adaEmail, adaID}} {
		_, stderr, code := x.run(t, append([]string{"people", "delete", "-yes"}, who...)...)
		if code != 1 || !strings.Contains(stderr, other.ID+", "+adaID) {
			t.Errorf("%v: exit code %d, %s", who, code, stderr)
		}
	}
	x.ok(t, "people", "delete", "-yes", adaID)
	wantWords(t, x.ok(t, "people", "find", adaEmail), other.ID)
}

// People can be erased while the indexer runs: a load takes over what was deleted from the live index.
func TestPeople_DeleteDuringLoad(t *testing.T) {
	x := newTerminal(t)
	x.load(t, ada(), bob())
	lock := flock.New(filepath.Join(x.config.Data, "indexes", "indexer.lock"))
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	x.ok(t, "people", "delete", "-yes", bob().ID)
	wantWords(t, x.ok(t, "people", "find", bob().ID), "Nothing is stored")
	wantWords(t, x.ok(t, "people", "find", adaID), "(live)")
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestPeople_RejectInvalidCommands(t *testing.T) {
	x := newTerminal(t)
	x.load(t, bob())
	x.open(t, func(*app.Access) {})
	x.refused(t, []refusedCase{
		{"no command", []string{"people"}, 2, "people needs a command: find, export,"},
		{"nobody", []string{"people", "find"}, 2, "use server people find ID|EMAIL…"},
		{"flag of another command", []string{"people", "find", "x", "-yes"}, 2, "people find does not accept -yes"},
		{"export of nothing", []string{"people", "export", "p-9"}, 1, "nothing is stored about this person"},
		{"nobody on the list", []string{"people", "readmit", "p-9"}, 1, "has none of these IDs"},
		{"an existing file", []string{"people", "export", bob().ID, "-o", x.config.Data}, 1, "exists"},
	})
	// Standard input of tests is no terminal.
	_, stderr, code := x.run(t, "people", "delete", bob().ID)
	if code != 2 || !strings.Contains(stderr, "pass -yes") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	wantWords(t, x.ok(t, "people", "find", bob().ID), "(live)")
}
