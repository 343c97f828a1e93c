package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A fake is a server that records requests and has one response.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	requests []recorded
}

type recorded struct {
	Method, Path, Key string
	Body              map[string]any
}

func newFake(t *testing.T, status int, header http.Header, response string) *fake {
	t.Helper()
	f := &fake{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := recorded{Method: r.Method, Path: r.URL.RequestURI(), Key: r.Header.Get("X-API-Key")}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &got.Body)
		f.mu.Lock()
		f.requests = append(f.requests, got)
		f.mu.Unlock()
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, response)
	}))
	t.Cleanup(f.Close)
	return f
}

// A shell runs commands, with profiles of its own.
type shell struct {
	environment map[string]string
	stdin       string
	terminal    bool

	// pause is called instead of each wait; nil waits for nothing.
	pause func(d time.Duration)
	ctx   context.Context // nil never ends
}

func newShell(t *testing.T, f *fake) *shell {
	t.Helper()
	environment := map[string]string{variableConfig: filepath.Join(t.TempDir(), "folder", "profiles.json")}
	if f != nil {
		environment[variableURL] = f.URL
		environment[variableKey] = "svc_test"
	}
	return &shell{environment: environment}
}

func (s *shell) run(args ...string) (code int, stdout, stderr string) {
	var out, errors bytes.Buffer
	c := &cli{
		environment: func(name string) (string, bool) { v, ok := s.environment[name]; return v, ok },
		stdin:       strings.NewReader(s.stdin), stdout: &out, stderr: &errors, terminal: s.terminal, width: defaultWidth,
		secret: func() (string, bool, error) { return "", true, nil },
		pause: func(ctx context.Context, d time.Duration) error {
			if s.pause != nil {
				s.pause(d)
			}
			return ctx.Err()
		},
	}
	ctx := s.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	code = c.run(ctx, args)
	return code, out.String(), errors.String()
}

const oneMatch = `{"status":"success","matches":[{"freelancer":{"id":"f1","name":"Mira \u001b[31mTalden","job_title":
"Go developer","hourly_rate":50},"score":0.5,"level":"strong","matched_skills":["Go"],"missing_skills":[],
"estimate":{"hours":100,"days":20,"cost":5000}}],"considered":7,"next_offset":1,"currency":"EUR",
"hourly_rate_currency":"USD","unknown_skills":[{"skill":"zzz","suggestions":[]}],"skipped":[],
"suggested_filters":[{"filter":"countries","value":["DE","AT"],"because":["in Germany"]}]}`

func TestMatch_SendsTheBrief(t *testing.T) {
	f := newFake(t, 200, nil, oneMatch)
	s := newShell(t, f)
	code, stdout, stderr := s.run("match", "React shop, 5k, 30 days", "-skills", "React, Node",
		"-filter", "min_rating=4.5", "-filter", "languages=de:B2,en",
		"-filter", "time_zone=Europe/Berlin", "-filter", "within_hours=2",
		"-filter", "available=true", "-filter", "countries=DE,AT", "-limit", "1")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}

	want := []recorded{{
		Method: http.MethodPost, Path: "/api/v1/match?unknown=null", Key: "svc_test",
		Body: map[string]any{
			"description": "React shop", "budget_range": []any{0.0, 5000.0}, "timeline": 30.0, "limit": 1.0, "offset": 0.0,
			"required_skills": []any{"React", "Node"},
			"filters": map[string]any{
				"min_rating": 4.5, "available": true, "countries": []any{"DE", "AT"},
				"languages": []any{map[string]any{"language": "de", "min_level": "B2"}, map[string]any{"language": "en"}},
				"time_zone": map[string]any{"zone": "Europe/Berlin", "within_hours": 2.0},
			},
		},
	}}
	if diff := cmp.Diff(want, f.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}

	for _, text := range []string{
		"0.500 strong", "Mira  [31mTalden · f1 · Go developer", "has Go", "50 USD/h, about 100 h, 20 days, 5,000 EUR",
		"Unknown skill zzz", "-filter countries=DE,AT", "1 match of 7; more with -offset 1",
	} {
		if !strings.Contains(stdout, text) {
			t.Errorf("no %q in\n%s", text, stdout)
		}
	}
	if !strings.Contains(stderr, "Read in the text: budget up to 5,000, timeline 30 days.") {
		t.Errorf("standard error: %s", stderr)
	}
}

// A picture is for terminals, and so is indented JSON. A profile can't control a terminal.
func TestMatch_OnATerminal(t *testing.T) {
	s := newShell(t, newFake(t, 200, nil, oneMatch))
	s.terminal = true
	_, stdout, _ := s.run("match", "Go")
	if !strings.Contains(stdout, "██████░░░░░░ 0.500") || strings.Contains(stdout, "\x1b") {
		t.Errorf("%q", stdout)
	}
	if _, stdout, _ = s.run("match", "Go", "-json"); !strings.Contains(stdout, "\n  \"matches\"") {
		t.Errorf("%q", stdout)
	}
}

func TestMatch_FileAndFlags(t *testing.T) {
	f := newFake(t, 200, nil, oneMatch)
	s := newShell(t, f)
	s.stdin = `{"description":"Shop","limit":3,"offset":6}`
	code, stdout, stderr := s.run("match", "-f", "-", "-budget", "40-60/h", "-json")
	if code != 0 || !strings.HasPrefix(stdout, `{"status":"success"`) {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	want := map[string]any{
		"description": "Shop", "limit": 3.0, "offset": 6.0, "budget_range": []any{40.0, 60.0}, "budget_type": "hourly",
	}
	if diff := cmp.Diff(want, f.requests[0].Body); diff != "" {
		t.Errorf("brief (-want +got):\n%s", diff)
	}

	s.stdin = `{"description":"Shop"}`
	_, stdout, _ = s.run("match", "-f", "-", "-offset", "5")
	if !strings.Contains(stdout, "  6  0.500") {
		t.Errorf("ranks begin after the offset: %s", stdout)
	}
}

func TestErrors(t *testing.T) {
	failure := func(code string) string {
		return `{"status":"error","error":{"code":"` + code + `","message":"It failed.","details":[]},"request_id":"r1"}`
	}
	tests := []struct {
		name     string
		status   int
		header   http.Header
		response string
		args     []string
		code     int
		want     string
	}{
		{"no key", 401, nil, failure("missing_api_key"), []string{"me"}, 3, "Set MATCHING_API_KEY, or store a key"},
		{"not allowed", 403, nil, failure("permission_required"), []string{"freelancers", "get", "f1"}, 3, "It failed."},
		{
			"unknown freelancer", 404, nil, failure("freelancer_not_found"),
			[]string{"freelancers", "get", "f1"},
			4,
			"\"matching freelancers find\" lists",
		},
		{"invalid brief", 422, nil, failure("validation_failed"), []string{"match", "x"}, 2, "(validation_failed)"},
		{
			"limit reached", 429,
			http.Header{"Retry-After": {"7"}},
			failure("rate_limit"),
			[]string{"match", "x"},
			5,
			"Try again in 7 seconds.",
		},
		{"fault", 500, nil, failure("internal_error"), []string{"match", "x"}, 1, "request_id r1"},
		{"something else", 502, nil, "<html>", []string{"match", "x"}, 1, "check the address"},
		{"redirect", 302, http.Header{"Location": {"http://127.0.0.1:1/"}}, "", []string{"me"}, 1, "302 Found"},
		{"no brief", 0, nil, "", []string{"match"}, 2, "describe the work"},
		{"unknown command", 0, nil, "", []string{"mach"}, 2, "did you mean match?"},
		{"unknown flag", 0, nil, "", []string{"match", "x", "-limt", "1"}, 2, "did you mean -limit?"},
		{"no arguments", 0, nil, "", []string{"parse"}, 2, "use matching parse FILE"},
		{"no file", 0, nil, "", []string{"parse", "/nowhere"}, 1, "/nowhere"},
		{"flag of another command", 0, nil, "", []string{"freelancers", "find", "-version", "v"}, 2, "accept -version"},
		{"invalid budget", 0, nil, "", []string{"match", "x", "-budget", "much"}, 2, "-budget must be an amount"},
		{"invalid filter", 0, nil, "", []string{"match", "x", "-filter", "rating"}, 2, "want NAME=VALUE"},
		{"unknown shell", 0, nil, "", []string{"completion", "csh"}, 2, "bash, zsh or fish"},
		{"invalid address", 0, nil, "", []string{"me", "-url", "ftp://x"}, 2, "the address must be a server's"},
		{"nobody there", 0, nil, "", []string{"me", "-url", "http://127.0.0.1:1"}, 5, "doesn't respond"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t, max(test.status, 200), test.header, test.response)
			code, stdout, stderr := newShell(t, f).run(test.args...)
			if code != test.code || !strings.Contains(stderr, test.want) || stdout != "" {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, test.code, test.want, stdout, stderr)
			}

			if test.status >= 400 && test.status != 502 {
				_, stdout, _ := newShell(t, f).run(append(test.args, "-json")...)
				if strings.TrimSpace(stdout) != test.response {
					t.Errorf("-json printed %q", stdout)
				}
			}
		})
	}
}

func TestProfiles(t *testing.T) {
	f := newFake(t, 200, nil, `{"data":{"key_id":"key_1","name":"n","plan":"professional","limits":[]}}`)
	s := newShell(t, nil)
	run := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := s.run(args...)
		if code != want {
			t.Fatalf("%v: exit code %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
		return stdout, stderr
	}

	run(2, "me") // no key
	s.stdin = "svc_work\n"
	run(0, "profiles", "set", "work", "-url", f.URL+"/")
	s.stdin = "svc_home"
	run(0, "profiles", "set", "home", "-url", f.URL)
	s.stdin = ""
	run(2, "profiles", "set", "empty", "-url", f.URL)

	info, err := os.Stat(s.environment[variableConfig])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	run(0, "me")
	run(0, "me", "-profile", "home")
	run(0, "profiles", "use", "home")
	run(0, "me")
	s.environment[variableKey] = "svc_environment"
	s.environment[variableURL] = f.URL
	run(0, "me")
	run(0, "me", "-profile", "work")

	var keys []string
	for _, r := range f.requests {
		keys = append(keys, r.Key)
	}
	want := []string{"svc_work", "svc_home", "svc_home", "svc_environment", "svc_work"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}

	// A profile's key goes to no other server.
	other := newFake(t, 200, nil, "{}")
	run(2, "me", "-profile", "work", "-url", other.URL)
	if len(other.requests) != 0 {
		t.Errorf("%+v", other.requests)
	}

	delete(s.environment, variableKey)
	stdout, _ := run(0, "profiles")
	if strings.Contains(stdout, "svc_") || !strings.Contains(stdout, "* home") {
		t.Errorf("profiles: %s", stdout)
	}
	run(0, "profiles", "remove", "home")
	run(2, "profiles", "use", "home")

	if err := os.Chmod(s.environment[variableConfig], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, stderr := run(0, "profiles"); !strings.Contains(stderr, "other users can read the keys") {
		t.Errorf("no warning: %s", stderr)
	}
}

// Every command has help with an example, and completion knows it with its flags.
func TestHelpAndCompletion(t *testing.T) {
	s := newShell(t, nil)
	_, help, _ := s.run("help")
	scripts := map[string]string{}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		_, scripts[shell], _ = s.run("completion", shell)
	}
	for _, cmd := range (&cli{}).commands() {
		code, text, _ := s.run(cmd.name, "-h")
		if code != 0 || !strings.Contains(text, "Example") || !strings.Contains(help, cmd.name) {
			t.Errorf("%s: exit code %d, help:\n%s", cmd.name, code, text)
		}
		for shell, script := range scripts {
			if !strings.Contains(script, cmd.name) {
				t.Errorf("%s doesn't complete %s", shell, cmd.name)
			}
		}
	}
	if !strings.Contains(scripts["bash"], `freelancers) words="get put find -currency`) {
		t.Errorf("%s", scripts["bash"])
	}
}
