// Package programs runs the built programs in tests, the way people run them.
package programs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

// Patience limits every wait, and every request to a server. It is so long that only a hang exceeds it, even on a slow
// machine.
const Patience = 5 * time.Minute

// Variable is the environment variable with the folder of programs that have been built already.
const Variable = "MATCHING_TEST_PROGRAMS"

// binaries is the directory of the built programs. Main sets it before the first test.
var binaries string

// Main builds the programs, unless Variable names built ones, runs the tests of m, calls release, and returns the exit
// code. TestMain calls it.
func Main(m *testing.M, release func() error) (code int) {
	if binaries = os.Getenv(Variable); binaries != "" {
		return run(m, release)
	}

	dir, err := os.MkdirTemp("", "matching-integration-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Returning the code instead of exiting lets this run.
	defer os.RemoveAll(dir)

	const module = "github.com/freelancer-matching/service"
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator),
		module+"/server", module+"/indexer", module+"/matching")
	// A test binary's stdout is parsed by go test.
	build.Stdout = os.Stderr
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		return 1
	}

	binaries = dir
	return run(m, release)
}

func run(m *testing.M, release func() error) (code int) {
	code = m.Run()

	if err := release(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}

	return code
}

// Command returns a command that runs one of the built programs. The command does not inherit environment variables
// that would configure the program. The sentence encoder is off unless an argument turns it on, because matches would
// depend on how far it is, and it takes processor time.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, name), args...)
	cmd.Env = []string{
		"HOME=" + os.TempDir(), "TMPDIR=" + os.TempDir(), "PATH=" + os.Getenv("PATH"), "MATCHING_ENCODER=off",
	}
	return cmd
}

// Run runs a program, which must succeed, and returns its standard output.
func Run(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	cmd := Command(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// A Server is a running server and the API key that requests to it use.
type Server struct {
	URL, Key, Greeting string
	Cmd                *exec.Cmd
	stdout             io.Reader
	Log                *Buffer
}

// The server prints its URL, and keys look like KeyPattern.
var (
	URLPattern = regexp.MustCompile(`https?://127\.0\.0\.1:\d+`)
	KeyPattern = regexp.MustCompile(`svc_(fr|pr|ent|test)_[0-9A-Za-z]{36}`)
)

// Start starts a server on a free port and waits until it is ready to serve.
func Start(t *testing.T, args ...string) *Server {
	t.Helper()
	s := Launch(t, args...)
	s.Await(t)
	return s
}

// Launch starts a server on a free port, without waiting for it. Unless args say otherwise, a request may take as long
// as Patience, so that a slow machine doesn't fail it.
func Launch(t *testing.T, args ...string) *Server {
	t.Helper()
	args = append([]string{"-addr", "127.0.0.1:0", "-request-timeout", Patience.String()}, args...)
	s := &Server{Cmd: Command(context.Background(), "server", args...), Log: &Buffer{}}
	stdout, err := s.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdout, s.Cmd.Stderr = stdout, s.Log
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Cmd.Process.Kill()
		s.Cmd.Wait()
	})
	return s
}

// Await waits until the server prints that it is ready, and reads its address and the demo's API key.
func (s *Server) Await(t *testing.T) {
	t.Helper()
	watchdog := time.AfterFunc(Patience, func() { s.Cmd.Process.Kill() })
	defer watchdog.Stop()
	lines := bufio.NewScanner(s.stdout)
	for lines.Scan() {
		s.Greeting += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "Ready") {
			s.URL = URLPattern.FindString(lines.Text())
			s.Key = KeyPattern.FindString(s.Greeting)
			go io.Copy(io.Discard, s.stdout)
			return
		}
	}
	t.Fatalf("the server ended before it was ready:\n%s%s", s.Greeting, s.Log)
}

// Stop asks the server to stop, waits for it, and returns its exit error.
func (s *Server) Stop(t *testing.T) error {
	t.Helper()
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return s.Cmd.Wait()
}

// Call sends a request and returns the status and the decoded JSON of the response.
func (s *Server) Call(t *testing.T, method, path, body string) (int, map[string]any) {
	t.Helper()
	status, response, err := s.Try(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return status, response
}

// Try sends a request as Call does, but returns an error instead of failing the test.
func (s *Server) Try(method, path, body string) (int, map[string]any, error) {
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-API-Key", s.Key)
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

// Index returns the name of the live index, as /health reports it.
func (s *Server) Index(t *testing.T) string {
	t.Helper()
	_, health := s.Call(t, http.MethodGet, "/api/v1/health", "")
	source, _ := health["components"].(map[string]any)["data_source"].(map[string]any)
	name, _ := source["index"].(string)
	return name
}

// Eventually calls ready until it returns true. It fails the test if that takes longer than Patience.
func Eventually(t *testing.T, what string, ready func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(Patience)
	for !ready() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s did not happen within %s", what, Patience)
		}
	}
}

// A Buffer is a buffer that a running program writes to while a test reads it.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *Buffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *Buffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Brief is a brief that matches freelancers of the demo.
const Brief = `{"description":"Online shop for a ceramics studio\nReact front end, Node.js behind it, payments.",` +
	`"required_skills":["ReactJS","Node"],"budget_range":[2000,9000],"complexity":"medium","timeline":45}`

// NewKey creates an API key in a data folder, with options such as "-plan", "professional", and returns it. A server
// may run on the folder.
func NewKey(t *testing.T, data string, options ...string) string {
	t.Helper()
	out := Run(t, "server", append([]string{"keys", "create", "-data", data, "-name", "test"}, options...)...)
	key := KeyPattern.FindString(out)
	if key == "" {
		t.Fatalf("no key in:\n%s", out)
	}
	return key
}

// Memory returns the resident memory of the server in bytes. It skips the test on systems without /proc.
func (s *Server) Memory(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	if err != nil {
		t.Skip("the memory of a process is read from /proc:", err)
	}
	var kib int64
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(after, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
