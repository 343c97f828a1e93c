package matching

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// A received request, with its body.
type received struct {
	*http.Request
	text string
}

// A fakeServer responds with one handler for each request. The last one handles all further requests.
type fakeServer struct {
	url string

	mu       sync.Mutex
	received []received
}

func serve(t *testing.T, handlers ...http.HandlerFunc) *fakeServer {
	t.Helper()
	fake := &fakeServer{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fake.mu.Lock()
		fake.received = append(fake.received, received{r, string(body)})
		handler := handlers[min(len(fake.received), len(handlers))-1]
		fake.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	fake.url = server.URL
	return fake
}

// requests returns the requests so far.
func (f *fakeServer) requests() []received {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.received
}

// deadAddress returns an address at which nothing listens.
func deadAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

// respond responds with a body. Names and values of headers follow.
func respond(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// fail responds with an error of the API.
func fail(status int, code string, header ...string) http.HandlerFunc {
	return respond(status, failureBody(code), header...)
}

func failureBody(code string) string {
	return fmt.Sprintf(`{"status":"error","error":{"code":%q,"message":"It failed.","details":[{"field":"limit"}]},`+
		`"request_id":"r1"}`, code)
}

// breakOff sends the beginning of a response, and breaks the connection off.
func breakOff(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// connect returns a client that doesn't wait between its attempts, and the waits that it would have made.
func connect(t *testing.T, o Options) (*Client, *[]time.Duration) {
	t.Helper()
	if o.Key == "" {
		o.Key = "svc_test"
	}
	c := NewClient(o)
	waits := &[]time.Duration{}
	c.transport.pause = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	return c, waits
}
