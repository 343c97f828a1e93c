package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
)

const (
	tokensPath = "/api/v1/browser-tokens"
	shop       = "https://shop.example"
)

// claims returns the claims of a token that pages of the shop may use, changed by some functions.
func claims(changes ...func(*browsertoken.Claims)) *browsertoken.Claims {
	c := &browsertoken.Claims{
		Key: goodKey().ID, Expires: time.Now().Add(time.Minute), Origins: []string{shop}, Filters: json.RawMessage(`{}`),
		PerMinute: 100,
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

// asPage returns the headers of a request that a page of the shop sends with a token.
func asPage(t *testing.T, c *browsertoken.Claims) http.Header {
	t.Helper()
	token, err := newFixture().BrowserTokens.Seal(c)
	if err != nil {
		t.Fatal(err)
	}
	return withToken(token)
}

func withToken(token string) http.Header {
	return http.Header{"X-Api-Key": nil, "Authorization": {"Bearer " + token}, "Origin": {shop}}
}

// from returns a header with other values of Origin.
func from(h http.Header, origins ...string) http.Header {
	changed := h.Clone()
	changed["Origin"] = origins
	return changed
}

func TestBrowserToken_Create(t *testing.T) {
	body := `{"origins":["HTTPS://Shop.Example:443","http://localhost:3000"],"filters":{"countries":["DE"]},` +
		`"currency":"eur","hide":["hourly_rate"],"visitor":"v1","requests_per_minute":7,"expires_in":60}`
	before := time.Now()
	w, f := (&call{path: tokensPath, body: body, status: 200}).send(t)
	var answer wire.BrowserTokenAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}

	got, err := f.BrowserTokens.Open(answer.Data.Token, before)
	if err != nil {
		t.Fatal(err)
	}
	want := &browsertoken.Claims{
		Key: "key_1", Expires: answer.Data.ExpiresAt, Origins: []string{shop, "http://localhost:3000"},
		Filters: json.RawMessage(`{"countries":["DE"]}`), Currency: "EUR", Hide: []string{"hourly_rate"}, Visitor: "v1",
		PerMinute: 7,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	if lasts := answer.Data.ExpiresAt.Sub(before); lasts < 58*time.Second || lasts > 2*time.Minute {
		t.Errorf("expires after %v", lasts)
	}
	_, err = f.BrowserTokens.Open(answer.Data.Token, answer.Data.ExpiresAt)
	if matching.CodeOf(err) != browsertoken.CodeExpired {
		t.Errorf("at its end: %v", err)
	}
}

// A token never outlives its key.
func TestBrowserToken_EndsWithTheKey(t *testing.T) {
	end := time.Now().Add(90 * time.Second).UTC().Truncate(time.Millisecond)
	w, _ := (&call{
		path: tokensPath, body: `{"origins":["https://shop.example"]}`, status: 200,
		change: withKey(func(k *apikey.Key) { k.Expires = end }),
	}).send(t)
	var answer wire.BrowserTokenAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || !answer.Data.ExpiresAt.Equal(end) {
		t.Errorf("expires at %v (%v), want %v", answer.Data.ExpiresAt, err, end)
	}
}

func TestBrowserToken_InvalidRequests(t *testing.T) {
	invalid := func(name, body string, want ...string) call {
		return call{name: name, path: tokensPath, body: body, status: 422, want: want}
	}
	shopWith := func(members string) string { return `{"origins":["https://shop.example"],` + members + `}` }
	run(t, []call{
		invalid("no origin", `{}`, `"field":"origins"`),
		invalid("no origins", `{"origins":[]}`, `"field":"origins"`),
		invalid("null", `{"origins":["null"]}`, `"field":"origins[0]"`),
		invalid("any", `{"origins":["*"]}`, `"field":"origins[0]"`),
		invalid("any subdomain", `{"origins":["https://*.shop.example"]}`, `"field":"origins[0]"`),
		invalid("path", `{"origins":["https://shop.example/"]}`, `"field":"origins[0]"`),
		invalid("user", `{"origins":["https://me@shop.example"]}`, `"field":"origins[0]"`),
		invalid("other scheme", `{"origins":["https://shop.example","file://x"]}`, `"field":"origins[1]"`),
		invalid("filter", shopWith(`"filters":{"countries":["Germany"]}`), `"field":"filters.countries[0]"`),
		invalid("cost", shopWith(`"filters":{"max_cost":100}`), `"field":"filters.max_cost"`),
		invalid("currency", shopWith(`"currency":"dollars"`), `"field":"currency"`),
		invalid("hidden skills", shopWith(`"hide":["hourly_rate","skills"]`), `"field":"hide[1]"`, "hourly_rate, "),
		invalid("limit", shopWith(`"requests_per_minute":0`), `"field":"requests_per_minute"`),
		invalid("lifetime", shopWith(`"expires_in":3601`), `"field":"expires_in"`),
		invalid("visitor", shopWith(`"visitor":"`+strings.Repeat("v", 201)+`"`), `"field":"visitor"`),
		invalid("too large", shopWith(`"filters":{"ids":["`+strings.Repeat(strings.Repeat("x", 199)+`","`, 20)+`y"]}`),
			`"field":"filters"`, "4096"),
		{
			name: "key without match", path: tokensPath, body: shopWith(`"visitor":"v"`), status: 403,
			code:   apikey.CodeOperation,
			change: withKey(func(k *apikey.Key) { k.Operations = []string{"parse"} }),
		},
	})
}

func TestBrowserToken_Match(t *testing.T) {
	c := call{header: asPage(t, claims()), status: 200, want: []string{"Mira Talden"}, never: []string{"X-Freelancers"}}
	w, f := c.send(t)
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": shop, "Access-Control-Allow-Credentials": "", "X-Ratelimit-Limit": "100",
		"X-Ratelimit-Remaining": "99", "X-Ratelimit-Window": "minute", "Set-Cookie": "",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Origin") {
		t.Errorf("Vary is %q", w.Header().Values("Vary"))
	}

	// It counts to the key and its account, without the address of the visitor.
	if r := f.usage.requests; len(r) != 1 || r[0].Key != "key_1" || r[0].Address != "" || r[0].Operation != "match" {
		t.Errorf("usage %+v", r)
	}
	wantMetrics(t, f, `matching_requests_total{code="",operation="match",plan="professional",status="200"} 1`)
}

// altered returns the token with one of its characters changed, for each of them.
func altered(token string) (all []string) {
	for i := len(browsertoken.Prefix); i < len(token); i++ {
		other := byte('A')
		if token[i] == other {
			other = 'B'
		}
		all = append(all, token[:i]+string(other)+token[i+1:])
	}
	return all
}

func TestBrowserToken_Attacks(t *testing.T) {
	page := asPage(t, claims())
	token := strings.TrimPrefix(page.Get("Authorization"), "Bearer ")

	expired := asPage(t, claims(func(c *browsertoken.Claims) { c.Expires = time.Now().Add(-time.Second) }))
	stranger := asPage(t, claims(func(c *browsertoken.Claims) { c.Key = "key_2" }))
	foreign, err := browsertoken.NewSealer([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	forged, err := foreign.Seal(claims())
	if err != nil {
		t.Fatal(err)
	}

	past := time.Now().Add(-time.Minute)
	parsesOnly := func(k *apikey.Key) { k.Operations = []string{"parse"} }
	for name, c := range map[string]struct {
		header http.Header
		change func(*fixture)
		status int
		code   matching.Code
		cors   bool // the page may read the response
	}{
		"forged":         {withToken(forged), nil, 401, browsertoken.CodeInvalid, false},
		"prefix only":    {withToken(browsertoken.Prefix), nil, 401, browsertoken.CodeInvalid, false},
		"truncated":      {withToken(token[:len(token)-1]), nil, 401, browsertoken.CodeInvalid, false},
		"longer":         {withToken(token + "A"), nil, 401, browsertoken.CodeInvalid, false},
		"huge":           {withToken(token + strings.Repeat("A", 5000)), nil, 401, browsertoken.CodeInvalid, false},
		"key inside":     {withToken(browsertoken.Prefix + testKey), nil, 401, browsertoken.CodeInvalid, false},
		"expired":        {expired, nil, 401, browsertoken.CodeExpired, true},
		"other account":  {stranger, nil, 401, browsertoken.CodeInvalid, true},
		"other origin":   {from(page, "https://evil.example"), nil, 403, browsertoken.CodeOrigin, false},
		"other scheme":   {from(page, "http://shop.example"), nil, 403, browsertoken.CodeOrigin, false},
		"other port":     {from(page, shop+":8443"), nil, 403, browsertoken.CodeOrigin, false},
		"subdomain":      {from(page, "https://a.shop.example"), nil, 403, browsertoken.CodeOrigin, false},
		"longer host":    {from(page, shop+".evil.example"), nil, 403, browsertoken.CodeOrigin, false},
		"null origin":    {from(page, "null"), nil, 403, browsertoken.CodeOrigin, false},
		"two origins":    {from(page, shop, "https://evil.example"), nil, 403, browsertoken.CodeOrigin, false},
		"no origin":      {from(page), nil, 403, browsertoken.CodeOrigin, false},
		"empty origin":   {from(page, ""), nil, 403, browsertoken.CodeOrigin, false},
		"as X-API-Key":   {http.Header{"X-Api-Key": {token}}, nil, 403, browsertoken.CodeOrigin, false},
		"revoked key":    {page, withKey(func(k *apikey.Key) { k.Revoked = past }), 401, apikey.CodeRevoked, true},
		"disabled key":   {page, withKey(func(k *apikey.Key) { k.Disabled = past }), 401, apikey.CodeDisabled, true},
		"suspended":      {page, withKey(func(k *apikey.Key) { k.Suspended = past }), 401, apikey.CodeDisabled, true},
		"expired key":    {page, withKey(func(k *apikey.Key) { k.Expires = past }), 401, apikey.CodeExpired, true},
		"rotated key":    {page, withKey(func(k *apikey.Key) { k.GraceEnd = past }), 401, apikey.CodeExpired, true},
		"key elsewhere":  {page, withKey(parsesOnly), 403, apikey.CodeOperation, true},
		"secret in page": {http.Header{"Origin": {shop}}, nil, 200, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := (&call{header: c.header, change: c.change, status: c.status, code: c.code}).send(t)
			if got := w.Header().Get("Access-Control-Allow-Origin"); (got == shop) != c.cors || got != shop && got != "" {
				t.Errorf("Access-Control-Allow-Origin is %q", got)
			}
		})
	}

	h := New(newFixture().Dependencies).Handler()
	for _, changed := range altered(token) {
		r := (&call{header: withToken(changed)}).request(t)
		r.RemoteAddr = "" // whose failures aren't counted together with those of others
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != http.StatusUnauthorized && w.Code != http.StatusTooManyRequests {
			t.Fatalf("status %d of an altered token", w.Code)
		}
	}
}

// Every operation but the match refuses a token, says what it may do, and isn't available to other origins.
func TestBrowserToken_AllOperations(t *testing.T) {
	header := asPage(t, claims())
	paths := readSpecification(t).Paths.Map()
	checked := 0
	for path, item := range paths {
		for method, operation := range item.Operations() {
			public := operation.Security != nil && len(*operation.Security) == 0
			isMatch := path == matchPath && method == http.MethodPost
			if public || isMatch {
				continue
			}
			checked++
			t.Run(operation.OperationID, func(t *testing.T) {
				r := httptest.NewRequestWithContext(t.Context(), method, strings.ReplaceAll(path, "{id}", "f1"), nil)
				for name, values := range header {
					r.Header[name] = values
				}
				w := httptest.NewRecorder()
				New(newFixture().Dependencies).Handler().ServeHTTP(w, r)
				if w.Code != http.StatusForbidden || codeOf(t, w) != apikey.CodeOperation ||
					!strings.Contains(w.Body.String(), "POST /api/v1/match only") {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
			})
		}
	}
	if checked < 30 {
		t.Errorf("%d operations checked", checked)
	}

	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, agentPath, strings.NewReader(`{}`))
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	if New(newFixture().Dependencies).Handler().ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("tools for agents: status %d", w.Code)
	}
}

func TestBrowserToken_Preflight(t *testing.T) {
	ask := func(path string, header http.Header) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, path, nil)
		r.Header = header
		w := httptest.NewRecorder()
		New(newFixture().Dependencies).Handler().ServeHTTP(w, r)
		return w
	}
	preflight := http.Header{
		"Origin": {"https://any.example"}, "Access-Control-Request-Method": {"POST"},
		"Access-Control-Request-Headers": {"authorization,content-type"},
	}

	w := ask(matchPath, preflight)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
		w.Header().Get("Access-Control-Allow-Credentials") != "" ||
		strings.Contains(strings.ToLower(w.Header().Get("Access-Control-Allow-Headers")), "x-api-key") {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
	if w := ask(matchPath, http.Header{}); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("status %d without a question", w.Code)
	}

	for path := range readSpecification(t).Paths.Map() {
		if path == matchPath {
			continue
		}
		w := ask(strings.ReplaceAll(path, "{id}", "f1"), preflight)
		if w.Code < 400 || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: status %d, %v", path, w.Code, w.Header())
		}
	}
}

func TestBrowserToken_LimitOfVisitors(t *testing.T) {
	f := newFixture()
	noon := time.Date(2031, 5, 17, 12, 0, 20, 0, time.UTC)
	f.Visitors = quota.New(quota.Config{
		Store: quotatest.NewMemory(), Now: func() time.Time { return noon }, Log: f.Log,
	})
	h := New(f.Dependencies).Handler()

	send := func(address, visitor string, status int) {
		t.Helper()
		two := func(c *browsertoken.Claims) { c.PerMinute, c.Visitor = 2, visitor }
		r := (&call{header: asPage(t, claims(two))}).request(t)
		r.RemoteAddr = address
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != status {
			t.Errorf("%s %s: status %d, want %d: %s", address, visitor, w.Code, status, w.Body)
		}
		if status == http.StatusTooManyRequests &&
			(w.Header().Get("Retry-After") != "40" || codeOf(t, w) != browsertoken.CodeVisitor) {
			t.Errorf("%v: %s", w.Header(), w.Body)
		}
	}

	const first, second = "192.0.2.1:1234", "192.0.2.2:1234"
	send(first, "", 200)
	send(first, "", 200)
	send(first, "", 429)
	send(second, "", 200)

	// A visitor with an ID is the same from all addresses.
	send(first, "a", 200)
	send(second, "a", 200)
	send(first, "a", 429)
	send(first, "b", 200)

	// One client may take any address of a /64 network.
	send("[2001:db8::1]:1234", "", 200)
	send("[2001:db8::2]:1234", "", 200)
	send("[2001:db8::3]:1234", "", 429)
	send("[2001:db8:0:1::1]:1234", "", 200)
}

// A page can't use what would reveal a hidden field.
func TestBrowserToken_RefusedMembers(t *testing.T) {
	for field, members := range map[string][]string{
		"hourly_rate":    {`"filters":{"max_hourly_rate":50}`, `"filters":{"max_cost":50}`, `"weights":{"budget":1}`},
		"experience":     {`"filters":{"min_experience":1}`, `"filters":{"max_cost":5}`, `"weights":{"timeline":0}`},
		"rating":         {`"filters":{"min_rating":0}`, `"weights":{"quality":2}`},
		"total_sales":    {`"weights":{"quality":2}`},
		"availability":   {`"filters":{"available":true}`, `"filters":{"available_by":"2031-01-01"}`},
		"available_from": {`"filters":{"available":false}`, `"filters":{"available_by":"2031-01-01"}`},
		"hours_per_week": {`"weights":{"timeline":2}`},
		"country":        {`"filters":{"countries":["DE"]}`},
		"time_zone":      {`"filters":{"time_zone":{"zone":"UTC"}}`},
		"verified":       {`"filters":{"verified":false}`},
	} {
		for _, member := range members {
			t.Run(field+" "+member, func(t *testing.T) {
				body := `{"description":"a shop",` + member + `}`
				header := asPage(t, claims(func(c *browsertoken.Claims) { c.Hide = []string{field} }))
				(&call{header: header, path: matchPath, body: body, status: 422, want: []string{"hides " + field}}).send(t)
				(&call{header: asPage(t, claims()), path: matchPath, body: body, status: 200}).send(t)
			})
		}
	}
}

// The token decides which filters bind the brief, and which features take no part in the score.
func TestBrowserToken_BindsTheBrief(t *testing.T) {
	var got matching.Brief
	c := call{
		header: asPage(t, claims(func(c *browsertoken.Claims) {
			c.Filters = json.RawMessage(`{"countries":["DE"],"max_hourly_rate":50}`)
			c.Currency, c.Hide = "EUR", []string{"rating"}
		})),
		path: matchPath, status: 200,
		body: `{"description":"a shop","filters":{"countries":["DE","AT"]},"currency":"KWD","weights":{"text":2}}`,
		change: func(f *fixture) {
			f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
				got = *b
				return fullAnswer(), nil
			})
		},
	}
	c.send(t)

	want := matching.Filters{Countries: []string{"DE"}, MaxHourlyRate: matching.Some(50.)}
	if diff := cmp.Diff(want, got.Bound); diff != "" || got.BoundCurrency != "EUR" {
		t.Errorf("bound in %q (-want +got):\n%s", got.BoundCurrency, diff)
	}
	if diff := cmp.Diff(map[string]float64{"text": 2, "quality": 0}, got.Weights); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
}
