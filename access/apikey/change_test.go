package apikey_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

func TestRevoke_TakesEffectAtOnceAndForGood(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	revoked, err := f.Revoke(t.Context(), operator(), "", k.ID)
	if err != nil || revoked.State(f.clock.at) != apikey.Revoked {
		t.Fatalf("%v, %v", revoked, err)
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeRevoked {
		t.Errorf("got %v", err)
	}
	f.clock.pass(time.Hour)
	again, err := f.Revoke(t.Context(), operator(), "", k.ID)
	if err != nil || !again.Revoked.Equal(revoked.Revoked) {
		t.Errorf("revoked at %v, then %v, %v", revoked.Revoked, again.Revoked, err)
	}
	if diff := cmp.Diff([]audit.Action{audit.KeyCreated, audit.KeyRevoked}, f.actions(t)); diff != "" {
		t.Error(diff)
	}
}

func TestDisable_CanBeUndone(t *testing.T) {
	f := newFixture(t)
	token, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	for range 2 { // twice is fine, and told once
		if _, err := f.Disable(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Authenticate(t.Context(), token); matching.CodeOf(err) != apikey.CodeDisabled {
		t.Errorf("got %v", err)
	}
	for range 2 {
		if _, err := f.Enable(t.Context(), operator(), "", k.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Authenticate(t.Context(), token); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]audit.Action{audit.KeyCreated, audit.KeyDisabled, audit.KeyEnabled}, f.actions(t)); diff != "" {
		t.Error(diff)
	}
}

func TestChange_SaysWhatChanged(t *testing.T) {
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
	change(apikey.Settings{Name: "Acme"}) // nothing
	change(apikey.Settings{Name: "Acme Ltd"})
	change(apikey.Settings{Name: "Acme Ltd", Operations: []string{"match"}, Networks: []string{"10.0.0.1"}, Expires: f.clock.in(day)})
	got := change(apikey.Settings{Name: "Acme", Operations: []string{"match"}, Expires: f.clock.in(day)})
	if got.Name != "Acme" || got.Networks != nil || len(got.Operations) != 1 || !got.Expires.Equal(f.clock.in(day)) {
		t.Errorf("got %+v", got)
	}
	want := []audit.Action{audit.KeyCreated, audit.KeyRenamed, audit.KeyChanged, audit.KeyRenamed, audit.KeyChanged}
	if diff := cmp.Diff(want, f.actions(t)); diff != "" {
		t.Error(diff)
	}
	_, err := f.Change(t.Context(), operator(), "", k.ID, apikey.Settings{Operations: []string{"x"}, Expires: f.clock.in(-day)})
	if diff := cmp.Diff([]string{"name", "expires", "operations[0]"}, fields(err)); diff != "" {
		t.Error(diff)
	}
}

func TestRotate_GoesOn(t *testing.T) {
	for _, tt := range []struct {
		name          string
		expires       time.Duration // 0: never
		grace, oldEnd time.Duration
	}{
		{"at once", 0, 0, 0},
		{"an hour", 0, time.Hour, time.Hour},
		{"a day", 30 * day, day, day},
		{"never past its own end", 2 * day, 7 * day, 2 * day},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			r := apikey.Request{Name: "Acme", Plan: "professional", Operations: []string{"match"}, Networks: []string{"10.0.0.0/8"}}
			if tt.expires != 0 {
				r.Expires = f.clock.in(tt.expires)
			}
			oldToken, made := f.create(t, r)
			f.clock.pass(time.Minute)
			end := f.clock.in(tt.oldEnd)
			if tt.oldEnd == tt.expires && tt.expires != 0 {
				end = made.Expires
			}
			token, k, err := f.Rotate(t.Context(), operator(), "", made.ID, tt.grace)
			if err != nil {
				t.Fatal(err)
			}
			if old := f.stored(t, made.ID); old.ReplacedBy != k.ID || !old.End().Equal(end) || !old.Expires.Equal(made.Expires) || old.Current(f.clock.at) {
				t.Errorf("the old key is %+v, want replaced by %s, to end at %v", old, k.ID, end)
			}
			if k.Counter != made.Counter || !k.PlanSince.Equal(made.PlanSince) || k.Name != made.Name || k.Plan != made.Plan ||
				!k.Expires.Equal(made.Expires) || !k.End().Equal(made.Expires) || k.ReplacedBy != "" || !k.Created.Equal(f.clock.at) || k.ID == made.ID {
				t.Errorf("rotated to %+v\nfrom %+v", k, made)
			}
			if diff := cmp.Diff(networkTexts(made), networkTexts(k)); diff != "" || len(k.Operations) != 1 {
				t.Errorf("%v %s", k.Operations, diff)
			}
			if _, err := f.Authenticate(t.Context(), token); err != nil {
				t.Error(err)
			}
			_, err = f.Authenticate(t.Context(), oldToken)
			if alive := f.clock.at.Before(end); (err == nil) != alive {
				t.Errorf("the old key before %v: %v", end, err)
			}
			f.clock.at = end
			if _, err := f.Authenticate(t.Context(), oldToken); matching.CodeOf(err) != apikey.CodeExpired {
				t.Errorf("the old key at its end: %v", err)
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
		t.Errorf("got %v", err)
	}
}

// What a key that has ended, or was replaced, can still be.
func TestChanges_RefuseWhatHasEnded(t *testing.T) {
	f := newFixture(t)
	past := f.clock.in(-time.Hour)
	states := map[string]func(*apikey.Key){
		"revoked":  func(k *apikey.Key) { k.Revoked = past },
		"expired":  func(k *apikey.Key) { k.Expires = past },
		"replaced": func(k *apikey.Key) { k.ReplacedBy, k.GraceEnd = "key_2", f.clock.in(day) },
		"unknown":  func(k *apikey.Key) {},
	}
	changes := map[string]func(ctx context.Context, id string) error{
		"change": func(ctx context.Context, id string) error {
			_, err := f.Change(ctx, operator(), "", id, apikey.Settings{Name: "Another"})
			return err
		},
		"rotate": func(ctx context.Context, id string) error {
			token, _, err := f.Rotate(ctx, operator(), "", id, day)
			if (token == "") != (err != nil) {
				t.Errorf("token %q with error %v", token, err)
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
	allowed := map[string]bool{"replaced disable": true, "replaced enable": true, "replaced revoke": true, "expired revoke": true, "revoked revoke": true}
	for state, set := range states {
		for name, change := range changes {
			t.Run(state+" "+name, func(t *testing.T) {
				_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
				f.edit(t, k.ID, set)
				id, want := k.ID, apikey.CodeEnded
				if state == "unknown" {
					id, want = "key_none", matching.CodeNotFound
				}
				before := f.stored(t, k.ID)
				err := change(t.Context(), id)
				if allowed[state+" "+name] {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if matching.CodeOf(err) != want || errors.Is(err, apikey.ErrNotFound) != (state == "unknown") {
					t.Errorf("got %v, want %s", err, want)
				}
				if after := f.stored(t, k.ID); !after.End().Equal(before.End()) || after.Name != before.Name || after.ReplacedBy != before.ReplacedBy {
					t.Errorf("changed from %+v to %+v", before, after)
				}
			})
		}
	}
}

func TestRotate_WantsAKnownGrace(t *testing.T) {
	f := newFixture(t)
	_, k := f.create(t, apikey.Request{Name: "Acme", Plan: "freelancer"})
	for _, grace := range []time.Duration{-time.Hour, time.Second, 365 * day} {
		if _, _, err := f.Rotate(t.Context(), operator(), "", k.ID, grace); fields(err) == nil {
			t.Errorf("%s: %v", grace, err)
		}
	}
}

// A key of one account is out of reach from another one, for reading and for every change.
func TestKeys_AreOfOneAccount(t *testing.T) {
	f := newFixture(t)
	owner := f.account(t, "professional")
	_, k := f.issue(t, owner)
	_, own := f.create(t, apikey.Request{Name: "Mine", Plan: "freelancer"})
	if got, err := f.Get(t.Context(), owner.Account, k.ID); err != nil || got.ID != k.ID {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := f.Get(t.Context(), "acc_2", k.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("read from another account: %v", err)
	}
	if _, err := f.Revoke(t.Context(), operator(), "", k.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("revoked from outside: %v", err)
	}
	if _, err := f.Revoke(t.Context(), operator(), owner.Account, own.ID); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("revoked from another account: %v", err)
	}
	for account, want := range map[string]string{owner.Account: k.ID, "": own.ID} {
		keys, err := f.ListOf(t.Context(), account)
		if err != nil || len(keys) != 1 || keys[0].ID != want {
			t.Errorf("keys of %q: %v, %v", account, keys, err)
		}
	}
}

// Of many rotations of one key at once one succeeds: the key is looked at inside the transaction.
func TestRotate_OnceOnly(t *testing.T) {
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
		t.Error(diff)
	}
}
