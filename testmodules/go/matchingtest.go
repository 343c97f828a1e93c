// Package matchingtest starts the freelancer matching service in test mode, for tests in Go: in a container or, where
// there is no container engine, as a program.
//
//	service := matchingtest.Run(t)
//	service.Seed(t, 50, 7)
//	// send requests to service.URL with service.Key
package matchingtest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	// Image is the image that Run starts, unless MATCHING_TEST_IMAGE names another one.
	Image = "freelancer-matching:local"
	// Program is the program that Run starts without a container engine, unless MATCHING_TEST_BINARY names another one.
	Program = "matching-server"

	port         = "8080/tcp"
	startTimeout = 2 * time.Minute
	callTimeout  = time.Minute
)

// The API keys of test mode.
const (
	FreelancerKey   = "svc_fr_test000000000000000000000000004EuxCR"
	ProfessionalKey = "svc_pr_test000000000000000000000000002UtNWJ"
	EnterpriseKey   = "svc_ent_test000000000000000000000000001rTwEG"
)

// A Service is a running service. It ends with its test.
type Service struct {
	URL string // without a slash at the end
	Key string // of the plan enterprise
}

// A Reply is what the scripted language model does for one call; see docs/test-mode.md of the service.
type Reply struct {
	Task   string `json:"task,omitempty"`
	When   string `json:"when,omitempty"`
	Level  int    `json:"level,omitempty"`
	JSON   any    `json:"json,omitempty"`
	Status int    `json:"status,omitempty"`
}

// Run starts the service. MATCHING_TEST_BINARY, the path of the program, takes precedence over a container.
func Run(t testing.TB) *Service {
	t.Helper()
	program := os.Getenv("MATCHING_TEST_BINARY")
	if program == "" && !hasEngine(t) {
		found, err := exec.LookPath(Program)
		if err != nil {
			t.Fatalf("there is neither a container engine nor the program %s; set MATCHING_TEST_BINARY to its path", Program)
		}
		program = found
	}

	url := ""
	if program == "" {
		url = runContainer(t)
	} else {
		url = runProgram(t, program)
	}
	return &Service{URL: url, Key: EnterpriseKey}
}

// hasEngine reports whether a container engine responds.
func hasEngine(t testing.TB) (ok bool) {
	defer func() { // testcontainers panics where it finds no socket
		if recover() != nil {
			ok = false
		}
	}()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return false
	}
	defer provider.Close()
	return provider.Health(t.Context()) == nil
}

func runContainer(t testing.TB) string {
	t.Helper()
	image := cmp.Or(os.Getenv("MATCHING_TEST_IMAGE"), Image)
	container, err := testcontainers.Run(t.Context(), image,
		testcontainers.WithCmd("-test", "-insecure-http"),
		testcontainers.WithExposedPorts(port),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort(port).WithStartupTimeout(startTimeout)))
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatalf("start the image %s: %v", image, err)
	}
	url, err := container.PortEndpoint(t.Context(), port, "http")
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// runProgram starts the program on a free port, and returns its address when it is ready.
func runProgram(t testing.TB, program string) string {
	t.Helper()
	//nolint:gosec // the developer names the program
	command := exec.CommandContext(t.Context(), program, "-test", "-addr", "127.0.0.1:0", "-data", t.TempDir())
	// The end of the test interrupts the program instead of killing it, so that it can delete its data.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	var log bytes.Buffer
	command.Stderr = &log
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}

	ended := make(chan struct{})
	var failure error // once ended is closed
	t.Cleanup(func() { <-ended })

	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if url, ok := strings.CutPrefix(lines.Text(), "Ready on "); ok {
				ready <- url
			}
		}
		close(ready)
		failure = command.Wait()
		close(ended)
	}()

	select {
	case url, ok := <-ready:
		if !ok {
			<-ended
			t.Fatalf("%s has ended: %v\n%s", program, failure, &log)
		}
		return url
	case <-time.After(startTimeout):
		_ = command.Process.Kill()
		t.Fatalf("%s isn't ready after %s", program, startTimeout)
		return ""
	}
}

// Reset returns the service to its state after the start.
func (s *Service) Reset(t testing.TB) { s.control(t, http.MethodPost, "/test/reset", nil) }

// Seed replaces all freelancers by n generated ones. The same seed gives the same.
func (s *Service) Seed(t testing.TB, n int, seed uint64) {
	s.control(t, http.MethodPut, "/test/data?n="+strconv.Itoa(n)+"&seed="+strconv.FormatUint(seed, 10), nil)
}

// Load replaces all freelancers by those in lines of JSON.
func (s *Service) Load(t testing.TB, lines string) {
	s.control(t, http.MethodPut, "/test/data", []byte(lines))
}

// Advance advances the clock of the service.
func (s *Service) Advance(t testing.TB, by time.Duration) {
	s.control(t, http.MethodPost, "/test/clock", map[string]any{"advance": by.String()})
}

// SetClock sets the clock of the service.
func (s *Service) SetClock(t testing.TB, to time.Time) {
	s.control(t, http.MethodPost, "/test/clock", map[string]any{"set": to.Format(time.RFC3339)})
}

// Fail lets the next calls fail, or all if times is 0: with 429, 503, 500, slow=2s or drop.
func (s *Service) Fail(t testing.TB, fault string, times int) {
	s.control(t, http.MethodPost, "/test/faults", map[string]any{"fault": fault, "times": times})
}

// Recover ends what Fail began.
func (s *Service) Recover(t testing.TB) { s.control(t, http.MethodDelete, "/test/faults", nil) }

// EnforceQuota says whether the limits of plans apply.
func (s *Service) EnforceQuota(t testing.TB, on bool) {
	s.control(t, http.MethodPut, "/test/quota", map[string]any{"enforced": on})
}

// Script replaces the script of the language model.
func (s *Service) Script(t testing.TB, replies ...Reply) {
	s.control(t, http.MethodPut, "/test/llm", map[string]any{"replies": replies})
}

// control sends a request to an operation under /test, and fails the test unless it succeeds.
func (s *Service) control(t testing.TB, method, path string, body any) {
	t.Helper()
	content, isText := body.([]byte)
	if body != nil && !isText {
		var err error
		if content, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}
