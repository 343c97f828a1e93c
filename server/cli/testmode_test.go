package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/server/testmode"
)

// asServer is an environment variable that makes this test's program the server.
const asServer = "MATCHING_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		os.Exit(run(untilSignal(context.Background()), os.Args[1:],
			func(string) (string, bool) { return "", false }, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// Two processes respond to the same requests with the same bytes, in their headers, too.
func TestTestMode_RepeatsInAnotherProcess(t *testing.T) {
	first := processTranscript(t)
	second := processTranscript(t)
	if first != second {
		t.Errorf("the first process:\n%s\nthe second one:\n%s", first, second)
	}
	if !strings.Contains(first, "test-000001") || !strings.Contains(first, `"took_ms":0`) {
		t.Errorf("responses: %s", first)
	}
}

// processTranscript starts the server in test mode in another process, and returns its responses to some requests.
func processTranscript(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, "-test", "-addr", "127.0.0.1:0", "-data", t.TempDir())
	command.Env = append(os.Environ(), asServer+"=1")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = command.Process.Signal(os.Interrupt) // fails if it has ended, which the requests notice
		_ = command.Wait()
	}()

	var printed bytes.Buffer
	ready := regexp.MustCompile(`Ready on (\S+)\n`)
	part := make([]byte, 1<<10)
	for !ready.Match(printed.Bytes()) {
		n, err := out.Read(part)
		printed.Write(part[:n])
		if err != nil {
			t.Fatalf("the server has ended: %s", &printed)
		}
	}
	url := string(ready.FindSubmatch(printed.Bytes())[1])

	var all strings.Builder
	for _, r := range []struct{ method, path, body string }{
		{http.MethodPost, "/api/v1/match", `{"description": "Online shop with React and Node.js", "explain": true}`},
		{http.MethodPost, "/api/v1/interview", `{"mode": "ai_questions", "freelancer_id": "f3",
			"project_description": "A shop", "required_skills": ["Go", "SQL"], "num_questions": 5}`},
		{http.MethodPut, "/api/v1/freelancers/new", `{"name": "Ada Byron", "job_title": "Go developer", "skills": ["Go"]}`},
		{http.MethodPost, "/test/clock", `{"advance": "30d"}`},
		{http.MethodGet, "/api/v1/freelancers?limit=5", ""},
		{http.MethodPost, "/api/v1/match", `{"limit": "three"}`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), r.method, url+r.path, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-API-Key", testmode.EnterpriseKey)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(response.Status + "\n")
		_ = response.Header.Write(&all) // a Builder takes everything
		_, err = io.Copy(&all, response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
	}

	return all.String()
}

// An asker sends requests to a server as soon as it is ready, and then stops it.
type asker struct {
	bytes.Buffer
	ask func(url string)
}

func (a *asker) Write(p []byte) (int, error) {
	n, err := a.Buffer.Write(p)
	if url := regexp.MustCompile(`Ready on (\S+)\n`).FindSubmatch(a.Bytes()); url != nil {
		a.ask(string(url[1]))
	}
	return n, err
}

// serving starts a server with flags, and calls ask while it serves.
func serving(t *testing.T, ask func(url string), flags ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &asker{ask: func(url string) {
		ask(url)
		cancel()
	}}
	var log bytes.Buffer
	args := append([]string{"-addr", "127.0.0.1:0", "-data", t.TempDir(), "-encoder", "off"}, flags...)
	if code := run(ctx, args, func(string) (string, bool) { return "", false }, out, &log); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, out.String(), &log)
	}
}

// get returns the status of a response, and its header X-Test-Mode.
func get(t *testing.T, method, url string) (status int, mode string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header.Get("X-Test-Mode")
}

// Without -test, a server has no operations under /test, ignores the headers of test mode and accepts none of its keys.
func TestServe_ProductionHasNoTestMode(t *testing.T) {
	serving(t, func(url string) {
		for path, method := range map[string]string{
			"/test": http.MethodGet, "/test/reset": http.MethodPost, "/test/data": http.MethodPut,
			"/test/clock": http.MethodPost, "/test/faults": http.MethodPost, "/test/trigger": http.MethodPost,
			"/test/llm": http.MethodPut, "/test/quota": http.MethodPut, "/test/openapi.yaml": http.MethodGet,
		} {
			if status, mode := get(t, method, url+path); status != http.StatusNotFound || mode != "" {
				t.Errorf("%s: status %d, X-Test-Mode %q", path, status, mode)
			}
		}

		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/me", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", testmode.EnterpriseKey)
		r.Header.Set("X-Test-Fault", "503")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			t.Errorf("status %d, want 401", response.StatusCode)
		}
	})
}

func TestServe_TestMode(t *testing.T) {
	serving(t, func(url string) {
		if status, mode := get(t, http.MethodGet, url+"/test"); status != http.StatusOK || mode != "true" {
			t.Errorf("status %d, X-Test-Mode %q", status, mode)
		}
		if !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Errorf("URL %s", url)
		}
	}, "-test")
}
