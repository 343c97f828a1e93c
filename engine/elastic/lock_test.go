//go:build integration

package elastic_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
)

// lockOptions returns options with short periods, and the address of the lock's document.
func lockOptions(t *testing.T) (o elastic.Options, url string) {
	t.Helper()
	o = testOptions(t)
	elastic.ShortenWaits(&o)
	return o, o.URLs[0] + "/" + o.Prefix + "indexer-lock/_doc/lock"
}

// claimBy returns the lock's document as another process would write it.
func claimBy(owner string, renewed time.Time) string {
	when := renewed.UTC().Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"owner": %q, "token": %q, "since": %q, "renewed": %q}`, owner, owner, when, when)
}

func TestLock_TakeOverStaleLock(t *testing.T) {
	for name, renewed := range map[string]time.Time{
		"old":                 time.Now().Add(-time.Hour),
		"clock ahead of ours": time.Now().Add(time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			o, url := lockOptions(t)
			e := openEngine(t, o)
			release, err := e.Lock(t.Context(), "first") // creates the index
			if err != nil {
				t.Fatal(err)
			}

			if err := release(); err != nil {
				t.Fatal(err)
			}
			ask(t, http.MethodPut, url, claimBy("dead process", renewed))
			release, err = e.Lock(t.Context(), "successor")
			if err != nil {
				t.Fatal(err)
			}

			_, err = e.Lock(t.Context(), "third")
			if !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "successor") {
				t.Errorf("lock: got error %v, want a conflict with successor", err)
			}

			if err := release(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A holder whose clock is wrong by hours keeps the lock as long as it renews it.
func TestLock_RespectsRenewals(t *testing.T) {
	o, url := lockOptions(t)
	e := openEngine(t, o)
	release, err := e.Lock(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}

	if err := release(); err != nil {
		t.Fatal(err)
	}
	renew := func() { ask(t, http.MethodPut, url, claimBy("slow clock", time.Now().Add(-time.Hour))) }
	renew()
	ctx, stop := context.WithCancel(t.Context())
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for ctx.Err() == nil {
			renew()
		}
	})

	_, err = e.Lock(t.Context(), "second")
	stop()
	renewing.Wait()

	if !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "slow clock") {
		t.Errorf("lock: got error %v, want a conflict with slow clock", err)
	}
}

// An engine that has lost the lock refuses operations that could interfere with another indexer, and leaves the other's
// lock alone.
func TestLock_Lost(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, url string){
		"taken over": func(t *testing.T, url string) { ask(t, http.MethodPut, url, claimBy("another", time.Now())) },
		"deleted":    func(t *testing.T, url string) { ask(t, http.MethodDelete, url, "") },
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
			const want = "the lock was lost"

			for err = nil; err == nil; { // until the next renewal
				err = e.Drop(t.Context(), "unknown")
			}
			checkError(t, "drop", err, want)
			_, err = b.Close(t.Context())
			checkError(t, "close", err, want)
			_, err = e.PointAlias(t.Context(), "freelancers", "live")
			checkError(t, "point alias", err, want)
			checkError(t, "release", release(), want)

			if err := e.Drop(t.Context(), "unknown"); err != nil {
				t.Errorf("after release: %v", err)
			}

			if name == "taken over" && !strings.Contains(ask(t, http.MethodGet, url, ""), "another") {
				t.Error("release deleted the lock of another process")
			}
		})
	}
}

// Of several engines that want the lock, only one has it at a time, and all get it.
func TestLock_Contention(t *testing.T) {
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
					t.Errorf("%d engines hold the lock", holders)
				}
				mu.Unlock()
				runtime.Gosched()
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
		t.Errorf("the lock was acquired %d times, want 20", rounds)
	}
}

// An index of another program with the name of the lock's index is not changed.
func TestLock_ForeignIndex(t *testing.T) {
	o, _ := lockOptions(t)
	e := openEngine(t, o)
	ask(t, http.MethodPut, o.URLs[0]+"/"+o.Prefix+"indexer-lock", "")
	_, err := e.Lock(t.Context(), "first")
	checkError(t, "lock", err, "not created by this program")
	if err := e.Create(t.Context(), spec(t, "indexer-lock")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("create: got error %v, want %v", err, engine.ErrConflict)
	}
}

// The lock's index is never listed. Releasing the lock twice is not an error.
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
