package integration

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// runMatching runs the command line of the API with the key of a server.
func runMatching(t *testing.T, s *server, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := programs.Command(t.Context(), "matching", args...)
	cmd.Env = append(cmd.Env, "MATCHING_URL="+s.URL, "MATCHING_API_KEY="+s.Key)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errors strings.Builder
	cmd.Stdout = &out
	cmd.Stderr = &errors
	_ = cmd.Run() // the exit code says whether it failed
	return cmd.ProcessState.ExitCode(), out.String(), errors.String()
}

// mustMatching runs a command that must succeed.
func mustMatching(t *testing.T, s *server, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := runMatching(t, s, stdin, args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
	}
	return stdout
}

func TestCLI_Briefs(t *testing.T) {
	s := start(t, "-demo")

	// The same brief as JSON over HTTP.
	_, response := s.Call(t, http.MethodPost, "/api/v1/match",
		`{"description":"React shop","budget_range":[0,5000],"timeline":30}`)
	best := response["matches"].([]any)[0].(map[string]any)
	id := best["freelancer"].(map[string]any)["id"].(string)
	name := best["freelancer"].(map[string]any)["name"].(string)

	text := mustMatching(t, s, "", "match", "React shop, 5k, 30 days")
	if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, name) || !strings.Contains(first, id) {
		t.Errorf("first is %s, want %s (%s)", first, name, id)
	}

	var printed struct{ Matches []struct{ Score float64 } }
	printedJSON := mustMatching(t, s, "", "match", "React shop, 5k, 30 days", "-json")
	if err := json.Unmarshal([]byte(printedJSON), &printed); err != nil {
		t.Fatal(err)
	}
	if len(printed.Matches) != 10 || printed.Matches[0].Score != best["score"] {
		t.Errorf("%+v", printed)
	}

	if text := mustMatching(t, s, "", "explain", id, "React shop, 5k, 30 days"); !strings.Contains(text, "Rank 1 of ") {
		t.Errorf("explain: %s", text)
	}
	if text := mustMatching(t, s, "", "verify", "k8s"); !strings.Contains(text, "Kubernetes (skill, ") {
		t.Errorf("verify: %s", text)
	}
	if text := mustMatching(t, s, "", "me"); !strings.Contains(text, "professional") {
		t.Errorf("me: %s", text)
	}

	answers := "I split the component into hooks and wrote tests.\nThe state became smaller.\n\n\n"
	text = mustMatching(t, s, answers, "interview", id, "-title", "React developer", "-skills", "React", "-questions", "2")
	if !strings.Contains(text, "Question 1: ") || !strings.Contains(text, "Question 2: 0 of 100") {
		t.Errorf("interview: %s", text)
	}

	code, _, stderr := runMatching(t, s, "", "freelancers", "get", id)
	if code != 3 || !strings.Contains(stderr, "data:read") {
		t.Errorf("without the permission: exit code %d, %s", code, stderr)
	}
}

func TestCLI_Records(t *testing.T) {
	data := t.TempDir()
	folder := t.TempDir()
	record := filepath.Join(folder, "record.json")
	const mira = `{"id":"a/1","name":"Mira Talden","job_title":"Go developer","skills":["Go"],"country":"PT"}`
	if err := os.WriteFile(record, []byte(mira), 0o600); err != nil {
		t.Fatal(err)
	}

	s := start(t, "-data", data)
	created := programs.Run(t, "server", "keys", "create", "-data", data, "-plan", "professional", "-name", "test")
	key := regexp.MustCompile(`key_[0-9A-Za-z]+`).FindString(created)
	programs.Run(t, "server", "keys", "grant", "-data", data, key, "data:read", "data:write")
	s.Key = programs.KeyPattern.FindString(created)

	// The first record creates the data.
	put := mustMatching(t, s, "", "freelancers", "put", record, "-currency", "EUR")
	if !strings.Contains(put, "a/1 created") {
		t.Errorf("put: %s", put)
	}
	got := mustMatching(t, s, "", "freelancers", "get", "a/1")
	if !strings.Contains(got, "Mira Talden") || !strings.Contains(got, "PT") {
		t.Errorf("get: %s", got)
	}
	found := mustMatching(t, s, "", "freelancers", "find", "-filter", "countries=PT,ES")
	if !strings.Contains(found, "Mira Talden") {
		t.Errorf("find: %s", found)
	}

	changed := strings.Replace(mira, "Go developer", "Writer", 1)
	version := regexp.MustCompile(`version +(\S+)`).FindStringSubmatch(got)[1]
	mustMatching(t, s, changed, "freelancers", "put", "-", "-version", version)
	code, _, stderr := runMatching(t, s, changed, "freelancers", "put", "-", "-version", version)
	if code != 1 || !strings.Contains(stderr, "version_mismatch") {
		t.Errorf("old version: exit code %d, %s", code, stderr)
	}

	resume := filepath.Join(folder, "resume.txt")
	const text = "Mira Talden\nGo developer\nmira@example.com\n\nSkills\nGo, Redis\n"
	if err := os.WriteFile(resume, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := mustMatching(t, s, "", "parse", resume); !strings.Contains(text, "Go, Redis") {
		t.Errorf("parse: %s", text)
	}
	code, _, stderr = runMatching(t, s, "", "freelancers", "get", "nobody")
	if code != 4 || !strings.Contains(stderr, "freelancer_not_found") {
		t.Errorf("unknown freelancer: exit code %d, %s", code, stderr)
	}
}
