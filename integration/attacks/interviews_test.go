//go:build integration

package attacks

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

const (
	interviewPath = "/api/v1/interview"
	// freeInterviews is how many bytes of interviews an account on the plan freelancer stores.
	freeInterviews = 25 << 20
)

// hugeInterview returns a request with 20 answers to 20 questions. Each answer and each expected answer repeats the
// phrase up to the given length, with another number in place of each #.
func hugeInterview(t *testing.T, phrase string, answer, expected int) string {
	t.Helper()
	n := 0
	text := func(length int) string {
		var b strings.Builder
		for b.Len()+len(phrase)+8 <= length {
			n++
			b.WriteString(strings.ReplaceAll(phrase, "#", strconv.Itoa(n)))
		}
		return b.String()
	}

	type customQuestion struct {
		Text     string `json:"text"`
		Expected string `json:"expected_answer"`
	}

	request := struct {
		FreelancerID string           `json:"freelancer_id"`
		Mode         string           `json:"mode"`
		Project      string           `json:"project_description"`
		Questions    []customQuestion `json:"custom_questions"`
		Answers      []string         `json:"provided_answers"`
	}{FreelancerID: "f1", Mode: "custom_full", Project: "A shop. " + text(15_000)}
	for i := range 20 {
		request.Questions = append(request.Questions, customQuestion{
			fmt.Sprintf("Why React %d?", i), "React, Node, Go and SQL. " + text(expected),
		})
		request.Answers = append(request.Answers, fmt.Sprintf("I used React in %d shops. ", i)+
			text(answer))
	}

	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}

	return string(body)
}

// as returns the server with requests by another key.
func as(s *programs.Server, key string) *programs.Server {
	other := *s
	other.Key = key
	return &other
}

// interviewOutcome returns the session ID, or the code and the message of the error.
func interviewOutcome(response map[string]any) (session, code, message string) {
	if data, ok := response["data"].(map[string]any); ok {
		return data["session_id"].(string), "", ""
	}
	failure, _ := response["error"].(map[string]any)
	code, _ = failure["code"].(string)
	message, _ = failure["message"].(string)
	return "", code, message
}

// databaseSize returns the size of the SQLite database with its log.
func databaseSize(t *testing.T, data string) (bytes int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "matching.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil { // the log disappears when the server stops
			bytes += info.Size()
		}
	}
	return bytes
}

var nextToExpire = regexp.MustCompile(`Session [0-9a-f]{32} is the next to expire, at 2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// A free key once stored 0.5 to 2.2 MB with each request, without a limit, and deleting its sessions freed nothing. It
// now gets an error that says what to delete, and the space of deleted sessions returns to the disk.
func TestInterviews_StorageIsBounded(t *testing.T) {
	data := t.TempDir()
	load(t, data, 10)
	server := programs.Start(t, "-data", data)
	attacker := as(server, programs.NewKey(t, data, "-plan", "freelancer"))

	status, response := attacker.Call(t, http.MethodPost, interviewPath, hugeInterview(t, "x", 9_900, 3_900))
	if _, code, message := interviewOutcome(response); status != http.StatusUnprocessableEntity ||
		!strings.Contains(message, "65536 bytes") {
		t.Errorf("400 kB of texts: %d %s %s, want 422 and the limit", status, code, message)
	}

	// A control character takes one byte of the limit, and six in the database.
	body := hugeInterview(t, "\x01", 3_200, 3_200)
	var sessions []string

	for {
		status, response := attacker.Call(t, http.MethodPost, interviewPath, body)
		session, code, message := interviewOutcome(response)
		if status == http.StatusOK {
			sessions = append(sessions, session)
			continue
		}

		if status != http.StatusConflict || code != "interviews_full" || !nextToExpire.MatchString(message) {
			t.Fatalf("after %d sessions: %d %s %s, want 409 interviews_full", len(sessions), status, code, message)
		}

		break
	}

	size := databaseSize(t, data)
	t.Logf("%d sessions, %d bytes", len(sessions), size)
	if size > 2*freeInterviews {
		t.Errorf("the database has %d bytes, want at most %d", size, 2*freeInterviews)
	}

	for _, session := range sessions {
		status, response := attacker.Call(t, http.MethodDelete, interviewPath+"?session_id="+session, "")
		if status != http.StatusOK {
			t.Fatalf("delete a session: %d %v", status, response)
		}
	}

	if err := server.Stop(t); err != nil {
		t.Fatal(err)
	}

	programs.Start(t, "-data", data) // releases space at once, and then every hour
	// Not the write-ahead log: it keeps its length, and is used again.
	programs.Eventually(t, "releasing the space of deleted sessions", func() bool {
		file, err := os.Stat(filepath.Join(data, "matching.db"))
		if err != nil {
			t.Fatal(err)
		}
		return file.Size() < freeInterviews/5
	})
}

// Sixty evaluations at once by a free key once all ended in 504, and slowed down the matches of others.
func TestInterviews_ParallelEvaluations(t *testing.T) {
	data := t.TempDir()
	load(t, data, 100)
	server := programs.Start(t, "-data", data)
	attacker := as(server, programs.NewKey(t, data, "-plan", "freelancer"))
	victim := as(server, programs.NewKey(t, data, "-plan", "enterprise"))

	body := hugeInterview(t, "We moved # shops from React to Go # days ago. ", 3_200, 3_200)
	var mu sync.Mutex
	outcomes := map[string]int{}
	var group sync.WaitGroup
	for range 60 {
		group.Go(func() {
			status, response, err := attacker.Try(http.MethodPost, interviewPath, body)
			_, code, _ := interviewOutcome(response)
			mu.Lock()
			defer mu.Unlock()

			outcomes[fmt.Sprint(status, " ", code)]++
			switch {
			case err != nil:
				t.Error(err)
			case status == http.StatusOK, status == http.StatusTooManyRequests:
			case status == http.StatusServiceUnavailable && code == "overloaded":
			default:
				t.Errorf("an evaluation: %d %v", status, response)
			}
		})
	}

	ended := make(chan struct{})
	go func() {
		group.Wait()
		close(ended)
	}()

	matches := 0
	for running := true; running; matches++ {
		select {
		case <-ended:
			running = false
		default:
		}

		if status, response := victim.Call(t, http.MethodPost, "/api/v1/match", programs.Brief); status != http.StatusOK {
			t.Errorf("a match of another account: %d %v", status, response)
		}
	}

	t.Logf("evaluations: %v; %d matches meanwhile", outcomes, matches)
	if outcomes["200 "] == 0 {
		t.Error("no evaluation succeeded")
	}
}
