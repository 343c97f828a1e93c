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

	"freelancer-matching/access/quota"
	"freelancer-matching/access/quota/redis"
)

// replicas starts so many servers at the same moment, on an empty PostgreSQL and one Redis.
func replicas(t *testing.T, n int) (servers []*server, database string) {
	t.Helper()
	database = newDatabase(t)
	for range n {
		servers = append(servers, launch(t, "-data", t.TempDir(), "-database-url", database, "-redis-url", service(t, redisVariable)))
	}
	for _, s := range servers {
		s.await(t)
	}
	return servers, database
}

// administrators is who becomes administrator by the links that the servers have printed. Each is used at another server.
func administrators(t *testing.T, servers []*server) (signedIn []*visitor) {
	t.Helper()
	for i, s := range servers {
		found := setUpPattern.FindStringSubmatch(s.greeting)
		if found == nil {
			t.Fatalf("no link to set up in:\n%s", s.greeting)
		}
		v := newVisitor(t, servers[(i+1)%len(servers)])
		p := v.follow(t, "setup", found[1], url.Values{
			"account_name": {"Operations"}, "email": {fmt.Sprintf("root%d@example.com", i)}, "password": {password},
		})
		if p.status == http.StatusOK && p.path == "/dashboard" {
			signedIn = append(signedIn, v)
		}
	}
	return signedIn
}

// Servers that start together on an empty database all come up, and one link makes one administrator.
func TestReplicas_StartTogether(t *testing.T) {
	servers, _ := replicas(t, 4)
	if n := len(administrators(t, servers)); n != 1 {
		t.Errorf("%d administrators, want 1", n)
	}
}

// persistent has every caller of a crowd served or refused by a limit: who is told that a request cannot be counted asks again.
// That is what happens on a slow machine, where Redis answers too late. open is how often it was: each of these requests may
// have been counted, since the answer is what was lost.
func persistent(t *testing.T, callers int, servers ...*server) (answers map[string]int, open int) {
	t.Helper()
	const uncounted = "503 quota_unavailable"
	answers = crowd(t, callers, servers...)
	again := answers[uncounted]
	open = again
	delete(answers, uncounted)
	eventually(t, "the count of every request", func() bool {
		for ; again > 0; again-- {
			status, answer := servers[again%len(servers)].call(t, http.MethodGet, one, "")
			got := fmt.Sprint(status, " ", code(answer))
			if got == uncounted {
				open++
				return false // give Redis a moment
			}
			answers[got]++
		}
		return true
	})
	return answers, open
}

// wantExactly demands that of an allowance of so many requests all were taken and no more, and that nobody was refused for
// another reason. Only requests that are open can have taken some that nobody was served for.
func wantExactly(t *testing.T, allowance, callers, open int, refusal string, answers map[string]int) {
	t.Helper()
	served, refused := answers["200 "], answers["429 "+refusal]
	if served > allowance || served < allowance-open || served+refused != callers {
		t.Errorf("%v with %d open, of %d callers; want %d served and all others refused with %s",
			answers, open, callers, allowance, refusal)
	}
}

// counter is the Redis of this run as a server uses it, with more patience.
func counter(t *testing.T, address string) *redis.Store {
	t.Helper()
	c, err := redis.Open(redis.Options{URL: address, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Of 500 callers at once, half of them at each of two servers, a key of 100 a minute lets exactly 100 through.
func TestReplicas_ExactlyTheMinute(t *testing.T) {
	servers, database := replicas(t, 2)
	db, c := openPostgres(t, database), counter(t, service(t, redisVariable))
	var (
		got  map[string]int
		open int
		used quota.Windows
	)
	withinAMinute(t, func() {
		token, a := keyFor(t, "freelancer", db, "-database-url", database)
		got, open = persistent(t, 500, servers[0].with(token), servers[1].with(token))
		var err error
		if used, err = c.Peek(t.Context(), a.Subject, windows(a)); err != nil {
			t.Fatal(err)
		}
	})
	wantExactly(t, 100, 500, open, "rate_limit_exceeded", got)
	if used.Minute.Used != 100 || used.Month.Used != 100 {
		t.Errorf("counted %d in the minute, %d in the month; want 100", used.Minute.Used, used.Month.Used)
	}
}

// Where 50 of a month's 5,000 are left, exactly these are let through.
func TestReplicas_ExactlyTheMonth(t *testing.T) {
	const left = 50
	servers, database := replicas(t, 2)
	token, a := keyFor(t, "freelancer", openPostgres(t, database), "-database-url", database)
	c := counter(t, service(t, redisVariable))
	w := windows(a)
	w.Minute.Start, w.Minute.Limit = w.Minute.Start.Add(-quota.Minute), a.PerMonth // a minute that is over
	for range a.PerMonth - left {
		if _, taken, err := c.Take(t.Context(), a.Subject, w); !taken || err != nil {
			t.Fatal(taken, err)
		}
	}
	got, open := persistent(t, 500, servers[0].with(token), servers[1].with(token))
	wantExactly(t, left, 500, open, "quota_exceeded", got)
	if used, err := c.Peek(t.Context(), a.Subject, windows(a)); err != nil || used.Month.Used != a.PerMonth {
		t.Errorf("counted %d of %d (%v)", used.Month.Used, a.PerMonth, err)
	}
}

// What is done to a key at one server holds at the other from the next request on, and so do sessions.
func TestReplicas_KnowOfChangesAtOnce(t *testing.T) {
	servers, _ := replicas(t, 2)
	here, there := servers[0], servers[1]
	v := administrators(t, servers)[0]
	v.base = here.url
	token, id := v.newKey(t, "Website")
	at := func(s *server, step string, want string) {
		t.Helper()
		status, answer := s.with(token).call(t, http.MethodGet, "/api/v1/health", "")
		if got := fmt.Sprint(status, " ", code(answer)); got != want {
			t.Errorf("%s: %s, want %s", step, got, want)
		}
	}
	at(there, "made", "200 ")
	v.post(t, "/dashboard/keys/"+id+"/disable", nil)
	at(there, "disabled", "401 disabled_api_key")
	v.base = there.url // the session goes on there
	v.post(t, "/dashboard/keys/"+id+"/enable", nil)
	at(here, "enabled", "200 ")
	v.revoke(t, token, id)
	at(here, "revoked", "401 revoked_api_key")
	v.post(t, "/dashboard/account/sign-out-everywhere", nil)
	v.base = here.url
	if p := v.get(t, "/dashboard"); p.path != "/dashboard/sign-in" {
		t.Errorf("signed out at one server, and at the other at %s", p.path)
	}
}

// Redis is killed and restarted. Meanwhile both servers refuse keys with limits and serve keys without. Afterwards they
// count together again, from where they were.
func TestOutage_OfRedis(t *testing.T) {
	cache, database := newRedis(t), newDatabase(t)
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
	limited, unlimited := newKey("freelancer"), newKey("enterprise")

	before := crowd(t, 60, servers[0].with(limited), servers[1].with(limited))
	var allowed, unavailable float64
	for _, address := range metrics {
		counts := decisions(t, address)
		allowed += counts[`{outcome="allowed"}`]
		unavailable += counts[`{outcome="unavailable"}`]
	}
	if int(allowed) != before["200 "] || int(unavailable) != before["503 quota_unavailable"] {
		t.Errorf("metrics count %v allowed and %v unavailable, responses were %v", allowed, unavailable, before)
	}

	cache.kill()
	for _, s := range servers {
		if got := crowd(t, 40, s.with(limited)); got["503 quota_unavailable"] != 40 {
			t.Errorf("key with limits: %v, want 40 times 503", got)
		}
		if got := crowd(t, 40, s.with(unlimited)); got["200 "] != 40 {
			t.Errorf("key without limits: %v, want 40 times 200", got)
		}
	}

	cache.start(t)
	for _, s := range servers {
		eventually(t, "the end of the outage in the log", func() bool {
			status, _ := s.with(limited).call(t, http.MethodGet, one, "")
			return (status == http.StatusOK || status == http.StatusTooManyRequests) &&
				strings.Contains(s.log.String(), "quota store available again")
		})
		if n := strings.Count(s.log.String(), "quota store unavailable"); n != 1 {
			t.Errorf("the log records %d outages, want 1:\n%s", n, s.log)
		}
	}
	var (
		together map[string]int
		open     int
	)
	withinAMinute(t, func() {
		token := newKey("freelancer")
		together, open = persistent(t, 300, servers[0].with(token), servers[1].with(token))
	})
	wantExactly(t, 100, 300, open, "rate_limit_exceeded", together)
	for i, address := range metrics {
		if got := decisions(t, address); got[`{outcome="unavailable"}`] < 40 {
			t.Errorf("server %d: decisions are %v, want at least 40 unavailable", i, got)
		}
		if strings.Contains(servers[i].log.String(), "panic") {
			t.Errorf("server %d panicked:\n%s", i, servers[i].log)
		}
	}
}

// What was let through before Redis was killed is counted when it is back: none of it is lost, and none is counted twice.
func TestOutage_LosesNoCount(t *testing.T) {
	const callers = 70
	var (
		served       map[string]int
		open         int
		before, used quota.Windows
	)
	withinAMinute(t, func() {
		cache, data := newRedis(t), t.TempDir()
		token, a := keyFor(t, "professional", openSQLite(t, data), "-data", data) // whose limits are not met
		served, open = persistent(t, callers, start(t, "-data", data, "-redis-url", cache.url()).with(token))
		before = counted(t, cache, a)
		cache.kill()
		cache.start(t)
		used = counted(t, cache, a)
	})
	if served["200 "] != callers || before.Month.Used < callers {
		t.Errorf("served %v, of which %d were counted", served, before.Month.Used)
	}
	// What Redis was asked for and nobody waited for any more, it may do until it is killed.
	if used.Month.Used < before.Month.Used || used.Month.Used > callers+open || used.Minute.Used != used.Month.Used {
		t.Errorf("served %d with %d open, counted %d before the kill, and %d in the minute, %d in the month after it",
			callers, open, before.Month.Used, used.Minute.Used, used.Month.Used)
	}
}

// counted is what a Redis knows of an allowance.
func counted(t *testing.T, r *ownRedis, a quota.Allowance) quota.Windows {
	t.Helper()
	used, err := counter(t, r.url()).Peek(t.Context(), a.Subject, windows(a))
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// PostgreSQL stops answering and comes back: once it cannot be reached, once it hangs. The interface and the dashboard say what
// it is, and go on afterwards.
func TestOutage_OfPostgres(t *testing.T) {
	wire, database := newWire(t, newDatabase(t))
	s := start(t, "-data", t.TempDir(), "-database-url", database, "-request-timeout", "5s")
	v := newVisitor(t, s)
	v.setUp(t, s)
	token, _ := v.newKey(t, "Website")
	api, stranger := newVisitor(t, s), newVisitor(t, s)
	api.headers.Set("X-API-Key", token)
	for _, outage := range []struct {
		name string
		does func() (end func())
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
			if _, err := wire.Toxics.AddToxicJson(strings.NewReader(`{"name":"hang","type":"timeout","attributes":{"timeout":0}}`)); err != nil {
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
			wantPage := func(p page, word string) {
				t.Helper()
				if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" || !strings.Contains(p.body, word) {
					t.Errorf("%s: %d %v\n%s", p.path, p.status, p.header, p.body)
				}
			}
			end := outage.does()
			wantPage(api.get(t, one), `"database_unavailable"`)
			wantPage(v.get(t, "/dashboard"), "Database unavailable")
			wantPage(stranger.signIn(t, administrator, password), "Database unavailable")
			end()
			eventually(t, "the end of the outage", func() bool { return api.get(t, one).status == http.StatusOK })
			eventually(t, "the end of it on the dashboard", func() bool { return v.get(t, "/dashboard").status == http.StatusOK })
		})
	}
	if !strings.Contains(s.log.String(), "code=database_unavailable") {
		t.Errorf("the log does not tell of it:\n%s", s.log)
	}
}

// decisions is how often the quotas of a server came to which outcome, by the labels of its metric.
func decisions(t *testing.T, address string) map[string]float64 {
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
