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

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
)

// cheapRequest is the path of the cheapest request that counts against a key's limits.
const cheapRequest = "/api/v1/generate-test-data?num_freelancers=1"

// sendAtOnce sends one request per caller at the same moment, in turn to each of the servers. It returns the number of
// responses by status and error code. A caller whose account has too many requests in progress, which are not counted,
// tries again.
func sendAtOnce(t *testing.T, callers int, servers ...*server) map[string]int {
	t.Helper()
	var (
		mu        sync.Mutex
		responses = map[string]int{}
		group     sync.WaitGroup
		begin     = make(chan struct{})
	)
	for i := range callers {
		group.Go(func() {
			<-begin
			got := "429 too_many_concurrent_requests"
			for got == "429 too_many_concurrent_requests" {
				status, response, err := servers[i%len(servers)].Try(http.MethodGet, cheapRequest, "")
				if err != nil {
					t.Error(err)
				}
				got = fmt.Sprint(status, " ", errorCode(response))
			}

			mu.Lock()
			defer mu.Unlock()

			responses[got]++
		})
	}

	close(begin)
	group.Wait()
	return responses
}

// withinAMinute repeats try until one call begins and ends in the same minute of the clock, so that the server counts
// its requests in one window. After the first attempt, it waits for the beginning of a minute, which gives a slow
// machine the most time.
func withinAMinute(t *testing.T, try func()) {
	t.Helper()
	minute := func() time.Time { return time.Now().Truncate(quota.Minute) }
	lastStart := 40
	for range 5 {
		programs.Eventually(t, "the next minute", func() bool { return time.Now().Second() < lastStart })
		began := minute()
		if try(); minute().Equal(began) {
			return
		}
		lastStart = 3
	}
	t.Fatal("no attempt finished within a minute of the clock")
}

// keyFor creates a key on the command line and returns it with the allowance of its plan.
func keyFor(t *testing.T, plan string, db *store.DB, flags ...string) (token string, a quota.Allowance) {
	t.Helper()
	flags = append([]string{"keys", "create", "-plan", plan, "-name", "test"}, flags...)
	token = programs.KeyPattern.FindString(programs.Run(t, "server", flags...))
	k, err := apikey.NewService(db.Keys, time.Now).Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := apikey.PlanNamed(k.Plan)
	return token, quota.Allowance{
		Subject: k.Counter, Since: k.PlanSince, PerMinute: p.PerMinute, PerMonth: p.Per30Days,
	}
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

// windows returns the current windows of an allowance whose plan began less than a month ago.
func windows(a quota.Allowance) quota.Windows {
	return quota.Windows{
		Minute: quota.Window{Start: time.Now().Truncate(quota.Minute), Limit: a.PerMinute},
		Month:  quota.Window{Start: a.Since, Limit: a.PerMonth},
	}
}

// A plan with a limit of 100 requests per minute accepts exactly 100 of 500 concurrent requests.
func TestQuota_ExactLimit(t *testing.T) {
	data := t.TempDir()
	db := openSQLite(t, data)
	s := start(t, "-data", data)
	var got map[string]int
	withinAMinute(t, func() {
		token, _ := keyFor(t, "freelancer", db, "-data", data)
		got = sendAtOnce(t, 500, s.withKey(token))
	})
	want := map[string]int{"200 ": 100, "429 rate_limit_exceeded": 400}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every request that was answered before the server was killed is still counted after a restart. A request that was in
// progress may be counted or not.
func TestQuota_SurvivesKill(t *testing.T) {
	const callers, killAfter = 16, 300
	var (
		served, remaining int
		used              quota.Windows
		after             map[string]int
	)

	withinAMinute(t, func() {
		data := t.TempDir()
		db := openSQLite(t, data)
		token, a := keyFor(t, "professional", db, "-data", data)
		served = serveAndKill(t, start(t, "-data", data).withKey(token), callers, killAfter)
		restarted := start(t, "-data", data).withKey(token)
		var err error
		if used, err = db.Quotas.Peek(t.Context(), a.Subject, windows(a)); err != nil {
			t.Fatal(err)
		}

		remaining = a.PerMinute - used.Minute.Used
		after = sendAtOnce(t, remaining+50, restarted)
	})

	if served < killAfter {
		t.Errorf("the server ended by itself after %d requests", served)
	}

	if used.Month.Used < served || used.Month.Used > served+callers || used.Minute.Used != used.Month.Used {
		t.Errorf("%d requests served, but %d counted in the minute and %d in the month",
			served, used.Minute.Used, used.Month.Used)
	}

	if want := map[string]int{"200 ": remaining, "429 rate_limit_exceeded": 50}; !gocmp.Equal(want, after) {
		t.Errorf("after the restart: %v, want %v", after, want)
	}
}

// serveAndKill sends requests from several callers and kills the server once it has served killAfter requests. It
// returns the number of requests that were served.
func serveAndKill(t *testing.T, s *server, callers, killAfter int) int {
	t.Helper()
	var served atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for {
				status, _, err := s.Try(http.MethodGet, cheapRequest, "")
				if err != nil {
					return // killed
				}

				if status != http.StatusOK {
					t.Errorf("status %d", status)
					return
				}

				if served.Add(1) == int64(killAfter) {
					if err := s.Cmd.Process.Kill(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}

	group.Wait()
	_ = s.Cmd.Wait()
	return int(served.Load())
}
