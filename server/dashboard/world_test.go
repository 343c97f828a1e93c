package dashboard_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pquerna/otp/totp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/freelancers/freelancerstest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/server/dashboard"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/webhook"
)

const password = "seven grey herons"

// world is a dashboard on a real database with a few accounts. Only the API behind the playground and the health check
// are fakes.
type world struct {
	t        testing.TB
	db       *store.DB
	keys     *apikey.Service
	accounts *account.Services
	recorder *usage.Recorder
	quota    *quota.Quota
	api      *fakeAPI
	health   *fakeHealth
	uploads  *fakeUploads
	previous string // the index that a rollback makes live
	clock    *clock
	log      *safeBuffer

	freelancers *freelancerstest.World
	matcher     *fakeMatcher
	outcomes    *fakeOutcomes
	server      *httptest.Server
	handler     http.Handler
	users
}

// users are one user for each role, and one of another account. The administrator has their own account.
type users struct{ admin, owner, member, stranger account.User }

// registered is a database with the users. Registering them hashes passwords, which is slow on purpose, so it is done
// once and each world starts with a copy.
var registered struct {
	once sync.Once
	file []byte
	users
}

// option changes the configuration of a world's dashboard.
type option func(*dashboard.Config, *account.Config)

func publicURL(address string) option {
	return func(c *dashboard.Config, _ *account.Config) { c.PublicURL = mustParse(address) }
}

func signUp(p account.SignUpPolicy) option {
	return func(c *dashboard.Config, a *account.Config) { c.SignUp, a.SignUp = p, p }
}

func newWorld(t testing.TB, options ...option) *world {
	t.Helper()
	registered.once.Do(func() {
		path := filepath.Join(t.TempDir(), "registered.db")
		w := openWorld(t, path)
		w.registerUsers()
		w.must(w.recorder.Close())
		w.must(w.db.Close())
		file, err := os.ReadFile(path)
		w.must(err)
		registered.file = file
		registered.users = w.users
	})

	path := filepath.Join(t.TempDir(), "matching.db")
	if err := os.WriteFile(path, registered.file, 0o600); err != nil {
		t.Fatal(err)
	}
	w := openWorld(t, path, options...)
	w.users = registered.users

	return w
}

// openWorld returns a world on the database in a file, without users.
func openWorld(t testing.TB, path string, options ...option) *world {
	t.Helper()
	w := &world{t: t, clock: &clock{at: time.Date(2030, 5, 20, 12, 0, 30, 0, time.UTC)}, log: &safeBuffer{}}
	db, err := sqlite.Open(t.Context(), path)
	w.must(err)
	t.Cleanup(func() { _ = db.Close() })
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.db, w.recorder = db, usage.NewRecorder(db.Usage, log)
	t.Cleanup(func() { _ = w.recorder.Close() }) // fails if the test has closed the database
	limit := func(n int) account.Limit { return account.Limit{Failures: n, Period: time.Hour} }
	settings := account.Config{
		Stores: db.AccountStores(), Now: w.clock.now, SignUp: account.Open, Log: log,
		Limits: account.Limits{
			Visitor: limit(5), Address: limit(50), Email: limit(5), Browser: limit(5), Code: limit(5), Confirm: limit(5),
			SignUp: limit(50), Taken: limit(5), Recorded: limit(50),
		},
	}

	w.quota = quota.New(quota.Config{Store: db.Quotas, Now: w.clock.now, Log: log})
	w.keys = apikey.NewService(db.Keys, w.clock.now)
	w.matcher, w.outcomes = &fakeMatcher{}, &fakeOutcomes{}
	w.api, w.health, w.uploads = &fakeAPI{}, &fakeHealth{components: healthy()}, &fakeUploads{}
	w.freelancers = freelancerstest.New(mira(), matching.Freelancer{ID: "g", Name: "Oren Vask"})
	config := dashboard.Config{
		Keys:   w.keys,
		Usage:  recordedUsage{db.Usage, w.recorder},
		Quota:  w.quota,
		Views:  views.New(db.Views, w.clock.now),
		Health: w.health,
		API:    w.api,
		Skills: fakeSkills{},

		Matcher:   w.matcher,
		Documents: w.matcher,
		Outcomes:  w.outcomes,
		Evidence:  fakeEvidence{},

		Currencies: func(context.Context) (string, []string) { return "USD", []string{"CHF", "EUR", "USD"} },

		Loads:   loadHistory,
		Uploads: w.uploads,
		Rollback: func(context.Context) (live, previous string, err error) {
			return healthy().DataSource.Index, w.previous, nil
		},

		Freelancers: w.freelancers,
		Interviews:  w.interviewService(""),
		Results:     results.New(db.Results, w.clock.now),
		Projects:    projects.New(db.Projects, w.clock.now),
		Rankings:    rankings.New(db.Rankings, w.clock.now),
		Briefs:      briefs.New(db.Briefs, w.clock.now, true, func() {}),
		BriefRanker: &briefs.Ranker{Explainer: w.matcher, Read: wire.SavedMatch},
		Learning:    learning.New(learning.Config{Store: db.Learning, Now: w.clock.now}),
		Requests:    requestlog.New(db.RequestLog, w.clock.now),
		ProjectLink: func(token string) string { return "http://match.example.com/shared/" + token },
		Webhooks: &feed.Endpoints{
			Store: db.Endpoints, Allowed: &webhook.Allowed{}, Now: w.clock.now, Notify: func() {},
		},

		Chains:    db.AuditLog,
		Sessions:  db.Sessions,
		Changes:   db.Notices,
		PublicURL: mustParse("http://match.example.com"),
		Version:   "1.2.3",
		SignUp:    account.Open,
		Log:       log,

		RequireTwoFactor: true,

		Now: w.clock.now,
		Address: func(r *http.Request) netip.Addr {
			peer, _ := netip.ParseAddrPort(r.RemoteAddr)
			return peer.Addr()
		},
	}

	exports := &app.Access{Keys: w.keys, DB: db}
	config.Exports = exports
	for _, o := range options {
		o(&config, &settings)
	}

	w.accounts = account.New(settings)
	exports.Services = w.accounts
	config.Accounts = w.accounts
	w.handler = dashboard.New(config)
	w.server = httptest.NewServer(w.handler)
	t.Cleanup(w.server.Close)

	return w
}

func (w *world) registerUsers() {
	w.t.Helper()
	ctx := w.t.Context()
	by := audit.By{Actor: audit.CommandLine, Address: "192.0.2.1"}
	secret, err := w.accounts.Links.CreateSetUp(ctx)
	w.must(err)
	w.admin = w.enroll(w.register("admin@example.com", "Operations", secret))
	invite := func(i account.Invite) string {
		secret, _, err := w.accounts.Links.Invite(ctx, by, i)
		w.must(err)
		return secret
	}
	w.owner = w.register("owner@example.com", "Kiln & Glaze", invite(account.Invite{Plan: "professional"}))
	w.member = w.register("member@example.com", "",
		invite(account.Invite{Account: w.owner.Account, Role: account.Member}))
	w.stranger = w.register("stranger@example.com", "Elsewhere", invite(account.Invite{Plan: "freelancer"}))
}

func (w *world) register(email, name, secret string) account.User {
	w.t.Helper()
	u, err := w.accounts.SignUps.Register(w.t.Context(), audit.By{Address: "192.0.2.1"}, account.NewUser{
		Email: email, Password: password, AccountName: name, Secret: secret,
	})
	w.must(err)
	return u
}

// adminSecret is the secret of the administrator's second factor.
const adminSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"

// enroll gives a user a second factor.
func (w *world) enroll(u account.User) account.User {
	w.t.Helper()
	by := audit.By{Actor: u.ID, Address: "192.0.2.1"}
	_, err := w.accounts.SecondFactors.Enable(w.t.Context(), by, u.ID, adminSecret, w.code())
	w.must(err)
	u, err = w.accounts.Users.FindByEmail(w.t.Context(), u.Email)
	w.must(err)
	return u
}

// code returns the code that the administrator's app shows now.
func (w *world) code() string {
	code, err := totp.GenerateCode(adminSecret, w.clock.now())
	w.must(err)
	return code
}

// forgetCodes lets users sign in again with the current code. The clock of a world stands still.
func (w *world) forgetCodes(u account.User) {
	w.t.Helper()
	change := func(users []account.User, _ []apikey.Key) (c account.UserChanges, err error) {
		for _, found := range users {
			if found.ID == u.ID {
				found.TwoFactor.LastStep = 0
				c.Changed = append(c.Changed, found)
			}
		}
		return c, nil
	}
	w.must(w.db.Users.Update(w.t.Context(), u.Account, nil, w.clock.now(), change))
}

// key creates a key of an account.
func (w *world) key(owner account.User, name string) (token string, k apikey.Key) {
	w.t.Helper()
	request := apikey.Request{Name: name}
	token, k, err := w.accounts.Accounts.CreateKey(w.t.Context(), audit.By{Actor: owner.ID}, owner.Account, request)
	w.must(err)
	return token, k
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// browser is an HTTP client with its own cookies. It does not follow redirects.
type browser struct {
	w      *world
	client *http.Client
	base   string
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	w.must(err)
	return &browser{w: w, base: w.server.URL, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// as returns a browser in which a user is signed in.
func (w *world) as(u account.User) *browser {
	w.t.Helper()
	b := w.browser()
	if u.ID == "" {
		return b
	}
	a := b.post("/dashboard/sign-in", "email", u.Email, "password", password)
	if a.status != http.StatusSeeOther {
		w.t.Fatalf("sign in %s: %d\n%s", u.Email, a.status, a.body)
	}
	if a.location == "/dashboard/sign-in/code" {
		w.forgetCodes(u)
		a = b.post(a.location, "code", w.code())
	}
	if a.status != http.StatusSeeOther || a.location != "/dashboard" {
		w.t.Fatalf("sign in %s: %d, location %q\n%s", u.Email, a.status, a.location, a.body)
	}
	return b
}

// answer is a response of the dashboard.
type answer struct {
	status   int
	header   http.Header
	body     string
	location string
}

func (b *browser) get(path string) answer {
	b.w.t.Helper()
	return b.do(http.MethodGet, path, nil, nil)
}

// post submits a form, given as alternating names and values.
func (b *browser) post(path string, fields ...string) answer {
	b.w.t.Helper()
	return b.do(http.MethodPost, path, form(fields...), nil)
}

// create submits a form that creates a secret, and returns the page that shows the secret once.
func (b *browser) create(path string, fields ...string) answer {
	b.w.t.Helper()
	a := b.post(path, fields...)
	if a.status != http.StatusSeeOther {
		b.w.t.Fatalf("%s: status %d, want a redirect to the secret:\n%s", path, a.status, a.text())
	}
	return b.get(a.location)
}

// play submits a form of the playground, and follows the redirect to the page of the result.
func (b *browser) play(path string, fields ...string) answer {
	b.w.t.Helper()
	return b.result(b.post(path, fields...))
}

// playIn submits a brief, and returns the result in a view: cards or code.
func (b *browser) playIn(view string, fields ...string) answer {
	b.w.t.Helper()
	a := b.post("/dashboard/playground", fields...).expect(b.w.t, http.StatusSeeOther)
	return b.get(a.location + "?view=" + view)
}

// result follows the redirect to the page of a result, if a response is one.
func (b *browser) result(a answer) answer {
	b.w.t.Helper()
	if a.status == http.StatusSeeOther && strings.HasPrefix(a.location, "/dashboard/playground/r/") {
		return b.get(a.location)
	}
	return a
}

// upload submits the playground's form for resumes.
func (b *browser) upload(key, name, content string) answer { return b.uploadWith(key, name, content) }

// uploadWith uploads a file with further fields, which are pairs of a name and a value.
func (b *browser) uploadWith(key, name, content string, fields ...string) answer {
	b.w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	b.w.must(form.WriteField("key", key))
	for i := 0; i < len(fields); i += 2 {
		b.w.must(form.WriteField(fields[i], fields[i+1]))
	}
	file, err := form.CreateFormFile("file", name)
	b.w.must(err)
	_, err = io.WriteString(file, content)
	b.w.must(err)
	b.w.must(form.Close())
	header := http.Header{"Content-Type": {form.FormDataContentType()}}
	return b.result(b.send(http.MethodPost, resumePath, &body, header))
}

func form(fields ...string) url.Values {
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Add(fields[i], fields[i+1])
	}
	return values
}

func (b *browser) do(method, path string, values url.Values, header http.Header) answer {
	b.w.t.Helper()
	all := header.Clone()
	if all == nil {
		all = http.Header{}
	}
	if method == http.MethodPost {
		all.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return b.send(method, path, strings.NewReader(values.Encode()), all)
}

func (b *browser) send(method, path string, sent io.Reader, header http.Header) answer {
	b.w.t.Helper()
	r, err := http.NewRequestWithContext(b.w.t.Context(), method, b.base+path, sent)
	b.w.must(err)
	for name, sent := range header {
		r.Header[name] = sent
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	response, err := b.client.Do(r)
	b.w.must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	b.w.must(err)
	return answer{response.StatusCode, response.Header, string(body), response.Header.Get("Location")}
}

// session returns the value of the session cookie, or "" without one.
func (b *browser) session() string {
	for _, c := range b.client.Jar.Cookies(mustParse(b.base + "/dashboard")) {
		if strings.HasSuffix(c.Name, "matching_session") {
			return c.Value
		}
	}
	return ""
}

var markup = regexp.MustCompile(`(?s)<(svg|title|script).*?</(svg|title|script)>|<[^>]*>`)

// text returns the visible text of a page.
func (a answer) text() string {
	return strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(a.body, " "))), " ")
}

// expect fails the test unless the response has the status and its text contains all the texts.
func (a answer) expect(t testing.TB, status int, texts ...string) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d\n%s", a.status, status, a.text())
	}
	for _, text := range texts {
		if !strings.Contains(a.text(), text) {
			t.Errorf("the page does not contain %q:\n%s", text, a.text())
		}
	}
	return a
}

func mustParse(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

// recordedUsage combines the database and the recorder, as the server does.
type recordedUsage struct {
	usage.Store
	recorder *usage.Recorder
}

func (u recordedUsage) Flush(ctx context.Context) error { return u.recorder.Flush(ctx) }

// fakeAPI returns a fixed response and keeps the last request.
type fakeAPI struct {
	status int
	header map[string]string
	body   string

	ignoresBody bool // leaves the request body unread

	key       apikey.Key
	path      string // method and path; "" if there was no request
	request   string // body
	length    int64
	readError error // from reading the body
	headers   http.Header
	remote    string
}

func (f *fakeAPI) ServeAs(key apikey.Key, _ string, w http.ResponseWriter, r *http.Request) {
	var body []byte
	if !f.ignoresBody {
		body, f.readError = io.ReadAll(r.Body)
	}
	f.key, f.path, f.request, f.length = key, r.Method+" "+r.URL.RequestURI(), string(body), r.ContentLength
	f.headers = r.Header
	f.remote = r.RemoteAddr
	for name, value := range f.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(f.status)
	_, _ = io.WriteString(w, f.body)
}

// fail makes the API return an error response with details, given as JSON.
func (f *fakeAPI) fail(status int, code, message, details string) {
	f.status = status
	f.body = fmt.Sprintf(`{"status":"error","error":{"code":%q,"message":%q,"details":[%s]},"request_id":"request7"}`,
		code, message, details)
}

// failAt makes the API return a validation error with a fault in one field.
func (f *fakeAPI) failAt(field, code, message string) {
	f.fail(http.StatusUnprocessableEntity, "validation_failed", "invalid request",
		fmt.Sprintf(`{"field":%q,"code":%q,"message":%q}`, field, code, message))
}

type fakeHealth struct{ components wire.Components }

func (f *fakeHealth) Check(context.Context) wire.Components { return f.components }

func healthy() wire.Components {
	return wire.Components{
		DataSource: wire.DataSource{
			Status:          wire.StatusHealthy,
			Type:            "csv",
			FreelancerCount: 12345,
			Engine:          "embedded",
			Index:           "freelancers-v1-20300519t080000",
			IndexedAt:       time.Date(2030, 5, 19, 8, 0, 0, 0, time.UTC),
		},
		SkillExtractor: wire.SkillExtractor{Status: wire.StatusReady, Skills: 12000},
		Database:       wire.Database{Status: wire.StatusConnected, Type: "sqlite"},
		LLM:            wire.LLM{Status: wire.StatusOffline},
	}
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// comparePrefixes returns the option with which cmp compares networks.
func comparePrefixes() cmp.Option {
	return cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
}
