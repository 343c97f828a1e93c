package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/server/app"
)

const secretPattern = `#[A-Za-z0-9_-]{43}\n`

func TestAccounts_InviteChangePlanDisable(t *testing.T) {
	x := newTerminal(t)
	wantWords(t, x.ok(t, "accounts", "list"), "No accounts found")
	x.signUp(t)
	invitation := x.ok(t, "users", "invite", "-plan", "professional", "-email", "Owner@Example.com",
		"-public-url", "https://match.example.com")
	wantWords(t, invitation, "https://match.example.com/dashboard/join#", "works once")
	secret := strings.Trim(find(t, secretPattern, invitation), "#\n")
	wantWords(t, x.ok(t, "users", "links"), "invitation", "owner@example.com", "professional", "owner")
	var u account.User
	x.open(t, func(s *app.Access) {
		var err error
		u, err = s.SignUps.Register(t.Context(), audit.By{Address: "192.0.2.7"}, account.NewUser{
			Password: "purple otter under the stairs", AccountName: "Søren & Ko", Secret: secret,
		})
		if err != nil {
			t.Fatal(err)
		}
	})

	wantWords(t, x.ok(t, "users", "links"), "No open links")
	x.ok(t, "keys", "create", "-account", u.Account, "-name", "Website")
	x.ok(t, "users", "invite", "-account", u.Account)
	wantWords(t, x.ok(t, "accounts", "list", "SØREN"), u.Account, "Søren & Ko", "professional", "active")
	wantWords(t, x.ok(t, "accounts", "show", u.Account), u.ID, "owner@example.com", "Website", "svc_pr_…", "invitation",
		"anyone")

	wantWords(t, x.ok(t, "accounts", "plan", u.Account, "enterprise", "-grace", "24h"), "is on the plan enterprise")
	wantWords(t, x.ok(t, "accounts", "disable", u.Account), "is disabled")
	wantWords(t, x.ok(t, "keys", "list", "-account", u.Account), "disabled")
	wantWords(t, x.ok(t, "accounts", "enable", u.Account), "is enabled")
	wantWords(t, x.ok(t, "accounts", "events", u.Account), "account.enabled", "plan professional → enterprise",
		audit.CommandLine, u.ID)

	if n := strings.Count(x.ok(t, "accounts", "events", "-limit", "2"), "\n20"); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
}

func TestUsers_Reset(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	reset := x.ok(t, "users", "reset", "ADMIN@example.com")
	wantWords(t, reset, "http://127.0.0.1:8080/dashboard/reset#")
	secret := strings.Trim(find(t, secretPattern, reset), "#\n")
	id := find(t, `lnk_[0-9A-Z]{12}`, reset)
	wantWords(t, x.ok(t, "users", "links"), id, "admin@example.com", "reset")
	if events := x.ok(t, "accounts", "events"); strings.Contains(events, secret) {
		t.Errorf("the secret is in the audit log:\n%s", events)
	}
	x.open(t, func(s *app.Access) {
		got, err := s.Passwords.Reset(t.Context(), audit.By{}, secret, "seven kettles on a raft")
		if err != nil || got.ID != u.ID {
			t.Errorf("%+v, %v", got, err)
		}
	})
	second := find(t, `lnk_[0-9A-Z]{12}`, x.ok(t, "users", "reset", "admin@example.com"))
	wantWords(t, x.ok(t, "users", "revoke", second), "is revoked")
}

func TestUsers_ResetTOTP(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	wantWords(t, x.ok(t, "users", "reset-totp", "admin@example.com"), "has no two-factor authentication")
	x.open(t, func(s *app.Access) {
		e, err := account.NewEnrollment("Test", u.Email)
		if err != nil {
			t.Fatal(err)
		}
		code, err := totp.GenerateCode(e.Secret, time.Now())
		if err != nil {
			t.Fatal(err)
		}

		if _, err := s.SecondFactors.Enable(t.Context(), audit.By{Actor: u.ID}, u.ID, e.Secret, code); err != nil {
			t.Fatal(err)
		}
	})

	wantWords(t, x.ok(t, "users", "reset-totp", "ADMIN@example.com"), "is off", "set up an authenticator app again")
	wantWords(t, x.ok(t, "accounts", "events", u.Account), "user.two_factor_disabled", audit.CommandLine)
	x.open(t, func(s *app.Access) {
		if _, _, err := s.Sessions.Find(t.Context(), u.ID, u.Sessions); err == nil {
			t.Error("the session still works")
		}
	})
}

// The commands send nothing themselves, but the server will.
func TestUsers_SetEmail(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	wantWords(t, x.ok(t, "users", "set-email", "admin@example.com", "Boss@example.com", "-smtp-url", "smtps://mail",
		"-smtp-from", "matching@example.com"), "boss@example.com from now on")
	wantWords(t, x.ok(t, "accounts", "events", u.Account), "user.email_changed", "admin@example.com → boss@example.com")
	x.open(t, func(s *app.Access) {
		for range 2 { // to the old address, and to the new one
			now := time.Now()
			if _, err := s.DB.Notices.Outbox(notices.Mail).Claim(t.Context(), now, now.Add(time.Minute), 2); err != nil {
				t.Error(err)
			}
		}
	})
	wantWords(t, x.ok(t, "users", "set-email", "boss@example.com", "boss@example.com"), "signs in as")
}

func TestAccounts_RejectInvalidCommands(t *testing.T) {
	x := newTerminal(t)
	u := x.signUp(t)
	x.refused(t, []refusedCase{
		{"no command", []string{"accounts"}, 2, "accounts needs a command: list, show,"},
		{"unknown command", []string{"users", "create"}, 2, `unknown command "create"; the commands are invite, reset,`},
		{"no plan", []string{"accounts", "plan", u.Account}, 2, "use server accounts plan ID PLAN"},
		{
			"unknown plan",
			[]string{"accounts", "plan", u.Account, "gold"},
			1,
			"plan must be one of freelancer, professional, enterprise",
		},
		{"invalid grace period", []string{"accounts", "plan", u.Account, "freelancer", "-grace", "1m"}, 1, "grace must be"},
		{"unknown account", []string{"accounts", "show", "acc_none"}, 1, "no such account"},
		{"events of an unknown account", []string{"accounts", "events", "acc_none"}, 1, "no such account"},
		{"another command's flag", []string{"accounts", "list", "-limit", "3"}, 2, "accounts list does not accept -limit"},
		{"unknown user", []string{"users", "reset", "nobody@example.com"}, 1, "nobody@example.com"},
		{"unknown address", []string{"users", "set-email", "nobody@example.com", "a@example.com"}, 1, "nobody@example.com"},
		{"invalid address", []string{"users", "set-email", "admin@example.com", "nobody"}, 1, "email must be an address"},
		{"not an address", []string{"users", "reset", "nobody"}, 1, "email must be an address"},
		{"invitation without a plan", []string{"users", "invite"}, 1, "plan must be"},
		{
			"sign-up closed",
			[]string{"users", "invite", "-plan", "freelancer", "-sign-up", "closed"},
			1,
			"Sign-up is closed",
		},
		{"invalid setting", []string{"users", "links", "-public-url", "match.example.com"}, 2, "public-url"},
		{"unknown link", []string{"users", "revoke", "lnk_none"}, 1, "no such account, user or link"},
	})
}

func TestHelp_HasExamplesAndFlags(t *testing.T) {
	x := newTerminal(t)
	for _, name := range commandNames() {
		wantWords(t, x.ok(t, name, "--help"), "Usage: server "+name, "Examples:", "Flags:")
	}
}
