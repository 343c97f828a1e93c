package integration

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"freelancer-matching/access/apikey"
)

// pages is every page of the dashboard that has an address of its own.
func pages() []string {
	return []string{
		"", "/keys/new", "/usage", "/playground", "/playground?sample=1", "/playground/skill", "/playground/resume",
		"/data", "/account", "/members", "/activity",
		"/admin/accounts", "/admin/invitations", "/admin/audit",
	}
}

// A token that somebody planted in a browser before its owner signed in is worth nothing afterwards, be it made up or that
// of another session; and a session that was left is over.
func TestSecurity_SessionFixation(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	victim, attacker := newVisitor(t, s), newVisitor(t, s)
	newVisitor(t, s).setUp(t, s)
	victim.signUp(t, "Victim", "victim@example.com")
	attacker.signUp(t, "Attacker", "attacker@example.com")

	for name, planted := range map[string]string{"made up": strings.Repeat("A", 43), "of another session": attacker.cookie()} {
		t.Run(name, func(t *testing.T) {
			browser, thief := newVisitor(t, s), newVisitor(t, s)
			browser.plant(planted)
			browser.signIn(t, "victim@example.com", password).home(t)
			if browser.cookie() == planted {
				t.Error("the session goes on under the planted token")
			}
			thief.plant(planted)
			if p := thief.get(t, "/dashboard"); strings.Contains(p.body, "victim@example.com") {
				t.Error("the planted token is signed in as the victim")
			}
			left := browser.cookie()
			browser.post(t, "/dashboard/account/sign-out", nil)
			thief.plant(left)
			if p := thief.get(t, "/dashboard"); p.path != "/dashboard/sign-in" {
				t.Errorf("after signing out the token leads to %s", p.path)
			}
		})
	}
}

// Forms that another site has a browser send are refused and change nothing; those of the dashboard itself, and of programs
// that are no browsers, are accepted.
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
		{name: "the dashboard", site: "same-origin", origin: s.url, accepted: true},
		{name: "the dashboard, in an old browser", origin: s.url, accepted: true},
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
			made := strings.Contains(v.get(t, "/dashboard").body, name)
			if made != tt.accepted || (p.status == http.StatusForbidden) == tt.accepted {
				t.Errorf("answered %d, key made: %v", p.status, made)
			}
			if out := newVisitor(t, s); !tt.accepted {
				out.headers = v.headers
				if p := out.signIn(t, administrator, password); p.status != http.StatusForbidden || out.cookie() != "" {
					t.Errorf("signed in by the other site: %d", p.status)
				}
				if !strings.Contains(p.body, "public-url") {
					t.Error("the page does not say what an operator can do")
				}
			}
		})
	}
}

// Whatever stands in the address of the sign-in page, signing in leads to a page of the dashboard.
func TestSecurity_OpenRedirect(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	newVisitor(t, s).setUp(t, s)
	base, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []string{
		"https://evil.example", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "/dashboard/../../evil",
		"/dashboard/..//evil.example", "/dashboard@evil.example", "javascript:alert(1)", "/dashboard//evil.example/..//x",
		"%2f%2fevil.example", "http:/dashboard", "http:dashboard", "/\t/evil.example", "/dashboard\r\nSet-Cookie: a=b", " //evil.example",
		"/api/v1/health", "/dashboardx", "https://evil.example/dashboard/usage", "/dashboard/usage#//evil.example",
	} {
		t.Run(next, func(t *testing.T) {
			v := newVisitor(t, s).fixed()
			v.get(t, "/dashboard/sign-in?"+url.Values{"next": {next}}.Encode())
			p := v.post(t, "/dashboard/sign-in", url.Values{"email": {administrator}, "password": {password}, "next": {next}})
			to, err := base.Parse(p.header.Get("Location"))
			if err != nil || p.status != http.StatusSeeOther || to.Host != base.Host || to.Scheme != "http" ||
				to.Path != "/dashboard" && !strings.HasPrefix(to.Path, "/dashboard/") || strings.Contains(to.Path, "..") {
				t.Errorf("%d to %q (%v)", p.status, p.header.Get("Location"), err)
			}
			if len(p.header.Values("Set-Cookie")) != 1 {
				t.Errorf("cookies: %q", p.header.Values("Set-Cookie"))
			}
		})
	}
	v := newVisitor(t, s).fixed()
	p := v.post(t, "/dashboard/sign-in", url.Values{"email": {administrator}, "password": {password}, "next": {"/dashboard/usage?key=a"}})
	if got := p.header.Get("Location"); got != "/dashboard/usage?key=a" {
		t.Errorf("a page of the dashboard is not gone to, but %q", got)
	}
}

// hostile are names that would be markup, script or template code, were they not escaped.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `{{.User.Password}}`,
		`</title><svg onload=alert(1)>`, `javascript:alert(1)`, "`${alert(1)}`", `&lt;script&gt;`, `--><script>alert(1)</script>`,
	}
}

// Names of accounts, keys and users are text on every page, whatever stands in them.
func TestSecurity_StoredScripts(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	root := newVisitor(t, s)
	root.setUp(t, s)
	plain := elements(t, root.get(t, "/dashboard/sign-up").body)
	for i, name := range hostile() {
		v := newVisitor(t, s)
		// Each sign-up counts against its address, so the accounts are made by invitation.
		secret := root.made(t, root.post(t, "/dashboard/admin/invitations", url.Values{"plan": {"professional"}}))
		address := fmt.Sprintf("o'n&m=%d`{x}|$@example.com", i)
		v.follow(t, "join", secret, url.Values{"account_name": {name}, "email": {address}, "password": {password}}).home(t)
		token, id := v.newKey(t, name)
		s.with(token).call(t, http.MethodPost, "/api/v1/match", `{"description":"`+strings.ReplaceAll(name, `"`, `\"`)+`"}`)
		v.post(t, "/dashboard/members", url.Values{"role": {"member"}, "email": {address + ".example"}})
		onlyText(t, plain, "/members, role", v.post(t, "/dashboard/members", url.Values{"role": {name}}).body)
		onlyText(t, plain, "/members, e-mail", v.post(t, "/dashboard/members", url.Values{"role": {"member"}, "email": {name}}).body)
		form := url.Values{"description": {name}, "required_skills": {name}, "key": {id}, "job_title": {name}}
		onlyText(t, plain, "/playground, sent", v.post(t, "/dashboard/playground", form).body)
		for _, path := range append(pages(), "/keys/"+id, "/nothing/"+url.PathEscape(name), "/usage?key="+url.QueryEscape(name)) {
			onlyText(t, plain, path, v.get(t, "/dashboard"+path).body)
		}
	}
	seen := 0
	accounts := root.get(t, "/dashboard/admin/accounts").body
	for _, found := range regexp.MustCompile(`/dashboard/admin/accounts/acc_\w+`).FindAllString(accounts, -1) {
		onlyText(t, plain, found, root.get(t, found).body)
		seen++
	}
	if seen != len(hostile())+1 {
		t.Errorf("%d accounts seen, want all %d", seen, len(hostile())+1)
	}
	for _, path := range append(pages(), "/admin/accounts?q="+url.QueryEscape(hostile()[1])) {
		onlyText(t, plain, path, root.get(t, "/dashboard"+path).body)
	}
}

// elements counts what of a page can run: scripts with where they are from, and elements that nobody has reason to use here.
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
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", link && strings.HasPrefix(strings.TrimSpace(strings.ToLower(a.Val)), "javascript:"):
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

// onlyText fails the test when a page can run more than a plain one.
func onlyText(t *testing.T, plain map[string]int, path, body string) {
	t.Helper()
	if diff := gocmp.Diff(plain, elements(t, body)); diff != "" {
		t.Errorf("%s (-plain +got):\n%s", path, diff)
	}
}

// What a client sends in a header comes back in none of its own.
func TestSecurity_HeaderInjection(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	for _, id := range []string{"a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\r\n X-Evil: 1", "a X-Evil: 1", "é", "%0d%0aX-Evil:%201"} {
		t.Run(fmt.Sprintf("%q", id), func(t *testing.T) {
			for _, path := range []string{"/api/v1/health", "/dashboard/sign-in", "/dashboard/%0d%0aX-Evil:%201"} {
				conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
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

// A key in the address is refused, with advice, although it is a good one; and it is not in the log.
func TestSecurity_KeyInQuery(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-log-level", "debug")
	v := newVisitor(t, s)
	v.setUp(t, s)
	key, _ := v.newKey(t, "Website")
	for _, name := range []string{"api_key", "key", "X-API-Key", "token"} {
		status, answer := s.with("").call(t, http.MethodGet, "/api/v1/health?"+name+"="+key, "")
		failure, _ := json.Marshal(answer["error"])
		if status != http.StatusUnauthorized || code(answer) != "missing_api_key" || !strings.Contains(string(failure), "rotate") ||
			strings.Contains(string(failure), key) {
			t.Errorf("%s: %d %s", name, status, failure)
		}
	}
	if strings.Contains(s.log.String(), key) {
		t.Error("the key is in the log")
	}
}

// Guessing keys is slowed down, and who has a good one is served all the while, from the same address.
func TestSecurity_GuessingKeys(t *testing.T) {
	s := start(t, "-data", t.TempDir(), "-trusted-proxies", "127.0.0.1")
	v := newVisitor(t, s)
	v.setUp(t, s)
	owner, _ := v.newKey(t, "Website")
	answers := map[int]int{}
	plan, _ := apikey.PlanNamed("enterprise")
	for i := range 90 {
		status, retryAfter := s.send(t, apikey.Generate(plan), "203.0.113.7")
		answers[status]++
		if status == http.StatusTooManyRequests && retryAfter == "" {
			t.Fatal("429 without Retry-After")
		}
		if i%10 == 0 {
			if status, _ := s.send(t, owner, "203.0.113.7"); status != http.StatusOK {
				t.Fatalf("the owner of a key got %d after %d guesses from the same address", status, i+1)
			}
		}
	}
	if answers[http.StatusUnauthorized] < 1 || answers[http.StatusTooManyRequests] < 1 || len(answers) != 2 {
		t.Errorf("answers by status: %v", answers)
	}
	if status, _ := s.send(t, apikey.Generate(plan), "203.0.113.8"); status != http.StatusUnauthorized {
		t.Errorf("another address got %d", status)
	}
}

// send asks for the health with a key, as a proxy that speaks for an address does.
func (s *server) send(t *testing.T, key, address string) (status int, retryAfter string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/health", nil)
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

// Guessing a password is slowed down by its address, also with the right one at last; its owner signs in from elsewhere. An
// address is believed from a trusted proxy only.
func TestSecurity_GuessingPasswords(t *testing.T) {
	tests := []struct {
		name     string
		flags    []string
		ownersOK bool
	}{
		{"behind a proxy", []string{"-trusted-proxies", "127.0.0.1"}, true},
		{"addresses made up", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, append(tt.flags, "-data", t.TempDir())...)
			newVisitor(t, s).setUp(t, s)
			guesser, owner := newVisitor(t, s), newVisitor(t, s)
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
				t.Errorf("the right one after guesses: %d", p.status)
			}
			if p := owner.signIn(t, administrator, password); (p.path == "/dashboard") != tt.ownersOK {
				t.Errorf("the owner from elsewhere: %d at %s", p.status, p.path)
			}
		})
	}
}

// Every key that is none gets the same answer, whatever its form, as does every wrong user or password: nothing tells how
// near a guess was.
func TestSecurity_SameAnswers(t *testing.T) {
	s := start(t, "-data", t.TempDir())
	v := newVisitor(t, s)
	v.setUp(t, s)
	known, _ := v.newKey(t, "Website")
	guesses := map[string]string{"one character wrong": known[:20] + string(known[20]^1) + known[21:], "of no form": "guess"}
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

	unknown, wrong := newVisitor(t, s), newVisitor(t, s)
	of := func(p page, email string) string {
		return fmt.Sprintln(p.status, p.path, strings.ReplaceAll(p.body, email, "EMAIL"))
	}
	a := of(unknown.signIn(t, "nobody@example.com", password), "nobody@example.com")
	b := of(wrong.signIn(t, administrator, "not the password"), administrator)
	if diff := gocmp.Diff(a, b); diff != "" {
		t.Errorf("an unknown user and a wrong password are answered differently:\n%s", diff)
	}
}

var (
	idPattern   = regexp.MustCompile(`"request_id":"[^"]*"`)
	tookPattern = regexp.MustCompile(`"(processing_time|took)[a-z_]*":[0-9.]+|"timestamp":"[^"]*"`)
)

// raw is the whole answer to a key, apart from what is of its moment.
func (s *server) raw(t *testing.T, key string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/generate-test-data", nil)
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

// Cookies are for the server alone; on https they never travel otherwise, and no other host can set them.
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
			v := newVisitor(t, s).fixed()
			secret := setUpPattern.FindStringSubmatch(s.greeting)[1]
			p := v.follow(t, "setup", secret, url.Values{"account_name": {"A"}, "email": {administrator}, "password": {password}})
			cookies := (&http.Response{Header: p.header}).Cookies()
			if len(cookies) != 1 {
				t.Fatalf("%d cookies in the answer %d", len(cookies), p.status)
			}
			c := cookies[0]
			if c.Name != tt.cookie || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.Secure != tt.secure {
				t.Errorf("%s", c.Raw)
			}
			if tt.public != "" && !strings.Contains(s.greeting, tt.public+"/dashboard/setup#") {
				t.Errorf("the link to set up does not begin with %s:\n%s", tt.public, s.greeting)
			}
		})
	}
}

// Nothing that lets somebody in is in the log, at any level, or in a file of the data folder.
func TestSecurity_SecretsAreNowhere(t *testing.T) {
	data := t.TempDir()
	s := start(t, "-data", data, "-log-level", "debug", "-log-json")
	root, v, guest := newVisitor(t, s), newVisitor(t, s), newVisitor(t, s)
	root.setUp(t, s)
	v.signUp(t, "Acme", "owner@example.com")
	token, id := v.newKey(t, "Website")
	if status, answer := s.with(token).call(t, http.MethodPost, "/api/v1/match", brief); status >= http.StatusInternalServerError {
		t.Error(status, answer)
	}
	s.with(token+"x").call(t, http.MethodGet, "/api/v1/health?key="+token, "")
	rotated, next := v.revealed(t, v.post(t, "/dashboard/keys/"+id+"/rotate", url.Values{"grace": {"1h0m0s"}}))
	v.revoke(t, rotated, next)
	s.with(rotated).call(t, http.MethodGet, "/api/v1/health", "")
	secret := v.made(t, v.post(t, "/dashboard/members", url.Values{"role": {"member"}}))
	guest.get(t, "/dashboard/join?secret="+"typed-by-hand")
	guest.follow(t, "join", secret, url.Values{"email": {"guest@example.com"}, "password": {password}}).home(t)
	guest.follow(t, "join", secret, url.Values{"email": {"other@example.com"}, "password": {password}})
	guest.secrets = append(guest.secrets, "another long password", "a wrong old password")
	for _, present := range []string{"a wrong old password", password} {
		guest.post(t, "/dashboard/account/password", url.Values{"present": {present}, "password": {"another long password"}})
	}
	guest.signIn(t, "guest@example.com", "a wrong old password")

	secrets := append(append(root.secrets, v.secrets...), guest.secrets...)
	if err := s.stop(t); err != nil {
		t.Error(err)
	}
	places := map[string]string{"the log": s.log.String()}
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
				t.Errorf("%s has the secret %q", place, secret)
			}
		}
	}
	if !strings.Contains(places["the log"], `"route":"/api/v1/match"`) || len(secrets) < 12 {
		t.Error(errors.New("the log or the secrets are not those of the story"))
	}
}
