package integration

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/freelancer-matching/service/integration/programs"
)

// withKey adds an API key to requests.
type withKey string

// RoundTrip implements http.RoundTripper.
func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", string(k))
	return http.DefaultTransport.RoundTrip(r)
}

func connectAgent(t *testing.T, transport sdk.Transport) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// overHTTP connects to /mcp, and overStdio to the program `server mcp`.
func overHTTP(t *testing.T, s *server) *sdk.ClientSession {
	return connectAgent(t, &sdk.StreamableClientTransport{
		Endpoint: s.URL + "/mcp", HTTPClient: &http.Client{Transport: withKey(s.Key)},
	})
}

func overStdio(t *testing.T, s *server, args ...string) *sdk.ClientSession {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(s.Key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"mcp", "-url", s.URL, "-key-file", file}, args...)
	// The session ends the program, so the context of the test, which ends before that, must not kill it.
	cmd := programs.Command(context.WithoutCancel(t.Context()), "server", args...)
	return connectAgent(t, &sdk.CommandTransport{Command: cmd})
}

// callTool calls a tool, which must succeed, and decodes its structured content.
func callTool(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any, into any) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := result.Content[0].(*sdk.TextContent).Text
	if result.IsError {
		t.Fatalf("%s: %s", name, text)
	}
	encoded, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, into); err != nil {
		t.Fatal(err)
	}
	return text
}

// agentMatches are the matches that a tool returns.
type agentMatches struct {
	Matches []struct {
		Score   float64
		Profile struct{ ID string } `json:"profile_data"`
	}
}

// An agent sees the scores of the API, over both transports.
func TestAgents_SeeTheScoresOfTheAPI(t *testing.T) {
	s := start(t, "-demo")
	var brief map[string]any
	if err := json.Unmarshal([]byte(programs.Brief), &brief); err != nil {
		t.Fatal(err)
	}
	_, response := s.Call(t, http.MethodPost, "/api/v1/match", programs.Brief)
	first := response["matches"].([]any)[0].(map[string]any)
	id := first["freelancer"].(map[string]any)["id"].(string)

	for name, session := range map[string]*sdk.ClientSession{"http": overHTTP(t, s), "stdio": overStdio(t, s)} {
		t.Run(name, func(t *testing.T) {
			var found agentMatches
			text := callTool(t, session, "match", brief, &found)
			if len(found.Matches) != 5 || found.Matches[0].Score != first["score"] || found.Matches[0].Profile.ID != id {
				t.Errorf("matches %+v, want first %v", found, first)
			}
			if !strings.Contains(text, `"id":"`+id+`"`) {
				t.Errorf("the text lacks %s: %s", id, text)
			}

			explained := maps.Clone(brief)
			explained["freelancer_id"] = id
			var standing struct {
				Rank  int
				Score float64
			}
			callTool(t, session, "explain", explained, &standing)
			if standing.Rank != 1 || standing.Score != first["score"] {
				t.Errorf("%+v", standing)
			}

			var similar agentMatches
			callTool(t, session, "similar", map[string]any{"freelancer_id": id, "limit": 3}, &similar)
			if len(similar.Matches) != 3 {
				t.Errorf("%+v", similar)
			}

			guide, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "matching://guide/scores"})
			if err != nil || !strings.Contains(guide.Contents[0].Text, "from 0 to 1") {
				t.Errorf("guide: %v", err)
			}
		})
	}
}

// Over stdio, an agent reads resumes in the folder that its user shares, and nothing else.
func TestAgents_ReadSharedFilesOnly(t *testing.T) {
	s := start(t, "-demo")
	outside := t.TempDir()
	shared := filepath.Join(outside, "shared")
	if err := os.Mkdir(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	resume := []byte("Mira Talden\nBackend developer\nmira@example.com\n\nSkills\nGo, PostgreSQL\n")
	for _, path := range []string{filepath.Join(shared, "mira.txt"), filepath.Join(outside, "secret.txt")} {
		if err := os.WriteFile(path, resume, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret.txt", filepath.Join(shared, "link.txt")); err != nil {
		t.Fatal(err)
	}

	session := overStdio(t, s, "-files", shared)
	var parsed struct {
		Profile struct{ Name string } `json:"profile_data"`
	}
	callTool(t, session, "parse_resume", map[string]any{"path": "mira.txt"}, &parsed)
	if parsed.Profile.Name != "Mira Talden" {
		t.Errorf("%+v", parsed)
	}

	absolute := filepath.Join(outside, "secret.txt")
	for _, path := range []string{"../secret.txt", "link.txt", absolute, "/etc/hostname", "."} {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{
			Name: "parse_resume", Arguments: map[string]any{"path": path},
		})
		if err != nil {
			t.Fatal(err)
		}
		text := result.Content[0].(*sdk.TextContent).Text
		if !result.IsError || !strings.Contains(text, "validation_failed") {
			t.Errorf("%s was read: %s", path, text)
		}
	}
}

func TestAgents_CommandLine(t *testing.T) {
	s := start(t, "-demo")
	tests := []struct {
		name string
		args []string
		key  string
		code int
		want string
	}{
		{"no key", nil, "", 2, "the API key is missing: set MATCHING_API_KEY or -key-file"},
		{"invalid key", []string{"-url", s.URL}, "svc_pr_wrong", 1, "(invalid_api_key)"},
		{"no server", []string{"-url", "http://127.0.0.1:1"}, s.Key, 1, "the server doesn't respond; check -url"},
		{"another server", []string{"-url", s.URL + "/api"}, s.Key, 2, "-url must be the address of a server"},
		{"no folder", []string{"-url", s.URL, "-files", "/nowhere"}, s.Key, 1, "open the folder of -files"},
		{"end of input", []string{"-url", s.URL}, s.Key, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cmd := programs.Command(t.Context(), "server", slices.Concat([]string{"mcp"}, test.args)...)
			cmd.Env = append(cmd.Env, "MATCHING_API_KEY="+test.key)
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(string(out), test.want) {
				t.Errorf("exit code %d (%v), want %d with %q:\n%s", code, err, test.code, test.want, out)
			}
		})
	}
}
