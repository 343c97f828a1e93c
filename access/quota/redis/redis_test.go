package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"freelancer-matching/access/quota"
	"freelancer-matching/access/quota/quotatest"
)

// patient is for tests on a busy machine.
const patient = 10 * time.Second

func open(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = patient
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore_Simulated(t *testing.T) {
	quotatest.Store(t, func(t *testing.T) quota.Store {
		return open(t, Options{URL: "redis://" + miniredis.RunT(t).Addr(), Prefix: "test:"})
	})
}

func windows(perMinute, perMonth int) quota.Windows {
	now := time.Now().UTC()
	return quota.Windows{
		Minute: quota.Window{Start: now.Truncate(quota.Minute), Limit: perMinute},
		Month:  quota.Window{Start: now.Truncate(time.Hour), Limit: perMonth},
	}
}

func TestTake_WritesOneHashThatEndsAfterTheMonth(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, Options{URL: "redis://" + server.Addr() + "/3", Prefix: "matching:quota:"})
	w := windows(5, 5)
	if _, taken, err := s.Take(t.Context(), "key_1", w); err != nil || !taken {
		t.Fatal(taken, err)
	}
	server.Select(3)
	if keys := strings.Join(server.Keys(), " "); keys != "matching:quota:key_1" {
		t.Errorf("the names are %s", keys)
	}
	server.FastForward(time.Until(w.Month.Start.Add(quota.Month)))
	if got, err := s.Peek(t.Context(), "key_1", w); err != nil || got.Month.Used != 1 {
		t.Errorf("%d are used in the last moment of the month (%v), want 1", got.Month.Used, err)
	}
	server.FastForward(48 * time.Hour)
	if keys := server.Keys(); len(keys) != 0 {
		t.Errorf("%v stay for ever", keys)
	}
}

func TestTake_SendsTheScriptWhereItIsUnknown(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, Options{URL: "redis://" + server.Addr()})
	w := windows(5, 5)
	for i := range 3 {
		got, taken, err := s.Take(t.Context(), "a", w)
		if err != nil || !taken || got.Minute.Used != i+1 {
			t.Fatalf("%d are used, taken is %t (%v), want %d", got.Minute.Used, taken, err, i+1)
		}
		if err := s.client.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPeek_DamagedCount(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, Options{URL: "redis://" + server.Addr()})
	server.HSet("a", "minute", "yesterday")
	if _, err := s.Peek(t.Context(), "a", windows(1, 1)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	if _, taken, err := s.Take(t.Context(), "a", windows(1, 1)); err == nil || taken {
		t.Errorf("taken is %t (%v), want an error", taken, err)
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want string // part of the error
		addr string
	}{
		{"host only", Options{URL: "redis://cache"}, "", "cache:6379"},
		{"port", Options{URL: "redis://cache:7000/"}, "", "cache:7000"},
		{"user and password", Options{URL: "redis://matching:s3cret@cache:7000/2"}, "", "cache:7000"},
		{"password only", Options{URL: "redis://:s3cret@[::1]:7000"}, "", "[::1]:7000"},
		{"IPv6 without port", Options{URL: "redis://[::1]"}, "", "[::1]:6379"},
		{"TLS", Options{URL: "rediss://cache:7000", Password: "s3cret"}, "", "cache:7000"},
		{"nothing", Options{}, "must begin with redis://", ""},
		{"address only", Options{URL: "cache:6379"}, "must begin with redis://", ""},
		{"HTTP", Options{URL: "http://:s3cret@cache"}, "must begin with redis://", ""},
		{"no host", Options{URL: "redis:///0"}, "names no host", ""},
		{"no such port", Options{URL: "redis://:s3cret@cache:70000"}, "port", ""},
		{"port in words", Options{URL: "redis://:s3cret@cache:s3cret"}, "cannot be read", ""},
		{"percent in a password", Options{URL: "redis://:s3cret%@cache"}, "written as %XX", ""},
		{"slash in a password", Options{URL: "redis://u:1/s3cret@cache"}, "written as %2F", ""},
		{"hash in a password", Options{URL: "redis://u:1#s3cret@cache"}, "leave out ? and #", ""},
		{"database in words", Options{URL: "redis://cache/s3cret"}, "number from 0 on", ""},
		{"negative database", Options{URL: "redis://cache/-1"}, "number from 0 on", ""},
		{"parameters", Options{URL: "redis://cache/0?read_timeout=1h"}, "leave out ? and #", ""},
		{"two passwords", Options{URL: "redis://:s3cret@cache", Password: "s3cret"}, "given twice", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.o)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if o := s.client.Options(); o.Addr != c.addr || strings.Contains(c.o.URL+c.o.Password, "s3cret") != (o.Password == "s3cret") {
					t.Errorf("it asks %s with the password %q", o.Addr, o.Password)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, want %q and not the password", err, c.want)
			}
		})
	}
}

func FuzzOpen_KeepsThePassword(f *testing.F) {
	for _, seed := range []string{"s3cret", "%", "a/b", "a#b@c", "a?b", "a:b", "[::1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, password string) {
		const mark = "Zx9!w" // cannot stand in an error by chance
		s, err := Open(Options{URL: "redis://user:" + password + mark + "@cache/" + mark})
		if err == nil {
			s.Close()
			t.Fatal("no error")
		}
		if strings.Contains(err.Error(), mark) {
			t.Errorf("the error shows a part of the URL: %v", err)
		}
	})
}

func TestErrors_TellWhereAndNotThePassword(t *testing.T) {
	server := miniredis.RunT(t)
	server.RequireAuth("other")
	for _, address := range []string{server.Addr(), closedPort(t)} {
		s := open(t, Options{URL: "redis://:s3cret@" + address})
		_, _, err := s.Take(t.Context(), "a", windows(1, 1))
		if err == nil || !strings.Contains(err.Error(), address) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v, want the address and not the password", err)
		}
		if err := s.Ping(t.Context()); err == nil {
			t.Error("the ping is answered")
		}
	}
	s := open(t, Options{URL: "redis://" + server.Addr(), Password: "other"})
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A server that accepts and never answers holds nobody longer than the timeout.
func TestTake_Deadline(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := open(t, Options{URL: "redis://" + l.Addr().String(), Timeout: 20 * time.Millisecond})
	if _, _, err = s.Take(t.Context(), "a", windows(1, 1)); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v, want a deadline that passed", err)
	}
}

func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate, of 127.0.0.1 and example.com
	defer web.Close()
	server := miniredis.NewMiniRedis()
	if err := server.StartTLS(&tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}); err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	o := Options{URL: "rediss://" + server.Addr(), Timeout: patient}
	s := open(t, o)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](s.Ping(t.Context())); !ok {
		t.Fatal("a certificate that nobody vouches for is trusted")
	}
	settings, err := o.settings()
	if err != nil {
		t.Fatal(err)
	}
	settings.TLSConfig.RootCAs = x509.NewCertPool()
	settings.TLSConfig.RootCAs.AddCert(web.Certificate())
	s.client = redis.NewClient(settings)
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
