package matching

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Version is the version of this client and of the service that it was made for.
const Version = "1.0.0"

const (
	firstWait   = 500 * time.Millisecond // before the second attempt, doubled before each further one
	longestWait = 8 * time.Second
)

// A RateLimit is what the last response said about the requests that remain.
type RateLimit struct {
	Limit     int
	Remaining int
	Reset     time.Duration // until the window ends
	Window    string        // the window with fewer requests remaining: minute or month
}

// Options say how a client reaches the service. The zero value reads the environment.
type Options struct {
	// Key is the API key. By default, the one in MATCHING_API_KEY.
	Key string

	// URLs are the addresses of the service. By default, the one in MATCHING_URL, or http://127.0.0.1:8080. Of several,
	// the client uses one until it can't be reached or is unavailable, and then the next one.
	URLs []string

	// Timeout limits each attempt, and in a stream each silence. By default, a minute.
	Timeout time.Duration

	// Retries is how often a request is repeated at most. By default, 2; negative for none.
	Retries int

	// MaxWait limits the time that a call waits between its attempts in total. By default, a minute.
	MaxWait time.Duration

	// HTTPClient sends the requests. By default, a client of its own, which keeps connections open.
	HTTPClient *http.Client
}

// A request may be sent several times.
type request struct {
	method string
	path   string
	query  url.Values
	header http.Header
	body   []byte
	stream io.Reader // in place of body; it can be read only once

	repeatable bool // a second request does no harm if the first was carried out
	untimed    bool // the caller decides how long it takes
	accepts    int  // an error status whose body is an answer, too
}

// A transport sends requests to one of several hosts, and repeats them if that may help and does no harm.
type transport struct {
	key     string
	hosts   []string
	timeout time.Duration
	retries int
	maxWait time.Duration
	http    *http.Client

	current   atomic.Int64 // counts up; the host is this number modulo the number of hosts
	rateLimit atomic.Pointer[RateLimit]
	patience  time.Duration // of bulk changes
	pause     func(ctx context.Context, d time.Duration) error
}

// newTransport returns a transport with the defaults for options that are left out.
func newTransport(o Options) *transport {
	t := &transport{
		key:      cmp.Or(o.Key, os.Getenv("MATCHING_API_KEY")),
		timeout:  cmp.Or(o.Timeout, time.Minute),
		retries:  max(0, cmp.Or(o.Retries, 2)),
		maxWait:  cmp.Or(o.MaxWait, time.Minute),
		http:     &http.Client{},
		patience: patience,
		pause:    pause,
	}

	urls := o.URLs
	if len(urls) == 0 {
		urls = []string{cmp.Or(os.Getenv("MATCHING_URL"), "http://127.0.0.1:8080")}
	}
	for _, address := range urls {
		t.hosts = append(t.hosts, strings.TrimRight(address, "/"))
	}

	// By default, Go keeps two idle connections to a host, too few for a server that matches for many visitors.
	if o.HTTPClient != nil {
		*t.http = *o.HTTPClient
	} else if defaults, ok := http.DefaultTransport.(*http.Transport); ok {
		own := defaults.Clone()
		own.MaxIdleConnsPerHost = 32
		t.http.Transport = own
	}

	// The service redirects nothing, and the key is not for other hosts.
	t.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return t
}

// pause waits for some time, or until ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// do sends a request and decodes the body of its response into result.
func (t *transport) do(ctx context.Context, r request, result any) error {
	return t.send(ctx, r, func(response *response) error {
		defer response.Close()
		body, err := response.all()
		if err != nil {
			return err
		}
		if err := json.Unmarshal(body, result); err != nil {
			return connectionError(err)
		}
		return nil
	})
}

// open sends a request and returns a response that the caller reads and closes.
func (t *transport) open(ctx context.Context, r request) (*response, error) {
	var opened *response
	err := t.send(ctx, r, func(response *response) error {
		opened = response
		return nil
	})
	return opened, err
}

// errNoKey is the error of all calls of a client without a key.
var errNoKey = errors.New("matching: the client needs an API key: set Options.Key or MATCHING_API_KEY")

// send makes attempts until one succeeds, and read returns no error for its response.
func (t *transport) send(ctx context.Context, r request, read func(*response) error) error {
	if t.key == "" {
		return errNoKey
	}

	var waited time.Duration
	for failures := 1; ; failures++ {
		host := t.current.Load()
		err := t.attempt(ctx, r, read)
		if err == nil {
			return nil
		}

		// A canceled call also looks like a broken connection, but the host is not to blame.
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}

		// Another call may have left the host in the meantime.
		if leavesHost(err) {
			t.current.CompareAndSwap(host, host+1)
		}

		wait, ok := t.waitAfter(err, r, failures)
		if !ok || waited+wait > t.maxWait {
			return err
		}
		if err := t.pause(ctx, wait); err != nil {
			return err
		}
		waited += wait
	}
}

// attempt sends a request once.
func (t *transport) attempt(ctx context.Context, r request, read func(*response) error) error {
	limit := t.timeout
	if r.untimed {
		limit = 0
	}
	ctx, d := startDeadline(ctx, limit)
	sent, err := t.newRequest(ctx, r)
	if err != nil {
		d.end()
		return err
	}

	received, err := t.http.Do(sent) //nolint:bodyclose // read closes it
	if err != nil {
		err = d.explain(err)
		d.end()
		return connectionError(err)
	}

	// Rejected requests have limits, too.
	t.noteRateLimit(received.Header)

	// From here on, the response ends the deadline when it is closed.
	answer := &response{body: received.Body, deadline: d}
	isAnswer := received.StatusCode >= 200 && received.StatusCode < 300 || received.StatusCode == r.accepts
	if isAnswer {
		return read(answer)
	}

	defer answer.Close()
	body, err := answer.all()
	if err != nil {
		return err
	}
	return newError(received.StatusCode, received.Header, body)
}

// newRequest returns the request for the present host.
func (t *transport) newRequest(ctx context.Context, r request) (*http.Request, error) {
	host := t.hosts[int(t.current.Load())%len(t.hosts)]
	address := host + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}

	body := r.stream
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}

	sent.Header.Set("X-API-Key", t.key)
	sent.Header.Set("User-Agent", "freelancer-matching-go/"+Version)
	sent.Header.Set("Accept", "application/json")
	for name, values := range r.header {
		sent.Header[name] = values
	}
	return sent, nil
}

// waitAfter returns how long to wait before another attempt, and whether there should be one.
func (t *transport) waitAfter(err error, r request, failures int) (time.Duration, bool) {
	if r.stream != nil || !isTransient(err, r.repeatable) {
		return 0, false
	}

	// While the service works on an earlier attempt, its result is worth waiting for. That is not a failure.
	answered := asError(err)
	isRunning := answered != nil && answered.Code == "idempotency_conflict"
	if failures > t.retries && !isRunning {
		return 0, false
	}

	// Another host may be asked at once, unless all have failed.
	if leavesHost(err) && failures < len(t.hosts) {
		return 0, true
	}

	return max(retryAfter(err), backoff(failures)), true
}

// backoff returns how long to wait after a number of failures in a row. Clients that failed together spread out.
func backoff(failures int) time.Duration {
	wait := min(longestWait, firstWait<<min(failures-1, 10))
	return wait/2 + rand.N(wait/2) //nolint:gosec // nobody gains by guessing it
}

// isTransient reports whether another attempt may succeed, and does no harm.
func isTransient(err error, isRepeatable bool) bool {
	answered := asError(err)
	if answered == nil {
		// Without a connection, nothing was carried out.
		var failed *net.OpError
		isRefused := errors.As(err, &failed) && failed.Op == "dial"
		return errors.Is(err, ErrConnection) && (isRepeatable || isRefused)
	}

	switch answered.Status {
	case http.StatusTooManyRequests: // comes before any work
		return true
	case http.StatusConflict:
		return isRepeatable && answered.Code == "idempotency_conflict" && answered.RetryAfter > 0
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return isRepeatable
	default:
		return false
	}
}

// leavesHost reports whether the next attempt should go to another host.
func leavesHost(err error) bool {
	answered := asError(err)
	return errors.Is(err, ErrConnection) || answered != nil && answered.Status == http.StatusServiceUnavailable
}

// noteRateLimit keeps the limits that a response names. Unlimited plans have none.
func (t *transport) noteRateLimit(header http.Header) {
	limit, err := strconv.Atoi(header.Get("X-RateLimit-Limit"))
	if err != nil {
		return
	}

	remaining, _ := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	reset, _ := strconv.Atoi(header.Get("X-RateLimit-Reset"))
	t.rateLimit.Store(&RateLimit{
		Limit: limit, Remaining: remaining, Reset: time.Duration(reset) * time.Second,
		Window: header.Get("X-RateLimit-Window"),
	})
}
