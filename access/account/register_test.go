package account_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestSetUp_RegistersTheFirstAdministratorOnce(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.SignUp = account.Closed })
	replaced := must(f.Links.CreateSetUp(t.Context()))
	secret := must(f.Links.CreateSetUp(t.Context()))
	n := account.NewUser{Email: "Admin@Example.com", Password: password, AccountName: "Operators", Secret: replaced}
	_, err := f.SignUps.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeLinkSpent)

	n.Secret = secret
	u := must(f.SignUps.Register(t.Context(), visitor(), n))
	a := must(f.Accounts.Find(t.Context(), u.Account))
	if u.Role != account.Administrator || u.Email != "admin@example.com" ||
		a.Plan != "enterprise" || a.Name != "Operators" {
		t.Errorf("registered %+v in %+v", u, a)
	}

	_, err = f.SignUps.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeLinkSpent)
	if secret := must(f.Links.CreateSetUp(t.Context())); secret != "" {
		t.Error("there is a set-up link although there is a user")
	}

	f.wantNotLogged(t, replaced, secret, password)
}

func TestSetUp_OneOfManyConcurrentUsersSucceeds(t *testing.T) {
	f := newFixture(t)
	secret := must(f.Links.CreateSetUp(t.Context()))
	got := codes(8, func(i int) error {
		// Each from an address of its own, because few passwords of one address wait for their hash at a time.
		_, err := f.SignUps.Register(t.Context(), audit.By{Address: fmt.Sprintf("192.0.2.%d", i)}, account.NewUser{
			Email: "admin@example.com", Password: password, AccountName: "Operators", Secret: secret,
		})
		return err
	})
	if diff := cmp.Diff(map[matching.Code]int{"": 1, account.CodeLinkSpent: 7}, got); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

// Otherwise, the first visitor who signed up would keep the administrator from registering.
func TestRegister_FailsBeforeTheServiceIsSetUp(t *testing.T) {
	f := newFixture(t)
	n := account.NewUser{Email: "a@example.com", Password: password, AccountName: "A"}
	_, err := f.SignUps.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeSignUpClosed)
	f.setUp(t)
	u := f.signUp(t, "a@example.com")
	if a := must(f.Accounts.Find(t.Context(), u.Account)); u.Role != account.Owner || a.Plan != "freelancer" {
		t.Errorf("registered %+v in %+v", u, a)
	}
	e := f.events(t)[0]
	if e.Action != audit.UserCreated || e.Actor != u.ID || e.Account != u.Account || e.Address != "192.0.2.7" {
		t.Errorf("event %+v", e)
	}
}

func TestRegister_SignUpPolicies(t *testing.T) {
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
			invitation, _ := f.invite(t, operator(), account.Invite{Plan: "professional"})
			s := account.New(account.Config{
				Stores: f.db.AccountStores(), Now: f.clock.now, SignUp: tt.policy, Limits: unlimited(),
			})
			s.SetCost(8)
			n := account.NewUser{Email: "a@example.com", Password: password, AccountName: "A"}
			_, err := s.SignUps.Register(t.Context(), visitor(), n)
			wantCode(t, err, tt.signUp)
			_, _, err = s.Links.Invite(t.Context(), operator(), account.Invite{Plan: "professional"})
			wantCode(t, err, tt.invited)
			n.Email = "b@example.com"
			n.Secret = invitation
			_, err = s.SignUps.Register(t.Context(), visitor(), n)
			wantCode(t, err, tt.invited)
		})
	}
}

func TestRegister_InvalidForm(t *testing.T) {
	f := newFixture(t)
	secret := must(f.Links.CreateSetUp(t.Context()))
	hashes := f.CountHashes()
	n := account.NewUser{Email: "x", Password: "short", AccountName: "\n", Secret: secret}
	_, err := f.SignUps.Register(t.Context(), visitor(), n)
	if diff := cmp.Diff([]string{"email", "password", "account_name"}, invalidFields(err)); diff != "" {
		t.Errorf("%v: fields (-want +got):\n%s", err, diff)
	}
	if hashes.Load() != 0 {
		t.Error("a hash was computed for an invalid form")
	}
	if _, err := f.Links.Find(t.Context(), secret); err != nil {
		t.Errorf("an invalid form used up the link: %v", err)
	}
}

func TestRegister_EmailTaken(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	f.signUp(t, "a@example.com")
	n := account.NewUser{Email: " A@EXAMPLE.com", Password: password, AccountName: "B"}
	_, err := f.SignUps.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeEmailTaken)
	if all := must(f.Accounts.List(t.Context(), "", 10)); len(all) != 2 {
		t.Errorf("%d accounts, want 2: an account was created without its user", len(all))
	}
	// An invitation remains valid if the address is taken.
	n.Secret, _ = f.invite(t, operator(), account.Invite{Plan: "freelancer"})
	_, err = f.SignUps.Register(t.Context(), visitor(), n)
	wantCode(t, err, account.CodeEmailTaken)
	n.Email = "b@example.com"
	if _, err = f.SignUps.Register(t.Context(), visitor(), n); err != nil {
		t.Error(err)
	}
}

func TestRegister_ThrottlesByAddress(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.SignUp = limit(2) })
	f.setUp(t) // the set-up link is not throttled
	f.signUp(t, "a@example.com")
	f.signUp(t, "b@example.com")
	n := account.NewUser{Email: "c@example.com", Password: password, AccountName: "C"}
	hashes := f.CountHashes()
	_, err := f.SignUps.Register(t.Context(), visitor(), n)
	wantThrottled(t, err)
	if hashes.Load() != 0 {
		t.Error("a hash was computed for a throttled sign-up")
	}
	if _, err := f.SignUps.Register(t.Context(), audit.By{Address: "192.0.2.8"}, n); err != nil {
		t.Errorf("from another address: %v", err)
	}
}
