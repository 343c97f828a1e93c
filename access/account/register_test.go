package account_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/access/quota"
	"freelancer-matching/internal/matching"
)

func TestSetUp_MakesTheFirstAdministratorOnce(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.SignUp = account.Closed })
	old := must[string](t)(f.SetUpLink(t.Context()))
	secret := must[string](t)(f.SetUpLink(t.Context()))
	n := account.NewUser{Email: "Admin@Example.com", Password: password, AccountName: "Operators", Secret: old}
	_, err := f.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeLinkSpent) // a newer one took its place

	n.Secret = secret
	u := must[account.User](t)(f.Register(t.Context(), visitor(), n))
	a := must[account.Account](t)(f.Account(t.Context(), u.Account))
	if u.Role != account.Administrator || a.Plan != "enterprise" || a.Name != "Operators" || u.Email != "admin@example.com" {
		t.Errorf("got %+v of %+v", u, a)
	}
	_, err = f.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeLinkSpent)
	if secret := must[string](t)(f.SetUpLink(t.Context())); secret != "" {
		t.Error("there is a set-up link beside a user")
	}
	f.wantNowhere(t, old, secret, password)
}

func TestSetUp_OfManyAtOnceOneSucceeds(t *testing.T) {
	f := newFixture(t)
	secret := must[string](t)(f.SetUpLink(t.Context()))
	codes := make(chan matching.Code, 8)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			_, err := f.Register(t.Context(), visitor(), account.NewUser{
				Email: "admin@example.com", Password: password, AccountName: "Operators", Secret: secret,
			})
			codes <- matching.CodeOf(err)
		})
	}
	group.Wait()
	close(codes)
	got := map[matching.Code]int{}
	for c := range codes {
		got[c]++
	}
	if diff := cmp.Diff(map[matching.Code]int{"": 1, account.CodeLinkSpent: 7}, got); diff != "" {
		t.Error(diff)
	}
}

// Whoever signed up first would otherwise take the administrator's place.
func TestRegister_NotBeforeTheServiceIsSetUp(t *testing.T) {
	f := newFixture(t)
	_, err := f.Register(t.Context(), visitor(), account.NewUser{Email: "a@example.com", Password: password, AccountName: "A"})
	wantCode(t, err, account.CodeSignUpClosed)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	if a := must[account.Account](t)(f.Account(t.Context(), u.Account)); u.Role != account.Owner || a.Plan != "freelancer" {
		t.Errorf("got %+v of %+v", u, a)
	}
	e := f.last(t)
	if e.Action != audit.UserCreated || e.Actor != u.ID || e.Account != u.Account || e.Address != "192.0.2.7" {
		t.Errorf("event %+v", e)
	}
}

func TestRegister_Policies(t *testing.T) {
	tests := []struct {
		policy          account.SignUpPolicy
		signUp, invited matching.Code
	}{
		{account.Open, "", ""},
		{account.ByInvitation, account.CodeSignUpClosed, ""},
		{account.Closed, account.CodeSignUpClosed, account.CodeSignUpClosed},
		{"", account.CodeSignUpClosed, account.CodeSignUpClosed},
	}
	for _, tt := range tests {
		t.Run(string(tt.policy), func(t *testing.T) {
			f := newFixture(t)
			f.setUp(t)
			invitation, _, err := f.Invite(t.Context(), operator(), account.Invite{Plan: "professional"})
			if err != nil {
				t.Fatal(err)
			}
			s := account.New(account.Config{
				Store: f.db, Now: f.clock.now, SignUp: tt.policy, Throttles: patient(),
			})
			s.SetCost(8)
			_, err = s.Register(t.Context(), visitor(), account.NewUser{Email: "a@example.com", Password: password, AccountName: "A"})
			wantCode(t, err, tt.signUp)
			_, _, err = s.Invite(t.Context(), operator(), account.Invite{Plan: "professional"})
			wantCode(t, err, tt.invited)
			_, err = s.Register(t.Context(), visitor(), account.NewUser{
				Email: "b@example.com", Password: password, AccountName: "B", Secret: invitation,
			})
			wantCode(t, err, tt.invited)
		})
	}
	for _, word := range []string{"open", "invitation", "closed"} {
		if p, err := account.ParseSignUpPolicy(word); string(p) != word || err != nil {
			t.Errorf("%s: %q, %v", word, p, err)
		}
	}
	for _, word := range []string{"", "Open", "yes"} {
		if _, err := account.ParseSignUpPolicy(word); err == nil {
			t.Errorf("%q is a policy", word)
		}
	}
}

func TestRegister_TellsEveryFaultAndSpendsNothing(t *testing.T) {
	f := newFixture(t)
	secret := must[string](t)(f.SetUpLink(t.Context()))
	hashes := f.CountHashes()
	_, err := f.Register(t.Context(), visitor(), account.NewUser{Email: "x", Password: "short", AccountName: "\n", Secret: secret})
	if diff := cmp.Diff([]string{"email", "password", "account_name"}, fields(err)); diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if hashes.Load() != 0 {
		t.Error("a hash was computed")
	}
	if _, err := f.LinkOf(t.Context(), secret); err != nil {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestRegister_EmailTaken(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	f.signUp(t, "a@example.com")
	_, err := f.Register(t.Context(), visitor(), account.NewUser{Email: " A@EXAMPLE.com", Password: password, AccountName: "B"})
	wantCode(t, err, account.CodeEmailTaken)
	if all := must[[]account.Account](t)(f.Accounts(t.Context(), "", 10)); len(all) != 2 {
		t.Errorf("%d accounts, want 2: one was made without its user", len(all))
	}
	// One whose address is taken keeps the invitation for another try.
	secret, _, err := f.Invite(t.Context(), operator(), account.Invite{Plan: "freelancer"})
	if err != nil {
		t.Fatal(err)
	}
	n := account.NewUser{Email: "a@example.com", Password: password, AccountName: "B", Secret: secret}
	_, err = f.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeEmailTaken)
	n.Email = "b@example.com"
	if _, err = f.Register(t.Context(), visitor(), n); err != nil {
		t.Error(err)
	}
}

func TestRegister_IsThrottledByAddress(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Throttles.SignUp = quota.NewGuard(2, time.Hour) })
	f.setUp(t) // by its link: never throttled
	f.signUp(t, "a@example.com")
	f.signUp(t, "b@example.com")
	n := account.NewUser{Email: "c@example.com", Password: password, AccountName: "C"}
	hashes := f.CountHashes()
	_, err := f.Register(t.Context(), visitor(), n)
	wantThrottled(t, err)
	if hashes.Load() != 0 {
		t.Error("a throttled sign-up cost a hash")
	}
	if _, err := f.Register(t.Context(), audit.By{Address: "192.0.2.8"}, n); err != nil {
		t.Errorf("from another address: %v", err)
	}
}

// An owner could otherwise ask for any number of addresses whether they have a user, of other accounts too.
func TestInvitation_DoesNotTellOfManyAddresses(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Throttles.Taken = quota.NewGuard(2, time.Hour) })
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	f.signUp(t, "b@example.com")
	secret, _, err := f.Invite(t.Context(), by(u), account.Invite{Account: u.Account})
	if err != nil {
		t.Fatal(err)
	}
	invite := func(by audit.By, email string) error {
		_, _, err := f.Invite(t.Context(), by, account.Invite{Account: u.Account, Email: email})
		return err
	}
	join := func(email string) error {
		_, err := f.Register(t.Context(), visitor(), account.NewUser{Email: email, Password: password, Secret: secret})
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
		t.Error("a taken address cost a hash")
	}
	if err := invite(audit.By{Actor: u.ID, Address: "192.0.2.8"}, "c@example.com"); err != nil {
		t.Errorf("from another address: %v", err)
	}
}

func TestInvitation(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.SignUp = account.ByInvitation })
	admin := f.setUp(t)
	tests := []struct {
		name string
		give account.Invite
		by   account.NewUser
		want matching.Code
		role account.Role
		plan string // of the account
	}{
		{"to an account of its own", account.Invite{Plan: "Professional"}, account.NewUser{Email: "a@example.com", AccountName: "A"}, "", account.Owner, "professional"},
		{"of one address", account.Invite{Plan: "freelancer", Email: "B@example.com"}, account.NewUser{AccountName: "B"}, "", account.Owner, "freelancer"},
		{"of another address", account.Invite{Plan: "freelancer", Email: "b2@example.com"}, account.NewUser{Email: "c@example.com", AccountName: "B"}, matching.CodeInvalid, "", ""},
		{"to join", account.Invite{Account: admin.Account}, account.NewUser{Email: "d@example.com"}, "", account.Member, "enterprise"},
		{"to join as administrator", account.Invite{Account: admin.Account, Role: account.Administrator}, account.NewUser{Email: "e@example.com"}, "", account.Administrator, "enterprise"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			secret, l, err := f.Invite(t.Context(), by(admin), tt.give)
			if err != nil {
				t.Fatal(err)
			}
			if !l.Expires.Equal(f.clock.now().Add(7 * day)) {
				t.Errorf("ends %v", l.Expires)
			}
			if shown := must[account.Link](t)(f.LinkOf(t.Context(), secret)); shown.ID != l.ID {
				t.Errorf("shows %+v", shown)
			}
			tt.by.Password, tt.by.Secret = password, secret
			u, err := f.Register(t.Context(), visitor(), tt.by)
			wantCode(t, err, tt.want)
			if err != nil {
				return
			}
			if a := must[account.Account](t)(f.Account(t.Context(), u.Account)); u.Role != tt.role || a.Plan != tt.plan {
				t.Errorf("got %+v of %+v", u, a)
			}
			tt.by.Email = "again@example.com"
			_, err = f.Register(t.Context(), visitor(), tt.by)
			wantCode(t, err, account.CodeLinkSpent)
			f.wantNowhere(t, secret)
		})
	}
}

// An invitation ends when who made it is removed or gets a lower role. Those of others go on, those of the command line too.
func TestInvitation_EndsWithTheRightsOfItsMaker(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(f *fixture, maker account.User) error
		ends   bool
	}{
		"removed": {func(f *fixture, maker account.User) error { return f.RemoveUser(t.Context(), operator(), maker.ID) }, true},
		"lowered": {func(f *fixture, maker account.User) error {
			_, err := f.SetRole(t.Context(), operator(), maker.ID, account.Owner)
			return err
		}, true},
		"lowered and raised again": {func(f *fixture, maker account.User) error {
			_, err := f.SetRole(t.Context(), operator(), maker.ID, account.Member)
			if err == nil {
				_, err = f.SetRole(t.Context(), operator(), maker.ID, account.Administrator)
			}
			return err
		}, true},
		"kept": {func(f *fixture, maker account.User) error {
			_, err := f.SetRole(t.Context(), operator(), maker.ID, account.Administrator)
			return err
		}, false},
		"signed out everywhere": {func(f *fixture, maker account.User) error {
			return f.SignOutEverywhere(t.Context(), by(maker), maker.ID)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			first := f.setUp(t)
			maker := f.join(t, first.Account, "maker@example.com", account.Administrator)
			owner := f.signUp(t, "owner@example.com")
			secrets := map[string]bool{} // and whether it is the maker's
			invite := func(by audit.By, i account.Invite) {
				secret, l, err := f.Invite(t.Context(), by, i)
				if err != nil || l.MadeBy != by.Actor {
					t.Fatal(l, err)
				}
				secrets[secret] = by.Actor == maker.ID
			}
			invite(by(maker), account.Invite{Plan: "freelancer"})
			invite(by(maker), account.Invite{Account: maker.Account, Role: account.Administrator})
			invite(by(maker), account.Invite{Account: owner.Account, Role: account.Owner})
			invite(by(first), account.Invite{Account: first.Account})
			invite(operator(), account.Invite{Account: first.Account, Role: account.Administrator})
			reset, _, err := f.MakeReset(t.Context(), by(maker), owner.ID)
			if err != nil {
				t.Fatal(err)
			}
			secrets[reset] = true
			if err := tt.change(f, maker); err != nil {
				t.Fatal(err)
			}
			for secret, his := range secrets {
				want := matching.Code("")
				if his && tt.ends {
					want = account.CodeLinkSpent
				}
				_, err := f.LinkOf(t.Context(), secret)
				wantCode(t, err, want)
			}
		})
	}
}

// Whoever was removed, or has lost the role, after a page let the request in makes no link any more.
func TestInvite_NeedsTheRoleStill(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	owner := f.signUp(t, "owner@example.com")
	member := f.join(t, owner.Account, "member@example.com", account.Member)
	gone := f.join(t, owner.Account, "gone@example.com", account.Owner)
	if err := f.RemoveUser(t.Context(), by(owner), gone.ID); err != nil {
		t.Fatal(err)
	}
	n := len(f.events(t))
	joining := func(role account.Role) account.Invite { return account.Invite{Account: owner.Account, Role: role} }
	for _, tt := range []struct {
		by   account.User
		give account.Invite
		want matching.Code
	}{
		{gone, joining(account.Member), account.CodeNotAllowed},
		{member, joining(account.Member), account.CodeNotAllowed},
		{owner, joining(account.Administrator), account.CodeNotAllowed},
		{owner, account.Invite{Plan: "enterprise"}, account.CodeNotAllowed},
		{owner, joining(account.Owner), ""},
		{admin, joining(account.Administrator), ""},
	} {
		_, _, err := f.Invite(t.Context(), by(tt.by), tt.give)
		wantCode(t, err, tt.want)
	}
	_, _, err := f.MakeReset(t.Context(), by(owner), admin.ID)
	wantCode(t, err, account.CodeNotAllowed)
	if made := len(f.events(t)) - n; made != 2 {
		t.Errorf("%d events, want those of two links", made)
	}
}

func TestInvite_Refuses(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	tests := []struct {
		name   string
		give   account.Invite
		want   matching.Code
		fields []string
	}{
		{"no plan", account.Invite{}, matching.CodeInvalid, []string{"plan"}},
		{"everything wrong", account.Invite{Plan: "gold", Role: "king", Email: "x"}, matching.CodeInvalid, []string{"role", "plan", "email"}},
		{"a member alone in an account", account.Invite{Plan: "freelancer", Role: account.Member}, matching.CodeInvalid, []string{"role"}},
		{"a plan for an account that has one", account.Invite{Plan: "freelancer", Account: admin.Account}, matching.CodeInvalid, []string{"plan"}},
		{"an unknown account", account.Invite{Account: "acc_none"}, matching.CodeNotFound, nil},
		{"a user", account.Invite{Plan: "freelancer", Email: "ADMIN@example.com"}, account.CodeEmailTaken, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			secret, _, err := f.Invite(t.Context(), by(admin), tt.give)
			wantCode(t, err, tt.want)
			if diff := cmp.Diff(tt.fields, fields(err)); diff != "" || secret != "" {
				t.Errorf("%q %s", secret, diff)
			}
		})
	}
}

// A link works until it is used, revoked, or out of date, and for its own purpose only.
func TestLinks_End(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	invite := func() (string, account.Link) {
		secret, l, err := f.Invite(t.Context(), by(admin), account.Invite{Plan: "freelancer"})
		if err != nil {
			t.Fatal(err)
		}
		return secret, l
	}
	use := func(secret string) error {
		_, err := f.Register(t.Context(), visitor(), account.NewUser{Email: "a@example.com", Password: password, AccountName: "A", Secret: secret})
		return err
	}
	secret, l := invite()
	if links := must[[]account.Link](t)(f.Links(t.Context(), "")); len(links) != 1 || links[0].ID != l.ID {
		t.Errorf("links %+v", links)
	}
	wantCode(t, f.RevokeLink(t.Context(), operator(), admin.Account, l.ID), matching.CodeNotFound) // of another account
	if err := f.RevokeLink(t.Context(), by(admin), "", l.ID); err != nil {
		t.Fatal(err)
	}
	if e := f.last(t); e.Action != audit.LinkRevoked || e.Subject != l.ID || e.Actor != admin.ID {
		t.Errorf("event %+v", e)
	}
	wantCode(t, use(secret), account.CodeLinkSpent)
	wantCode(t, f.RevokeLink(t.Context(), by(admin), "", l.ID), matching.CodeNotFound)

	late, _ := invite()
	reset, _, err := f.MakeReset(t.Context(), by(admin), admin.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, use(reset), account.CodeLinkSpent)
	_, err = f.ResetPassword(t.Context(), visitor(), late, another)
	wantCode(t, err, account.CodeLinkSpent)
	f.clock.pass(day)
	_, err = f.ResetPassword(t.Context(), visitor(), reset, another)
	wantCode(t, err, account.CodeLinkSpent)
	f.clock.pass(6 * day)
	wantCode(t, use(late), account.CodeLinkSpent)
	for _, secret := range []string{"", "x", strings.Repeat("A", 43)} {
		_, err := f.LinkOf(t.Context(), secret)
		wantCode(t, err, account.CodeLinkSpent)
	}
}

func TestURL_KeepsTheSecretInTheFragment(t *testing.T) {
	for purpose, want := range map[account.Purpose]string{
		account.SetUp:      "https://match.example.com/dashboard/setup#S-_1",
		account.Invitation: "https://match.example.com/dashboard/join#S-_1",
		account.Reset:      "https://match.example.com/dashboard/reset#S-_1",
	} {
		for _, base := range []string{"https://match.example.com", "https://match.example.com/"} {
			if got := account.URL(base, purpose, "S-_1"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
}
