package integration

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/webhook"
)

// A background is a command that runs until it is interrupted.
type background struct {
	cmd            *exec.Cmd
	stdout, stderr programs.Buffer
}

// startMatching starts the command line of the API, and waits until it prints a text.
func startMatching(t *testing.T, s *server, text string, args ...string) *background {
	t.Helper()
	b := &background{cmd: programs.Command(t.Context(), "matching", args...)}
	b.cmd.Env = append(b.cmd.Env, "MATCHING_URL="+s.URL, "MATCHING_API_KEY="+s.Key)
	b.cmd.Stdout = &b.stdout
	b.cmd.Stderr = &b.stderr
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b.await(t, text)
	return b
}

// await waits until the command has printed a text.
func (b *background) await(t *testing.T, text string) {
	t.Helper()
	programs.Eventually(t, text, func() bool { return strings.Contains(b.stderr.String()+b.stdout.String(), text) })
}

// interrupt presses Ctrl-C and waits for the end of the command.
func (b *background) interrupt(t *testing.T) {
	t.Helper()
	if err := b.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := b.cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v\n%s%s", err, &b.stdout, &b.stderr)
	}
}

// A listener forwards a change, a test and nothing else with valid signatures, and leaves no endpoint behind.
func TestCLI_Listen(t *testing.T) {
	data := t.TempDir()
	s := start(t, "-data", data)
	s.Key = programs.NewKey(t, data, "-plan", "professional", "-permissions", "data:read,data:write,webhooks:write")
	mustMatching(t, s, `{"id":"f1","name":"Mira Talden","skills":["Go"]}`, "freelancers", "put", "-")

	type message struct {
		header http.Header
		body   []byte
	}
	received := make(chan message, 10)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- message{r.Header, body}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer program.Close()

	follower := startMatching(t, s, "stored f1", "changes", "-follow", "-cursor", "0")
	listener := startMatching(t, s, "signed with whsec_", "listen", "-forward", program.URL+"/hook",
		"-events", "freelancer.changed,key.expiring")
	secret, err := webhook.ParseSecret(regexp.MustCompile(`whsec_\S+`).FindString(listener.stderr.String()))
	if err != nil {
		t.Fatal(err)
	}

	// next returns the body of the next message, once it is verified.
	next := func() string {
		t.Helper()
		var m message
		programs.Eventually(t, "a forwarded message", func() bool {
			select {
			case m = <-received:
				return true
			default:
				return false
			}
		})
		seconds, err := strconv.ParseInt(m.header.Get("Webhook-Timestamp"), 10, 64)
		if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
			t.Errorf("got the time %d, %v", seconds, err)
		}
		want := webhook.Sign(secret, m.header.Get("Webhook-Id"), time.Unix(seconds, 0), m.body)
		if got := m.header.Get("Webhook-Signature"); got != want {
			t.Errorf("got the signature %s, want %s", got, want)
		}
		return string(m.body)
	}

	mustMatching(t, s, `{"id":"f2","name":"Ada Byron","skills":["Go"]}`, "freelancers", "put", "-")
	if body := next(); !strings.Contains(body, `"kind":"stored","id":"f2"`) {
		t.Errorf("got %s", body)
	}
	listener.await(t, "freelancer.changed  stored f2  → 202 Accepted")
	if text := mustMatching(t, s, "", "trigger", "key.expiring"); !strings.Contains(text, "(matching listen)") {
		t.Errorf("trigger: %s", text)
	}
	if body := next(); !strings.Contains(body, `"type":"key.expiring"`) || !strings.Contains(body, `"test":true`) {
		t.Errorf("got %s", body)
	}

	program.Close()
	mustMatching(t, s, "", "trigger", "freelancer.changed")
	listener.await(t, "connection refused")
	listener.interrupt(t)
	if n := strings.Count(listener.stdout.String(), "\n"); n != 3 {
		t.Errorf("%d messages:\n%s", n, &listener.stdout)
	}
	follower.await(t, "stored f2")
	follower.interrupt(t)

	if _, list := s.Call(t, http.MethodGet, "/api/v1/webhooks", ""); len(list["data"].([]any)) != 0 {
		t.Errorf("endpoints remain: %v", list)
	}
	if code, _, _ := runMatching(t, s, "", "trigger", "load.live"); code != 4 {
		t.Errorf("without an endpoint: exit code %d", code)
	}
}
