package apikey_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestRevoke_IsImmediateAndPermanent(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	revoked, err := f.Revoke(t.Context(), operator(), "", k.ID)
	if err != nil || revoked.State(f.clock.at) != apikey.Revoked {
		t.Fatalf("Revoke = %v, %v; want a revoked key", revoked, err)
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeRevoked {
		t.Errorf("Authenticate: %v, want %s", err, apikey.CodeRevoked)
	}
	f.clock.advance(time.Hour)
	second, err := f.Revoke(t.Context(), operator(), "", k.ID)
	if err != nil || !second.Revoked.Equal(revoked.Revoked) {
		t.Errorf("revoked at %v, then at %v (%v); want the same time", revoked.Revoked, second.Revoked, err)
	}
	f.wantActions(t, audit.KeyCreated, audit.KeyRevoked)
}

func TestDisable_CanBeUndone(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	for range 2 {
		if _, err := f.Disable(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeDisabled {
		t.Errorf("Authenticate: %v, want %s", err, apikey.CodeDisabled)
	}

	for range 2 {
		if _, err := f.Enable(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Error(err)
	}

	f.wantActions(t, audit.KeyCreated, audit.KeyDisabled, audit.KeyEnabled)
}

func TestChange_RecordsWhatChanged(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	change := func(s apikey.Settings) apikey.Key {
		t.Helper()
		got, err := f.Change(t.Context(), operator(), "", k.ID, s)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}

	match := []string{"match"}
	tomorrow := f.clock.in(day)
	change(apikey.Settings{Name: "Acme"}) // changes nothing
	change(apikey.Settings{Name: "Acme Ltd"})
	change(apikey.Settings{Name: "Acme Ltd", Operations: match, Networks: []string{"10.0.0.1"}, Expires: tomorrow})
	got := change(apikey.Settings{Name: "Acme", Operations: match, Expires: tomorrow})
	if got.Name != "Acme" || got.Networks != nil || len(got.Operations) != 1 || !got.Expires.Equal(tomorrow) {
		t.Errorf("key %+v, want the new settings", got)
	}

	f.wantActions(t, audit.KeyCreated, audit.KeyRenamed, audit.KeyChanged, audit.KeyRenamed, audit.KeyChanged)
	invalid := apikey.Settings{Operations: []string{"x"}, Expires: f.clock.in(-day)}
	_, err := f.Change(t.Context(), operator(), "", k.ID, invalid)
	if diff := cmp.Diff([]string{"name", "expires", "operations[0]"}, invalidFields(err)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestRotate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		lifetime time.Duration // of the old key; 0: unlimited
		grace    time.Duration
		oldEnd   time.Duration
	}{
		{"no grace period", 0, 0, 0},
		{"grace period of an hour", 0, time.Hour, time.Hour},
		{"grace period of a day", 30 * day, day, day},
		{"expiry before the end of the grace period", 2*day + time.Minute, 7 * day, 2 * day},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			r := apikey.Request{
				Name: "Acme", Plan: "professional", Operations: []string{"match"}, Networks: []string{"10.0.0.0/8"},
			}

			if tt.lifetime != 0 {
				r.Expires = f.clock.in(tt.lifetime)
			}

			oldToken, before := f.create(t, r)
			f.clock.advance(time.Minute)
			end := f.clock.in(tt.oldEnd)
			token, k, err := f.Rotate(t.Context(), operator(), "", before.ID, tt.grace)
			if err != nil {
				t.Fatal(err)
			}

			old := f.stored(t, before.ID)
			if old.ReplacedBy != k.ID || !old.End().Equal(end) || !old.Expires.Equal(before.Expires) ||
				old.Current(f.clock.at) {
				t.Errorf("the old key is %+v, want it replaced by %s with its end at %v", old, k.ID, end)
			}

			if k.ID == before.ID || k.ReplacedBy != "" || !k.Created.Equal(f.clock.at) ||
				!k.Expires.Equal(before.Expires) || !k.End().Equal(before.Expires) {
				t.Errorf("the new key is %+v, want a new record with the expiry of %+v", k, before)
			}

			if k.Counter != before.Counter || !k.PlanSince.Equal(before.PlanSince) || k.Name != before.Name ||
				k.Plan != before.Plan || len(k.Operations) != 1 || !cmp.Equal(networkTexts(before), networkTexts(k)) {
				t.Errorf("the new key is %+v, want the settings and the counter of %+v", k, before)
			}

			if _, err := f.Authenticate(t.Context(), token); err != nil {
				t.Error(err)
			}

			_, err = f.Authenticate(t.Context(), oldToken)
			if accepted := f.clock.at.Before(end); (err == nil) != accepted {
				t.Errorf("the old key before its end at %v: %v", end, err)
			}

			f.clock.at = end
			if _, err := f.Authenticate(t.Context(), oldToken); matching.CodeOf(err) != apikey.CodeExpired {
				t.Errorf("the old key at its end: %v, want %s", err, apikey.CodeExpired)
			}
		})
	}
}

func TestRotate_KeepsADisabledKeyDisabled(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "professional"})
	if _, err := f.Disable(t.Context(), operator(), "", k.ID); err != nil {
		t.Fatal(err)
	}
	token, _, err := f.Rotate(t.Context(), operator(), "", k.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeDisabled {
		t.Errorf("Authenticate: %v, want %s", err, apikey.CodeDisabled)
	}
}

// A key that has ended can only be revoked. A replaced key can also be disabled and enabled during its grace period.
func TestChanges_OfEndedKeys(t *testing.T) {
	f := newFixture(t)
	past := f.clock.in(-time.Hour)
	states := map[string]func(*apikey.Key){
		"revoked":  func(k *apikey.Key) { k.Revoked = past },
		"expired":  func(k *apikey.Key) { k.Expires = past },
		"replaced": func(k *apikey.Key) { k.ReplacedBy, k.GraceEnd = "key_2", f.clock.in(day) },
		"unknown":  func(*apikey.Key) {},
	}

	changes := map[string]func(ctx context.Context, id string) error{
		"change": func(ctx context.Context, id string) error {
			_, err := f.Change(ctx, operator(), "", id, apikey.Settings{Name: "Another"})
			return err
		},
		"rotate": func(ctx context.Context, id string) error {
			token, _, err := f.Rotate(ctx, operator(), "", id, day)
			if (token == "") != (err != nil) {
				t.Errorf("Rotate = %q, %v; want either a token or an error", token, err)
			}
			return err
		},
		"disable": func(ctx context.Context, id string) error {
			_, err := f.Disable(ctx, operator(), "", id)
			return err
		},
		"enable": func(ctx context.Context, id string) error {
			_, err := f.Enable(ctx, operator(), "", id)
			return err
		},
		"revoke": func(ctx context.Context, id string) error {
			_, err := f.Revoke(ctx, operator(), "", id)
			return err
		},
	}

	allowed := map[string]bool{
		"disable replaced": true, "enable replaced": true,
		"revoke replaced": true, "revoke expired": true, "revoke revoked": true,
	}
	for state, set := range states {
		for action, change := range changes {
			name := action + " " + state
			t.Run(name, func(t *testing.T) {
				_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
				f.edit(t, k.ID, set)
				id := k.ID
				want := apikey.CodeEnded
				if state == "unknown" {
					id = "key_none"
					want = matching.CodeNotFound
				}

				before := f.stored(t, k.ID)
				err := change(t.Context(), id)
				if allowed[name] {
					if err != nil {
						t.Error(err)
					}
					return
				}

				if matching.CodeOf(err) != want || errors.Is(err, apikey.ErrNotFound) != (state == "unknown") {
					t.Errorf("%v, want %s", err, want)
				}

				after := f.stored(t, k.ID)
				if !after.End().Equal(before.End()) || after.Name != before.Name || after.ReplacedBy != before.ReplacedBy {
					t.Errorf("the key changed from %+v to %+v", before, after)
				}
			})
		}
	}
}

func TestRotate_UnknownGracePeriod(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	for _, grace := range []time.Duration{-time.Hour, time.Second, 365 * day} {
		if _, _, err := f.Rotate(t.Context(), operator(), "", k.ID, grace); invalidFields(err) == nil {
			t.Errorf("grace period %s: %v, want %s", grace, err, matching.CodeInvalid)
		}
	}
}

// Other accounts can neither read nor change a key.
func TestKeys_AreSeparateByAccount(t *testing.T) {
	f := newFixture(t)
	owner := f.account(t, "professional")
	_, k := f.issue(t, owner)
	_, other := f.create(t, apikey.Request{Name: "Other", Plan: "freelancer"})

	if got, err := f.Get(t.Context(), owner.Account, k.ID); err != nil || got.ID != k.ID {
		t.Errorf("Get = %v, %v; want %s", got, err, k.ID)
	}

	if _, err := f.Get(t.Context(), "acc_2", k.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("Get for another account: %v, want ErrNotFound", err)
	}

	if _, err := f.Revoke(t.Context(), operator(), "", k.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("Revoke without an account: %v, want ErrNotFound", err)
	}

	if _, err := f.Revoke(t.Context(), operator(), owner.Account, other.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("Revoke for another account: %v, want ErrNotFound", err)
	}

	for account, want := range map[string]string{owner.Account: k.ID, "": other.ID} {
		keys, err := f.ListOf(t.Context(), account)
		if err != nil || len(keys) != 1 || keys[0].ID != want {
			t.Errorf("ListOf(%q) = %v, %v; want %s", account, keys, err, want)
		}
	}
}

// One of several concurrent rotations succeeds, because each checks the key inside the transaction.
func TestRotate_Concurrently(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	var group sync.WaitGroup
	codes := make(chan matching.Code, 10)
	for range 10 {
		group.Go(func() {
			_, _, err := f.Rotate(t.Context(), operator(), "", k.ID, day)
			codes <- matching.CodeOf(err)
		})
	}

	group.Wait()
	close(codes)
	got := map[matching.Code]int{}
	for c := range codes {
		got[c]++
	}

	if diff := cmp.Diff(map[matching.Code]int{"": 1, apikey.CodeEnded: 9}, got); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

func TestSetPermissions(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Sync", Plan: "enterprise"})
	if err := k.Permits(apikey.WriteData); matching.CodeOf(err) != apikey.CodePermission {
		t.Errorf("a new key: %v", err)
	}

	set := func(permissions ...string) (apikey.Key, error) {
		return f.SetPermissions(t.Context(), operator(), "", k.ID, permissions)
	}
	if _, err := set("data:write", "data:all"); matching.CodeOf(err) != matching.CodeInvalid {
		t.Errorf("an unknown permission: %v", err)
	}

	k, err := set("data:write", "data:read", "data:write")
	isGranted := slices.Equal(k.Permissions, []string{"data:read", "data:write"})
	if err != nil || !isGranted || k.Permits(apikey.WriteData) != nil {
		t.Errorf("granted %v (%v)", k.Permissions, err)
	}

	// Owners can't grant anything, nor take it away by accident.
	if k, err = f.Change(t.Context(), operator(), "", k.ID, apikey.Settings{Name: "Nightly sync"}); err != nil ||
		len(k.Permissions) != 2 {
		t.Errorf("changed: %v (%v)", k.Permissions, err)
	}

	_, next, err := f.Rotate(t.Context(), operator(), "", k.ID, time.Hour)
	if err != nil || len(next.Permissions) != 2 {
		t.Errorf("rotated: %v (%v)", next.Permissions, err)
	}

	if _, err := set(); matching.CodeOf(err) != apikey.CodeEnded {
		t.Errorf("a replaced key: %v", err)
	}

	k = next
	if k, err = set(); err != nil || len(k.Permissions) != 0 {
		t.Errorf("withdrawn: %v (%v)", k.Permissions, err)
	}

	f.wantActions(t, audit.KeyCreated, audit.KeyPermissions, audit.KeyRenamed, audit.KeyRotated, audit.KeyPermissions)
}

// A rotated test key is a test key with the same counter, and no administrator can grant one anything.
func TestChanges_KeepATestKeyOne(t *testing.T) {
	f := newFixture(t)
	_, before := f.create(t, apikey.Request{Name: "CI", Plan: "professional", Test: true})
	token, k, err := f.Rotate(t.Context(), operator(), "", before.ID, 0)
	if err != nil || !k.Test() || k.Counter != before.Counter || !strings.HasPrefix(token, k.Prefix) {
		t.Errorf("rotated to %+v, %v", k, err)
	}
	_, err = f.SetPermissions(t.Context(), operator(), "", k.ID, []string{apikey.ReadData})
	if matching.CodeOf(err) != matching.CodeInvalid {
		t.Errorf("a grant: %v", err)
	}
}
