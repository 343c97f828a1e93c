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

// patience bounds every wait for a program: far above what is needed, so that only a hang meets it.
const patience = 2 * time.Minute

var (
	binaries string         // folder of the built programs
	atEnd    []func() error // what a test has made for the whole run is given up by these
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
		for _, end := range atEnd {
			if err := end(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
		return code
	}())
}

// program is a built program with its own environment: no variable of the developer's reaches it.
func program(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, name), args...)
	cmd.Env = []string{"HOME=" + os.TempDir(), "TMPDIR=" + os.TempDir(), "PATH=" + os.Getenv("PATH")}
	return cmd
}

// run runs a program to its end and returns what it wrote to standard output.
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

// server is a running server.
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

// start starts a server on a free port and waits until it is ready.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	s := launch(t, args...)
	s.await(t)
	return s
}

// launch starts a server on a free port.
func launch(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{cmd: program(context.Background(), "server", append([]string{"-addr", "127.0.0.1:0"}, args...)...), log: &syncBuffer{}}
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

// await waits until the server has printed its address, which it does when it is ready.
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

// stop asks the server to stop and returns its exit error.
func (s *server) stop(t *testing.T) error {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return s.cmd.Wait()
}

// call sends one request and decodes the JSON answer.
func (s *server) call(t *testing.T, method, path, body string) (int, map[string]any) {
	t.Helper()
	status, answer, err := s.try(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return status, answer
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
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return resp.StatusCode, nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return resp.StatusCode, answer, nil
}

// index is the name of the index that serves, by /health.
func (s *server) index(t *testing.T) string {
	t.Helper()
	_, health := s.call(t, http.MethodGet, "/api/v1/health", "")
	source, _ := health["components"].(map[string]any)["data_source"].(map[string]any)
	name, _ := source["index"].(string)
	return name
}

// eventually calls ready until it is true.
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

// The demo is the first thing that a newcomer sees: it prints one command, and that command must work as it is printed.
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
	var answer struct {
		Status  string
		Matches []struct{ Score float64 }
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.Status != "success" || len(answer.Matches) == 0 {
		t.Fatalf("the command answered %s (%v)", out, err)
	}
	if err := s.stop(t); err != nil {
		t.Errorf("stopped by a signal, the server ended with %v\n%s", err, s.log)
	}
}

// Keys outlive a restart, and a revoked one is refused at once by a running server.
func TestKeys_AcrossProcesses(t *testing.T) {
	data := t.TempDir()
	out := run(t, "server", "keys", "create", "-data", data, "-plan", "professional", "-name", "Agency")
	s := start(t, "-data", data)
	s.key = keyPattern.FindString(out)
	if status, answer := s.call(t, http.MethodGet, "/api/v1/health", ""); status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	list := run(t, "server", "keys", "list", "-data", data)
	if !strings.Contains(list, "Agency") || strings.Contains(list, s.key) {
		t.Fatalf("the list should name the key and not show it:\n%s", list)
	}
	id := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(list)
	if id == "" {
		t.Fatalf("no id in the list:\n%s", list)
	}
	run(t, "server", "keys", "revoke", "-data", data, id)
	status, answer := s.call(t, http.MethodGet, "/api/v1/health", "")
	code, _ := answer["error"].(map[string]any)["code"].(string)
	if status != http.StatusUnauthorized || code != "revoked_api_key" {
		t.Errorf("after the revocation: %d %v, want 401 revoked_api_key", status, answer)
	}
}

// A second server on the same address says so, and how to go on.
func TestServer_BusyAddress(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	cmd := program(t.Context(), "server", "-data", t.TempDir(), "-addr", strings.TrimPrefix(s.url, "http://"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "-addr") {
		t.Errorf("%v\n%s", err, out)
	}
}
