package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/app"
)

// join registers the owner of a new account.
func (x terminal) join(t *testing.T, email, name string) (u account.User) {
	t.Helper()
	x.open(t, func(s *app.Access) {
		secret, _, err := s.Links.Invite(t.Context(), commandLine(), account.Invite{Plan: "professional"})
		if err != nil {
			t.Fatal(err)
		}
		u, err = s.SignUps.Register(t.Context(), audit.By{Address: "192.0.2.7"}, account.NewUser{
			Email: email, Password: "purple otter under the stairs", AccountName: name, Secret: secret,
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return u
}

func TestAccounts_ExportAndDelete(t *testing.T) {
	x := newTerminal(t)
	admin := x.signUp(t)
	u := x.join(t, "ada@zorblax.example", "Zorblax & Co")
	x.ok(t, "keys", "create", "-account", u.Account, "-name", "Website")
	x.interview(t, "one", u.Account, ada(), "A flumwhistle shop")
	x.interview(t, "two", u.Account, bob(), "A shop")
	x.interview(t, "other", "acc_1", bob(), "A shop")
	x.result(t, u.Account, ada())
	x.result(t, "acc_1", bob())
	x.open(t, func(s *app.Access) {
		_, err := projects.New(s.DB.Projects, time.Now).Create(t.Context(), audit.By{Actor: u.ID}, projects.Project{
			Account: u.Account, Name: "A flumwhistle shop",
		}, []projects.Person{{Freelancer: bob().ID, Note: "zorblax"}})
		if err != nil {
			t.Fatal(err)
		}
	})

	out := x.ok(t, "accounts", "export", u.Account)
	var got struct {
		Account    struct{ Name string }
		Users      []struct{ Email string }
		Keys       []struct{ Name string }
		AuditLog   []struct{ Action string } `json:"audit_log"`
		Interviews []any
		Results    []any `json:"playground_results"`
		Requests   []any `json:"request_log"`
		Projects   []struct{ People []struct{ Note string } }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}

	if got.Account.Name != "Zorblax & Co" || len(got.Users) != 1 || len(got.Keys) != 1 || len(got.AuditLog) < 3 ||
		len(got.Interviews) != 2 || len(got.Results) != 1 || len(got.Requests) != 1 || len(got.Projects) != 1 ||
		got.Projects[0].People[0].Note != "zorblax" {
		t.Errorf("export:\n%s", out)
	}

	for _, secret := range []string{"argon2", "assword\":", "\"hash"} {
		if strings.Contains(out, secret) {
			t.Errorf("the export contains %q:\n%s", secret, out)
		}
	}

	file := filepath.Join(t.TempDir(), "ada.json")
	wantWords(t, x.ok(t, "users", "export", "ADA@zorblax.example", "-o", file), "Written to")

	_, stderr, code := x.run(t, "accounts", "delete", u.Account)
	if code != 2 || !strings.Contains(stderr, "pass -yes") {
		t.Errorf("without -yes: exit code %d, %s", code, stderr)
	}
	wantWords(t, x.ok(t, "accounts", "delete", u.Account, "-yes"), u.Account, "is deleted")

	for _, text := range []string{"ada@zorblax.example", "zorblax", "flumwhistle", u.ID} {
		if files := x.filesWith(t, text); files != nil {
			t.Errorf("%q is still in %v", text, files)
		}
	}

	events := x.ok(t, "accounts", "events")
	wantWords(t, events, "account.deleted", "account.exported", "anon-", admin.ID)
	x.refused(t, []refusedCase{
		{"the last administrator", []string{"accounts", "delete", admin.Account, "-yes"}, 1, "the only administrators"},
		{"the last owner", []string{"users", "delete", "admin@example.com", "-yes"}, 1, "last administrator"},
		{"no such user", []string{"users", "export", "ada@zorblax.example"}, 1, "No user has"},
		{"no such account", []string{"accounts", "export", u.Account}, 1, "no such account"},
	})
}

func TestUsers_Delete(t *testing.T) {
	x := newTerminal(t)
	x.signUp(t)
	u := x.join(t, "ada@zorblax.example", "Brushworks")
	x.open(t, func(s *app.Access) {
		invite := account.Invite{Account: u.Account, Role: account.Owner}
		secret, _, err := s.Links.Invite(t.Context(), commandLine(), invite)
		if err != nil {
			t.Fatal(err)
		}

		_, err = s.SignUps.Register(t.Context(), audit.By{}, account.NewUser{
			Email: "other@example.com", Password: "purple otter under the stairs", Secret: secret,
		})
		if err != nil {
			t.Fatal(err)
		}
	})

	wantWords(t, x.ok(t, "users", "delete", u.Email, "-yes"), "is deleted", "The account remains")
	for _, text := range []string{u.Email, u.ID} {
		if files := x.filesWith(t, text); files != nil {
			t.Errorf("%q is still in %v", text, files)
		}
	}

	wantWords(t, x.ok(t, "accounts", "show", u.Account), "other@example.com")
}
