package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/interviews"
	"github.com/freelancer-matching/service/server/api/receive"
)

// quotaFails is an unreachable store.
type quotaFails struct{}

func (quotaFails) Take(context.Context, string, quota.Windows) (quota.Windows, bool, error) {
	return quota.Windows{}, false, errors.New("secret cause")
}

func (quotaFails) Peek(context.Context, string, quota.Windows) (quota.Windows, error) {
	return quota.Windows{}, errors.New("secret cause")
}

// withKey gives the fixture's key other properties.
func withKey(change func(*apikey.Key)) func(*fixture) {
	return func(f *fixture) {
		f.Keys = keysFunc(func(context.Context, string) (apikey.Key, error) {
			k := goodKey()
			change(&k)
			return k, k.Refusal(time.Now())
		})
	}
}

func remaining(t *testing.T, w *httptest.ResponseRecorder) int {
	t.Helper()
	n, err := strconv.Atoi(w.Header().Get("X-RateLimit-Remaining"))
	if err != nil {
		t.Fatalf("no X-RateLimit-Remaining with status %d: %v", w.Code, w.Header())
	}
	return n
}

// Every response to a key on a limited plan has the limit headers, whether or not the request counts.
func TestLimits_HeadersAndCounting(t *testing.T) {
	freelancer := func(k *apikey.Key) { k.Plan = "freelancer" }
	tests := []struct {
		call
		takes int
	}{
		{call{name: "a match", status: 200}, 1},
		{call{name: "test data", method: http.MethodGet, path: dataPath + "?num_freelancers=1", status: 200}, 1},
		{call{name: "health", method: http.MethodGet, path: healthPath, status: 200}, 0},
		{call{name: "invalid body", path: matchPath, body: `{}`, status: 422}, 1},
		{call{name: "malformed body", path: matchPath, body: `{`, status: 400}, 1},
		{call{
			name: "body too large", path: matchPath, body: strings.Repeat(" ", receive.MaxJSON+1), status: 413,
		}, 1},
		{call{
			name: "wrong media type", status: 415,
			header: http.Header{"Content-Type": {"text/plain"}},
		}, 1},
		{call{
			name: "engine unavailable", status: 503,
			change: matcherFails(&matching.Error{Code: matching.CodeEngineUnavailable, Message: "away"}),
		}, 1},
		{call{
			name: "a panic", status: 500,
			change: func(f *fixture) {
				f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) { panic("secret cause") })
			},
		}, 1},
		{call{
			name: "operation not allowed", status: 403,
			code:   apikey.CodeOperation,
			change: withKey(func(k *apikey.Key) { freelancer(k); k.Operations = []string{"health"} }),
		}, 0},
		{call{
			name: "a disabled key", status: 401,
			code: apikey.CodeDisabled, change: withKey(func(k *apikey.Key) { freelancer(k); k.Disabled = time.Now() }),
		}, 0},
		{call{
			name: "overloaded", status: 503, code: matching.CodeOverloaded,
			change: func(f *fixture) { f.MaxMatches, f.AdmissionWait = 0, time.Nanosecond },
		}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture()
			withKey(freelancer)(f)
			if tt.change != nil {
				tt.change(f)
			}

			w := tt.sendTo(t, New(f.Dependencies).Handler())
			want := http.Header{
				"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {strconv.Itoa(100 - tt.takes)},
				"X-Ratelimit-Window": {"minute"},
			}

			ignored := func(name string, _ []string) bool { return want[name] == nil }
			if diff := cmp.Diff(want, w.Header(), cmpopts.IgnoreMapEntries(ignored)); diff != "" {
				t.Error(diff)
			}

			if reset, err := strconv.Atoi(w.Header().Get("X-RateLimit-Reset")); err != nil || reset < 1 || reset > 60 {
				t.Errorf("X-RateLimit-Reset is %q", w.Header().Get("X-RateLimit-Reset"))
			}
		})
	}
}

func TestLimits_UnlimitedPlan(t *testing.T) {
	c := call{
		status: 200,
		change: func(f *fixture) {
			withKey(func(k *apikey.Key) { k.Plan = "enterprise" })(f)
			f.Quota = quota.New(quota.Config{Store: quotaFails{}, Now: time.Now, Log: f.Log})
		},
	}
	w, _ := c.send(t)
	for name := range w.Header() {
		if strings.HasPrefix(name, "X-Ratelimit") {
			t.Errorf("%s is sent", name)
		}
	}
}

// A rejected request names its window and counts against none.
func TestLimits_BothWindows(t *testing.T) {
	since := time.Date(2031, 5, 17, 9, 0, 0, 0, time.UTC)
	now := since.Add(20 * time.Second)
	f := newFixture()
	withKey(func(k *apikey.Key) { k.Plan, k.PlanSince = "freelancer", since })(f)
	f.Quota = quota.New(quota.Config{Store: quotatest.NewMemory(), Now: func() time.Time { return now }, Log: f.Log})
	h := New(f.Dependencies).Handler()
	use := func(n int) {
		for range n {
			a := quota.Allowance{Subject: goodKey().Counter, Since: since, PerMinute: 100, PerMonth: 5000}
			if d, err := f.Quota.Take(t.Context(), a); err != nil || !d.Allowed {
				t.Fatalf("%+v, %v", d, err)
			}
		}
	}

	good := call{status: 200}
	refused := func(code matching.Code, window, wait string) {
		t.Helper()
		full := good
		full.status = 429
		full.code = code
		for range 2 {
			w := full.sendTo(t, h)
			want := http.Header{
				"Retry-After": {wait}, "X-Ratelimit-Reset": {wait}, "X-Ratelimit-Window": {window}, "X-Ratelimit-Remaining": {"0"},
			}
			ignored := func(name string, _ []string) bool { return want[name] == nil }
			if diff := cmp.Diff(want, w.Header(), cmpopts.IgnoreMapEntries(ignored)); diff != "" {
				t.Error(diff)
			}
		}
	}

	use(99)
	if left := remaining(t, good.sendTo(t, h)); left != 0 {
		t.Errorf("%d requests remaining in the minute, want 0", left)
	}
	refused(quota.CodeRateLimit, "minute", "40")

	for range 48 {
		now = now.Add(time.Minute)
		use(100)
	}

	now = now.Add(time.Minute)
	use(99)
	good.sendTo(t, h)
	refused(quota.CodeQuota, "month", strconv.Itoa(30*24*3600-49*60-20))
	now = since.Add(quota.Month)

	if left := remaining(t, good.sendTo(t, h)); left != 99 {
		t.Errorf("%d requests remaining in a new minute and month, want 99", left)
	}
}

func TestLimits_ConcurrentRequests(t *testing.T) {
	f := newFixture()
	now := time.Now()
	f.Quota = quota.New(quota.Config{Store: quotatest.NewMemory(), Now: func() time.Time { return now }, Log: f.Log})
	withKey(func(k *apikey.Key) { k.Plan = "freelancer" })(f)
	f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) { return fullAnswer(), nil })
	f.MaxMatches = 500
	h := New(f.Dependencies).Handler()
	var served, refused atomic.Int32
	var group sync.WaitGroup
	for range 500 {
		group.Go(func() {
			w := httptest.NewRecorder()
			c := call{}
			h.ServeHTTP(w, c.request(t))

			switch w.Code {
			case http.StatusOK:
				served.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
			}
		})
	}

	group.Wait()
	if served.Load() != 100 || refused.Load() != 400 {
		t.Errorf("%d served and %d rejected, want 100 and 400", served.Load(), refused.Load())
	}
}

func TestLimits_StoreUnreachable(t *testing.T) {
	refuse := call{
		status: 503, code: quota.CodeUnavailable,
		change: func(f *fixture) {
			f.Quota = quota.New(quota.Config{Store: quotaFails{}, Now: time.Now, Log: f.Log})
		},
	}
	w, f := refuse.send(t)
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if !strings.Contains(f.log.String(), "secret cause") {
		t.Error("the log lacks the cause")
	}
	health := call{method: http.MethodGet, path: healthPath, status: 200, change: refuse.change}
	health.send(t) // does not count, so it needs no store
}

// Guessing keys is limited by address. A valid key from the same address still works.
func TestGuard(t *testing.T) {
	f := newFixture()
	s := New(f.Dependencies)
	wrong := func(status int, code matching.Code, forwarded ...string) call {
		return call{
			method: http.MethodGet, path: healthPath, status: status, code: code,
			header: http.Header{"X-Api-Key": {"svc_pr_wrong"}, "X-Forwarded-For": forwarded},
		}
	}
	for range 3 {
		c := wrong(401, apikey.CodeInvalid)
		c.sendTo(t, s.Handler())
	}

	blocked := wrong(429, quota.CodeTooManyFailures, "203.0.113.9") // not from a trusted proxy, so ignored
	if w := blocked.sendTo(t, s.Handler()); w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	good := call{method: http.MethodGet, path: healthPath, status: 200}
	good.sendTo(t, s.Handler())
	missing := call{
		method: http.MethodGet, path: healthPath, status: 401, code: apikey.CodeMissing,
		header: http.Header{"X-Api-Key": nil},
	}

	missing.sendTo(t, s.Handler()) // not counted as a guess

	proxied := newFixture()
	proxied.TrustedProxies = append(proxied.TrustedProxies,
		prefix(t, "192.0.2.0/24")) // httptest's requests come from there
	h := New(proxied.Dependencies).Handler()
	for range 3 {
		c := wrong(401, apikey.CodeInvalid, "203.0.113.9")
		c.sendTo(t, h)
	}

	blocked.sendTo(t, h)
	other := wrong(401, apikey.CodeInvalid, "203.0.113.10")
	other.sendTo(t, h)
}

// Proxies pass on X-Real-IP as the client sent it, so it is never trusted.
func TestClientAddress_IgnoresXRealIP(t *testing.T) {
	for name, forwarded := range map[string][]string{
		"no X-Forwarded-For":  nil,
		"address with a port": {"198.51.100.7:4711"},
	} {
		t.Run(name, func(t *testing.T) {
			c := call{method: http.MethodGet, path: healthPath, status: 403, code: apikey.CodeNetwork, change: func(f *fixture) {
				f.TrustedProxies = append(f.TrustedProxies, prefix(t, "192.0.2.0/24")) // httptest's requests come from there
				withKey(func(k *apikey.Key) { k.Networks = append(k.Networks, prefix(t, "203.0.113.9/32")) })(f)
			}}
			c.header = http.Header{"X-Real-Ip": {"203.0.113.9"}, "X-Forwarded-For": forwarded}
			c.send(t)
			c.header = http.Header{"X-Real-Ip": {"198.51.100.7"}, "X-Forwarded-For": {"203.0.113.9"}}
			c.status, c.code = 200, ""
			c.send(t)
		})
	}
}

func TestKeyInURL(t *testing.T) {
	plan, _ := apikey.PlanNamed("freelancer")
	token := apikey.Generate(plan)
	c := call{
		method: http.MethodGet, path: healthPath + "?api_key=" + token, status: 401, code: apikey.CodeMissing,
		want:   []string{"rotate"},
		header: http.Header{"X-Api-Key": nil}, never: []string{token},
	}
	if _, f := c.send(t); strings.Contains(f.log.String(), token) {
		t.Error("the log contains the key")
	}
}

func TestPermissions(t *testing.T) {
	restricted := func(operations []string, networks ...string) func(*fixture) {
		return withKey(func(k *apikey.Key) {
			k.Operations = operations
			for _, n := range networks {
				k.Networks = append(k.Networks, prefix(t, n))
			}
		})
	}

	brief := func(name string, status int, code matching.Code, change func(*fixture)) call {
		return call{name: name, status: status, code: code, change: change}
	}
	run(t, []call{
		brief("operation allowed", 200, "", restricted([]string{"health", "match"})),
		brief("operation not allowed", 403, apikey.CodeOperation, restricted([]string{"generate-test-data"})),
		brief("network allowed", 200, "", restricted(nil, "10.0.0.0/8", "192.0.2.1/32")),
		brief("network not allowed", 403, apikey.CodeNetwork, restricted(nil, "10.0.0.0/8")),
	})

	// apikey.Operations has the name of every operation.
	for _, r := range New(newFixture().Dependencies).keyRoutes() {
		k := apikey.Key{Operations: apikey.Operations()}
		if err := k.Allows(r.needs(), prefix(t, "10.0.0.0/8").Addr()); err != nil {
			t.Error(err)
		}
	}
}

func TestUsage_IsRecorded(t *testing.T) {
	f := newFixture()
	h := New(f.Dependencies).Handler()
	good := call{status: 200, header: http.Header{"X-Request-Id": {"a"}}}
	bad := call{path: matchPath, body: `{}`, status: 422, header: http.Header{"X-Request-Id": {"b"}}}
	unknown := call{status: 401, header: http.Header{"X-Api-Key": {"x"}}}
	good.sendTo(t, h)
	bad.sendTo(t, h)
	unknown.sendTo(t, h)
	want := []usage.Request{
		{Key: "key_1", Address: "192.0.2.1", RequestID: "a", Operation: "match", Status: 200},
		{Key: "key_1", Address: "192.0.2.1", RequestID: "b", Operation: "match", Status: 422, Code: "validation_failed"},
	}
	if diff := cmp.Diff(want, f.usage.requests, cmpopts.IgnoreFields(usage.Request{}, "At", "Took")); diff != "" {
		t.Error(diff)
	}

	withKey(func(k *apikey.Key) { k.Revoked = time.Now() })(f)
	revoked := call{method: http.MethodGet, path: healthPath, status: 401, code: apikey.CodeRevoked}
	revoked.sendTo(t, New(f.Dependencies).Handler())

	if last := f.usage.requests[len(f.usage.requests)-1]; !last.Refused || last.Key != "key_1" ||
		last.Operation != "health" {
		t.Errorf("recorded %+v", last)
	}
}

// A request through ServeAs needs no token. The operations, the networks, the state and the limits of the key still
// apply. The networks apply to the address that the mounted handler knows.
func TestServeAs(t *testing.T) {
	f := newFixture()
	f.Keys = keysFunc(func(context.Context, string) (apikey.Key, error) {
		return apikey.Key{}, errors.New("unexpected lookup of a token")
	})
	s := New(f.Dependencies)
	serve := func(k apikey.Key, want int) *httptest.ResponseRecorder {
		t.Helper()
		c := call{header: http.Header{"X-Api-Key": nil}}
		w := httptest.NewRecorder()
		r := c.request(t)
		s.ServeAs(k, "usr_1", w, r.WithContext(context.WithValue(r.Context(), addressKey{}, netip.MustParseAddr("10.1.2.3"))))

		if w.Code != want {
			t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
		}
		return w
	}

	k := goodKey()
	k.Networks = append(k.Networks, prefix(t, "10.0.0.0/8"))
	if w := serve(k, 200); remaining(t, w) != 999 {
		t.Errorf("%d requests remaining, want 999", remaining(t, w))
	}

	elsewhere := k
	elsewhere.Networks = []netip.Prefix{prefix(t, "203.0.113.0/24")}
	serve(elsewhere, 403)
	k.Operations = []string{"health"}
	serve(k, 403)
	k.Disabled = time.Now()
	serve(k, 401)

	if n := len(f.usage.requests); n != 4 {
		t.Errorf("%d requests recorded, want 4", n)
	}
}

func TestMount(t *testing.T) {
	f := newFixture()
	s := New(f.Dependencies)
	s.Mount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte(r.URL.Path + " from " + Address(r).String()))
	}))
	for _, path := range []string{"/dashboard", "/dashboard/", "/dashboard/keys/key_1"} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != http.StatusTeapot || w.Body.String() != path+" from 192.0.2.1" || w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
}

// The server's address leads browsers to the dashboard, and tells API clients that the path does not exist.
func TestMount_RedirectsBrowsersFromTheRoot(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	mounted := New(newFixture().Dependencies)
	unmounted := New(newFixture().Dependencies)
	mounted.Mount(http.NotFoundHandler())

	for _, tt := range []struct {
		name                 string
		server               *Server
		method, path, accept string
		want                 int
	}{
		{"a browser", mounted, http.MethodGet, "/", browser, http.StatusSeeOther},
		{"a browser that asks for headers", mounted, http.MethodHead, "/", browser, http.StatusSeeOther},
		{"curl", mounted, http.MethodGet, "/", "*/*", http.StatusNotFound},
		{"a client", mounted, http.MethodGet, "/", "application/json", http.StatusNotFound},
		{"a form", mounted, http.MethodPost, "/", browser, http.StatusNotFound},
		{"another path", mounted, http.MethodGet, "/nothing", browser, http.StatusNotFound},
		{"no dashboard", unmounted, http.MethodGet, "/", browser, http.StatusNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, nil)
			r.Header.Set("Accept", tt.accept)
			w := httptest.NewRecorder()
			tt.server.Handler().ServeHTTP(w, r)
			location := ""

			if tt.want == http.StatusSeeOther {
				location = dashboardPath
			}

			if w.Code != tt.want || w.Header().Get("Location") != location {
				t.Errorf("status %d, location %q", w.Code, w.Header().Get("Location"))
			}
		})
	}
}

// A page has the time limit of a request, a form with a file that of /parse, and an interview that of /interview.
func TestMount_TimeLimits(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.RequestTimeout = 10 * time.Second
		s := New(f.Dependencies)
		var left time.Duration
		s.Mount(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			deadline, _ := r.Context().Deadline()
			left = time.Until(deadline)
		}))

		for _, tt := range []struct {
			path, sent string
			want       time.Duration
		}{
			{"", "", f.RequestTimeout},
			{"/playground", form, f.RequestTimeout},
			{"/playground/resume", "multipart/form-data; boundary=b", f.RequestTimeout + receive.UploadPace().Total},
			{"/playground/interview", form, interviews.InterviewTime},
		} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/dashboard"+tt.path, nil)
			r.Header.Set("Content-Type", tt.sent)
			s.Handler().ServeHTTP(httptest.NewRecorder(), r)
			if left != tt.want {
				t.Errorf("%s with Content-Type %q: time limit %s, want %s", tt.path, tt.sent, left, tt.want)
			}
		}
	})
}
