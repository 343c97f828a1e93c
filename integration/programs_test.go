package integration

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience limits every wait, and every request to a server. It is so long that only a hang exceeds it, even on a slow
// machine.
const patience = 5 * time.Minute

var (
	binaries string         // directory of the built programs
	atEnd    []func() error // release what tests share; TestMain calls them after the last test
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "matching-integration-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "../server", "../indexer")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build the programs:", err)
			return 1
		}
		binaries = dir
		code := m.Run()
		for _, release := range atEnd {
			if err := release(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
		return code
	}())
}

// program returns a command that runs one of the built programs. The command does not inherit environment variables
// that would configure the program.
func program(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, name), args...)
	cmd.Env = []string{"HOME=" + os.TempDir(), "TMPDIR=" + os.TempDir(), "PATH=" + os.Getenv("PATH")}
	return cmd
}

// run runs a program, which must succeed, and returns its standard output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := program(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// A server is a running server and the API key that requests to it use.
type server struct {
	url, key, greeting string
	cmd                *exec.Cmd
	stdout             io.Reader
	log                *syncBuffer
}

var (
	urlPattern = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	keyPattern = regexp.MustCompile(`svc_(fr|pr|ent)_[0-9A-Za-z]{36}`)
)

// start starts a server on a free port and waits until it is ready to serve.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	s := launch(t, args...)
	s.await(t)
	return s
}

// launch starts a server on a free port, without waiting for it. Unless args say otherwise, a request may take as long
// as patience, so that a slow machine doesn't fail it.
func launch(t *testing.T, args ...string) *server {
	t.Helper()
	args = append([]string{"-addr", "127.0.0.1:0", "-request-timeout", patience.String()}, args...)
	s := &server{cmd: program(context.Background(), "server", args...), log: &syncBuffer{}}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdout, s.cmd.Stderr = stdout, s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	return s
}

// await waits until the server prints that it is ready, and reads its address and the demo's API key.
func (s *server) await(t *testing.T) {
	t.Helper()
	watchdog := time.AfterFunc(patience, func() { s.cmd.Process.Kill() })
	defer watchdog.Stop()
	lines := bufio.NewScanner(s.stdout)
	for lines.Scan() {
		s.greeting += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "Ready") {
			s.url = urlPattern.FindString(lines.Text())
			s.key = keyPattern.FindString(s.greeting)
			go io.Copy(io.Discard, s.stdout)
			return
		}
	}
	t.Fatalf("the server ended before it was ready:\n%s%s", s.greeting, s.log)
}

// stop asks the server to stop, waits for it, and returns its exit error.
func (s *server) stop(t *testing.T) error {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return s.cmd.Wait()
}

// call sends a request and returns the status and the decoded JSON of the response.
func (s *server) call(t *testing.T, method, path, body string) (int, map[string]any) {
	t.Helper()
	status, response, err := s.try(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return status, response
}

func (s *server) try(method, path, body string) (int, map[string]any, error) {
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-API-Key", s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	var response map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&response); err != nil {
		return resp.StatusCode, nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return resp.StatusCode, response, nil
}

// index returns the name of the live index, as /health reports it.
func (s *server) index(t *testing.T) string {
	t.Helper()
	_, health := s.call(t, http.MethodGet, "/api/v1/health", "")
	source, _ := health["components"].(map[string]any)["data_source"].(map[string]any)
	name, _ := source["index"].(string)
	return name
}

// eventually calls ready until it returns true. It fails the test if that takes longer than patience.
func eventually(t *testing.T, what string, ready func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !ready() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s did not happen within %s", what, patience)
		}
	}
}

// A syncBuffer is a buffer that a running program writes to while a test reads it.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

const brief = `{"description":"Online shop for a ceramics studio\nReact front end, Node.js behind it, payments.",` +
	`"required_skills":["ReactJS","Node"],"budget_range":[2000,9000],"complexity":"medium","timeline":45}`

// The demo prints a command to try, and that command works exactly as printed.
func TestDemo_PrintsACommandThatWorks(t *testing.T) {
	s := start(t, "-demo")
	i := strings.Index(s.greeting, "curl ")
	if i < 0 {
		t.Fatalf("no curl command in:\n%s", s.greeting)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	command, _, _ := strings.Cut(s.greeting[i:], "\n\n")
	out, err := exec.CommandContext(t.Context(), "sh", "-c", command).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	var response struct {
		Status  string
		Matches []struct{ Score float64 }
	}
	if err := json.Unmarshal(out, &response); err != nil || response.Status != "success" || len(response.Matches) == 0 {
		t.Fatalf("the command printed %s (%v)", out, err)
	}
	if err := s.stop(t); err != nil {
		t.Errorf("after SIGTERM, the server ended with %v\n%s", err, s.log)
	}
}

// A running server accepts a key that the command line created, and rejects it as soon as the command line revokes it.
func TestKeys_AcrossProcesses(t *testing.T) {
	data := t.TempDir()
	out := run(t, "server", "keys", "create", "-data", data, "-plan", "professional", "-name", "Agency")
	s := start(t, "-data", data)
	s.key = keyPattern.FindString(out)
	if status, response := s.call(t, http.MethodGet, "/api/v1/health", ""); status != http.StatusOK {
		t.Fatalf("%d %v", status, response)
	}
	list := run(t, "server", "keys", "list", "-data", data)
	if !strings.Contains(list, "Agency") || strings.Contains(list, s.key) {
		t.Fatalf("want a list with the name of the key and without its secret:\n%s", list)
	}
	id := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(list)
	if id == "" {
		t.Fatalf("no id in the list:\n%s", list)
	}
	run(t, "server", "keys", "revoke", "-data", data, id)
	status, response := s.call(t, http.MethodGet, "/api/v1/health", "")
	if status != http.StatusUnauthorized || errorCode(response) != "revoked_api_key" {
		t.Errorf("after the revocation: %d %v, want 401 revoked_api_key", status, response)
	}
}

// A server whose address is in use exits with an error that names the flag to change.
func TestServer_BusyAddress(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	cmd := program(t.Context(), "server", "-data", t.TempDir(), "-addr", strings.TrimPrefix(s.url, "http://"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "-addr") {
		t.Errorf("%v\n%s", err, out)
	}
}
