//go:build integration

package attacks

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/freelancer-matching/service/integration/programs"
)

// A server that other machines can reach doesn't start without TLS. The message names every way out.
func TestExposure_RefusesPlainHTTP(t *testing.T) {
	for _, args := range [][]string{
		{"-addr", ":0"},
		{"-addr", "0.0.0.0:0", "-demo"},
		{"-addr", "[::]:0", "-public-url", "http://match.example.com"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), programs.Patience)
		defer cancel()

		cmd := programs.Command(ctx, "server", append(args, "-data", t.TempDir())...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		exit, _ := errors.AsType[*exec.ExitError](err)
		if exit == nil || exit.ExitCode() != 2 {
			t.Errorf("%v: %v, want exit code 2\n%s", args, err, &stderr)
		}

		for _, way := range []string{"-tls-cert", "-public-url https://", "-insecure-http", "127.0.0.1"} {
			if !strings.Contains(stderr.String(), way) {
				t.Errorf("%v: the message lacks %s:\n%s", args, way, &stderr)
			}
		}
	}

	programs.Start(t, "-data", t.TempDir(), "-addr", "0.0.0.0:0", "-insecure-http")
	programs.Start(t, "-data", t.TempDir(), "-addr", "0.0.0.0:0", "-public-url", "https://match.example.com")
}

// An answer is a response whose body has been read.
type answer struct {
	status int
	header http.Header
	body   string
}

// exchange sends raw text to the server and returns the response.
func exchange(t *testing.T, s *programs.Server, request string) answer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}

	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}

	return answer{response.StatusCode, response.Header, string(body)}
}

// A web page whose name was pointed to the server's address (DNS rebinding) can't read or change anything.
func TestExposure_Rebinding(t *testing.T) {
	s := programs.Start(t, "-data", t.TempDir(), "-public-url", "https://match.example.com",
		"-hosts", "matching,search.lan")
	for _, path := range []string{
		"/dashboard", "/dashboard/sign-in", "/dashboard/setup", "/dashboard/static/x/style.css", "/api/v1/health",
		"/api/v1/match", "/openapi.yaml", "/nothing", "//livez", "/livez/..", "/livez%2f", "/LIVEZ",
	} {
		for _, request := range []string{
			"GET %s HTTP/1.1\r\nHost: evil.example\r\n\r\n",
			"POST %s HTTP/1.1\r\nHost: evil.example:8080\r\nContent-Length: 0\r\n\r\n",
			"GET %s HTTP/1.0\r\nHost: evil.example\r\n\r\n",
			"GET %s HTTP/1.1\r\nHost: localhost.evil.example\r\nX-Forwarded-Host: localhost\r\n" +
				"Forwarded: host=localhost\r\n\r\n",
			"GET http://evil.example%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
			"GET %s HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n",
		} {
			got := exchange(t, s, fmt.Sprintf(request, path))
			if got.status != http.StatusMisdirectedRequest || !strings.Contains(got.body, `"code":"unknown_host"`) ||
				!strings.Contains(got.body, "-hosts") {
				t.Errorf("%q: %d %s", fmt.Sprintf(request, path), got.status, got.body)
			}
		}
	}

	for _, request := range []string{
		"GET /livez HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"GET /readyz HTTP/1.1\r\nHost: anything\r\n\r\n",
		"GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /openapi.yaml HTTP/1.1\r\nHost: 192.0.2.7:8080\r\n\r\n",
		"GET /openapi.yaml HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
		"GET /openapi.yaml HTTP/1.1\r\nHost: MATCH.example.com\r\n\r\n",
		"GET /openapi.yaml HTTP/1.1\r\nHost: matching:8080\r\n\r\n",
		"GET /openapi.yaml HTTP/1.0\r\n\r\n", // an old probe
	} {
		if got := exchange(t, s, request); got.status != http.StatusOK && got.status != http.StatusServiceUnavailable {
			t.Errorf("%q: %d", request, got.status)
		}
	}

	if n := strings.Count(s.Log.String(), "unknown host rejected"); n != 1 {
		t.Errorf("%d warnings in the log, want 1: anyone can cause them", n)
	}
}

// Browsers neither guess types nor store responses, and no other site may read them.
func TestExposure_Headers(t *testing.T) {
	s := programs.Start(t, "-demo", "-public-url", "https://match.example.com")
	for _, request := range []string{
		"GET /api/v1/health HTTP/1.1\r\nHost: match.example.com\r\nOrigin: https://evil.example\r\nX-API-Key: " + s.Key,
		"GET /api/v1/health HTTP/1.1\r\nHost: match.example.com\r\nOrigin: null",
		"OPTIONS /dashboard/match HTTP/1.1\r\nHost: match.example.com\r\nOrigin: https://evil.example\r\n" +
			"Access-Control-Request-Method: POST",
		"GET /dashboard/sign-in HTTP/1.1\r\nHost: match.example.com\r\nOrigin: https://evil.example",
		"GET /nothing HTTP/1.1\r\nHost: match.example.com",
		"GET /openapi.yaml HTTP/1.1\r\nHost: match.example.com",
	} {
		// The description of the API is the same for everybody, so it may be kept if it is compared each time.
		caching := "no-store"
		if strings.HasPrefix(request, "GET /openapi.yaml") {
			caching = "no-cache"
		}

		got := exchange(t, s, request+"\r\n\r\n").header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": caching, "Strict-Transport-Security": "max-age=31536000",
			"Access-Control-Allow-Origin": "", "Access-Control-Allow-Credentials": "", "Access-Control-Allow-Headers": "",
			"Server": "",
		} {
			if got.Get(name) != want {
				t.Errorf("%q: %s is %q, want %q", request, name, got.Get(name), want)
			}
		}
	}

	// Any page may ask for matches with a browser token, but it can send neither the header of keys nor cookies.
	got := exchange(t, s, "OPTIONS /api/v1/match HTTP/1.1\r\nHost: match.example.com\r\nOrigin: https://evil.example\r\n"+
		"Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-api-key\r\n\r\n").header
	for name, want := range map[string]string{
		"Access-Control-Allow-Headers": "Authorization, Content-Type", "Access-Control-Allow-Credentials": "",
	} {
		if got.Get(name) != want {
			t.Errorf("preflight of a match: %s is %q, want %q", name, got.Get(name), want)
		}
	}

	local := exchange(t, s, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").header.Get("Strict-Transport-Security")
	if local != "" {
		t.Errorf("localhost got Strict-Transport-Security %q, which affects every program on the machine", local)
	}
}

// Forged addresses neither appear as the client's nor fill the log with warnings.
func TestExposure_ForgedAddress(t *testing.T) {
	s := programs.Start(t, "-data", t.TempDir())
	for i := range 100 {
		exchange(t, s, fmt.Sprintf("GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.%d\r\n\r\n", i))
	}
	if err := s.Stop(t); err != nil {
		t.Error(err)
	}
	log := s.Log.String()
	if n := strings.Count(log, "X-Forwarded-For ignored"); n != 1 || !strings.Contains(log, "peer=127.0.0.1") {
		t.Errorf("%d warnings, want 1 with the peer's address", n)
	}
	if n := strings.Count(log, "client=127.0.0.1"); n != 100 || strings.Contains(log, "203.0.113.") {
		t.Errorf("%d requests logged with the client's address, want 100 and no forged one", n)
	}
}

// A keyPair is a certificate for match.example.com in two files.
type keyPair struct {
	t         *testing.T
	cert, key string
}

func newKeyPair(t *testing.T) *keyPair {
	folder := t.TempDir()
	return &keyPair{t, filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
}

func (p *keyPair) write(file string, content []byte) {
	p.t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// renew writes a new certificate with a serial number, and returns it.
func (p *keyPair) renew(serial int64) *x509.Certificate {
	p.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"match.example.com"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour),
	}

	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		p.t.Fatal(err)
	}

	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		p.t.Fatal(err)
	}

	p.write(p.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	p.write(p.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		p.t.Fatal(err)
	}

	return certificate
}

// browser returns a client that knows some certificates, and resolves match.example.com to the server.
func browser(s *programs.Server, known ...*x509.Certificate) *http.Client {
	roots := x509.NewCertPool()
	for _, c := range known {
		roots.AddCert(c)
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(s.URL, "https://"))
		},
	}}
}

// Clients see no error while the certificate is replaced, and none when the replacement is broken. SIGHUP doesn't end
// the server.
func TestExposure_Certificate(t *testing.T) {
	pair := newKeyPair(t)
	first := pair.renew(1)
	s := programs.Start(t, "-data", t.TempDir(), "-tls-cert", pair.cert, "-tls-key", pair.key,
		"-public-url", "https://match.example.com")
	second := pair.renew(2) // not read yet; the clients below must know both
	const url = "https://match.example.com/livez"

	var stop atomic.Bool
	var requests atomic.Int64
	var running sync.WaitGroup
	for range 4 {
		client := browser(s, first, second)
		fresh := browser(s, first, second)
		fresh.Transport.(*http.Transport).DisableKeepAlives = true
		for _, c := range []*http.Client{client, fresh} {
			running.Go(func() {
				for !stop.Load() {
					response, err := c.Get(url)
					if err != nil {
						t.Error(err)
						return
					}

					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
					if response.ProtoMajor != 2 || response.Header.Get("Strict-Transport-Security") == "" {
						t.Errorf("%s, headers %v; want HTTP/2 and Strict-Transport-Security", response.Proto, response.Header)
					}

					requests.Add(1)
				}
			})
		}
	}

	served := func() int64 {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.URL, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}

	hangUp := func() {
		if err := s.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}

	hangUp()
	programs.Eventually(t, "the second certificate", func() bool { return served() == 2 })
	pair.write(pair.cert, []byte("-----BEGIN CERTIFICATE-----\nbroken"))
	hangUp()
	programs.Eventually(t, "a message about the broken certificate", func() bool {
		return strings.Contains(s.Log.String(), "certificate not reloaded")
	})

	if got := served(); got != 2 {
		t.Errorf("certificate %d is served, want 2", got)
	}

	reached := requests.Load() + 100
	programs.Eventually(t, "requests after the broken certificate", func() bool {
		return requests.Load() >= reached || t.Failed()
	})
	stop.Store(true)
	running.Wait()

	old := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(s.URL, "https://"), old); err == nil {
		conn.Close()
		t.Error("TLS 1.1 was accepted")
	}

	out := programs.Run(t, "server", "health", "-addr", strings.TrimPrefix(s.URL, "https://"),
		"-tls-cert", pair.cert, "-tls-key", pair.key)
	if !strings.Contains(out, "alive") {
		t.Errorf("server health: %s", out)
	}

	if response, err := http.Get(strings.Replace(s.URL, "https:", "http:", 1) + "/livez"); err == nil {
		response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("plain HTTP on the TLS port: %s", response.Status)
		}
	}
}

// SIGHUP makes the server use a rotated key without a restart.
func TestExposure_RotatedSecret(t *testing.T) {
	var authorization atomic.Value
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization.Store(r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}]}`)
	}))

	defer model.Close()

	file := filepath.Join(t.TempDir(), "key")
	write := func(key string) {
		if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	write("sk-first")
	s := programs.Start(t, "-demo", "-llm-url", model.URL+"/v1", "-llm-model", "m", "-llm-key-file", file)
	wantKey := func(key string) {
		t.Helper()
		status, response := s.Call(t, http.MethodPost, "/api/v1/interview", `{"freelancer_id":"f1","job_title":"Developer"}`)
		if got := authorization.Load(); status != http.StatusOK || got != "Bearer "+key {
			t.Fatalf("the model got %v, want the key %s: %d %v", got, key, status, response)
		}
	}

	wantKey("sk-first")
	write("sk-second\n")
	if err := s.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}

	programs.Eventually(t, "the reload", func() bool { return strings.Contains(s.Log.String(), "reloaded after SIGHUP") })
	wantKey("sk-second")
	if log := s.Log.String(); strings.Contains(log, "sk-first") || strings.Contains(log, "sk-second") {
		t.Error("the log contains a key")
	}
}
