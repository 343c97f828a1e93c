package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestLeave(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	owner := f.signUp(t, "owner@example.com")
	member := f.join(t, owner.Account, "member@example.com", account.Member)
	wantCode(t, f.Users.Leave(t.Context(), by(member), member.ID, otherPassword), account.CodeWrongCredentials)
	wantCode(t, f.Users.Leave(t.Context(), by(owner), owner.ID, password), account.CodeLastOwner)
	wantCode(t, f.Users.Leave(t.Context(), by(member), member.ID, password), "")
	if users := must(f.Users.List(t.Context(), owner.Account)); len(users) != 1 || users[0].ID != owner.ID {
		t.Errorf("users %v, want the owner", users)
	}
	if e := f.events(t)[0]; e.Action != audit.UserRemoved || e.Actor != member.ID || e.Subject != member.ID {
		t.Errorf("event %+v", e)
	}
	if _, err := f.signIn(t, member.Email, password); matching.CodeOf(err) != account.CodeWrongCredentials {
		t.Errorf("the former member signs in: %v", err)
	}
}

// A session that somebody else took over can guess only a few passwords.
func TestLeave_LimitsPasswords(t *testing.T) {
	f := newFixture(t, func(c *account.Config) { c.Limits.Confirm = limit(2) })
	owner := f.setUp(t)
	for _, want := range []matching.Code{
		account.CodeWrongCredentials, account.CodeWrongCredentials, account.CodeTooManyAttempts,
	} {
		wantCode(t, f.Accounts.Close(t.Context(), by(owner), owner.ID, "Operators", otherPassword), want)
	}
	wantCode(t, f.Users.Leave(t.Context(), by(owner), owner.ID, password), account.CodeTooManyAttempts)
}

func TestCloseAccount(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	owner := f.signUp(t, "owner@example.com")
	member := f.join(t, owner.Account, "member@example.com", account.Member)
	token, _ := f.createKey(t, owner, apikey.Request{Name: "Website"})
	name := must(f.Accounts.Find(t.Context(), owner.Account)).Name
	for _, test := range []struct {
		user     account.User
		name     string
		password string
		want     matching.Code
	}{
		{owner, "", password, matching.CodeInvalid},
		{owner, strings.ToUpper(name), password, matching.CodeInvalid},
		{owner, name, otherPassword, account.CodeWrongCredentials},
		{member, name, password, account.CodeNotAllowed},
		{admin, "Operators", password, account.CodeLastAdministrator},
		{owner, " " + name + " ", password, ""},
	} {
		wantCode(t, f.Accounts.Close(t.Context(), by(test.user), test.user.ID, test.name, test.password), test.want)
	}

	if _, err := f.keys.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeInvalid {
		t.Errorf("the key of a deleted account: %v", err)
	}

	_, _, err := f.Sessions.Find(t.Context(), owner.ID, owner.Sessions)
	wantCode(t, err, account.CodeSessionEnded)
	e := f.events(t)[0]
	if e.Action != audit.AccountDeleted || e.Actor != owner.ID || strings.Contains(e.Detail, "@") {
		t.Errorf("event %+v", e)
	}

	for _, table := range []string{"users", "accounts"} {
		if n := f.countRows(t, table); n != 1 {
			t.Errorf("%d rows in %s, want the administrator's", n, table)
		}
	}

	// The address is free again.
	f.clock.advance(time.Hour)
	f.signUp(t, owner.Email)
}

func TestDeleteAccount_KeepsAnAdministrator(t *testing.T) {
	f := newFixture(t)
	admin := f.setUp(t)
	owner := f.signUp(t, "owner@example.com")
	wantCode(t, f.Accounts.Delete(t.Context(), operator(), admin.Account), account.CodeLastAdministrator)
	if _, err := f.Users.SetRole(t.Context(), operator(), owner.ID, account.Administrator); err != nil {
		t.Fatal(err)
	}
	wantCode(t, f.Accounts.Delete(t.Context(), operator(), admin.Account), "")
	wantCode(t, f.Accounts.Delete(t.Context(), operator(), admin.Account), matching.CodeNotFound)
	wantCode(t, f.Accounts.Delete(t.Context(), operator(), owner.Account), account.CodeLastAdministrator)
}
