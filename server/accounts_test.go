package main

import (
	"strings"
	"testing"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/server/app"
)

const secretPattern = `#[A-Za-z0-9_-]{43}\n`

func TestAccounts_FromInvitationToDisabling(t *testing.T) {
	x := newTerminal(t)
	wantWords(t, x.ok(t, accounts, "list"), "No such account")
	x.signUp(t)
	invitation := x.ok(t, users, "invite", "-plan", "professional", "-email", "Owner@Example.com", "-public-url", "https://match.example.com")
	wantWords(t, invitation, "https://match.example.com/dashboard/join#", "works once")
	secret := strings.Trim(find(t, secretPattern, invitation), "#\n")
	wantWords(t, x.ok(t, users, "links"), "invitation", "owner@example.com", "professional", "owner")
	var u account.User
	x.open(t, func(s *app.Access) {
		var err error
		u, err = s.Accounts.Register(t.Context(), audit.By{Address: "192.0.2.7"}, account.NewUser{
			Password: "purple otter under the stairs", AccountName: "Søren & Ko", Secret: secret,
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	wantWords(t, x.ok(t, users, "links"), "No link is open")
	x.ok(t, keys, "create", "-account", u.Account, "-name", "Website")
	x.ok(t, users, "invite", "-account", u.Account)
	wantWords(t, x.ok(t, accounts, "list", "SØREN"), u.Account, "Søren & Ko", "professional", "active")
	wantWords(t, x.ok(t, accounts, "show", u.Account), u.ID, "owner@example.com", "Website", "svc_pr_…", "invitation", "anyone")

	wantWords(t, x.ok(t, accounts, "plan", u.Account, "enterprise", "-grace", "24h"), "is on the plan enterprise")
	wantWords(t, x.ok(t, accounts, "disable", u.Account), "is disabled")
	wantWords(t, x.ok(t, keys, "list", "-account", u.Account), "disabled")
	wantWords(t, x.ok(t, accounts, "enable", u.Account), "is enabled")
	wantWords(t, x.ok(t, accounts, "events", u.Account), "account.enabled", "plan professional → enterprise", audit.CommandLine, u.ID)
	if n := strings.Count(x.ok(t, accounts, "events", "-limit", "2"), "\n20"); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
}

func TestUsers_Reset(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	reset := x.ok(t, users, "reset", "ADMIN@example.com")
	wantWords(t, reset, "http://127.0.0.1:8080/dashboard/reset#")
	secret := strings.Trim(find(t, secretPattern, reset), "#\n")
	id := find(t, `lnk_[0-9A-Z]{12}`, reset)
	wantWords(t, x.ok(t, users, "links"), id, "admin@example.com", "reset")
	if events := x.ok(t, accounts, "events"); strings.Contains(events, secret) {
		t.Errorf("the secret is in the audit log:\n%s", events)
	}
	x.open(t, func(s *app.Access) {
		got, err := s.Accounts.ResetPassword(t.Context(), audit.By{}, secret, "seven kettles on a raft")
		if err != nil || got.ID != u.ID {
			t.Errorf("%+v, %v", got, err)
		}
	})
	again := find(t, `lnk_[0-9A-Z]{12}`, x.ok(t, users, "reset", "admin@example.com"))
	wantWords(t, x.ok(t, users, "revoke", again), "is revoked")
}

func TestAccounts_Refuses(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	tests := []struct {
		name    string
		command commandFunc
		args    []string
		code    int
		want    string
	}{
		{"no command", accounts, nil, 2, "accounts needs a command: list, show,"},
		{"an unknown command", users, []string{"delete"}, 2, `unknown command "delete" after users`},
		{"no plan", accounts, []string{"plan", u.Account}, 2, "usage is server accounts plan ID PLAN"},
		{"an unknown plan", accounts, []string{"plan", u.Account, "gold"}, 1, "plan must be freelancer, professional or enterprise"},
		{"an unknown grace", accounts, []string{"plan", u.Account, "freelancer", "-grace", "1m"}, 1, "grace must be"},
		{"an unknown account", accounts, []string{"show", "acc_none"}, 1, "no such account"},
		{"events of an unknown account", accounts, []string{"events", "acc_none"}, 1, "no such account"},
		{"a flag of another command", accounts, []string{"list", "-limit", "3"}, 2, "accounts list takes no -limit"},
		{"an unknown user", users, []string{"reset", "nobody@example.com"}, 1, "no user with the address nobody@example.com"},
		{"no address", users, []string{"reset", "nobody"}, 1, "email must be an address"},
		{"an invitation to nothing", users, []string{"invite"}, 1, "plan must be"},
		{"an invitation where nobody may come", users, []string{"invite", "-plan", "freelancer", "-sign-up", "closed"}, 1, "nobody can sign up here"},
		{"a wrong setting", users, []string{"links", "-public-url", "match.example.com"}, 2, "public-url"},
		{"an unknown link", users, []string{"revoke", "lnk_none"}, 1, "no such account, user or link"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := x.run(t, tt.command, tt.args...)
			if code != tt.code || stdout != "" || !strings.Contains(stderr, tt.want) {
				t.Errorf("code %d, want %d with %q:\n%s%s", code, tt.code, tt.want, stdout, stderr)
			}
		})
	}
	for name, command := range map[string]commandFunc{"keys": keys, "accounts": accounts, "users": users} {
		out := x.ok(t, command, "--help")
		wantWords(t, out, "server "+name, "Examples:", "-data")
	}
}
