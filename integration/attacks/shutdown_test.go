//go:build integration

package attacks

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// A busy client sends one request after the other on a connection that it keeps as long as the server lets it. Unlike
// net/http's client, it repeats nothing, so that no reset connection stays hidden.
type busyClient struct {
	s      *programs.Server
	conn   net.Conn
	reader *bufio.Reader
}

// send sends a brief. It reports whether the server asked to close the connection; then it checks that the server
// closes it cleanly, and opens a new connection for the next request.
func (c *busyClient) send() (closing bool, err error) {
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", strings.TrimPrefix(c.s.URL, "http://")); err != nil {
			return false, err
		}
		c.reader = bufio.NewReader(c.conn)
	}

	_, err = fmt.Fprintf(c.conn, "POST /api/v1/match HTTP/1.1\r\nHost: localhost\r\nX-API-Key: %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", c.s.Key, len(programs.Brief), programs.Brief)
	if err != nil {
		return false, fmt.Errorf("send: %w", err)
	}

	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return false, fmt.Errorf("receive: %w", err)
	}
	defer response.Body.Close()

	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return false, fmt.Errorf("receive the body: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return false, fmt.Errorf("status %s", response.Status)
	}
	if !response.Close {
		return false, nil
	}

	_, err = c.reader.ReadByte()
	if !errors.Is(err, io.EOF) {
		return true, fmt.Errorf("after Connection: close: %w, want EOF", err)
	}

	err = c.conn.Close()
	c.conn = nil

	return true, err
}

// Busy clients see no error when the server stops: it serves until load balancers know, closes each connection after a
// response, and finishes what is running.
func TestShutdown_BusyClients(t *testing.T) {
	const clients, before, after = 8, 5, 3
	data := t.TempDir()
	s := programs.Start(t, "-data", data, "-drain-delay", "10s")
	s.Key = programs.NewKey(t, data, "-plan", "enterprise")

	var warm, done sync.WaitGroup
	var told atomic.Int64
	warm.Add(clients)

	for range clients {
		done.Go(func() {
			c := &busyClient{s: s}
			left := after // requests to send, on new connections, once the server has asked to close
			for i := 1; left > 0; i++ {
				closing, err := c.send()
				if i == before || err != nil && i < before {
					warm.Done()
				}

				if err != nil {
					t.Errorf("request %d, %d after the server asked to close: %v", i, after-left, err)
					return
				}

				if closing {
					told.Add(1)
					left--
				}
			}
		})
	}

	warm.Wait()

	// A slow download runs during the whole shutdown.
	const path = "/api/v1/generate-test-data?num_freelancers=10000&format=ndjson"
	request, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}

	request.Header.Set("X-API-Key", s.Key)
	download, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer download.Body.Close()

	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	programs.Eventually(t, "the first step of the shutdown", func() bool {
		return strings.Contains(s.Log.String(), "draining")
	})

	if status, _ := s.Call(t, http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz responds with %d, want 503", status)
	}

	if status, _ := s.Call(t, http.MethodGet, "/livez", ""); status != http.StatusOK {
		t.Errorf("/livez responds with %d, want 200", status)
	}

	done.Wait()
	programs.Eventually(t, "the second step of the shutdown", func() bool {
		return strings.Contains(s.Log.String(), "shutting down")
	})
	content, err := io.ReadAll(download.Body)
	if lines := strings.Count(string(content), "\n"); err != nil || lines != 10_000 {
		t.Errorf("the download ended with %v after %d of 10000 lines", err, lines)
	}

	if err := s.Cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, s.Log)
	}

	if told.Load() != clients*after {
		t.Errorf("%d responses asked to close the connection, want %d", told.Load(), clients*after)
	}
}

// Clients that share an HTTP/2 connection see no error either.
func TestShutdown_HTTP2(t *testing.T) {
	const clients, after = 8, 20
	pair := newKeyPair(t)
	certificate := pair.renew(1)
	s := programs.Start(t, "-data", t.TempDir(), "-drain-delay", "10s", "-tls-cert", pair.cert, "-tls-key", pair.key,
		"-public-url", "https://match.example.com")
	client := browser(s, certificate)
	var warm, done sync.WaitGroup
	warm.Add(clients)

	for range clients {
		done.Go(func() {
			sent := sync.OnceFunc(warm.Done)
			defer sent()

			for left := after; left > 0; {
				response, err := client.Get("https://match.example.com/livez")
				if err != nil {
					t.Error(err)
					return
				}

				_, err = io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
					t.Errorf("%s %s: %v", response.Proto, response.Status, err)
				}

				sent()
				if strings.Contains(s.Log.String(), "draining") {
					left--
				}
			}
		})
	}

	warm.Wait()
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	done.Wait()

	if err := s.Cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, s.Log)
	}
}

// Ctrl-C ends a server in a terminal without the delay for load balancers, and so does a second SIGTERM.
func TestShutdown_AtOnce(t *testing.T) {
	s := programs.Start(t, "-data", t.TempDir(), "-drain-delay", "1h")
	if err := s.Cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}

	if err := s.Cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C, the server ended with %v", err)
	}

	s = programs.Start(t, "-data", t.TempDir(), "-drain-delay", "1h")
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	programs.Eventually(t, "the first step of the shutdown", func() bool {
		return strings.Contains(s.Log.String(), "draining")
	})

	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	if err := s.Cmd.Wait(); err == nil {
		t.Error("a second SIGTERM did not end the server at once")
	}
}
