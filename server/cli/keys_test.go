package cli

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/app"
)

// A terminal runs commands on one database.
type terminal struct{ config config.Config }

func newTerminal(t *testing.T) terminal {
	t.Helper()
	c := config.Default()
	c.Data = filepath.Join(t.TempDir(), "data")
	return terminal{c}
}

// run runs the program and returns its output and its exit code.
func (x terminal) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	environment := func(name string) (string, bool) { return x.config.Data, name == "MATCHING_DATA" }
	code = run(t.Context(), args, environment, &out, &errs)
	return out.String(), errs.String(), code
}

// ok runs a command that must succeed, checks the width of its output, and returns it.
func (x terminal) ok(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := x.run(t, args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit code %d:\n%s%s", args, code, stdout, stderr)
	}
	printsTable := slices.Contains([]string{"list", "show", "links"}, args[1])
	for line := range strings.Lines(stdout) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); printsTable && n > 120 {
			t.Errorf("%q: line with %d columns: %s", args, n, line)
		}
	}
	return stdout
}

// refused runs every case's command, which must print nothing to standard output.
func (x terminal) refused(t *testing.T, cases []refusedCase) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, code := x.run(t, test.args...)
			if code != test.code || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, test.code, test.want, stdout, stderr)
			}
		})
	}
}

type refusedCase struct {
	name string
	args []string
	code int
	want string // part of the error
}

// open calls f with the services on the commands' database.
func (x terminal) open(t *testing.T, f func(s *app.Access)) {
	t.Helper()
	s, err := app.OpenAccess(t.Context(), x.config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	f(s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// find returns the first match of pattern in text.
func find(t *testing.T, pattern, text string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindString(text)
	if match == "" {
		t.Fatalf("no match for %s in:\n%s", pattern, text)
	}
	return match
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

func TestKeys_CreateATestKey(t *testing.T) {
	x := newTerminal(t)
	created := x.ok(t, "keys", "create", "-plan", "professional", "-name", "CI", "-test")
	wantWords(t, created, "svc_test_", "Created test key")
	wantWords(t, x.ok(t, "keys", "list"), "svc_test_…", "active")

	_, stderr, code := x.run(t, "keys", "create", "-plan", "professional", "-name", "CI", "-test",
		"-permissions", "data:read")
	if code != 2 || !strings.Contains(stderr, "-test and -permissions exclude each other") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

func TestKeys_CreateRotateRevoke(t *testing.T) {
	x := newTerminal(t)
	created := x.ok(t, "keys", "create", "-plan", "professional",
		"-name", "Søren & Ko, the company with the rather long name",
		"-operations", "match, parse", "-networks", "10.1.2.3/8,192.0.2.1", "-expires", "720h")
	token := find(t, tokenPattern, created)
	id := find(t, keyPattern, created)
	wantWords(t, x.ok(t, "keys", "list"), id, "Søren", "…", "professional", "active", "never",
		token[len(token)-4:])
	wantWords(t, x.ok(t, "keys", "show", id), "match, parse", "10.0.0.0/8, 192.0.2.1/32", "rather long name", "none")

	wantWords(t, x.ok(t, "keys", "disable", id), "is disabled")
	wantWords(t, x.ok(t, "keys", "list"), "disabled")
	wantWords(t, x.ok(t, "keys", "enable", id), "is enabled")
	rotated := x.ok(t, "keys", "rotate", id, "-grace", "1h")
	next := find(t, keyPattern, rotated)
	wantWords(t, rotated, "replaces key "+id, "not shown again")
	wantWords(t, x.ok(t, "keys", "list"), "replaced", "active", next)
	wantWords(t, x.ok(t, "keys", "show", id), next)
	wantWords(t, x.ok(t, "keys", "revoke", next), "is revoked")
	_, stderr, code := x.run(t, "keys", "rotate", next)
	if code != 1 {
		t.Errorf("rotating a revoked key: exit code %d, want 1", code)
	}

	wantWords(t, stderr, "server keys: This key was revoked or has expired. Create a new one.")
	for _, shown := range []string{x.ok(t, "keys", "list"), x.ok(t, "keys", "show", id)} {
		if regexp.MustCompile(tokenPattern).MatchString(shown) {
			t.Errorf("the whole token is shown again:\n%s", shown)
		}
	}

	x.open(t, func(s *app.Access) {
		k, err := s.Keys.Authenticate(t.Context(), token)
		if err != nil || k.ID != id {
			t.Errorf("rotated key in its grace period: %+v, %v", k, err)
		}
	})
}

// Names stored by versions that did not validate them cannot move the cursor.
func TestKeys_PrintNoControlCharacters(t *testing.T) {
	x := newTerminal(t)
	x.open(t, func(s *app.Access) {
		err := s.DB.Keys.Update(t.Context(), "", func([]apikey.Key) (apikey.Changes, error) {
			now := time.Now()
			return apikey.Changes{Keys: []apikey.Key{{
				ID: "key_000000000000", Name: "a\x1b[2Jb\nc", Plan: "freelancer", Prefix: "svc_fr_",
				Counter: "key_000000000000", PlanSince: now, Created: now,
			}}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, args := range [][]string{{"list"}, {"show", "key_000000000000"}, {"revoke", "key_000000000000"}} {
		out := x.ok(t, append([]string{"keys"}, args...)...)
		wantWords(t, out, "a\ufffd[2Jb\ufffdc")
	}
}

func TestKeys_OfAnAccount(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	id := find(t, keyPattern, x.ok(t, "keys", "create", "-account", u.Account, "-name", "Website"))
	x.ok(t, "keys", "create", "-plan", "freelancer", "-name", "Another")
	listed := x.ok(t, "keys", "list", "-account", u.Account)
	wantWords(t, listed, id)

	if strings.Contains(listed, "Another") {
		t.Errorf("a key without an account is listed:\n%s", listed)
	}

	x.refused(t, []refusedCase{
		{
			"a plan and an account",
			[]string{"keys", "create", "-account", u.Account, "-plan", "freelancer", "-name", "A"},
			2, "-plan and -account exclude each other",
		},
		{"unknown account", []string{"keys", "create", "-account", "acc_none", "-name", "A"}, 1, "no such account"},
		{"keys of an unknown account", []string{"keys", "list", "-account", "acc_none"}, 1, "no such account"},
		{"unknown key", []string{"keys", "show", "key_x"}, 1, `There is no key "key_x".`},
		{"invalid grace period", []string{"keys", "rotate", id, "-grace", "5m"}, 1, "grace must be 0, 1h, 24h or 168h"},
		{"another command's flag", []string{"keys", "list", "-grace", "1h"}, 2, "keys list does not accept -grace"},
		{"too many ids", []string{"keys", "show", id, id}, 2, "use server keys show ID"},
		{"misspelled command", []string{"keys", "rotat", id}, 2, `did you mean rotate?`},
		{
			"invalid network and operation",
			[]string{"keys", "create", "-plan", "freelancer", "-name", "A", "-operations", "pay", "-networks", "x"},
			1, `operation must be one of`,
		},
	})
}

// signUp creates the first administrator, as a person does on the dashboard.
func (x terminal) signUp(t *testing.T) (u account.User) {
	t.Helper()
	x.open(t, func(s *app.Access) {
		secret, err := s.Links.CreateSetUp(t.Context())
		if err == nil {
			u, err = s.SignUps.Register(t.Context(), audit.By{}, account.NewUser{
				Email: "admin@example.com", Password: "purple otter under the stairs",
				AccountName: "Operators", Secret: secret,
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return u
}

func TestKeys_Permissions(t *testing.T) {
	x := newTerminal(t)
	out := x.ok(t, "keys", "create", "-plan", "enterprise", "-name", "Sync")
	id := regexp.MustCompile(`key_\w+`).FindString(out)
	wantWords(t, x.ok(t, "keys", "show", id), "permissions", "none")
	wantWords(t, x.ok(t, "keys", "grant", id, "data:write", "data:read"), "has these permissions: data:read, data:write.")
	wantWords(t, x.ok(t, "keys", "withdraw", id, "data:read"), "has these permissions: data:write.")
	wantWords(t, x.ok(t, "keys", "show", id), "data:write")
	other := x.ok(t, "keys", "create", "-plan", "enterprise", "-name", "Import", "-permissions", "data:read,data:write")
	wantWords(t, x.ok(t, "keys", "show", regexp.MustCompile(`key_\w+`).FindString(other)), "data:read, data:write")
	wantWords(t, x.ok(t, "accounts", "events"), "key.permissions_changed", "no permissions → data:read data:write")
	x.refused(t, []refusedCase{
		{"unknown permission", []string{"keys", "grant", id, "data:all"}, 1, "must be one of data:read, data:write"},
		{"unknown to withdraw", []string{"keys", "withdraw", id, "read"}, 1, "permission must be one of"},
		{"unknown key", []string{"keys", "grant", "key_x", "data:read"}, 1, "There is no key"},
		{
			"unknown permission of a new key",
			[]string{"keys", "create", "-plan", "enterprise", "-name", "X", "-permissions", "data:all"},
			2, `-permissions has "data:all"; use data:read, data:write`,
		},
		{"no permission", []string{"keys", "grant", id}, 2, "use server keys grant ID PERMISSION…"},
	})
}
