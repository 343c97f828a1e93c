package integration

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/freelancer-matching/service/integration/programs"
)

const (
	administrator = "root@example.com"
	password      = "seven ducks on a pond"
	// sessionCookie is the name of the dashboard's cookie on plain http.
	sessionCookie = "matching_session"
)

var (
	setUpPattern = regexp.MustCompile(`/dashboard/setup#([\w-]{43})`)
	linkPattern  = regexp.MustCompile(`/dashboard/(?:setup|join|reset)#([\w-]{43})`)
	keyIDPattern = regexp.MustCompile(`/dashboard/keys/(key_[0-9A-Za-z]+)`)
	noncePattern = regexp.MustCompile(`name="id" value="(key_[0-9A-Za-z]+)"`)
)

// A visitor is a person who uses a server's dashboard with a browser that keeps cookies, follows redirects and runs no
// scripts.
type visitor struct {
	server  *server
	base    string
	client  *http.Client
	headers http.Header // sent with every request
	secrets []string    // everything that was typed, shown or stored and must not leak
	// totpSecret is the secret of the authenticator app. It must not be logged; the database needs it.
	totpSecret string
}

// A page is a response of the dashboard.
type page struct {
	status int
	path   string // after redirects, without the query
	header http.Header
	body   string
}

func newVisitor(t *testing.T, s *server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: 2 * programs.Patience}
	return &visitor{server: s, base: s.URL, client: client, headers: http.Header{}, secrets: []string{password}}
}

// withoutRedirects makes the visitor return redirects instead of following them.
func (v *visitor) withoutRedirects() *visitor {
	v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return v
}

func (v *visitor) get(t *testing.T, path string) page {
	t.Helper()
	return v.do(t, http.MethodGet, path, nil)
}

func (v *visitor) post(t *testing.T, path string, form url.Values) page {
	t.Helper()
	return v.do(t, http.MethodPost, path, form)
}

func (v *visitor) do(t *testing.T, method, path string, form url.Values) page {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}

	req.Header = v.headers.Clone()
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}

	resp, err := v.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}

	if c := v.cookie(); c != "" {
		v.secrets = append(v.secrets, c)
	}

	return page{status: resp.StatusCode, path: resp.Request.URL.Path, header: resp.Header, body: string(body)}
}

// cookie returns the token of the visitor's session, or "" without a session.
func (v *visitor) cookie() string {
	u, _ := url.Parse(v.base)
	for _, c := range v.client.Jar.Cookies(u) {
		if c.Name == sessionCookie {
			return c.Value
		}
	}
	return ""
}

// plant sets the token of the visitor's session.
func (v *visitor) plant(token string) {
	u, _ := url.Parse(v.base)
	v.client.Jar.SetCookies(u, []*http.Cookie{{Name: sessionCookie, Value: token, Path: "/"}})
}

// wantSignedIn fails the test unless the page is the dashboard's first page, which only signed-in visitors see.
func (p page) wantSignedIn(t *testing.T) {
	t.Helper()
	if p.status != http.StatusOK || p.path != "/dashboard" {
		t.Fatalf("not signed in: at %s with status %d:\n%s", p.path, p.status, p.body)
	}
}

// setUp makes the visitor the first administrator, with the link that the server has printed.
func (v *visitor) setUp(t *testing.T, s *server) {
	t.Helper()
	found := setUpPattern.FindStringSubmatch(s.Greeting)
	if found == nil {
		t.Fatalf("no setup link in:\n%s", s.Greeting)
	}
	form := url.Values{"account_name": {"Operations"}, "email": {administrator}, "password": {password}}
	v.follow(t, "setup", found[1], form)
	v.enroll(t)
}

const twoFactorPath = "/dashboard/account/two-factor"

var (
	secondFactorPattern = regexp.MustCompile(`<code id="secret">([A-Z2-7]+)</code>`)
	recoveryPattern     = regexp.MustCompile(`\b[a-z2-7]{4}(?:-[a-z2-7]{4}){3}\b`)
)

// enroll sets up the second factor that administrators need, and keeps the recovery codes for later sign-ins.
func (v *visitor) enroll(t *testing.T) {
	t.Helper()
	found := secondFactorPattern.FindStringSubmatch(v.post(t, twoFactorPath+"/start", nil).body)
	if found == nil {
		t.Fatal("no second factor can be set up")
	}
	p := v.post(t, twoFactorPath, url.Values{"code": {currentCode(t, found[1])}})
	v.server.recovery = recoveryPattern.FindAllString(p.body, -1)
	v.secrets = append(v.secrets, v.server.recovery...)
	v.totpSecret = found[1]
	v.get(t, "/dashboard").wantSignedIn(t)
}

// currentCode returns the code that an authenticator app shows now.
func currentCode(t *testing.T, secret string) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// recoveryCode returns a recovery code of the administrator that was not used yet. A code of the app could be used only
// once in 30 seconds.
func (s *server) recoveryCode(t *testing.T) string {
	t.Helper()
	if len(s.recovery) == 0 {
		t.Fatal("no recovery code is left")
	}
	code := s.recovery[0]
	s.recovery = s.recovery[1:]
	return code
}

// follow uses a link: it submits the link's secret, and then the secret together with form.
func (v *visitor) follow(t *testing.T, purpose, secret string, form url.Values) page {
	t.Helper()
	v.secrets = append(v.secrets, secret)
	form.Set("secret", secret)
	if p := v.post(t, "/dashboard/"+purpose, url.Values{"secret": {secret}}); p.status != http.StatusOK {
		return p
	}
	return v.post(t, "/dashboard/"+purpose, form)
}

func (v *visitor) signUp(t *testing.T, account, email string) {
	t.Helper()
	form := url.Values{"account_name": {account}, "email": {email}, "password": {password}}
	v.post(t, "/dashboard/sign-up", form).wantSignedIn(t)
}

// codePath is the page that asks for the second factor.
const codePath = "/dashboard/sign-in/code"

func (v *visitor) signIn(t *testing.T, email, password string) page {
	t.Helper()
	p := v.post(t, "/dashboard/sign-in", url.Values{"email": {email}, "password": {password}})
	if p.path == codePath {
		return v.post(t, codePath, url.Values{"code": {v.server.recoveryCode(t)}})
	}
	return p
}

// newKey creates a key.
func (v *visitor) newKey(t *testing.T, name string) (token, id string) {
	t.Helper()
	nonce := noncePattern.FindStringSubmatch(v.get(t, "/dashboard/keys/new").body)
	if nonce == nil {
		t.Fatal("the form of a new key has no id")
	}
	return v.shownKey(t, v.post(t, "/dashboard/keys/new", url.Values{"id": {nonce[1]}, "name": {name}}))
}

// shownKey returns the new key on a page.
func (v *visitor) shownKey(t *testing.T, p page) (token, id string) {
	t.Helper()
	token = programs.KeyPattern.FindString(p.body)
	found := keyIDPattern.FindStringSubmatch(p.body)
	if p.status != http.StatusOK && p.status != http.StatusCreated || token == "" || found == nil {
		t.Fatalf("no new key in the response %d:\n%s", p.status, p.body)
	}
	v.secrets = append(v.secrets, token)
	return token, found[1]
}

// linkSecret returns the secret of the link on a page.
func (v *visitor) linkSecret(t *testing.T, p page) (secret string) {
	t.Helper()
	found := linkPattern.FindStringSubmatch(p.body)
	if found == nil {
		t.Fatalf("no link in the response %d:\n%s", p.status, p.body)
	}
	v.secrets = append(v.secrets, found[1])
	return found[1]
}

// revoke revokes a key.
func (v *visitor) revoke(t *testing.T, token, id string) {
	t.Helper()
	v.post(t, "/dashboard/keys/"+id+"/revoke", url.Values{"confirm": {token[len(token)-4:]}})
}

// withKey returns a copy of s whose requests use another key.
func (s *server) withKey(key string) *server {
	other := *s
	other.Key = key
	return &other
}

// errorCode returns error.code of a response, or "".
func errorCode(response map[string]any) string {
	failure, _ := response["error"].(map[string]any)
	text, _ := failure["code"].(string)
	return text
}
