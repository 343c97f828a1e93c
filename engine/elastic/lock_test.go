//go:build integration

package elastic_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic"
)

// lockOptions are options with short periods, and the address of the lock.
func lockOptions(t *testing.T) (o elastic.Options, url string) {
	t.Helper()
	o = testOptions(t)
	elastic.Hurry(&o)
	return o, o.URLs[0] + "/" + o.Prefix + "indexer-lock/_doc/lock"
}

// claimBy is the lock as another process would write it.
func claimBy(owner string, renewed time.Time) string {
	when := renewed.UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"owner": %q, "token": %q, "since": %q, "renewed": %q}`, owner, owner, when, when)
}

func TestLock_TakenOverFromTheDead(t *testing.T) {
	for name, renewed := range map[string]time.Time{
		"long silent":                      time.Now().Add(-time.Hour),
		"silent, with a clock before ours": time.Now().Add(time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			o, url := lockOptions(t)
			e := openEngine(t, o)
			release, err := e.Lock(t.Context(), "first") // makes the index
			if err != nil {
				t.Fatal(err)
			}
			if err := release(); err != nil {
				t.Fatal(err)
			}
			ask(t, http.MethodPut, url, claimBy("the dead", renewed))
			release, err = e.Lock(t.Context(), "heir")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Lock(t.Context(), "third"); !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "heir") {
				t.Errorf("lock: error %v, want that heir has it", err)
			}
			if err := release(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A clock may be wrong by hours: as long as a holder gives signs of life, it keeps the lock.
func TestLock_NotTakenFromTheLiving(t *testing.T) {
	o, url := lockOptions(t)
	e := openEngine(t, o)
	release, err := e.Lock(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	alive := func() { ask(t, http.MethodPut, url, claimBy("slow clock", time.Now().Add(-time.Hour))) }
	alive()
	ctx, stop := context.WithCancel(t.Context())
	var living sync.WaitGroup
	living.Go(func() {
		for ctx.Err() == nil {
			alive()
		}
	})
	_, err = e.Lock(t.Context(), "second")
	stop()
	living.Wait()
	if !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "slow clock") {
		t.Errorf("lock: error %v, want that slow clock has it", err)
	}
}

// Whoever lost the lock does nothing more that another indexer could be in the midst of, and leaves the other's lock.
func TestLock_Lost(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, url string){
		"taken over": func(t *testing.T, url string) { ask(t, http.MethodPut, url, claimBy("another", time.Now())) },
		"removed":    func(t *testing.T, url string) { ask(t, http.MethodDelete, url, "") },
	} {
		t.Run(name, func(t *testing.T) {
			o, url := lockOptions(t)
			e := openEngine(t, o)
			build(t, e, "live", 1)
			release, err := e.Lock(t.Context(), "first")
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Create(t.Context(), spec(t, "next")); err != nil {
				t.Fatal(err)
			}
			b, err := e.Bulk(t.Context(), "next", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Drop(t.Context(), "unknown"); err != nil {
				t.Errorf("with the lock: %v", err)
			}
			lose(t, url)
			const says = "the lock was lost"
			for err = nil; err == nil && t.Context().Err() == nil; { // until the next renewal
				err = e.Drop(t.Context(), "unknown")
			}
			wantSays(t, "drop", err, says)
			_, err = b.Close(t.Context())
			wantSays(t, "close", err, says)
			_, err = e.PointAlias(t.Context(), "freelancers", "live")
			wantSays(t, "point alias", err, says)
			wantSays(t, "release", release(), says)
			if err := e.Drop(t.Context(), "unknown"); err != nil {
				t.Errorf("after release: %v", err)
			}
			if name == "taken over" && !strings.Contains(ask(t, http.MethodGet, url, ""), "another") {
				t.Error("release removed the lock of another")
			}
		})
	}
}

// A lock that was released meanwhile can be had, as often as it is.
func TestLock_Contended(t *testing.T) {
	o, _ := lockOptions(t)
	var holders, rounds int
	var mu sync.Mutex
	var contending sync.WaitGroup
	for i := range 4 {
		e := openEngine(t, o)
		contending.Go(func() {
			for got := 0; got < 5; {
				release, err := e.Lock(t.Context(), fmt.Sprint("contender ", i))
				if errors.Is(err, engine.ErrConflict) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				got++
				mu.Lock()
				holders++
				rounds++
				if holders > 1 {
					t.Errorf("%d hold the lock", holders)
				}
				mu.Unlock()
				mu.Lock()
				holders--
				mu.Unlock()
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	contending.Wait()
	if rounds != 20 {
		t.Errorf("the lock was had %d times, want 20", rounds)
	}
}

// An index that has the name of ours for the lock is left alone.
func TestLock_ForeignIndex(t *testing.T) {
	o, _ := lockOptions(t)
	e := openEngine(t, o)
	ask(t, http.MethodPut, o.URLs[0]+"/"+o.Prefix+"indexer-lock", "")
	_, err := e.Lock(t.Context(), "first")
	wantSays(t, "lock", err, "not made by this program")
	if err := e.Create(t.Context(), spec(t, "indexer-lock")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("create: error %v, want %v", err, engine.ErrConflict)
	}
}

// The index with the lock is hidden, and never listed.
func TestLock_NotListed(t *testing.T) {
	o, _ := lockOptions(t)
	e := openEngine(t, o)
	release, err := e.Lock(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}
	if infos, err := e.Indexes(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("indexes = %v, %v; want none", infos, err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Errorf("second release: %v", err)
	}
}
