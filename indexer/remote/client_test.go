package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const content = "id,name,skills\n1,Mira Talden,Go\n"

// rig is a client whose log and waits a test can read.
type rig struct {
	Client
	log   bytes.Buffer
	waits []time.Duration
}

func newRig(server *httptest.Server) *rig {
	r := &rig{}
	r.Client = Client{
		Environment: func(string) (string, bool) { return "", false }, Limit: 1 << 20, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(&r.log, nil)),
		Wait: func(_ context.Context, d time.Duration) error {
			r.waits = append(r.waits, d)
			return nil
		},
	}
	if server != nil {
		r.Transport = server.Client().Transport
	}
	return r
}

func address(t *testing.T, text string) *Address {
	t.Helper()
	a, err := ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// download downloads a file and returns its content.
func (r *rig) download(t *testing.T, text string) (string, error) {
	t.Helper()
	f, err := r.Download(t.Context(), address(t, text), Version{})
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	sum := sha256.Sum256(data)
	if f.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the checksum is %s, want %x", f.SHA256, sum)
	}
	return string(data), err
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(server.Close)
	return server
}

func TestDownload(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("the request accepts %q", r.Header.Get("Accept-Encoding"))
		}

		if r.URL.Query().Has("gzip") {
			w.Header().Set("Content-Encoding", "gzip")
		}
		_, _ = io.WriteString(w, content)
	})

	sum := sha256.Sum256([]byte(content))
	for _, suffix := range []string{"", "?gzip", "#sha256=" + hex.EncodeToString(sum[:])} {
		r := newRig(server)
		var done, size int64
		r.Progress = func(d, s int64) { done, size = d, s }
		got, err := r.download(t, server.URL+"/export.csv"+suffix)
		if err != nil || got != content || r.log.Len() > 0 {
			t.Errorf("%s: %q, %v, log %s", suffix, got, err, &r.log)
		}

		if done != int64(len(content)) || size != done {
			t.Errorf("%s: progress %d of %d", suffix, done, size)
		}
	}
}

// A failure names the address without secrets and what to do.
func TestDownload_Errors(t *testing.T) {
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Referer() != "" || r.Header.Get("Authorization") != "" {
			t.Errorf("the redirected request has Referer %q and Authorization %q", r.Referer(), r.Header["Authorization"])
		}
		_, _ = io.WriteString(w, content)
	})

	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	redirect := func(location string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		}
	}

	header := func(name, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(name, value)
			_, _ = io.WriteString(w, content)
		}
	}

	tests := []struct {
		name    string
		handler http.HandlerFunc
		suffix  string // of the address
		want    string // empty if the download succeeds
		retries int
	}{
		{"not authorized", status(401), "", "401 Unauthorized: it rejected the credentials", 0},
		{"forbidden", status(403), "", "403 Forbidden: it rejected the credentials", 0},
		{"not found", status(404), "", "404 Not Found: there is no such file", 0},
		{"gone", status(410), "", "410 Gone: there is no such file", 0},
		{"no content", status(204), "", "204 No Content", 0},
		{"unknown status", status(799), "", "799 (unknown status)", 0},
		{
			"overloaded", status(503), "",
			"503 Service Unavailable: the server is overloaded or out of order; try again later (after 4 attempts)", 3,
		},
		{
			"another checksum", status(200), "#sha256=" + strings.Repeat("ab", 32),
			"the SHA-256 checksum of the 0 B received is " + emptyHash + ", want abab", 0,
		},
		{"too large", header("Content-Length", "2000000"), "", "exceeds the limit of 1.0 MiB; raise -max-download", 0},
		{"too large, of unknown size", func(w http.ResponseWriter, _ *http.Request) {
			for range 20 {
				_, _ = w.Write(make([]byte, 100_000))
			}
		}, "", "the data exceeds the limit of 1.0 MiB; raise -max-download", 0},
		{
			"interrupted", header("Content-Length", "99"), "",
			"the download was interrupted after 32 B of 99 B: unexpected EOF (after 4 attempts)", 3,
		},
		{
			"aborted", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "",
			"EOF (after 4 attempts)", 3,
		},
		{"Brotli", header("Content-Encoding", "br"), "", `with Content-Encoding "br"`, 0},
		{"a web page", header("Content-Type", "text/html; charset=utf-8"), "", "a web page instead of a data file", 0},
		{"redirect", redirect(elsewhere.URL + "/a"), "", "", 0},
		{
			"redirect without TLS", redirect("http://127.0.0.1:1/b?sig=s3cret"), "",
			"redirects to http://127.0.0.1:1/b?sig=…, which is not encrypted", 0,
		},
		{"redirect to a file", redirect("file:///etc/passwd"), "", "redirects to file:///etc/passwd, which is", 0},
		{"redirect to nowhere", redirect("https://u:s3cret@[/?sig=s3cret"), "", "failed to parse Location header", 0},
		{"endless redirects", redirect("?sig=s3cret"), "", "redirects more than 10 times", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, test.handler)
			r := newRig(server)
			_, err := r.download(t, strings.Replace(server.URL, "//", "//me:s3cret@", 1)+"/x.csv?sig=s3cret&a=1"+test.suffix)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.HasPrefix(err.Error(), server.URL+"/x.csv?sig=…&a=…: ")):
				t.Errorf("error %v, want %q", err, test.want)
			case err != nil && strings.Contains(err.Error()+r.log.String(), "s3cret"):
				t.Errorf("the error %v or the log %s has a secret", err, &r.log)
			}

			if len(r.waits) != test.retries || strings.Count(r.log.String(), "retrying") != test.retries {
				t.Errorf("waited %v, want %d retries; log:\n%s", r.waits, test.retries, &r.log)
			}
		})
	}
}

// An address that can't be reached is retried; a certificate that can't be verified is not.
func TestDownload_NoConnection(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	r := newRig(nil)
	_, err := r.download(t, server.URL+"/?sig=s3cret")
	if err == nil || !strings.Contains(err.Error(), "SSL_CERT_FILE") || len(r.waits) > 0 {
		t.Errorf("error %v after %v", err, r.waits)
	}
	server.Close()
	_, err = r.download(t, server.URL+"/?sig=s3cret")
	if err == nil || !strings.Contains(err.Error(), "connection refused (after 4 attempts)") ||
		strings.Contains(err.Error()+r.log.String(), "s3cret") {
		t.Errorf("error %v, log %s", err, &r.log)
	}
}

// A download that was interrupted starts again, and waits as long as the server asks.
func TestDownload_Retries(t *testing.T) {
	requests := 0
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		switch requests {
		case 1:
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
			_, _ = io.WriteString(w, content[:20])
		case 2:
			w.Header().Set("Retry-After", "17")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			_, _ = io.WriteString(w, content)
		}
	})

	r := newRig(server)
	got, err := r.download(t, server.URL)
	if err != nil || got != content || len(r.waits) != 2 || r.waits[1] != 17*time.Second {
		t.Errorf("%q, %v after waiting %v", got, err, r.waits)
	}

	if !strings.Contains(r.log.String(), "the download was interrupted after 20 B of 32 B") {
		t.Errorf("log:\n%s", &r.log)
	}
}

func TestDownload_NotModified(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"v2"`)
		w.Header().Set("Last-Modified", "Sun, 22 Nov 2026 10:00:00 GMT")
		if r.Header.Get("If-None-Match") == `"v2"` || r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
		}
	})

	r := newRig(server)
	a := address(t, server.URL)
	f, err := r.Download(t.Context(), a, Version{ETag: `"v1"`, LastModified: "Sat, 21 Nov 2026 10:00:00 GMT"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	if _, err := r.Download(t.Context(), a, f.Version); !errors.Is(err, ErrNotModified) {
		t.Errorf("with %+v: %v", f.Version, err)
	}

	if _, err := r.Download(t.Context(), a, Version{LastModified: f.LastModified}); !errors.Is(err, ErrNotModified) {
		t.Errorf("with %s: %v", f.LastModified, err)
	}
}

// roundTripper is a server without a network.
type roundTripper func(*http.Request) *http.Response

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// silentBody sends a byte now and then, and then nothing until its request is canceled.
type silentBody struct {
	ctx   context.Context
	bytes int
}

// Read implements io.Reader.
func (b *silentBody) Read(p []byte) (int, error) {
	if b.bytes > 0 {
		b.bytes--
		time.Sleep(idleTimeout - time.Second)
		p[0] = 'x'
		return 1, nil
	}
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}

// Close implements io.Closer.
func (b *silentBody) Close() error { return nil }

func TestDownload_IdleServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(nil)
		r.Transport = roundTripper(func(q *http.Request) *http.Response {
			return &http.Response{StatusCode: 200, Body: &silentBody{q.Context(), 5}, ContentLength: -1}
		})
		_, err := r.download(t, "https://data.example/export.csv")
		want := "https://data.example/export.csv: the download was interrupted after 5 B: the server sent nothing for 1m0s " +
			"(after 4 attempts)"
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

func TestDownload_Canceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(nil)
	r.Transport = roundTripper(func(q *http.Request) *http.Response {
		cancel()
		return &http.Response{StatusCode: 200, Body: &silentBody{q.Context(), 0}, ContentLength: -1}
	})
	_, err := r.Download(ctx, address(t, "https://data.example/export.csv"), Version{})
	if !errors.Is(err, context.Canceled) || len(r.waits) > 0 {
		t.Errorf("error %v after waiting %v, want context.Canceled", err, r.waits)
	}
}

func TestDownload_Credentials(t *testing.T) {
	netrc := filepath.Join(t.TempDir(), "netrc")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(netrc, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	write("machine 127.0.0.1 login me\n  password s3cret\nmachine localhost password t0ken " +
		"machine other login x password y")
	logins, err := ReadLogins(netrc)
	if err != nil {
		t.Fatal(err)
	}

	r := newRig(nil)
	r.Logins = logins
	for text, want := range map[string]string{
		"https://127.0.0.1:8443/a":  "Basic bWU6czNjcmV0",
		"https://LOCALHOST/a":       "Bearer t0ken",
		"https://localhost.evil/a":  "",
		"https://a:b%3A@localhost/": "Basic YTpiOg==",
	} {
		request, err := r.request(t.Context(), address(t, text))
		if err != nil || request.Header.Get("Authorization") != want || request.URL.User != nil {
			t.Errorf("%s: Authorization %q, %v, want %q", text, request.Header.Get("Authorization"), err, want)
		}
	}

	for text, want := range map[string]string{
		"login me password s3cret":               "doesn't begin with a machine",
		"machine host login me password":         "the last word has no value",
		"machine host s3cret me password s3cret": "word 3 is unknown",
	} {
		write(text)
		if _, err := ReadLogins(netrc); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	sum := "#sha256=" + strings.Repeat("0a", 32)
	for text, want := range map[string]string{
		"https://data.example/a%20b.csv":                     "https://data.example/a%20b.csv",
		"HTTPS://me:s3cret@data.example:8443/a.csv#fragment": "https://data.example:8443/a.csv",
		"https://data.example/a?X=1&Signature=s3cret&b":      "https://data.example/a?X=…&Signature=…&…",
		"https://data.example/a?s3cret":                      "https://data.example/a?…",
		"https://data.example/a" + sum:                       "https://data.example/a",
		"http://127.0.0.1:9000/a":                            "http://127.0.0.1:9000/a",
		"http://[::1]/a":                                     "http://[::1]/a",
		"http://localhost/a":                                 "http://localhost/a",
		"s3://exports/2026/people #1.csv" + sum:              "s3://exports/2026/people #1.csv",
	} {
		a, err := ParseAddress(text)
		if err != nil || a.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, a, err, want)
		}

		if err == nil && strings.Contains(text, sum) != (a.checksum != nil) {
			t.Errorf("%s: checksum %x", text, a.checksum)
		}
	}

	for text, want := range map[string]string{
		"http://me:s3cret@data.example/a?b=s3cret": "http://data.example/a?b=… is not encrypted; use https://",
		"http://127.0.0.1.nip.example/a":           "is not encrypted",
		"https://me:s3cret/x@data.example/a":       "write special characters",
		"https://me:s3cret%zz@data.example/a":      "write special characters",
		"https:///a":                               "write special characters",
		"https://data.example/a#sha256=s3cret":     "64 hexadecimal digits",
		"s3://exports":                             "s3://BUCKET/KEY",
		"s3://exports/folder/":                     "s3://BUCKET/KEY",
		"s3://evil@host:1/key":                     "s3://BUCKET/KEY",
		"s3:///key":                                "s3://BUCKET/KEY",
	} {
		if a, err := ParseAddress(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, %v, want %q", text, a, err, want)
		}
	}
}
