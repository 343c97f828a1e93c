//go:build integration

package redis

import (
	"context"
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
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"freelancer-matching/access/quota"
	"freelancer-matching/access/quota/quotatest"
	"freelancer-matching/internal/matching"
)

func TestStore_Real(t *testing.T) {
	quotatest.Store(t, func(t *testing.T) quota.Store { return open(t, named(t)) })
}

// Two servers that share a Redis let exactly the allowance through together.
func TestStore_TwoServers(t *testing.T) {
	quotatest.Shared(t, func(t *testing.T) []quota.Store {
		o := named(t)
		return []quota.Store{open(t, o), open(t, o)}
	})
}

// named is the server that the environment names, and names of the test's own on it, which go with the test.
func named(t testing.TB) Options {
	t.Helper()
	const variable = "MATCHING_TEST_REDIS_URL"
	o := Options{URL: os.Getenv(variable), Prefix: "test:" + rand.Text()[:12] + ":", Timeout: patient}
	if o.URL == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set: CI runs these tests on a real Redis", variable)
		}
		t.Skipf("set %s to the URL of a Redis for this test, such as redis://127.0.0.1:6379/0", variable)
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer s.Close()
		ctx := context.WithoutCancel(t.Context()) // which has ended
		names := s.client.Scan(ctx, 0, o.Prefix+"*", 1000).Iterator()
		for names.Next(ctx) {
			s.client.Unlink(ctx, names.Val())
		}
		if err := names.Err(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// process is a Redis of the test's own, which can be killed and started again.
type process struct {
	t       *testing.T
	address string
	folder  string
	running *exec.Cmd
}

// newProcess starts a server that writes every change to disk before it answers.
func newProcess(t *testing.T) *process {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("redis-server is not installed: CI kills one in these tests")
		}
		t.Skip("install redis-server for this test, which kills one")
	}
	p := &process{t: t, address: closedPort(t), folder: t.TempDir()}
	p.start()
	t.Cleanup(p.kill)
	return p
}

func (p *process) start() {
	p.t.Helper()
	host, port, err := net.SplitHostPort(p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.running = exec.Command("redis-server", "--bind", host, "--port", port, "--dir", p.folder, "--save", "",
		"--appendonly", "yes", "--appendfsync", "always")
	if err := p.running.Start(); err != nil {
		p.t.Fatal(err)
	}
	s := open(p.t, Options{URL: "redis://" + p.address})
	eventually(p.t, "the server answers", func() bool { return s.Ping(p.t.Context()) == nil })
}

// kill ends the server as a crash does.
func (p *process) kill() {
	_ = p.running.Process.Kill() // fails where it was killed before
	_ = p.running.Wait()
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 3000 {
		if happened() {
			return
		}
		<-tick.C
	}
	t.Fatalf("in half a minute not: %s", what)
}

// What was acknowledged is counted, although the server was killed in the middle of it; what was not may be, once.
func TestTake_SurvivesACrash(t *testing.T) {
	p := newProcess(t)
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
	least, most := int(acknowledged.Load()), int(acknowledged.Load()+failed.Load())
	if used := got.Month.Used; used < least || used > most || used != got.Minute.Used {
		t.Errorf("%d of the minute and %d of the month are used, want both the same, %d to %d", got.Minute.Used, used, least, most)
	}
	t.Logf("%d acknowledged, %d without an answer, %d counted", least, most-least, got.Month.Used)
}

// A server that was started anew between two requests fails neither: dead connections are found before they are used.
func TestTake_AfterARestart(t *testing.T) {
	p := newProcess(t)
	s := open(t, Options{URL: "redis://" + p.address})
	w := windows(100, 100)
	for want := range 3 {
		got, taken, err := s.Take(t.Context(), "a", w)
		if err != nil || !taken || got.Month.Used != want+1 {
			t.Fatalf("%d are used, taken is %t (%v), want %d", got.Month.Used, taken, err, want+1)
		}
		p.kill()
		p.start()
	}
}

// policies is a Quota of each policy on one store.
type policies struct {
	t             *testing.T
	refuse, local *quota.Quota
	a             quota.Allowance
}

func newPolicies(t *testing.T, s quota.Store) policies {
	c := quota.Config{Store: s, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	refuse := quota.New(c)
	c.Fallback, c.Share = quota.Local, 0.5
	return policies{t, refuse, quota.New(c), quota.Allowance{
		Subject: "a", Since: time.Now().Add(-time.Hour), PerMinute: 100_000, PerMonth: 1_000_000,
	}}
}

// up expects that both decide together with others.
func (p policies) up() {
	p.t.Helper()
	eventually(p.t, "both policies ask the store again", func() bool {
		refuse, err := p.refuse.Take(p.t.Context(), p.a)
		if err != nil && matching.CodeOf(err) != quota.CodeUnavailable {
			p.t.Fatal(err)
		}
		local, errLocal := p.local.Take(p.t.Context(), p.a)
		if errLocal != nil {
			p.t.Fatal(errLocal)
		}
		return err == nil && refuse.Allowed && local.Allowed && !local.Degraded
	})
}

// down expects that one refuses, and the other decides alone.
func (p policies) down() {
	p.t.Helper()
	for range 20 {
		if d, err := p.refuse.Take(p.t.Context(), p.a); matching.CodeOf(err) != quota.CodeUnavailable {
			p.t.Fatalf("%+v (%v), want %s", d, err, quota.CodeUnavailable)
		}
		if d, err := p.local.Take(p.t.Context(), p.a); err != nil || !d.Allowed || !d.Degraded || d.Month.Limit != 500_000 {
			p.t.Fatalf("%+v (%v), want half of the allowance", d, err)
		}
	}
}

func TestPolicies_Crash(t *testing.T) {
	server := newProcess(t)
	p := newPolicies(t, open(t, Options{URL: "redis://" + server.address}))
	p.up()
	before, err := p.refuse.Peek(t.Context(), p.a)
	if err != nil {
		t.Fatal(err)
	}
	server.kill()
	p.down()
	server.start()
	p.up()
	after, err := p.refuse.Peek(t.Context(), p.a)
	if err != nil || after.Month.Used <= before.Month.Used {
		t.Errorf("%d are used (%v), want more than the %d before", after.Month.Used, err, before.Month.Used)
	}
}

// A network that is slow or breaks off is an outage like any other, and ends.
func TestPolicies_Network(t *testing.T) {
	o := named(t)
	direct := open(t, o)
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	server.Metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	wire := toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", direct.client.Options().Addr)
	if err := wire.Start(); err != nil {
		t.Fatal(err)
	}
	defer wire.Stop()
	s := open(t, Options{URL: "redis://" + wire.Listen, Prefix: o.Prefix, Timeout: 100 * time.Millisecond})
	p := newPolicies(t, s)
	for kind, attributes := range map[string]string{
		"latency": `{"latency":60000}`, "reset_peer": `{"timeout":0}`, "timeout": `{"timeout":0}`, "limit_data": `{"bytes":3}`,
	} {
		p.up()
		toxic := fmt.Sprintf(`{"name":%q,"type":%q,"attributes":%s}`, kind, kind, attributes)
		if _, err := wire.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			t.Fatal(err)
		}
		p.down()
		if err := wire.Toxics.RemoveToxic(t.Context(), kind); err != nil {
			t.Fatal(err)
		}
	}
	p.up()
}

func BenchmarkTake(b *testing.B) {
	s, err := Open(named(b))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	w := windows(1<<40, 1<<40)
	took := make([]time.Duration, 0, 1<<16)
	for b.Loop() {
		begin := time.Now()
		if _, taken, err := s.Take(b.Context(), "key_000000000000", w); err != nil || !taken {
			b.Fatal(taken, err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/p50")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "µs/p99")
}

func BenchmarkTake_Parallel(b *testing.B) {
	s, err := Open(named(b))
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
