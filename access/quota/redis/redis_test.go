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

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
)

// longTimeout lets tests pass on a busy machine.
const longTimeout = 10 * time.Second

func open(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = longTimeout
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// send sends a command to the server of s and returns its reply.
func send(t testing.TB, s *Store, name string, arguments ...any) (reply any) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // which has ended during clean-up
	err := s.call(ctx, func(do command) (err error) {
		reply, err = do(name, arguments...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func windows(perMinute, perMonth int) quota.Windows {
	now := time.Now().UTC()
	return quota.Windows{
		Minute: quota.Window{Start: now.Truncate(quota.Minute), Limit: perMinute},
		Month:  quota.Window{Start: now.Truncate(time.Hour), Limit: perMonth},
	}
}

func TestStore_Miniredis(t *testing.T) {
	quotatest.Store(t, func(t *testing.T) quota.Store {
		return open(t, Options{URL: "redis://" + miniredis.RunT(t).Addr(), Prefix: "test:"})
	})
}

func TestTake_WritesOneHashThatExpiresAfterTheMonth(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, Options{URL: "redis://" + server.Addr() + "/3", Prefix: "matching:quota:"})
	w := windows(5, 5)
	if _, taken, err := s.Take(t.Context(), "key_1", w); err != nil || !taken {
		t.Fatal(taken, err)
	}
	server.Select(3)
	if keys := strings.Join(server.Keys(), " "); keys != "matching:quota:key_1" {
		t.Errorf("keys in Redis: %s", keys)
	}
	server.FastForward(time.Until(w.Month.Start.Add(quota.Month)))
	if got, err := s.Peek(t.Context(), "key_1", w); err != nil || got.Month.Used != 1 {
		t.Errorf("%d requests are used at the end of the month (%v), want 1", got.Month.Used, err)
	}
	server.FastForward(48 * time.Hour)
	if keys := server.Keys(); len(keys) != 0 {
		t.Errorf("%v did not expire", keys)
	}
}

func TestTake_LoadsTheScriptAgainAfterAFlush(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, Options{URL: "redis://" + server.Addr()})
	w := windows(5, 5)
	for i := range 3 {
		got, taken, err := s.Take(t.Context(), "a", w)
		if err != nil || !taken || got.Minute.Used != i+1 {
			t.Fatalf("Take = %+v, %t, %v; want %d used", got, taken, err, i+1)
		}
		send(t, s, "SCRIPT", "FLUSH")
	}
}

func TestStore_CorruptCount(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, Options{URL: "redis://" + server.Addr()})
	server.HSet("a", "minute", "yesterday")
	if _, err := s.Peek(t.Context(), "a", windows(1, 1)); err == nil || !strings.Contains(err.Error(), "corrupt") {
		t.Errorf("Peek: %v, want an error that says the count is corrupt", err)
	}
	if _, taken, err := s.Take(t.Context(), "a", windows(1, 1)); err == nil || taken {
		t.Errorf("Take = %t, %v; want an error", taken, err)
	}
}

// A request after a restart of the server takes another connection than the closed one, and a request right after
// another one takes the same.
func TestTake_AfterARestartOfTheServer(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, Options{URL: "redis://" + server.Addr()})
	for i := range 6 {
		if i == 2 || i == 4 {
			server.Close()
			if err := server.Restart(); err != nil {
				t.Fatal(err)
			}
		}
		if _, taken, err := s.Take(t.Context(), "a", windows(10, 10)); err != nil || !taken {
			t.Fatalf("request %d: Take = %t, %v", i, taken, err)
		}
	}
	if n := server.TotalConnectionCount(); n != 1 {
		t.Errorf("%d connections after the last restart, want 1", n)
	}
}

// A server that asks for a user gets the user and the password of the URL.
func TestOpen_User(t *testing.T) {
	server := miniredis.RunT(t)
	server.RequireUserAuth("matching", "s3cret")
	s := open(t, Options{URL: "redis://matching:s3cret@" + server.Addr() + "/2"})
	if _, taken, err := s.Take(t.Context(), "a", windows(1, 1)); err != nil || !taken {
		t.Fatalf("Take = %t, %v", taken, err)
	}
	server.Select(2)
	if !server.Exists("a") {
		t.Error("database 2 has no count")
	}
}

// always returns a function that returns a password.
func always(password string) func() string { return func() string { return password } }

func TestOpen(t *testing.T) {
	for _, tt := range []struct {
		name     string
		options  Options
		addr     string
		password string
	}{
		{"host only", Options{URL: "redis://cache"}, "cache:6379", ""},
		{"port", Options{URL: "redis://cache:7000/"}, "cache:7000", ""},
		{"user and password", Options{URL: "redis://matching:s3cret@cache:7000/2"}, "cache:7000", "s3cret"},
		{"password only", Options{URL: "redis://:s3cret@[::1]:7000"}, "[::1]:7000", "s3cret"},
		{"IPv6 without port", Options{URL: "redis://[::1]"}, "[::1]:6379", ""},
		{"separate password", Options{URL: "rediss://cache:7000", Password: always("s3cret")}, "cache:7000", "s3cret"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.options).settings
			if password := s.password(); s.address != tt.addr || password != tt.password {
				t.Errorf("address %s with password %q, want %s with %q", s.address, password, tt.addr, tt.password)
			}
		})
	}
}

func TestOpen_Errors(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options Options
		want    string // part of the error
	}{
		{"empty", Options{}, "must begin with redis://"},
		{"address without scheme", Options{URL: "cache:6379"}, "must begin with redis://"},
		{"HTTP", Options{URL: "http://:s3cret@cache"}, "must begin with redis://"},
		{"no host", Options{URL: "redis:///0"}, "has no host"},
		{"port out of range", Options{URL: "redis://:s3cret@cache:70000"}, "port"},
		{"port is not a number", Options{URL: "redis://:s3cret@cache:s3cret"}, "malformed"},
		{"percent sign in the password", Options{URL: "redis://:s3cret%@cache"}, "percent-encoded"},
		{"slash in the password", Options{URL: "redis://u:1/s3cret@cache"}, "%2F"},
		{"hash in the password", Options{URL: "redis://u:1#s3cret@cache"}, "remove ? or #"},
		{"database is not a number", Options{URL: "redis://cache/s3cret"}, "must be a number"},
		{"negative database", Options{URL: "redis://cache/-1"}, "must be a number"},
		{"parameters", Options{URL: "redis://cache/0?read_timeout=1h"}, "remove ? or #"},
		{"two passwords", Options{URL: "redis://:s3cret@cache", Password: always("s3cret")}, "given twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.options)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error %q, want %q without the password", err, tt.want)
			}
		})
	}
}

func FuzzOpen_HidesThePassword(f *testing.F) {
	for _, seed := range []string{"s3cret", "%", "a/b", "a#b@c", "a?b", "a:b", "[::1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, password string) {
		const marker = "Zx9!w" // appears in no error by chance
		s, err := Open(Options{URL: "redis://user:" + password + marker + "@cache/" + marker})
		if err == nil {
			s.Close()
			t.Fatal("no error")
		}
		if strings.Contains(err.Error(), marker) {
			t.Errorf("the error contains a part of the URL: %v", err)
		}
	})
}

func TestErrors_ContainTheAddressWithoutThePassword(t *testing.T) {
	server := miniredis.RunT(t)
	server.RequireAuth("other")
	for _, address := range []string{server.Addr(), closedPort(t)} {
		s := open(t, Options{URL: "redis://:s3cret@" + address})
		_, _, err := s.Take(t.Context(), "a", windows(1, 1))
		if err == nil || !strings.Contains(err.Error(), address) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("error %q, want the address without the password", err)
		}
		if err := s.Ping(t.Context()); err == nil {
			t.Error("Ping succeeded")
		}
	}
	s := open(t, Options{URL: "redis://" + server.Addr(), Password: always("other")})
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

func TestTake_TimesOutIfTheServerHangs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections, and nobody answers them
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := open(t, Options{URL: "redis://" + l.Addr().String(), Timeout: 20 * time.Millisecond})
	_, _, err = s.Take(t.Context(), "a", windows(1, 1))
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Take: %v, want an exceeded deadline", err)
	}
}

func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // provides a self-signed certificate for 127.0.0.1
	defer web.Close()

	server := miniredis.NewMiniRedis()
	if err := server.StartTLS(&tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}); err != nil {
		t.Fatal(err)
	}
	defer server.Close()

	o := Options{URL: "rediss://" + server.Addr(), Timeout: longTimeout}
	s := open(t, o)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](s.Ping(t.Context())); !ok {
		t.Fatal("Ping accepted a self-signed certificate")
	}

	settings, err := o.settings()
	if err != nil {
		t.Fatal(err)
	}

	settings.tls.RootCAs = x509.NewCertPool()
	settings.tls.RootCAs.AddCert(web.Certificate())
	s.pool = settings.pool()
	for range 3 { // the later ones on the connection of the first
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	}

	if n := server.TotalConnectionCount(); n != 2 { // with the refused one
		t.Errorf("%d connections, want 2", n)
	}
}
