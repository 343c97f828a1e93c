package integration

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// atEnd releases what tests share, after the last test.
var atEnd []func() error

func TestMain(m *testing.M) {
	os.Exit(programs.Main(m, func() error {
		var errs []error
		for _, release := range atEnd {
			errs = append(errs, release())
		}
		return errors.Join(errs...)
	}))
}

// A server is a running server. Its methods here and in other files of the suite send the suite's requests.
type server struct {
	*programs.Server
	recovery []string // unused recovery codes of the administrator
}

// start starts a server and waits until it is ready to serve.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	return &server{Server: programs.Start(t, args...)}
}

// launch starts a server without waiting for it.
func launch(t *testing.T, args ...string) *server {
	t.Helper()
	return &server{Server: programs.Launch(t, args...)}
}

// The demo prints a command to try, and that command works exactly as printed.
func TestDemo_PrintsACommandThatWorks(t *testing.T) {
	s := start(t, "-demo")
	i := strings.Index(s.Greeting, "curl ")
	if i < 0 {
		t.Fatalf("no curl command in:\n%s", s.Greeting)
	}

	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}

	command, _, _ := strings.Cut(s.Greeting[i:], "\n\n")
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

	if err := s.Stop(t); err != nil {
		t.Errorf("after SIGTERM, the server ended with %v\n%s", err, s.Log)
	}
}

// A running server accepts a key that the command line created, and rejects it as soon as the command line revokes it.
func TestKeys_AcrossProcesses(t *testing.T) {
	data := t.TempDir()
	out := programs.Run(t, "server", "keys", "create", "-data", data, "-plan", "professional", "-name", "Agency")
	s := start(t, "-data", data)
	s.Key = programs.KeyPattern.FindString(out)
	if status, response := s.Call(t, http.MethodGet, "/api/v1/health", ""); status != http.StatusOK {
		t.Fatalf("%d %v", status, response)
	}

	list := programs.Run(t, "server", "keys", "list", "-data", data)
	if !strings.Contains(list, "Agency") || strings.Contains(list, s.Key) {
		t.Fatalf("want a list with the name of the key and without its secret:\n%s", list)
	}

	id := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(list)
	if id == "" {
		t.Fatalf("no id in the list:\n%s", list)
	}

	programs.Run(t, "server", "keys", "revoke", "-data", data, id)
	status, response := s.Call(t, http.MethodGet, "/api/v1/health", "")
	if status != http.StatusUnauthorized || errorCode(response) != "revoked_api_key" {
		t.Errorf("after the revocation: %d %v, want 401 revoked_api_key", status, response)
	}
}

// A server whose address is in use exits with an error that names the flag to change.
func TestServer_BusyAddress(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	cmd := programs.Command(t.Context(), "server", "-data", t.TempDir(), "-addr", strings.TrimPrefix(s.URL, "http://"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "-addr") {
		t.Errorf("%v\n%s", err, out)
	}
}
