//go:build integration

package integration

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/redis"
	"github.com/freelancer-matching/service/integration/programs"
)

// replicas starts n servers at the same moment, on an empty PostgreSQL database and the Redis server of this run.
func replicas(t *testing.T, n int) (servers []*server, database string) {
	t.Helper()
	database = newDatabase(t)
	for range n {
		servers = append(servers,
			launch(t, "-data", t.TempDir(), "-database-url", database, "-redis-url", service(t, redisVariable)))
	}
	for _, s := range servers {
		s.Await(t)
	}
	return servers, database
}

// setUpAdministrators follows the setup link that each server has printed, but on a different server. It returns the
// visitors who became administrators.
func setUpAdministrators(t *testing.T, servers []*server) (signedIn []*visitor) {
	t.Helper()
	for i, s := range servers {
		found := setUpPattern.FindStringSubmatch(s.Greeting)
		if found == nil {
			t.Fatalf("no setup link in:\n%s", s.Greeting)
		}
		v := newVisitor(t, servers[(i+1)%len(servers)])
		p := v.follow(t, "setup", found[1], url.Values{
			"account_name": {"Operations"}, "email": {fmt.Sprintf("root%d@example.com", i)}, "password": {password},
		})
		if p.status == http.StatusOK && p.path == twoFactorPath {
			v.enroll(t)
			signedIn = append(signedIn, v)
		}
	}
	return signedIn
}

// Servers that start together on an empty database all become ready, and only one of their links works.
func TestReplicas_StartTogether(t *testing.T) {
	servers, _ := replicas(t, 4)
	if n := len(setUpAdministrators(t, servers)); n != 1 {
		t.Errorf("%d administrators, want 1", n)
	}
}

// sendUntilCounted works like sendAtOnce, except that callers whose request could not be counted retry until it is
// accepted or exceeds a limit. Requests fail to be counted on a slow machine, where Redis may respond too late. The
// second result is the number of such failures. Redis may have counted each of them, because only its response was
// late.
func sendUntilCounted(t *testing.T, callers int, servers ...*server) (responses map[string]int, uncertain int) {
	t.Helper()
	const notCounted = "503 quota_unavailable"
	responses = sendAtOnce(t, callers, servers...)
	pending := responses[notCounted]
	uncertain = pending
	delete(responses, notCounted)
	programs.Eventually(t, "the count of every request", func() bool {
		for ; pending > 0; pending-- {
			status, response := servers[pending%len(servers)].Call(t, http.MethodGet, cheapRequest, "")
			got := fmt.Sprint(status, " ", errorCode(response))
			if got == notCounted {
				uncertain++
				return false // give Redis a moment
			}

			responses[got]++
		}

		return true
	})

	return responses, uncertain
}

// wantExactly fails the test unless the whole allowance was used, no request exceeded it, and all others were rejected
// with the given code. Each uncertain request may have used one request of the allowance without being served.
func wantExactly(t *testing.T, allowance, callers, uncertain int, code string, responses map[string]int) {
	t.Helper()
	served := responses["200 "]
	rejected := responses["429 "+code]
	if served > allowance || served < allowance-uncertain || served+rejected != callers {
		t.Errorf("%v with %d uncertain, of %d callers; want %d served and all others rejected with %s",
			responses, uncertain, callers, allowance, code)
	}
}

// openRedis opens a Redis server as the quota store does, but with a longer timeout.
func openRedis(t *testing.T, address string) *redis.Store {
	t.Helper()
	c, err := redis.Open(redis.Options{URL: address, Timeout: programs.Patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Two servers together accept exactly 100 of 500 concurrent requests of a key with a limit of 100 per minute.
func TestReplicas_ExactMinuteLimit(t *testing.T) {
	servers, database := replicas(t, 2)
	db := openPostgres(t, database)
	c := openRedis(t, service(t, redisVariable))
	var (
		got       map[string]int
		uncertain int
		used      quota.Windows
	)

	withinAMinute(t, func() {
		token, a := keyFor(t, "freelancer", db, "-database-url", database)
		got, uncertain = sendUntilCounted(t, 500, servers[0].withKey(token), servers[1].withKey(token))
		var err error
		if used, err = c.Peek(t.Context(), a.Subject, windows(a)); err != nil {
			t.Fatal(err)
		}
	})

	wantExactly(t, 100, 500, uncertain, "rate_limit_exceeded", got)
	if used.Minute.Used != 100 || used.Month.Used != 100 {
		t.Errorf("counted %d in the minute, %d in the month; want 100", used.Minute.Used, used.Month.Used)
	}
}

// If 50 of a month's 5,000 requests remain, the servers accept exactly 50.
func TestReplicas_ExactMonthLimit(t *testing.T) {
	const remaining = 50
	servers, database := replicas(t, 2)
	token, a := keyFor(t, "freelancer", openPostgres(t, database), "-database-url", database)
	c := openRedis(t, service(t, redisVariable))
	w := windows(a)
	// a past minute
	w.Minute.Start = w.Minute.Start.Add(-quota.Minute)
	w.Minute.Limit = a.PerMonth
	for range a.PerMonth - remaining {
		if _, taken, err := c.Take(t.Context(), a.Subject, w); !taken || err != nil {
			t.Fatal(taken, err)
		}
	}
	got, uncertain := sendUntilCounted(t, 500, servers[0].withKey(token), servers[1].withKey(token))
	wantExactly(t, remaining, 500, uncertain, "quota_exceeded", got)
	if used, err := c.Peek(t.Context(), a.Subject, windows(a)); err != nil || used.Month.Used != a.PerMonth {
		t.Errorf("counted %d of %d (%v)", used.Month.Used, a.PerMonth, err)
	}
}

// A change to a key or session on one server applies to the next request on the other.
func TestReplicas_SeeChangesImmediately(t *testing.T) {
	servers, _ := replicas(t, 2)
	here := servers[0]
	there := servers[1]
	v := setUpAdministrators(t, servers)[0]
	v.base = here.URL
	token, id := v.newKey(t, "Website")
	wantStatus := func(s *server, step string, want string) {
		t.Helper()
		status, response := s.withKey(token).Call(t, http.MethodGet, "/api/v1/health", "")
		if got := fmt.Sprint(status, " ", errorCode(response)); got != want {
			t.Errorf("%s: %s, want %s", step, got, want)
		}
	}

	wantStatus(there, "created", "200 ")
	v.post(t, "/dashboard/keys/"+id+"/disable", nil)
	wantStatus(there, "disabled", "401 disabled_api_key")
	v.base = there.URL // the session is valid there too
	v.post(t, "/dashboard/keys/"+id+"/enable", nil)
	wantStatus(here, "enabled", "200 ")
	v.revoke(t, token, id)
	wantStatus(here, "revoked", "401 revoked_api_key")
	v.post(t, "/dashboard/account/sign-out-everywhere", nil)
	v.base = here.URL
	if p := v.get(t, "/dashboard"); p.path != "/dashboard/sign-in" {
		t.Errorf("after signing out on the other server: at %s, want the sign-in page", p.path)
	}
}

// While Redis is down, both servers reject keys with limits and serve keys without limits. Once Redis is back, they
// share their counts again.
func TestOutage_OfRedis(t *testing.T) {
	const outageMessage = "quota store unavailable"
	cache := newRedis(t)
	database := newDatabase(t)
	var servers []*server
	var metrics []string
	for range 2 {
		address := "127.0.0.1:" + freePort(t)
		metrics = append(metrics, address)
		servers = append(servers, start(t, "-database-url", database, "-redis-url", cache.url(), "-data", t.TempDir(),
			"-metrics-addr", address))
	}

	db := openPostgres(t, database)
	newKey := func(plan string) string {
		token, _ := keyFor(t, plan, db, "-database-url", database)
		return token
	}

	limited := newKey("freelancer")
	unlimited := newKey("enterprise")

	before := sendAtOnce(t, 60, servers[0].withKey(limited), servers[1].withKey(limited))
	var allowed, unavailable float64
	for _, address := range metrics {
		counts := quotaDecisions(t, address)
		allowed += counts[`{outcome="allowed"}`]
		unavailable += counts[`{outcome="unavailable"}`]
	}

	if int(allowed) != before["200 "] || int(unavailable) != before["503 quota_unavailable"] {
		t.Errorf("metrics count %v allowed and %v unavailable, responses were %v", allowed, unavailable, before)
	}

	cache.kill()
	var reported []int // outages per server that a slow Redis caused before it was killed
	for _, s := range servers {
		reported = append(reported, strings.Count(s.Log.String(), outageMessage))
		if got := sendAtOnce(t, 40, s.withKey(limited)); got["503 quota_unavailable"] != 40 {
			t.Errorf("key with limits: %v, want 40 times 503", got)
		}

		_, response := s.withKey(limited).Call(t, http.MethodGet, cheapRequest, "")
		failure, _ := response["error"].(map[string]any)
		if m, _ := failure["message"].(string); !strings.HasPrefix(m, "The store of request counts does not respond") {
			t.Errorf("the message of a refused request is %q, want its cause first", m)
		}

		if got := sendAtOnce(t, 40, s.withKey(unlimited)); got["200 "] != 40 {
			t.Errorf("key without limits: %v, want 40 times 200", got)
		}
	}

	cache.start(t)
	for i, s := range servers {
		if n := strings.Count(s.Log.String(), outageMessage); n == 0 || n > reported[i]+1 {
			t.Errorf("the log records %d outages, want 1 after %d:\n%s", n, reported[i], s.Log)
		}

		programs.Eventually(t, "the end of the outage in the log", func() bool {
			status, _ := s.withKey(limited).Call(t, http.MethodGet, cheapRequest, "")
			return (status == http.StatusOK || status == http.StatusTooManyRequests) &&
				strings.Contains(s.Log.String(), "quota store available again")
		})
	}

	var (
		together  map[string]int
		uncertain int
	)

	withinAMinute(t, func() {
		token := newKey("freelancer")
		together, uncertain = sendUntilCounted(t, 300, servers[0].withKey(token), servers[1].withKey(token))
	})

	wantExactly(t, 100, 300, uncertain, "rate_limit_exceeded", together)
	for i, address := range metrics {
		if got := quotaDecisions(t, address); got[`{outcome="unavailable"}`] < 40 {
			t.Errorf("server %d: decisions are %v, want at least 40 unavailable", i, got)
		}
		if strings.Contains(servers[i].Log.String(), "panic") {
			t.Errorf("server %d panicked:\n%s", i, servers[i].Log)
		}
	}
}

// Requests that were accepted before Redis was killed are counted exactly once after its restart.
func TestOutage_KeepsCounts(t *testing.T) {
	const callers = 70
	var (
		served       map[string]int
		uncertain    int
		before, used quota.Windows
	)

	withinAMinute(t, func() {
		cache := newRedis(t)
		data := t.TempDir()
		token, a := keyFor(t, "professional", openSQLite(t, data), "-data", data) // whose limits are higher
		served, uncertain = sendUntilCounted(t, callers, start(t, "-data", data, "-redis-url", cache.url()).withKey(token))
		before = usageIn(t, cache, a)
		cache.kill()
		cache.start(t)
		used = usageIn(t, cache, a)
	})

	if served["200 "] != callers || before.Month.Used < callers {
		t.Errorf("served %v, of which %d were counted", served, before.Month.Used)
	}

	// Until it was killed, Redis may have counted requests whose servers no longer waited for it.
	if used.Month.Used < before.Month.Used || used.Month.Used > callers+uncertain ||
		used.Minute.Used != used.Month.Used {
		t.Errorf("served %d with %d uncertain, counted %d before the kill, and %d in the minute, %d in the month after it",
			callers, uncertain, before.Month.Used, used.Minute.Used, used.Month.Used)
	}
}

// usageIn returns the counts of an allowance that a Redis server has stored.
func usageIn(t *testing.T, r *ownRedis, a quota.Allowance) quota.Windows {
	t.Helper()
	used, err := openRedis(t, r.url()).Peek(t.Context(), a.Subject, windows(a))
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// While PostgreSQL is unreachable or hangs, the API and the dashboard report it. They recover without a restart.
func TestOutage_OfPostgres(t *testing.T) {
	wire, database := newWire(t, newDatabase(t))
	s := start(t, "-data", t.TempDir(), "-database-url", database, "-request-timeout", "10s") // a hung request ends then
	v := newVisitor(t, s)
	v.setUp(t, s)
	token, _ := v.newKey(t, "Website")
	api := newVisitor(t, s)
	stranger := newVisitor(t, s)
	api.headers.Set("X-API-Key", token)

	for _, outage := range []struct {
		name  string
		begin func() (end func())
	}{
		{"stopped", func() func() {
			wire.Stop()
			return func() {
				if err := wire.Start(); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"hung", func() func() {
			toxic := strings.NewReader(`{"name":"hang","type":"timeout","attributes":{"timeout":0}}`)
			if _, err := wire.Toxics.AddToxicJson(toxic); err != nil {
				t.Fatal(err)
			}

			return func() {
				if err := wire.Toxics.RemoveToxic(context.Background(), "hang"); err != nil {
					t.Fatal(err)
				}
			}
		}},
	} {
		t.Run(outage.name, func(t *testing.T) {
			wantUnavailable := func(p page, text string) {
				t.Helper()
				if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" ||
					!strings.Contains(p.body, text) {
					t.Errorf("%s: %d %v\n%s", p.path, p.status, p.header, p.body)
				}
			}

			end := outage.begin()
			wantUnavailable(api.get(t, cheapRequest), `"database_unavailable"`)
			wantUnavailable(v.get(t, "/dashboard"), "Database unavailable")
			wantUnavailable(stranger.signIn(t, administrator, password), "Database unavailable")
			end()
			programs.Eventually(t, "the recovery of the API", func() bool {
				return api.get(t, cheapRequest).status == http.StatusOK
			})
			programs.Eventually(t, "the recovery of the dashboard", func() bool {
				return v.get(t, "/dashboard").status == http.StatusOK
			})
		})
	}

	if !strings.Contains(s.Log.String(), "code=database_unavailable") {
		t.Errorf("the log does not record the outage:\n%s", s.Log)
	}
}

// quotaDecisions reads the server's metric of quota decisions and returns its values by label.
func quotaDecisions(t *testing.T, address string) map[string]float64 {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	values := map[string]float64{}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		series, text, _ := strings.Cut(lines.Text(), " ")
		if labels, found := strings.CutPrefix(series, "matching_quota_decisions_total"); found {
			if values[labels], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return values
}
