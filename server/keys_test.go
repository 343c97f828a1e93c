package main

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/config"
	"freelancer-matching/server/app"
)

type commandFunc func(context.Context, []string, func(string) (string, bool), io.Writer, io.Writer) int

// terminal runs commands on one database.
type terminal struct {
	config config.Config
	data   string
}

func newTerminal(t *testing.T) terminal {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	c := config.Default()
	c.Data = data
	return terminal{config: c, data: data}
}

// run is what a command wrote, and its exit code.
func (x terminal) run(t *testing.T, command commandFunc, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	environment := func(name string) (string, bool) { return x.data, name == "MATCHING_DATA" }
	code = command(t.Context(), args, environment, &out, &errs)
	return out.String(), errs.String(), code
}

// ok is what a command wrote that must succeed.
func (x terminal) ok(t *testing.T, command commandFunc, args ...string) string {
	t.Helper()
	stdout, stderr, code := x.run(t, command, args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: code %d:\n%s%s", args, code, stdout, stderr)
	}
	for line := range strings.Lines(stdout) {
		table := slices.Contains([]string{"list", "show", "links"}, args[0])
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); table && n > 120 {
			t.Errorf("%q: a line of %d columns: %s", args, n, line)
		}
	}
	return stdout
}

// open gives f the services on the database of the commands.
func (x terminal) open(t *testing.T, f func(s *app.Access)) {
	t.Helper()
	s, err := app.OpenAccess(t.Context(), x.config, newLog(x.config, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	f(s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// find is the first match of a pattern.
func find(t *testing.T, pattern, text string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindString(text)
	if found == "" {
		t.Fatalf("no %s in:\n%s", pattern, text)
	}
	return found
}

func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in:\n%s", w, text)
		}
	}
}

const (
	tokenPattern = `svc_(fr|pr|ent)_[0-9A-Za-z]{36}`
	keyPattern   = `key_[0-9A-Za-z]{12}`
)

func TestKeys_FromMakingToRevoking(t *testing.T) {
	x := newTerminal(t)
	made := x.ok(t, keys, "create", "-plan", "professional", "-name", "Søren & Ko, the company with the rather long name",
		"-operations", "match, parse", "-networks", "10.1.2.3/8,192.0.2.1", "-expires", "720h")
	token, id := find(t, tokenPattern, made), find(t, keyPattern, made)
	wantWords(t, x.ok(t, keys, "list"), id, "Søren", "…", "professional", "active", "never", token[len(token)-4:])
	wantWords(t, x.ok(t, keys, "show", id), "match, parse", "10.0.0.0/8, 192.0.2.1/32", "rather long name", "none")

	wantWords(t, x.ok(t, keys, "disable", id), "is disabled")
	wantWords(t, x.ok(t, keys, "list"), "disabled")
	wantWords(t, x.ok(t, keys, "enable", id), "is enabled")
	rotated := x.ok(t, keys, "rotate", id, "-grace", "1h")
	next := find(t, keyPattern, rotated)
	wantWords(t, rotated, "goes on where "+id, "shown this once")
	wantWords(t, x.ok(t, keys, "list"), "replaced", "active", next)
	wantWords(t, x.ok(t, keys, "show", id), next)
	wantWords(t, x.ok(t, keys, "revoke", next), "is revoked")
	_, stderr, code := x.run(t, keys, "rotate", next)
	if code != 1 {
		t.Errorf("rotating a revoked key: code %d", code)
	}
	wantWords(t, stderr, "server keys: the key was revoked or has expired; make a new one")
	for _, shown := range []string{x.ok(t, keys, "list"), x.ok(t, keys, "show", id)} {
		if regexp.MustCompile(tokenPattern).MatchString(shown) {
			t.Errorf("a whole key is shown again:\n%s", shown)
		}
	}
	x.open(t, func(s *app.Access) {
		k, err := s.Keys.Authenticate(t.Context(), token)
		if err != nil || k.ID != id {
			t.Errorf("in its grace: %+v, %v", k, err)
		}
	})
}

// A name that was stored before names were looked at cannot move the cursor.
func TestKeys_PrintsNoControlCharacters(t *testing.T) {
	x := newTerminal(t)
	x.open(t, func(s *app.Access) {
		err := s.DB.UpdateKeys(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) {
			now := time.Now()
			return apikey.Changes{Keys: []apikey.Key{{
				ID: "key_000000000000", Name: "a\x1b[2Jb\nc", Plan: "freelancer", Prefix: "svc_fr_", Counter: "key_000000000000", PlanSince: now, Created: now,
			}}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, args := range [][]string{{"list"}, {"show", "key_000000000000"}, {"revoke", "key_000000000000"}} {
		out := x.ok(t, keys, args...)
		wantWords(t, out, "a\ufffd[2Jb\ufffdc")
	}
}

func TestKeys_OfAnAccount(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	id := find(t, keyPattern, x.ok(t, keys, "create", "-account", u.Account, "-name", "Website"))
	x.ok(t, keys, "create", "-plan", "freelancer", "-name", "Another")
	if listed := x.ok(t, keys, "list", "-account", u.Account); strings.Contains(listed, "Another") || !strings.Contains(listed, id) {
		t.Errorf("listed:\n%s", listed)
	}
	tests := []struct {
		name, want string
		args       []string
		code       int
	}{
		{"a plan beside an account", "leave out -plan", []string{"create", "-account", u.Account, "-plan", "freelancer", "-name", "A"}, 1},
		{"an unknown account", "no such account", []string{"create", "-account", "acc_none", "-name", "A"}, 1},
		{"keys of an unknown account", "no such account", []string{"list", "-account", "acc_none"}, 1},
		{"an unknown key", `there is no key "key_x"`, []string{"show", "key_x"}, 1},
		{"an unknown grace", "grace must be 0, 1h, 24h or 168h", []string{"rotate", id, "-grace", "5m"}, 1},
		{"a flag of another command", "keys list takes no -grace", []string{"list", "-grace", "1h"}, 2},
		{"too many ids", "usage is server keys show ID", []string{"show", id, id}, 2},
		{"nearly a command", `did you mean rotate?`, []string{"rotat", id}, 2},
		{"a wrong network and operation", `operation must be one of`, []string{"create", "-plan", "freelancer", "-name", "A", "-operations", "pay", "-networks", "x"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := x.run(t, keys, tt.args...)
			if code != tt.code || stdout != "" || !strings.Contains(stderr, tt.want) {
				t.Errorf("code %d, want %d with %q:\n%s%s", code, tt.code, tt.want, stdout, stderr)
			}
		})
	}
}

// signUp makes the first administrator, as a person does on the dashboard.
func (x terminal) signUp(t *testing.T) (u account.User) {
	t.Helper()
	x.open(t, func(s *app.Access) {
		secret, err := s.Accounts.SetUpLink(t.Context())
		if err == nil {
			u, err = s.Accounts.Register(t.Context(), audit.By{}, account.NewUser{
				Email: "admin@example.com", Password: "purple otter under the stairs", AccountName: "Operators", Secret: secret,
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return u
}
