package integration

import (
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
	"freelancer-matching/store"
	"freelancer-matching/store/sqlite"
)

// one is the cheapest request that takes from what a key may use.
const one = "/api/v1/generate-test-data?num_freelancers=1"

// crowd has callers send requests at the same moment, each to one of the servers, and counts the answers by status and code.
func crowd(t *testing.T, callers int, servers ...*server) map[string]int {
	t.Helper()
	var (
		mu      sync.Mutex
		answers = map[string]int{}
		all     sync.WaitGroup
		begin   = make(chan struct{})
	)
	for i := range callers {
		all.Go(func() {
			<-begin
			status, answer, err := servers[i%len(servers)].try(http.MethodGet, one, "")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[fmt.Sprint(status, " ", code(answer))]++
		})
	}
	close(begin)
	all.Wait()
	return answers
}

// withinAMinute does something that begins and ends in the same minute of the clock, so that it is counted in one window: again
// where a slow machine took longer, which must do no harm.
func withinAMinute(t *testing.T, try func()) {
	t.Helper()
	minute := func() time.Time { return time.Now().Truncate(quota.Minute) }
	for range 5 {
		eventually(t, "the next minute", func() bool { return time.Now().Second() < 40 })
		began := minute()
		if try(); minute().Equal(began) {
			return
		}
	}
	t.Fatal("this machine is too slow: nothing was done within a minute of the clock")
}

// keyFor is a key made on the command line, and what it may use.
func keyFor(t *testing.T, plan string, db *store.DB, flags ...string) (token string, a quota.Allowance) {
	t.Helper()
	token = keyPattern.FindString(run(t, "server", append([]string{"keys", "create", "-plan", plan, "-name", "test"}, flags...)...))
	k, err := apikey.NewService(db, time.Now).Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := apikey.PlanNamed(k.Plan)
	return token, quota.Allowance{Subject: k.Counter, Since: k.PlanSince, PerMinute: p.PerMinute, PerMonth: p.Per30Days}
}

func openSQLite(t *testing.T, data string) *store.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(data, "matching.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// windows are those of an allowance in the first month of its plan.
func windows(a quota.Allowance) quota.Windows {
	return quota.Windows{
		Minute: quota.Window{Start: time.Now().Truncate(quota.Minute), Limit: a.PerMinute},
		Month:  quota.Window{Start: a.Since, Limit: a.PerMonth},
	}
}

// Of 500 callers at once, a plan of 100 a minute lets exactly 100 through.
func TestQuota_ExactlyTheAllowance(t *testing.T) {
	data := t.TempDir()
	db, s := openSQLite(t, data), start(t, "-data", data)
	var got map[string]int
	withinAMinute(t, func() {
		token, _ := keyFor(t, "freelancer", db, "-data", data)
		got = crowd(t, 500, s.with(token))
	})
	want := map[string]int{"200 ": 100, "429 rate_limit_exceeded": 400}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was answered before the server was killed is counted after it starts again, request for request; of those under way at
// that moment each may be.
func TestQuota_SurvivesKill(t *testing.T) {
	const callers, before = 16, 300
	var (
		served, left int
		used         quota.Windows
		after        map[string]int
	)
	withinAMinute(t, func() {
		data := t.TempDir()
		db := openSQLite(t, data)
		token, a := keyFor(t, "professional", db, "-data", data)
		served = serveAndKill(t, start(t, "-data", data).with(token), callers, before)
		again := start(t, "-data", data).with(token)
		var err error
		if used, err = db.Peek(t.Context(), a.Subject, windows(a)); err != nil {
			t.Fatal(err)
		}
		left = a.PerMinute - used.Minute.Used
		after = crowd(t, left+50, again)
	})
	if served < before {
		t.Errorf("the server ended after %d requests, before it was killed", served)
	}
	if used.Month.Used < served || used.Month.Used > served+callers || used.Minute.Used != used.Month.Used {
		t.Errorf("%d requests served, and counted %d in the minute, %d in the month", served, used.Minute.Used, used.Month.Used)
	}
	if want := map[string]int{"200 ": left, "429 rate_limit_exceeded": 50}; !gocmp.Equal(want, after) {
		t.Errorf("after the restart: %v, want %v", after, want)
	}
}

// serveAndKill has callers ask a server over and over, kills it when so many requests are served, and is how many were in all.
func serveAndKill(t *testing.T, s *server, callers, before int) int {
	t.Helper()
	var served atomic.Int64
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for {
				status, _, err := s.try(http.MethodGet, one, "")
				if err != nil {
					return // killed
				}
				if status != http.StatusOK {
					t.Errorf("answered %d", status)
					return
				}
				if served.Add(1) == int64(before) {
					if err := s.cmd.Process.Kill(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	_ = s.cmd.Wait()
	return int(served.Load())
}
