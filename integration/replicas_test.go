//go:build integration

package integration

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"freelancer-matching/server/quota"
	"freelancer-matching/server/quota/redis"
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

// Of 500 callers at once, half of them at each of two servers, a key of 100 a minute lets exactly 100 through.
func TestReplicas_ExactlyTheMinute(t *testing.T) {
	servers, database := replicas(t, 2)
	token, _ := keyFor(t, "freelancer", openPostgres(t, database), "-database-url", database)
	early(t)
	want := map[string]int{"200 ": 100, "429 rate_limit_exceeded": 400}
	if diff := gocmp.Diff(want, crowd(t, 500, servers[0].with(token), servers[1].with(token))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Where 50 of a month's 5,000 are left, exactly these are let through.
func TestReplicas_ExactlyTheMonth(t *testing.T) {
	const left = 50
	servers, database := replicas(t, 2)
	token, a := keyFor(t, "freelancer", openPostgres(t, database), "-database-url", database)
	counter, err := redis.Open(redis.Options{URL: service(t, redisVariable)})
	if err != nil {
		t.Fatal(err)
	}
	defer counter.Close()
	w := windows(a)
	w.Minute.Start, w.Minute.Limit = w.Minute.Start.Add(-quota.Minute), a.PerMonth // a minute that is over
	for range a.PerMonth - left {
		if _, taken, err := counter.Take(t.Context(), a.Subject, w); !taken || err != nil {
			t.Fatal(taken, err)
		}
	}
	got := crowd(t, 500, servers[0].with(token), servers[1].with(token))
	if want := map[string]int{"200 ": left, "429 quota_exceeded": 500 - left}; !gocmp.Equal(want, got) {
		t.Errorf("got %v, want %v", got, want)
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

// Redis is killed and comes back. One of two servers refuses what it cannot count; the other lets its share through by itself.
// Keys without limits go on all the while. Afterwards both count together again, from where they were.
func TestOutage_OfRedis(t *testing.T) {
	cache, database := newRedis(t), newDatabase(t)
	flags := []string{"-database-url", database, "-redis-url", cache.url(), "-data"}
	refuses, decides := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t) // where their metrics are
	refusing := start(t, append(flags, t.TempDir(), "-metrics-addr", refuses)...)
	deciding := start(t, append(flags, t.TempDir(), "-metrics-addr", decides, "-quota-fallback", "local", "-quota-local-share", "0.25")...)
	db := openPostgres(t, database)
	limited, _ := keyFor(t, "freelancer", db, "-database-url", database)
	unlimited, _ := keyFor(t, "enterprise", db, "-database-url", database)

	early(t)
	crowd(t, 60, refusing.with(limited), deciding.with(limited))
	cache.kill()
	if got := crowd(t, 40, refusing.with(limited)); got["503 quota_unavailable"] != 40 {
		t.Errorf("refusing: %v", got)
	}
	if got, want := crowd(t, 100, deciding.with(limited)), map[string]int{"200 ": 25, "429 rate_limit_exceeded": 75}; !gocmp.Equal(got, want) {
		t.Errorf("deciding alone: %v, want %v", got, want)
	}
	for _, s := range []*server{refusing, deciding} {
		if got := crowd(t, 40, s.with(unlimited)); got["200 "] != 40 {
			t.Errorf("without limits: %v", got)
		}
	}

	cache.start(t)
	for name, s := range map[string]*server{"refusing": refusing, "deciding": deciding} {
		eventually(t, "the end of the outage in the log of the server "+name, func() bool {
			status, _ := s.with(limited).call(t, http.MethodGet, one, "")
			return (status == http.StatusOK || status == http.StatusTooManyRequests) && strings.Contains(s.log.String(), "answers again")
		})
		if n := strings.Count(s.log.String(), "the store of the quotas does not answer"); n != 1 {
			t.Errorf("%s: the log tells of %d outages, want 1:\n%s", name, n, s.log)
		}
	}
	early(t)
	again, _ := keyFor(t, "freelancer", db, "-database-url", database)
	if got := crowd(t, 300, refusing.with(again), deciding.with(again)); got["200 "] != 100 || got["429 rate_limit_exceeded"] != 200 {
		t.Errorf("after the outage: %v", got)
	}
	const decisions = "matching_quota_decisions_total"
	got := scrape(t, refuses, decisions)
	if got[`{outcome="unavailable"}`] < 40 || got[`{outcome="allowed"}`] < 30 || got[`{outcome="local_allowed"}`] != 0 {
		t.Errorf("decisions of the refusing server: %v", got)
	}
	got = scrape(t, decides, decisions)
	if got[`{outcome="local_allowed"}`] < 25 || got[`{outcome="local_refused"}`] < 75 || got[`{outcome="unavailable"}`] != 0 {
		t.Errorf("decisions of the other: %v", got)
	}
	if strings.Contains(refusing.log.String()+deciding.log.String(), "panic") {
		t.Error("a panic is in the log")
	}
}

// What was let through before Redis was killed is counted when it is back.
func TestOutage_LosesNoCount(t *testing.T) {
	cache, data := newRedis(t), t.TempDir()
	token, a := keyFor(t, "freelancer", openSQLite(t, data), "-data", data)
	s := start(t, "-data", data, "-redis-url", cache.url()).with(token)
	early(t)
	before := crowd(t, 70, s)
	cache.kill()
	cache.start(t)
	counter, err := redis.Open(redis.Options{URL: cache.url()})
	if err != nil {
		t.Fatal(err)
	}
	defer counter.Close()
	used, err := counter.Peek(t.Context(), a.Subject, windows(a))
	if err != nil || before["200 "] != 70 || used.Month.Used != 70 || used.Minute.Used != 70 {
		t.Errorf("served %v, counted %+v, %v", before, used, err)
	}
}

// scrape is the values of a metric by their labels.
func scrape(t *testing.T, address, name string) map[string]float64 {
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
		if labels, found := strings.CutPrefix(series, name); found {
			if values[labels], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return values
}
