package postgres

import (
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// fakeServer starts a PostgreSQL server that answers the request for TLS and, if it has a certificate, starts TLS. It
// returns the address.
func fakeServer(t *testing.T, certificate *tls.Certificate) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			go func() {
				defer conn.Close()

				if _, err := io.ReadFull(conn, make([]byte, 8)); err != nil { // SSLRequest
					return
				}

				if certificate == nil {
					_, _ = conn.Write([]byte("N"))
					return
				}

				_, _ = conn.Write([]byte("S"))
				_ = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{*certificate}}).Handshake()
			}()
		}
	}()

	return listener.Addr().String()
}

// An error of TLS says what to do.
func TestOpen_TLSErrors(t *testing.T) {
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	for name, tt := range map[string]struct {
		certificate *tls.Certificate
		want        string
	}{
		"unknown authority": {&web.TLS.Certificates[0], "sslrootcert=FILE"},
		"no TLS":            {nil, "sslmode=disable"},
	} {
		t.Run(name, func(t *testing.T) {
			address := "postgres://me:s3cret@" + fakeServer(t, tt.certificate) + "/service?sslmode=verify-full"
			_, err := Open(t.Context(), address, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got %v, want an error with %s and without the password", err, tt.want)
			}
		})
	}
}

func TestParse_KeepsOptionsOfTheURL(t *testing.T) {
	config, err := parse("postgres://me@db/service?connect_timeout=2&statement_timeout=123&search_path=mine", "")
	if err != nil {
		t.Fatal(err)
	}
	if config.ConnectTimeout != 2*time.Second || config.RuntimeParams["statement_timeout"] != "123" ||
		config.RuntimeParams["search_path"] != "mine" {
		t.Errorf("connect timeout %v, parameters %v; want those of the URL", config.ConnectTimeout, config.RuntimeParams)
	}
}

func TestWithoutDiskSync(t *testing.T) {
	config, err := parse("postgres://me@db/service", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := withoutDiskSync(config).RuntimeParams["synchronous_commit"]; got != "off" {
		t.Errorf("synchronous_commit is %q, want off", got)
	}
	if got, given := config.RuntimeParams["synchronous_commit"]; given {
		t.Errorf("the original configuration has synchronous_commit %q, want the default", got)
	}
}
