package integration

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/integration/programs"
)

// pages returns the paths of all pages of the dashboard that exist without further data.
func pages() []string {
	return []string{
		"", "/keys/new", "/usage", "/playground", "/playground?sample=1", "/playground/skill", "/playground/resume",
		"/data", "/account", "/members", "/activity",
		"/admin/accounts", "/admin/invitations", "/admin/audit",
	}
}

// Signing in replaces a session token that an attacker planted in the browser, whether the token is made up or belongs
// to the attacker's session. Signing out ends the session.
func TestSecurity_SessionFixation(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-sign-up", "open")
	victim := newVisitor(t, s)
	attacker := newVisitor(t, s)
	newVisitor(t, s).setUp(t, s)
	victim.signUp(t, "Victim", "victim@example.com")
	attacker.signUp(t, "Attacker", "attacker@example.com")

	tokens := map[string]string{"made up": strings.Repeat("A", 43), "of another session": attacker.cookie()}
	for name, planted := range tokens {
		t.Run(name, func(t *testing.T) {
			browser := newVisitor(t, s)
			thief := newVisitor(t, s)
			browser.plant(planted)
			browser.signIn(t, "victim@example.com", password).wantSignedIn(t)

			if browser.cookie() == planted {
				t.Error("the session uses the planted token")
			}

			thief.plant(planted)

			if p := thief.get(t, "/dashboard"); strings.Contains(p.body, "victim@example.com") {
				t.Error("the planted token is signed in as the victim")
			}

			signedOut := browser.cookie()
			browser.post(t, "/dashboard/account/sign-out", nil)
			thief.plant(signedOut)

			if p := thief.get(t, "/dashboard"); p.path != "/dashboard/sign-in" {
				t.Errorf("after signing out, the token opens %s", p.path)
			}
		})
	}
}

// The dashboard rejects forms that a browser submits for another site. It accepts its own forms, and those of programs
// other than browsers.
func TestSecurity_CrossSiteForms(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	v := newVisitor(t, s)
	v.setUp(t, s)
	tests := []struct {
		name, site, origin string
		accepted           bool
	}{
		{name: "another site", site: "cross-site", origin: "https://evil.example"},
		{name: "another site that hides", site: "cross-site", origin: "null"},
		{name: "another host of the domain", site: "same-site", origin: "http://evil.127.0.0.1"},
		{name: "another site, in an old browser", origin: "https://evil.example"},
		{name: "hidden, in an old browser", origin: "null"},
		{name: "another port, in an old browser", origin: "http://127.0.0.1:1"},
		{name: "the dashboard", site: "same-origin", origin: s.URL, accepted: true},
		{name: "the dashboard, in an old browser", origin: s.URL, accepted: true},
		{name: "typed into the address bar", site: "none", accepted: true},
		{name: "a program", accepted: true},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if v.headers.Del("Sec-Fetch-Site"); tt.site != "" {
				v.headers.Set("Sec-Fetch-Site", tt.site)
			}

			if v.headers.Del("Origin"); tt.origin != "" {
				v.headers.Set("Origin", tt.origin)
			}

			name := fmt.Sprintf("Key %d", i)
			p := v.post(t, "/dashboard/keys/new", url.Values{"id": {apikey.NewID()}, "name": {name}})
			created := strings.Contains(v.get(t, "/dashboard/keys").body, name)
			if created != tt.accepted || (p.status == http.StatusForbidden) == tt.accepted {
				t.Errorf("status %d, key created: %v", p.status, created)
			}

			if signedOut := newVisitor(t, s); !tt.accepted {
				signedOut.headers = v.headers
				p := signedOut.signIn(t, administrator, password)
				if p.status != http.StatusForbidden || signedOut.cookie() != "" {
					t.Errorf("the other site could sign in: %d", p.status)
				}

				if !strings.Contains(p.body, "public-url") {
					t.Error("the page does not name the setting that an operator can change")
				}
			}
		})
	}
}

// Whatever the address of the sign-in page contains, signing in redirects to a page of the dashboard.
func TestSecurity_OpenRedirect(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-sign-up", "open")
	newVisitor(t, s).setUp(t, s)
	const owner = "owner@example.com"
	newVisitor(t, s).signUp(t, "Owner", owner)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}

	for _, next := range []string{
		"https://evil.example", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`,
		"/dashboard/../../evil", "/dashboard/..//evil.example", "/dashboard@evil.example", "javascript:alert(1)",
		"/dashboard//evil.example/..//x", "%2f%2fevil.example", "http:/dashboard", "http:dashboard", "/\t/evil.example",
		"/dashboard\r\nSet-Cookie: a=b", " //evil.example", "/api/v1/health", "/dashboardx",
		"https://evil.example/dashboard/usage", "/dashboard/usage#//evil.example",
	} {
		t.Run(next, func(t *testing.T) {
			v := newVisitor(t, s).withoutRedirects()
			v.get(t, "/dashboard/sign-in?"+url.Values{"next": {next}}.Encode())
			form := url.Values{"email": {owner}, "password": {password}, "next": {next}}
			p := v.post(t, "/dashboard/sign-in", form)
			to, err := base.Parse(p.header.Get("Location"))
			if err != nil || p.status != http.StatusSeeOther || to.Host != base.Host || to.Scheme != "http" ||
				to.Path != "/dashboard" && !strings.HasPrefix(to.Path, "/dashboard/") || strings.Contains(to.Path, "..") {
				t.Errorf("%d to %q (%v)", p.status, p.header.Get("Location"), err)
			}

			if len(p.header.Values("Set-Cookie")) != 2 { // the session and the known browser
				t.Errorf("cookies: %q", p.header.Values("Set-Cookie"))
			}
		})
	}

	v := newVisitor(t, s).withoutRedirects()
	const page = "/dashboard/usage?key=a"
	p := v.post(t, "/dashboard/sign-in", url.Values{"email": {owner}, "password": {password}, "next": {page}})
	if got := p.header.Get("Location"); got != page {
		t.Errorf("redirected to %q, want %q", got, page)
	}
}

// hostileNames returns names that would be markup, scripts or template code if they were not escaped.
func hostileNames() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `{{.User.Password}}`,
		`</title><svg onload=alert(1)>`, `javascript:alert(1)`, "`${alert(1)}`", `&lt;script&gt;`,
		`--><script>alert(1)</script>`,
	}
}

// Every page shows the names of accounts, keys and users as text, whatever they contain.
func TestSecurity_StoredScripts(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-sign-up", "open")
	root := newVisitor(t, s)
	root.setUp(t, s)
	plain := elements(t, root.get(t, "/dashboard/sign-up").body)
	for i, name := range hostileNames() {
		v := newVisitor(t, s)
		// Sign-ups are limited per address, so the accounts are created by invitation.
		secret := root.linkSecret(t, root.post(t, "/dashboard/admin/invitations", url.Values{"plan": {"professional"}}))
		address := fmt.Sprintf("o'n&m=%d`{x}|$@example.com", i)
		joinForm := url.Values{"account_name": {name}, "email": {address}, "password": {password}}
		v.follow(t, "join", secret, joinForm).wantSignedIn(t)
		token, id := v.newKey(t, name)
		s.withKey(token).Call(t, http.MethodPost, "/api/v1/match",
			`{"description":"`+strings.ReplaceAll(name, `"`, `\"`)+`"}`)
		v.post(t, "/dashboard/members", url.Values{"role": {"member"}, "email": {address + ".example"}})
		wantNoScripts(t, plain, "/members, role", v.post(t, "/dashboard/members", url.Values{"role": {name}}).body)
		form := url.Values{"role": {"member"}, "email": {name}}
		wantNoScripts(t, plain, "/members, email", v.post(t, "/dashboard/members", form).body)
		form = url.Values{"description": {name}, "required_skills": {name}, "key": {id}, "job_title": {name}}
		wantNoScripts(t, plain, "/playground, submitted", v.post(t, "/dashboard/playground", form).body)
		unknownPath := "/nothing/" + url.PathEscape(name)
		unknownKey := "/usage?key=" + url.QueryEscape(name)
		for _, path := range append(pages(), "/keys/"+id, unknownPath, unknownKey) {
			wantNoScripts(t, plain, path, v.get(t, "/dashboard"+path).body)
		}
	}

	seen := 0
	accounts := root.get(t, "/dashboard/admin/accounts").body
	for _, found := range regexp.MustCompile(`/dashboard/admin/accounts/acc_\w+`).FindAllString(accounts, -1) {
		wantNoScripts(t, plain, found, root.get(t, found).body)
		seen++
	}

	if seen != len(hostileNames())+1 {
		t.Errorf("%d accounts seen, want all %d", seen, len(hostileNames())+1)
	}

	for _, path := range append(pages(), "/admin/accounts?q="+url.QueryEscape(hostileNames()[1])) {
		wantNoScripts(t, plain, path, root.get(t, "/dashboard"+path).body)
	}
}

// elements counts the parts of a page that can run code: scripts by source, event handlers, and elements that the
// dashboard has no reason to use.
func elements(t *testing.T, body string) map[string]int {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	found := map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}

		var source string
		for _, a := range n.Attr {
			link := a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "formaction"
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style",
				link && strings.HasPrefix(strings.TrimSpace(strings.ToLower(a.Val)), "javascript:"):
				found[n.Data+" "+a.Key]++
			case a.Key == "src":
				source = a.Val
			}
		}

		switch n.Data {
		case "script", "style", "img", "iframe", "object", "embed", "base":
			inside := ""
			if n.FirstChild != nil {
				inside = n.FirstChild.Data
			}
			found[n.Data+" "+source+inside]++
		}
	}

	return found
}

// wantNoScripts fails the test if a page contains more parts that can run code than a plain page and the dashboard's
// own scripts, each once and without text.
func wantNoScripts(t *testing.T, plain map[string]int, path, body string) {
	t.Helper()
	found := elements(t, body)
	own := regexp.MustCompile(`^script /dashboard/static/[0-9a-f]{12}/[a-z]+\.js$`)
	maps.DeleteFunc(found, func(element string, n int) bool {
		return n == 1 && plain[element] == 0 && own.MatchString(element)
	})
	if diff := gocmp.Diff(plain, found); diff != "" {
		t.Errorf("%s (-plain +got):\n%s", path, diff)
	}
}

// A request header can't add a header to the response.
func TestSecurity_HeaderInjection(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	for _, id := range []string{
		"a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\r\n X-Evil: 1", "a X-Evil: 1", "é", "%0d%0aX-Evil:%201",
	} {
		t.Run(fmt.Sprintf("%q", id), func(t *testing.T) {
			for _, path := range []string{"/api/v1/health", "/dashboard/sign-in", "/dashboard/%0d%0aX-Evil:%201"} {
				conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()

				fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: test\r\nX-Request-Id: %s\r\nConnection: close\r\n\r\n", path, id)
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}

				resp.Body.Close()
				if strings.ContainsAny(resp.Header.Get("X-Request-Id"), " :%é") || resp.Header.Get("X-Evil") != "" {
					t.Errorf("%s: %v", path, resp.Header)
				}
			}
		})
	}
}

// A valid key in the URL is rejected with advice to rotate it, and is not logged.
func TestSecurity_KeyInQuery(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-log-level", "debug")
	v := newVisitor(t, s)
	v.setUp(t, s)
	key, _ := v.newKey(t, "Website")
	for _, name := range []string{"api_key", "key", "X-API-Key", "token"} {
		status, answer := s.withKey("").Call(t, http.MethodGet, "/api/v1/health?"+name+"="+key, "")
		failure, _ := json.Marshal(answer["error"])
		if status != http.StatusUnauthorized || errorCode(answer) != "missing_api_key" ||
			!strings.Contains(string(failure), "rotate") || strings.Contains(string(failure), key) {
			t.Errorf("%s: %d %s", name, status, failure)
		}
	}
	if strings.Contains(s.Log.String(), key) {
		t.Error("the key is in the log")
	}
}

// Guessing keys is limited per address. A valid key from the same address keeps working.
func TestSecurity_GuessingKeys(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-trusted-proxies", "127.0.0.1")
	v := newVisitor(t, s)
	v.setUp(t, s)
	owner, _ := v.newKey(t, "Website")
	statuses := map[int]int{}
	plan, _ := apikey.PlanNamed("enterprise")
	for i := 0; i < 90 || statuses[http.StatusTooManyRequests] == 0 && i < 1000; i++ {
		status, retryAfter := s.send(t, apikey.Generate(plan), "203.0.113.7")
		statuses[status]++
		if status == http.StatusTooManyRequests && retryAfter == "" {
			t.Fatal("429 without Retry-After")
		}

		if i%10 == 0 {
			if status, _ := s.send(t, owner, "203.0.113.7"); status != http.StatusOK {
				t.Fatalf("a valid key got %d after %d guesses from the same address", status, i+1)
			}
		}
	}

	if statuses[http.StatusUnauthorized] < 1 || statuses[http.StatusTooManyRequests] < 1 || len(statuses) != 2 {
		t.Errorf("responses by status: %v, want some 401 and some 429", statuses)
	}

	if status, _ := s.send(t, apikey.Generate(plan), "203.0.113.8"); status != http.StatusUnauthorized {
		t.Errorf("another address got %d", status)
	}
}

// send requests /health with a key, as a proxy does for a client at an address.
func (s *server) send(t *testing.T, key, address string) (status int, retryAfter string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("X-Forwarded-For", address)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Retry-After")
}

// Guessing passwords is limited per address, and the limit applies even to the correct password. The owner can still
// sign in from another address. Forwarded addresses count only if they come from a trusted proxy.
func TestSecurity_GuessingPasswords(t *testing.T) {
	tests := []struct {
		name     string
		flags    []string
		ownersOK bool
	}{
		{"behind a proxy", []string{"-trusted-proxies", "127.0.0.1"}, true},
		{"with forged addresses", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, append(tt.flags, "-data", t.TempDir())...)
			newVisitor(t, s).setUp(t, s)
			guesser := newVisitor(t, s)
			owner := newVisitor(t, s)
			guesser.headers.Set("X-Forwarded-For", "203.0.113.7")
			owner.headers.Set("X-Forwarded-For", "198.51.100.1")
			var last page
			for i := range 8 {
				last = guesser.signIn(t, administrator, fmt.Sprintf("a guess, number %d", i))
			}

			if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") == "" {
				t.Errorf("the last guess: %d, Retry-After %q", last.status, last.header.Get("Retry-After"))
			}

			if p := guesser.signIn(t, administrator, password); p.status != http.StatusTooManyRequests {
				t.Errorf("the correct password after guesses: %d", p.status)
			}

			if p := owner.signIn(t, administrator, password); (p.path == "/dashboard") != tt.ownersOK {
				t.Errorf("the owner at another address: %d at %s", p.status, p.path)
			}
		})
	}
}

// All invalid keys get the same response, and so do unknown users and wrong passwords, so that a response doesn't
// reveal how close a guess was.
func TestSecurity_SameResponses(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	v := newVisitor(t, s)
	v.setUp(t, s)
	known, _ := v.newKey(t, "Website")
	guesses := map[string]string{
		"one character wrong": known[:20] + string(known[20]^1) + known[21:],
		"malformed":           "guess",
	}
	for _, name := range []string{"freelancer", "professional", "enterprise"} {
		plan, _ := apikey.PlanNamed(name)
		guesses["well-formed, "+name] = apikey.Generate(plan)
	}

	var first string
	for name, guess := range guesses {
		got := s.raw(t, guess)
		if first = cmp.Or(first, got); got != first {
			t.Errorf("%s:\n%s\nanother guess:\n%s", name, got, first)
		}
	}

	if !strings.HasPrefix(first, "401") || strings.Contains(first, "Ratelimit") {
		t.Error(first)
	}

	unknown := newVisitor(t, s)
	wrong := newVisitor(t, s)
	format := func(p page, email string) string {
		return fmt.Sprintln(p.status, p.path, strings.ReplaceAll(p.body, email, "EMAIL"))
	}
	a := format(unknown.signIn(t, "nobody@example.com", password), "nobody@example.com")
	b := format(wrong.signIn(t, administrator, "not the password"), administrator)
	if diff := gocmp.Diff(a, b); diff != "" {
		t.Errorf("the responses to an unknown user and a wrong password differ:\n%s", diff)
	}
}

var (
	idPattern   = regexp.MustCompile(`"request_id":"[^"]*"`)
	tookPattern = regexp.MustCompile(`"(processing_time|took)[a-z_]*":[0-9.]+|"timestamp":"[^"]*"`)
)

// raw sends a request with a key and returns the status, headers and body of the response, without the parts that
// differ on each request.
func (s *server) raw(t *testing.T, key string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/generate-test-data", nil)
	if err != nil {
		t.Fatal(err)
	}

	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"Date", "X-Request-Id", "Content-Length"} {
		resp.Header.Del(name)
	}

	var headers strings.Builder
	if err := resp.Header.Write(&headers); err != nil {
		t.Fatal(err)
	}

	return fmt.Sprintf("%d\n%s%s", resp.StatusCode, &headers, tookPattern.ReplaceAll(idPattern.ReplaceAll(body, nil), nil))
}

// Scripts can't read the cookies of the session and of a known browser. On https, browsers send them only over https,
// and other hosts can't set them.
func TestSecurity_Cookies(t *testing.T) {
	tests := []struct {
		name, public, cookie string
		secure               bool
	}{
		{"http", "", sessionCookie, false},
		{"https", "https://match.example.com", "__Host-" + sessionCookie, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			flags := []string{"-data", t.TempDir()}
			if tt.public != "" {
				flags = append(flags, "-public-url", tt.public)
			}

			s := start(t, flags...)
			v := newVisitor(t, s).withoutRedirects()
			secret := setUpPattern.FindStringSubmatch(s.Greeting)[1]
			form := url.Values{"account_name": {"A"}, "email": {administrator}, "password": {password}}
			p := v.follow(t, "setup", secret, form)
			cookies := (&http.Response{Header: p.header}).Cookies()
			names := []string{tt.cookie, strings.Replace(tt.cookie, "session", "browser", 1)}
			if len(cookies) != len(names) {
				t.Fatalf("%d cookies in the response %d, want %d", len(cookies), p.status, len(names))
			}

			for _, c := range cookies {
				if !slices.Contains(names, c.Name) || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
					c.Domain != "" || c.Secure != tt.secure {
					t.Errorf("%s", c.Raw)
				}
			}

			if tt.public != "" && !strings.Contains(s.Greeting, tt.public+"/dashboard/setup#") {
				t.Errorf("the setup link does not start with %s:\n%s", tt.public, s.Greeting)
			}
		})
	}
}

// No credential is in the log, even at debug level, or in a file of the data directory.
func TestSecurity_NoSecretsStored(t *testing.T) {
	data := t.TempDir()
	s := start(t, "-data", data, "-log-level", "debug", "-log-json", "-sign-up", "open")
	root := newVisitor(t, s)
	v := newVisitor(t, s)
	guest := newVisitor(t, s)
	root.setUp(t, s)
	v.signUp(t, "Acme", "owner@example.com")
	token, id := v.newKey(t, "Website")
	status, response := s.withKey(token).Call(t, http.MethodPost, "/api/v1/match", programs.Brief)
	if status >= http.StatusInternalServerError {
		t.Error(status, response)
	}

	s.withKey(token+"x").Call(t, http.MethodGet, "/api/v1/health?key="+token, "")
	rotated, next := v.shownKey(t, v.post(t, "/dashboard/keys/"+id+"/rotate", url.Values{"grace": {"1h0m0s"}}))
	v.revoke(t, rotated, next)
	s.withKey(rotated).Call(t, http.MethodGet, "/api/v1/health", "")
	secret := v.linkSecret(t, v.post(t, "/dashboard/members", url.Values{"role": {"member"}}))
	guest.get(t, "/dashboard/join?secret="+"typed-by-hand")
	guest.follow(t, "join", secret, url.Values{"email": {"guest@example.com"}, "password": {password}}).wantSignedIn(t)
	guest.follow(t, "join", secret, url.Values{"email": {"other@example.com"}, "password": {password}})
	guest.secrets = append(guest.secrets, "another long password", "a wrong old password")
	for _, present := range []string{"a wrong old password", password} {
		guest.post(t, "/dashboard/account/password", url.Values{"present": {present}, "password": {"another long password"}})
	}

	guest.signIn(t, "guest@example.com", "a wrong old password")

	secrets := append(append(root.secrets, v.secrets...), guest.secrets...)
	if err := s.Stop(t); err != nil {
		t.Error(err)
	}

	places := map[string]string{"the log": s.Log.String()}
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		places[filepath.Base(path)] = string(content)
		return err
	})
	if err != nil || len(places) < 2 {
		t.Fatal(err, len(places))
	}

	for place, content := range places {
		for _, secret := range secrets {
			if strings.Contains(content, secret) {
				t.Errorf("%s contains the secret %q", place, secret)
			}
		}
	}

	if strings.Contains(places["the log"], root.totpSecret) {
		t.Error("the log contains the secret of the authenticator app")
	}

	if !strings.Contains(places["the log"], `"route":"/api/v1/match"`) || len(secrets) < 12 {
		t.Errorf("the log lacks the match request, or only %d secrets were checked", len(secrets))
	}
}
