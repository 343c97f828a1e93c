//go:build integration

package attacks

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

const (
	ownersEmail    = "owner@example.com"
	ownersPassword = "seven ducks on a pond"
)

var setUpPattern = regexp.MustCompile(`/dashboard/setup#([\w-]{43})`)

// person is a browser behind a trusted proxy. It does not follow redirects.
type person struct {
	client  *http.Client
	server  *programs.Server
	address string
}

func newPerson(t *testing.T, s *programs.Server, address string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{server: s, address: address, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// post submits a form and returns the status of the response.
func (p *person) post(t *testing.T, path string, form url.Values) int {
	t.Helper()
	body := strings.NewReader(form.Encode())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", p.address)
	response, err := p.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func (p *person) signIn(t *testing.T, password string) (status int) {
	t.Helper()
	return p.post(t, "/dashboard/sign-in", url.Values{"email": {ownersEmail}, "password": {password}})
}

// Strangers with twenty network addresses guess the password of an owner. They are slowed down, and could once lock out
// the owner. Now the owner signs in as usual, with the browser they have used before.
func TestLockout_OfAnOwner(t *testing.T) {
	s := programs.Start(t, "-data", t.TempDir(), "-trusted-proxies", "127.0.0.1")
	link := setUpPattern.FindStringSubmatch(s.Greeting)
	if link == nil {
		t.Fatalf("no setup link in:\n%s", s.Greeting)
	}

	owner := newPerson(t, s, "192.0.2.1")
	form := url.Values{
		"secret": {link[1]}, "account_name": {"Owner"}, "email": {ownersEmail}, "password": {ownersPassword},
	}
	if status := owner.post(t, "/dashboard/setup", form); status != http.StatusSeeOther {
		t.Fatalf("setup: status %d", status)
	}

	for i := range 20 {
		stranger := newPerson(t, s, fmt.Sprintf("198.51.100.%d", i))
		for range 5 {
			if status := stranger.signIn(t, "a guess of strangers"); status != http.StatusUnprocessableEntity {
				t.Fatalf("guess from %s: status %d", stranger.address, status)
			}
		}
	}

	if status := newPerson(t, s, "203.0.113.1").signIn(t, "another guess"); status != http.StatusTooManyRequests {
		t.Errorf("the next guess: status %d, want 429", status)
	}

	if status := owner.signIn(t, ownersPassword); status != http.StatusSeeOther {
		t.Errorf("the owner: status %d, want 303", status)
	}
}
