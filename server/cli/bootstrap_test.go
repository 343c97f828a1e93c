package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/server/app"
)

// started starts a server with flags, stops it when it is ready, and returns what it printed.
func (x terminal) started(t *testing.T, flags ...string) (log string, code int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var logged bytes.Buffer
	args := append([]string{"-data", x.config.Data, "-addr", "127.0.0.1:0", "-encoder", "off", "-ocr", "off"}, flags...)
	code = run(ctx, args, func(string) (string, bool) { return "", false }, &readyThenStop{stop: cancel}, &logged)
	return logged.String(), code
}

// A container is set up by its settings alone: an administrator who can sign in, and a key in a file. Later starts
// change nothing.
func TestBootstrap(t *testing.T) {
	x := newTerminal(t)
	folder := t.TempDir()
	password, key := filepath.Join(folder, "password"), filepath.Join(folder, "key")
	write := func(text string) {
		if err := os.WriteFile(password, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := []string{"-admin-email", "root@example.com", "-admin-password-file", password, "-first-key-file", key}

	write("short")
	if log, code := x.started(t, flags...); code == 0 || !strings.Contains(log, "-admin-email: password must have") {
		t.Errorf("exit code %d with a short password:\n%s", code, log)
	}

	write("eleven quiet lanterns\n")
	if log, code := x.started(t, flags...); code != 0 || !strings.Contains(log, "administrator created") {
		t.Fatalf("exit code %d:\n%s", code, log)
	}
	x.open(t, func(s *app.Access) {
		u, err := s.Users.FindByEmail(t.Context(), "root@example.com")
		if err != nil || u.Role != account.Administrator {
			t.Errorf("user %+v: %v", u, err)
		}
	})
	token, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := apikey.Parse(strings.TrimSpace(string(token))); err != nil || plan.Name != "enterprise" {
		t.Errorf("the file has %q: %v", token, err)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the key: %v, %v", info.Mode(), err)
	}

	keys := x.ok(t, "keys", "list")
	if log, code := x.started(t, flags...); code != 0 || strings.Contains(log, "created") {
		t.Errorf("exit code %d of the second start:\n%s", code, log)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if log, code := x.started(t, flags...); code != 0 || !strings.Contains(log, "first key not created") {
		t.Errorf("exit code %d without the file:\n%s", code, log)
	}
	if again := x.ok(t, "keys", "list"); again != keys {
		t.Errorf("later starts have changed the keys:\n%s", again)
	}
}
