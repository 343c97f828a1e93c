//go:build integration

package redis

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/gomodule/redigo/redis"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestStore_Redis(t *testing.T) {
	quotatest.Store(t, func(t *testing.T) quota.Store { return open(t, testOptions(t)) })
}

func TestStore_TwoServersShareRedis(t *testing.T) {
	quotatest.Shared(t, func(t *testing.T) []quota.Store {
		o := testOptions(t)
		return []quota.Store{open(t, o), open(t, o)}
	})
}

// testOptions returns options for the Redis named in the environment, with a key prefix of the test's own. It deletes
// the test's keys when the test ends.
func testOptions(t testing.TB) Options {
	t.Helper()
	const variable = "MATCHING_TEST_REDIS_URL"
	o := Options{URL: os.Getenv(variable), Prefix: "test:" + rand.Text()[:12] + ":", Timeout: longTimeout}
	if o.URL == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set; CI must run this test on a real Redis", variable)
		}
		t.Skipf("set %s to the URL of a Redis to run this test, such as redis://127.0.0.1:6379/0", variable)
	}

	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		defer s.Close()
		if keys, _ := redis.Values(send(t, s, "KEYS", o.Prefix+"*"), nil); len(keys) > 0 {
			send(t, s, "UNLINK", keys...)
		}
	})

	return o
}

// redisProcess is a Redis that the test can kill and restart.
type redisProcess struct {
	t       *testing.T
	address string
	dir     string
	cmd     *exec.Cmd
}

// startRedis starts a Redis that writes every change to disk before it answers.
func startRedis(t *testing.T) *redisProcess {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("redis-server is not installed; CI must run this test")
		}
		t.Skip("install redis-server to run this test")
	}
	p := &redisProcess{t: t, address: closedPort(t), dir: t.TempDir()}
	p.start()
	t.Cleanup(p.kill)
	return p
}

func (p *redisProcess) start() {
	p.t.Helper()
	host, port, err := net.SplitHostPort(p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd = exec.Command("redis-server", "--bind", host, "--port", port, "--dir", p.dir,
		"--save", "", "--appendonly", "yes", "--appendfsync", "always")
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	s := open(p.t, Options{URL: "redis://" + p.address})
	eventually(p.t, "the server answers", func() bool { return s.Ping(p.t.Context()) == nil })
}

// kill ends the server without a clean shutdown.
func (p *redisProcess) kill() {
	_ = p.cmd.Process.Kill() // fails if the test has killed it already
	_ = p.cmd.Wait()
}

// eventually waits up to 30 seconds for a condition that another process must meet.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 3000 {
		if condition() {
			return
		}
		<-tick.C
	}
	t.Fatalf("within 30 seconds, this did not happen: %s", what)
}

// A killed server has counted every acknowledged request exactly once, and every failed one at most once.
func TestTake_SurvivesACrash(t *testing.T) {
	p := startRedis(t)
	s := open(t, Options{URL: "redis://" + p.address})
	w := windows(1_000_000, 1_000_000)
	var acknowledged, failed atomic.Int64
	var group sync.WaitGroup
	enough := make(chan struct{})
	for range 8 {
		group.Go(func() {
			for {
				if _, _, err := s.Take(t.Context(), "a", w); err != nil {
					failed.Add(1)
					return
				}

				if acknowledged.Add(1) == 500 {
					close(enough)
				}
			}
		})
	}

	<-enough
	p.kill()
	group.Wait()
	p.start()
	got, err := s.Peek(t.Context(), "a", w)
	if err != nil {
		t.Fatal(err)
	}

	low := int(acknowledged.Load())
	high := int(acknowledged.Load() + failed.Load())
	if used := got.Month.Used; used < low || used > high || used != got.Minute.Used {
		t.Errorf("%d requests of the minute and %d of the month are used, want the same number, %d to %d",
			got.Minute.Used, used, low, high)
	}
}

// No request fails because the server restarted since the last one: dead connections are detected before they are used.
func TestTake_AfterARestart(t *testing.T) {
	p := startRedis(t)
	s := open(t, Options{URL: "redis://" + p.address})
	w := windows(100, 100)
	for i := range 3 {
		got, taken, err := s.Take(t.Context(), "a", w)
		if err != nil || !taken || got.Month.Used != i+1 {
			t.Fatalf("Take = %+v, %t, %v; want %d used", got, taken, err, i+1)
		}
		p.kill()
		p.start()
	}
}

// client takes requests of one allowance through a quota.Quota.
type client struct {
	*quota.Quota
	t *testing.T
	a quota.Allowance
}

func newClient(t *testing.T, s quota.Store) client {
	return client{
		Quota: quota.New(quota.Config{Store: s, Now: time.Now, Log: slog.New(slog.DiscardHandler)}),
		t:     t,
		a: quota.Allowance{
			Subject: "a", Since: time.Now().Add(-time.Hour), PerMinute: 100_000, PerMonth: 1_000_000,
		},
	}
}

func (c client) wantAvailable() {
	c.t.Helper()
	eventually(c.t, "the quota allows requests", func() bool {
		d, err := c.Take(c.t.Context(), c.a)
		if err != nil && matching.CodeOf(err) != quota.CodeUnavailable {
			c.t.Fatal(err)
		}
		return err == nil && d.Allowed
	})
}

func (c client) wantUnavailable() {
	c.t.Helper()
	for range 20 {
		if d, err := c.Take(c.t.Context(), c.a); matching.CodeOf(err) != quota.CodeUnavailable {
			c.t.Fatalf("Take = %+v, %v; want %s", d, err, quota.CodeUnavailable)
		}
	}
}

func TestQuota_ServerCrash(t *testing.T) {
	server := startRedis(t)
	c := newClient(t, open(t, Options{URL: "redis://" + server.address}))
	c.wantAvailable()
	before, err := c.Peek(t.Context(), c.a)
	if err != nil {
		t.Fatal(err)
	}
	server.kill()
	c.wantUnavailable()
	server.start()
	c.wantAvailable()
	after, err := c.Peek(t.Context(), c.a)
	if err != nil || after.Month.Used <= before.Month.Used {
		t.Errorf("%d requests are used (%v), want more than the %d before the crash",
			after.Month.Used, err, before.Month.Used)
	}
}

// A slow or broken network is an outage like any other.
func TestQuota_NetworkFailure(t *testing.T) {
	o := testOptions(t)
	direct := open(t, o)
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	server.Metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	proxy := toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", direct.settings.address)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	defer proxy.Stop()

	s := open(t, Options{URL: "redis://" + proxy.Listen, Prefix: o.Prefix, Timeout: 100 * time.Millisecond})
	c := newClient(t, s)
	for kind, attributes := range map[string]string{
		"latency":    `{"latency":60000}`,
		"reset_peer": `{"timeout":0}`,
		"timeout":    `{"timeout":0}`,
		"limit_data": `{"bytes":3}`,
	} {
		c.wantAvailable()
		toxic := fmt.Sprintf(`{"name":%q,"type":%q,"attributes":%s}`, kind, kind, attributes)
		if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			t.Fatal(err)
		}

		c.wantUnavailable()
		if err := proxy.Toxics.RemoveToxic(t.Context(), kind); err != nil {
			t.Fatal(err)
		}
	}

	c.wantAvailable()
}

func BenchmarkTake(b *testing.B) {
	s, err := Open(testOptions(b))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	w := windows(1<<40, 1<<40)
	elapsed := make([]time.Duration, 0, 1<<16)
	for b.Loop() {
		begin := time.Now()
		if _, taken, err := s.Take(b.Context(), "key_000000000000", w); err != nil || !taken {
			b.Fatal(taken, err)
		}
		elapsed = append(elapsed, time.Since(begin))
	}
	slices.Sort(elapsed)
	b.ReportMetric(float64(elapsed[len(elapsed)/2].Nanoseconds())/1e3, "µs/p50")
	b.ReportMetric(float64(elapsed[len(elapsed)*99/100].Nanoseconds())/1e3, "µs/p99")
}

func BenchmarkTake_Parallel(b *testing.B) {
	s, err := Open(testOptions(b))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	w := windows(1<<40, 1<<40)
	b.SetParallelism(16)
	b.RunParallel(func(loop *testing.PB) {
		for loop.Next() {
			if _, taken, err := s.Take(b.Context(), "key_000000000000", w); err != nil || !taken {
				b.Error(taken, err)
			}
		}
	})
}
