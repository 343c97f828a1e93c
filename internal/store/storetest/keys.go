// Package storetest holds the contract suites that every database passes.
package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/server/apikey"
)

// Keys runs the contract of apikey.Store against stores made by open, each of them empty.
func Keys(t *testing.T, open func(t *testing.T) apikey.Store) {
	tests := map[string]func(t *testing.T, s apikey.Store){
		"a key comes back as it was stored":      keepsEverything,
		"an unknown hash is not found":           unknownHash,
		"ids and hashes are unique":              refusesDuplicates,
		"keys are listed oldest first":           listsInOrder,
		"revoking marks once and keeps":          revokes,
		"revoking an unknown key is not found":   revokesUnknown,
		"the last use never moves back":          touches,
		"many readers and writers at once agree": concurrent,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// start is a moment with a fraction of a second, which a store must keep.
func start() time.Time { return time.Date(2031, 5, 17, 9, 30, 0, 123_000_000, time.UTC) }

func key(n int) apikey.Key {
	return apikey.Key{
		ID: fmt.Sprintf("key_%012d", n), Name: fmt.Sprintf("Søren & Ko %d", n), Plan: "professional", Prefix: "svc_pr_",
		Last4: "wxyz", Hash: apikey.HashOf(fmt.Sprint(n)), Created: start().Add(time.Duration(n) * time.Second),
	}
}

func insert(t *testing.T, s apikey.Store, keys ...apikey.Key) {
	t.Helper()
	for _, k := range keys {
		if err := s.InsertKey(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
}

func byHash(t *testing.T, s apikey.Store, h apikey.Hash) apikey.Key {
	t.Helper()
	k, err := s.KeyByHash(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func keepsEverything(t *testing.T, s apikey.Store) {
	full := key(1)
	full.Expires, full.Disabled = start().Add(time.Hour), start().Add(time.Minute)
	full.Revoked, full.LastUsed = start().Add(2*time.Minute), start().Add(3*time.Minute)
	for _, want := range []apikey.Key{full, key(2)} {
		insert(t, s, want)
		if diff := cmp.Diff(want, byHash(t, s, want.Hash)); diff != "" {
			t.Error(diff)
		}
	}
}

func unknownHash(t *testing.T, s apikey.Store) {
	insert(t, s, key(1))
	if _, err := s.KeyByHash(t.Context(), apikey.HashOf("other")); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func refusesDuplicates(t *testing.T, s apikey.Store) {
	insert(t, s, key(1))
	sameID, sameHash := key(2), key(3)
	sameID.ID, sameHash.Hash = key(1).ID, key(1).Hash
	for _, k := range []apikey.Key{sameID, sameHash} {
		if err := s.InsertKey(t.Context(), k); err == nil {
			t.Errorf("a second key %s %x was accepted", k.ID, k.Hash[:4])
		}
	}
}

func listsInOrder(t *testing.T, s apikey.Store) {
	if keys, err := s.Keys(t.Context()); err != nil || len(keys) != 0 {
		t.Fatalf("empty store: got %v, %v", keys, err)
	}
	insert(t, s, key(3), key(1), key(2))
	keys, err := s.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]apikey.Key{key(1), key(2), key(3)}, keys); diff != "" {
		t.Error(diff)
	}
}

func revokes(t *testing.T, s apikey.Store) {
	insert(t, s, key(1), key(2))
	want := key(1)
	want.Revoked = start().Add(time.Hour)
	for _, at := range []time.Time{want.Revoked, want.Revoked.Add(time.Hour)} {
		got, err := s.RevokeKey(t.Context(), want.ID, at)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(want, byHash(t, s, want.Hash)); diff != "" {
		t.Error(diff)
	}
	if other := byHash(t, s, key(2).Hash); !other.Revoked.IsZero() {
		t.Error("another key was revoked too")
	}
}

func revokesUnknown(t *testing.T, s apikey.Store) {
	if _, err := s.RevokeKey(t.Context(), "key_none", start()); !errors.Is(err, apikey.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func touches(t *testing.T, s apikey.Store) {
	insert(t, s, key(1), key(2))
	late := start().Add(time.Hour)
	for _, used := range []map[string]time.Time{
		{key(1).ID: late, "key_none": late},
		{key(1).ID: start(), key(2).ID: start()},
		{},
	} {
		if err := s.TouchKeys(t.Context(), used); err != nil {
			t.Fatal(err)
		}
	}
	for n, want := range map[int]time.Time{1: late, 2: start()} {
		if got := byHash(t, s, key(n).Hash).LastUsed; !got.Equal(want) {
			t.Errorf("key %d: last used %v, want %v", n, got, want)
		}
	}
}

func concurrent(t *testing.T, s apikey.Store) {
	const n = 20
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if err := s.InsertKey(t.Context(), key(i)); err != nil {
				t.Error(err)
			}
			if _, err := s.KeyByHash(t.Context(), key(i).Hash); err != nil {
				t.Errorf("a key is not there after it was inserted: %v", err)
			}
			if err := s.TouchKeys(t.Context(), map[string]time.Time{key(i).ID: start()}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	keys, err := s.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unused := func(k apikey.Key) bool { return k.LastUsed.IsZero() }
	if len(keys) != n || slices.ContainsFunc(keys, unused) {
		t.Errorf("got %d keys, want %d, each used", len(keys), n)
	}
}
