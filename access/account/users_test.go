package account_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestRole_Includes(t *testing.T) {
	roles := []account.Role{"", account.Member, account.Owner, account.Administrator}
	for i, r := range roles {
		for j, other := range roles {
			if got, want := r.Includes(other), j > 0 && i >= j; got != want {
				t.Errorf("%q.Includes(%q) = %t, want %t", r, other, got, want)
			}
		}
	}
}

// An account with users keeps an owner, and the service keeps an administrator.
func TestReplaceUser_KeepsOwnersAndAdministrators(t *testing.T) {
	const ( // users; second is an administrator with an account of their own
		admin, owner, member, second = "admin@example.com", "owner@example.com", "member@example.com", "second@example.com"
	)
	tests := []struct {
		name          string
		actor, target string
		role          account.Role // "": remove the target
		want          matching.Code
	}{
		{"remove the last owner", admin, owner, "", account.CodeLastOwner},
		{"demote the last owner", admin, owner, account.Member, account.CodeLastOwner},
		{"last owner removes themselves", owner, owner, "", account.CodeLastOwner},
		{"remove a member", owner, member, "", ""},
		{"promote a member", owner, member, account.Owner, ""},
		{"administrator demotes another", second, admin, account.Owner, ""},
		{"administrator removes another", admin, second, "", ""},
		{"administrator demotes themselves", admin, admin, account.Owner, account.CodeLastAdministrator},
		{"administrator removes themselves", second, second, "", account.CodeLastAdministrator},
		{"owner removes an administrator", owner, admin, "", account.CodeLastAdministrator},
		{"same role", admin, admin, account.Administrator, ""},
		{"unknown role", admin, member, "king", matching.CodeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			users := map[string]account.User{admin: f.setUp(t), owner: f.signUp(t, owner)}
			users[member] = f.join(t, users[owner].Account, member, account.Member)
			newcomer := f.signUp(t, second)
			users[second] = must(f.Users.SetRole(t.Context(), by(users[admin]), newcomer.ID, account.Administrator))

			actor := users[tt.actor]
			target := users[tt.target]
			before := len(f.events(t))
			var err error
			if tt.role == "" {
				err = f.Users.Remove(t.Context(), by(actor), target.ID)
			} else {
				_, err = f.Users.SetRole(t.Context(), by(actor), target.ID, tt.role)
			}

			wantCode(t, err, tt.want)
			left := must(f.Users.List(t.Context(), target.Account))
			i := slices.IndexFunc(left, func(u account.User) bool { return u.ID == target.ID })
			switch {
			case err != nil && (i < 0 || left[i].Role != target.Role || len(f.events(t)) != before):
				t.Errorf("a refused change was stored: %+v", left)
			case err == nil && tt.role == "" && i >= 0, err == nil && tt.role != "" && left[i].Role != tt.role:
				t.Errorf("the change was not stored: %+v", left)
			}
		})
	}
}

func TestReplaceUser_SecondAdministratorOfAnAccount(t *testing.T) {
	f := newFixture(t)
	first := f.setUp(t)
	second := f.join(t, first.Account, "second@example.com", account.Administrator)
	must(f.Users.SetRole(t.Context(), by(first), first.ID, account.Owner))
	wantCode(t, f.Users.Remove(t.Context(), operator(), second.ID), account.CodeLastAdministrator)
	wantCode(t, f.Users.Remove(t.Context(), operator(), "usr_none"), matching.CodeNotFound)
}

// The last owner can be removed if the account has no other users and no usable keys.
func TestRemoveUser_LastOwner(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	key := func(u account.User, expires time.Time) apikey.Key {
		_, k := f.createKey(t, u, apikey.Request{Name: "key", Expires: expires})
		return k
	}

	revoke := func(k apikey.Key) { must(f.keys.Revoke(t.Context(), operator(), k.Account, k.ID)) }
	revokeFirst := func(u account.User) { revoke(must(f.keys.ListOf(t.Context(), u.Account))[0]) }
	for name, tt := range map[string]struct {
		prepare func(u account.User)
		refusal string               // part of the message; "": the owner can be removed
		resolve func(u account.User) // does what the message asks for
	}{
		"no keys":      {func(account.User) {}, "", nil},
		"revoked keys": {func(u account.User) { revoke(key(u, time.Time{})) }, "", nil},
		"expired keys": {func(u account.User) {
			key(u, f.clock.now().Add(time.Hour))
			f.clock.advance(time.Hour)
		}, "", nil},
		"active key": {func(u account.User) { key(u, time.Time{}) }, "Revoke them first", revokeFirst},
		"disabled key": {func(u account.User) {
			must(f.keys.Disable(t.Context(), by(u), u.Account, key(u, time.Time{}).ID))
		}, "Revoke them first", revokeFirst},
		"rotated key in its grace period": {
			func(u account.User) {
				old := key(u, time.Time{})
				_, next, err := f.keys.Rotate(t.Context(), by(u), u.Account, old.ID, day)
				if err != nil {
					t.Fatal(err)
				}
				revoke(next)
			}, "Revoke them first",
			func(account.User) { f.clock.advance(day) },
		},
		"member and key": {
			func(u account.User) {
				key(u, time.Time{})
				f.join(t, u.Account, "member@example.com", account.Member)
			}, "Make another user an owner first",
			func(account.User) {
				m := must(f.Users.FindByEmail(t.Context(), "member@example.com"))
				must(f.Users.SetRole(t.Context(), operator(), m.ID, account.Owner))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := f.signUp(t, strings.ReplaceAll(name, " ", ".")+"@example.com")
			tt.prepare(u)
			if tt.refusal != "" {
				before := len(f.events(t))
				err := f.Users.Remove(t.Context(), by(u), u.ID)
				wantCode(t, err, account.CodeLastOwner)

				if err == nil || !strings.Contains(err.Error(), tt.refusal) {
					t.Errorf("error %v, want %q", err, tt.refusal)
				}

				_, err = f.Users.SetRole(t.Context(), by(u), u.ID, account.Member)
				wantCode(t, err, account.CodeLastOwner)

				if len(f.events(t)) != before {
					t.Error("a refused change is in the audit log")
				}

				tt.resolve(u)
			}

			if err := f.Users.Remove(t.Context(), by(u), u.ID); err != nil {
				t.Error(err)
			}

			if e := f.events(t)[0]; e.Action != audit.UserRemoved || e.Subject != u.ID {
				t.Errorf("event %+v", e)
			}
		})
	}
}

func TestRemoveUser_TwoOwnersRemoveEachOther(t *testing.T) {
	f := newFixture(t)
	f.setUp(t)
	first := f.signUp(t, "first@example.com")
	second := f.join(t, first.Account, "second@example.com", account.Owner)
	f.join(t, first.Account, "member@example.com", account.Member)
	owners := []account.User{first, second}
	codes(2, func(i int) error { return f.Users.Remove(t.Context(), by(owners[i]), owners[1-i].ID) })
	left := must(f.Users.List(t.Context(), first.Account))
	isOwner := func(u account.User) bool { return u.Role == account.Owner }
	if len(left) != 2 || !slices.ContainsFunc(left, isOwner) {
		t.Errorf("users %+v, want one owner and the member", left)
	}
}
