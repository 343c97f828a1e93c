package account_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// Otherwise, an owner could find out which of any number of addresses have a user in another account.
// Owners learn that a person is a member already. About users of other accounts, they learn only that the address is
// taken.
func TestInvite_SaysWhoIsAMember(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	f.signUp(t, "b@example.com")
	for email, want := range map[string]string{
		u.Email:         "The user a@example.com is already a member of this account.",
		"b@example.com": "A user of this service has this email address. Invite another address.",
	} {
		_, _, err := f.Links.Invite(t.Context(), by(u), account.Invite{Account: u.Account, Email: email})
		if e, ok := errors.AsType[*matching.Error](err); !ok || e.Message != want {
			t.Errorf("Invite(%s) = %v, want %q", email, err, want)
		}
	}
}

func TestInvite_ThrottlesTakenAddresses(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Taken = limit(2) })
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	f.signUp(t, "b@example.com")
	secret, _ := f.invite(t, by(u), account.Invite{Account: u.Account})
	invite := func(by audit.By, email string) error {
		_, _, err := f.Links.Invite(t.Context(), by, account.Invite{Account: u.Account, Email: email})
		return err
	}

	join := func(email string) error {
		_, err := f.SignUps.Register(t.Context(), visitor(), account.NewUser{
			Email: email, Password: password, Secret: secret,
		})
		return err
	}

	hashes := f.CountHashes()
	wantCode(t, invite(by(u), "b@example.com"), account.CodeEmailTaken)
	wantCode(t, join("b@example.com"), account.CodeEmailTaken)
	wantThrottled(t, invite(by(u), "b@example.com"))
	wantThrottled(t, invite(by(u), "c@example.com"))
	wantThrottled(t, join("b@example.com"))
	wantThrottled(t, join("c@example.com"))

	if hashes.Load() != 0 {
		t.Error("a hash was computed for a taken address")
	}

	if err := invite(audit.By{Actor: u.ID, Address: "192.0.2.8"}, "c@example.com"); err != nil {
		t.Errorf("from another address: %v", err)
	}
}

func TestInvite(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.SignUp = account.ByInvitation })
	admin := f.setUp(t)
	tests := []struct {
		name   string
		invite account.Invite
		user   account.NewUser
		want   matching.Code
		role   account.Role
		plan   string // of the account
	}{
		{
			"new account",
			account.Invite{Plan: "Professional"},
			account.NewUser{Email: "a@example.com", AccountName: "A"},
			"", account.Owner, "professional",
		},
		{
			"for one address",
			account.Invite{Plan: "freelancer", Email: "B@example.com"},
			account.NewUser{AccountName: "B"},
			"", account.Owner, "freelancer",
		},
		{
			"for another address",
			account.Invite{Plan: "freelancer", Email: "b2@example.com"},
			account.NewUser{Email: "c@example.com", AccountName: "B"},
			matching.CodeInvalid, "", "",
		},
		{
			"existing account",
			account.Invite{Account: admin.Account},
			account.NewUser{Email: "d@example.com"},
			"", account.Member, "enterprise",
		},
		{
			"administrator",
			account.Invite{Account: admin.Account, Role: account.Administrator},
			account.NewUser{Email: "e@example.com"},
			"", account.Administrator, "enterprise",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			secret, l := f.invite(t, by(admin), tt.invite)
			if !l.Expires.Equal(f.clock.now().Add(7 * day)) {
				t.Errorf("the link expires at %v, want in 7 days", l.Expires)
			}

			if read := must(f.Links.Find(t.Context(), secret)); read.ID != l.ID {
				t.Errorf("Link = %+v, want %s", read, l.ID)
			}

			tt.user.Password = password
			tt.user.Secret = secret
			u, err := f.SignUps.Register(t.Context(), visitor(), tt.user)
			wantCode(t, err, tt.want)

			if err != nil {
				return
			}

			if a := must(f.Accounts.Find(t.Context(), u.Account)); u.Role != tt.role || a.Plan != tt.plan {
				t.Errorf("registered %+v in %+v, want a %s on the plan %s", u, a, tt.role, tt.plan)
			}

			tt.user.Email = "second@example.com"
			_, err = f.SignUps.Register(t.Context(), visitor(), tt.user)
			wantCode(t, err, account.CodeLinkSpent)
			f.wantNotLogged(t, secret)
		})
	}
}

func TestLinks_EndWithTheRoleOfTheirCreator(t *testing.T) {
	setRole := func(roles ...account.Role) func(f *fixture, creator account.User) error {
		return func(f *fixture, creator account.User) (err error) {
			for _, role := range roles {
				if err == nil {
					_, err = f.Users.SetRole(t.Context(), operator(), creator.ID, role)
				}
			}
			return err
		}
	}
	for name, tt := range map[string]struct {
		change func(f *fixture, creator account.User) error
		ends   bool
	}{
		"removed": {func(f *fixture, creator account.User) error {
			return f.Users.Remove(t.Context(), operator(), creator.ID)
		}, true},
		"lower role":          {setRole(account.Owner), true},
		"lower role and back": {setRole(account.Member, account.Administrator), true},
		"same role":           {setRole(account.Administrator), false},
		"signed out everywhere": {func(f *fixture, creator account.User) error {
			return f.Sessions.EndAll(t.Context(), by(creator), creator.ID)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			admin := f.setUp(t)
			creator := f.join(t, admin.Account, "creator@example.com", account.Administrator)
			owner := f.signUp(t, "owner@example.com")
			byCreator := map[string]bool{} // by secret
			invite := func(by audit.By, i account.Invite) {
				t.Helper()
				secret, l := f.invite(t, by, i)
				if l.CreatedBy != by.Actor {
					t.Fatalf("link %+v, want it created by %s", l, by.Actor)
				}
				byCreator[secret] = by.Actor == creator.ID
			}

			invite(by(creator), account.Invite{Plan: "freelancer"})
			invite(by(creator), account.Invite{Account: creator.Account, Role: account.Administrator})
			invite(by(creator), account.Invite{Account: owner.Account, Role: account.Owner})
			invite(by(admin), account.Invite{Account: admin.Account})
			invite(operator(), account.Invite{Account: admin.Account, Role: account.Administrator})
			byCreator[f.resetLink(t, by(creator), owner.ID)] = true
			if err := tt.change(f, creator); err != nil {
				t.Fatal(err)
			}

			for secret, ended := range byCreator {
				want := matching.Code("")
				if ended && tt.ends {
					want = account.CodeLinkSpent
				}
				_, err := f.Links.Find(t.Context(), secret)
				wantCode(t, err, want)
			}
		})
	}
}

// A page may let in a user who is removed or loses the role before the link is created.
func TestInvite_ChecksTheCurrentRole(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	owner := f.signUp(t, "owner@example.com")
	member := f.join(t, owner.Account, "member@example.com", account.Member)
	removed := f.join(t, owner.Account, "removed@example.com", account.Owner)
	if err := f.Users.Remove(t.Context(), by(owner), removed.ID); err != nil {
		t.Fatal(err)
	}

	before := len(f.events(t))
	join := func(role account.Role) account.Invite { return account.Invite{Account: owner.Account, Role: role} }
	for _, tt := range []struct {
		by     account.User
		invite account.Invite
		want   matching.Code
	}{
		{removed, join(account.Member), account.CodeNotAllowed},
		{member, join(account.Member), account.CodeNotAllowed},
		{owner, join(account.Administrator), account.CodeNotAllowed},
		{owner, account.Invite{Plan: "enterprise"}, account.CodeNotAllowed},
		{owner, join(account.Owner), ""},
		{admin, join(account.Administrator), ""},
	} {
		_, _, err := f.Links.Invite(t.Context(), by(tt.by), tt.invite)
		wantCode(t, err, tt.want)
	}

	_, _, err := f.Links.CreateReset(t.Context(), by(owner), admin.ID)
	wantCode(t, err, account.CodeNotAllowed)
	if created := len(f.events(t)) - before; created != 2 {
		t.Errorf("%d events, want 2: one for each link", created)
	}
}

func TestInvite_Errors(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	tests := []struct {
		name   string
		invite account.Invite
		want   matching.Code
		fields []string
	}{
		{"no plan", account.Invite{}, matching.CodeInvalid, []string{"plan"}},
		{
			"all fields invalid",
			account.Invite{Plan: "gold", Role: "king", Email: "x"},
			matching.CodeInvalid,
			[]string{"role", "plan", "email"},
		},
		{
			"new account without an owner",
			account.Invite{Plan: "freelancer", Role: account.Member},
			matching.CodeInvalid,
			[]string{"role"},
		},
		{
			"plan of an existing account",
			account.Invite{Plan: "freelancer", Account: admin.Account},
			matching.CodeInvalid,
			[]string{"plan"},
		},
		{"unknown account", account.Invite{Account: "acc_none"}, matching.CodeNotFound, nil},
		{
			"email taken",
			account.Invite{Plan: "freelancer", Email: "ADMIN@example.com"},
			account.CodeEmailTaken,
			[]string{"email"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			secret, _, err := f.Links.Invite(t.Context(), by(admin), tt.invite)
			wantCode(t, err, tt.want)
			if diff := cmp.Diff(tt.fields, invalidFields(err)); diff != "" || secret != "" {
				t.Errorf("secret %q, fields (-want +got):\n%s", secret, diff)
			}
		})
	}
}

// A link works for its own purpose only, until it is used or revoked or expires.
func TestLinks_End(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	invite := func() (string, account.Link) { return f.invite(t, by(admin), account.Invite{Plan: "freelancer"}) }
	register := func(secret string) error {
		n := account.NewUser{Email: "a@example.com", Password: password, AccountName: "A", Secret: secret}
		_, err := f.SignUps.Register(t.Context(), visitor(), n)
		return err
	}

	resetPassword := func(secret string) error {
		_, err := f.Passwords.Reset(t.Context(), visitor(), secret, otherPassword)
		return err
	}

	secret, l := invite()
	if links := must(f.Links.List(t.Context(), "")); len(links) != 1 || links[0].ID != l.ID {
		t.Errorf("links %+v, want %s", links, l.ID)
	}

	wantCode(t, f.Links.Revoke(t.Context(), operator(), admin.Account, l.ID), matching.CodeNotFound) // not this account's

	if err := f.Links.Revoke(t.Context(), by(admin), "", l.ID); err != nil {
		t.Fatal(err)
	}

	if e := f.events(t)[0]; e.Action != audit.LinkRevoked || e.Subject != l.ID || e.Actor != admin.ID {
		t.Errorf("event %+v", e)
	}

	wantCode(t, register(secret), account.CodeLinkSpent)
	wantCode(t, f.Links.Revoke(t.Context(), by(admin), "", l.ID), matching.CodeNotFound)

	invitation, _ := invite()
	reset := f.resetLink(t, by(admin), admin.ID)
	wantCode(t, register(reset), account.CodeLinkSpent)
	wantCode(t, resetPassword(invitation), account.CodeLinkSpent)
	f.clock.advance(day)
	wantCode(t, resetPassword(reset), account.CodeLinkSpent)
	f.clock.advance(6 * day)
	wantCode(t, register(invitation), account.CodeLinkSpent)

	for _, secret := range []string{"", "x", strings.Repeat("A", 43)} {
		_, err := f.Links.Find(t.Context(), secret)
		wantCode(t, err, account.CodeLinkSpent)
	}
}

func TestURL_HasTheSecretInTheFragment(t *testing.T) {
	for purpose, want := range map[account.Purpose]string{
		account.SetUp:      "https://match.example.com/dashboard/setup#S-_1",
		account.Invitation: "https://match.example.com/dashboard/join#S-_1",
		account.Reset:      "https://match.example.com/dashboard/reset#S-_1",
	} {
		for _, base := range []string{"https://match.example.com", "https://match.example.com/"} {
			if got := account.URL(base, purpose, "S-_1"); got != want {
				t.Errorf("URL(%q, %q) = %s, want %s", base, purpose, got, want)
			}
		}
	}
}
