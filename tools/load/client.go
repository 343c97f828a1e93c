package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// maxFailures is the number of failures that ends a run early.
const maxFailures = 1000

// A work distributes briefs to the clients until a limit, the end of the measurement, or too many failures.
type work struct {
	bodies  [][]byte
	taken   atomic.Int64
	failed  atomic.Int64
	limit   int64 // number of requests; 0: none
	expires time.Time
}

// take returns the body of the next request, or nil if the work is done.
func (w *work) take() []byte {
	n := w.taken.Add(1) - 1
	enough := w.limit > 0 && n >= w.limit || !time.Now().Before(w.expires)
	if enough || w.failed.Load() >= maxFailures {
		return nil
	}
	return w.bodies[n%int64(len(w.bodies))]
}

// load warms up the service, measures it, and returns a report. It returns an error if a warm-up request fails or no
// request was answered. Requests that fail later are part of the report.
func load(ctx context.Context, o options, stderr io.Writer) (*report, error) {
	bodies, err := encodeBriefs(o.seed, o.lexical)
	if err != nil {
		return nil, err
	}

	clients := make([]*client, o.clients)
	for i := range clients {
		clients[i] = newClient(o)
		defer clients[i].http.CloseIdleConnections()
	}

	if o.warmUp > 0 {
		// The second half of the briefs, so that the service has not seen the measured ones.
		w := &work{bodies: bodies[len(bodies)/2:], limit: int64(o.warmUp), expires: time.Now().Add(o.duration)}
		warm := runAll(ctx, clients, w)
		if warm.failed() > 0 {
			return nil, fmt.Errorf("%d of %d warm-up requests failed: %s", warm.failed(), warm.requests(), warm.failureList())
		}
	}

	w := &work{bodies: bodies, limit: int64(o.requests), expires: time.Now().Add(o.duration)}
	defer showProgress(stderr, w, o.duration)()

	r := runAll(ctx, clients, w)
	if r.requests() == 0 {
		return nil, errors.New("stopped before the first request was answered")
	}

	return r, nil
}

// runAll runs all clients until the work or the context ends, and returns what they measured together.
func runAll(ctx context.Context, clients []*client, w *work) *report {
	var group sync.WaitGroup
	tallies := make([]tally, len(clients))
	start := time.Now()
	for i, c := range clients {
		group.Go(func() { tallies[i] = c.run(ctx, w) })
	}
	group.Wait()
	return newReport(tallies, time.Since(start))
}

// A client sends requests one after another over one connection.
type client struct {
	http     *http.Client
	endpoint string
	key      string
	answer   bytes.Buffer // body of the last response
}

func newClient(o options) *client {
	transport := &http.Transport{MaxConnsPerHost: 1, DisableCompression: true}
	return &client{http: &http.Client{Transport: transport, Timeout: o.timeout}, endpoint: o.endpoint, key: o.key}
}

// A tally holds the measurements of one client.
type tally struct {
	latencies []time.Duration // of the requests that succeeded
	failures  map[string]int  // by status and code, or by error
	empty     int             // responses without a match
	bytes     int64           // of response bodies
}

func (c *client) run(ctx context.Context, w *work) tally {
	t := tally{failures: map[string]int{}}
	for body := w.take(); body != nil; body = w.take() {
		start := time.Now()
		failure, err := c.send(ctx, body)
		took := time.Since(start)
		t.bytes += int64(c.answer.Len())
		switch {
		case ctx.Err() != nil: // the interrupted request says nothing about the service
			return t
		case err != nil:
			failure = kind(err)
			fallthrough
		case failure != "":
			t.failures[failure]++
			w.failed.Add(1)
		default:
			t.latencies = append(t.latencies, took)
			if bytes.Contains(c.answer.Bytes(), []byte(`"matches":[]`)) {
				t.empty++
			}
		}
	}

	return t
}

// send posts a brief and reads the complete response. If the status is not 200, failure is the status and error code.
func (c *client) send(ctx context.Context, body []byte) (failure string, err error) {
	c.answer.Reset()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return "", err
	}

	// Both names are canonical already; Set would canonicalize them again for every request.
	request.Header["Content-Type"] = []string{"application/json"}
	request.Header["X-Api-Key"] = []string{c.key}
	response, err := c.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()

	// The measured time includes the whole response, and a connection is reused only after its response was read to the
	// end.
	if _, err := c.answer.ReadFrom(response.Body); err != nil {
		return "", err
	}
	if response.StatusCode == http.StatusOK {
		return "", nil
	}

	var answer struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(c.answer.Bytes(), &answer) != nil || answer.Error.Code == "" {
		answer.Error.Code = "(no code in the answer)"
	}

	return fmt.Sprintf("%d %s", response.StatusCode, answer.Error.Code), nil
}

// kind returns a short text for an error, so that equal failures are counted together.
func kind(err error) string {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return "timeout"
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}
