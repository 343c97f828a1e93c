package cli

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The command requests the address that the server listens on, including one that means every interface.
func TestHealth(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))

	everywhere, err := net.Listen("tcp", ":0") // as a server in a container does
	if err != nil {
		t.Fatal(err)
	}
	server.Listener.Close()
	server.Listener = everywhere
	server.Start()
	defer server.Close()

	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()

	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	_, port, err := net.SplitHostPort(everywhere.Addr().String())
	if err != nil {
		t.Fatal(err)
	}

	address := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	tests := []struct {
		name string
		addr string
		code int
		want string
	}{
		{"alive", "127.0.0.1:" + port, 0, "alive"},
		{"every address", ":" + port, 0, "alive"},
		{"every IPv4 address", "0.0.0.0:" + port, 0, "alive"},
		{"another server", address(other), 1, "responded to /livez with 404 Not Found"},
		{"no server", address(closed), 1, "no response from " + address(closed)},
		{"no host and port", "8080", 2, "use host:port"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("HTTP_PROXY", "http://"+address(closed))
			lookup := func(name string) (string, bool) { return test.addr, name == "MATCHING_ADDR" }
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), []string{"health"}, lookup, &stdout, &stderr)
			if out := stdout.String() + stderr.String(); code != test.code || !strings.Contains(out, test.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s", code, test.code, test.want, out)
			}
		})
	}
}
