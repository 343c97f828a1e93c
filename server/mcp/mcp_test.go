package mcp

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// apiFunc is an API.
type apiFunc func(r *http.Request) (*http.Response, error)

// Do implements API.
func (f apiFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

// A panic ends a call, and not the program, although requests run in goroutines of the SDK.
func TestTools_SurviveAPanic(t *testing.T) {
	var log bytes.Buffer
	tools := New("test", slog.New(slog.NewTextHandler(&log, nil)))
	broken := apiFunc(func(*http.Request) (*http.Response, error) { panic("a bug") })

	forServer, forClient := sdk.NewInMemoryTransports()
	server, err := tools.Server(Access{}, broken, "http://api.example").Connect(t.Context(), forServer, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), forClient, nil)
	if err != nil {
		t.Fatal(err)
	}

	for range 2 {
		_, err = client.CallTool(t.Context(), &sdk.CallToolParams{Name: "match", Arguments: map[string]any{}})
		if err == nil || !strings.Contains(err.Error(), "an internal error occurred") {
			t.Errorf("error %v", err)
		}
	}
	client.Close()
	server.Wait()
	if !strings.Contains(log.String(), "a bug") {
		t.Errorf("the log lacks the cause: %s", &log)
	}
}

// Every description belongs to a member of some tool, and every argument has one.
func TestDescriptions(t *testing.T) {
	used := map[string]bool{}
	var collect func(s *jsonschema.Schema)
	collect = func(s *jsonschema.Schema) {
		for name, member := range s.Properties {
			used[name] = true
			collect(member)
		}
		if s.Items != nil {
			collect(s.Items)
		}
		if s.AdditionalProperties != nil {
			collect(s.AdditionalProperties)
		}
	}

	tools := NewWithFiles("test", slog.New(slog.DiscardHandler), nil).tools
	for _, found := range tools {
		input := found.InputSchema.(*jsonschema.Schema)
		for name, member := range input.Properties {
			if member.Description == "" {
				t.Errorf("%s: the argument %s has no description", found.Name, name)
			}
		}
		collect(input)
		collect(found.OutputSchema.(*jsonschema.Schema))
	}
	for name := range descriptions() {
		if !used[name] {
			t.Errorf("no tool has %s", name)
		}
	}
}
