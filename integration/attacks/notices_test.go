//go:build integration && soak

package attacks

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/notices/mail/smtptest"
)

// Somebody who knows the owner's password signs in, and the server is killed as soon as it has answered. The owner
// still learns of every sign-in, although there was no mail server meanwhile. Attempts wait for leases and growing
// pauses, so it runs with `make soak PKG=./integration/attacks RUN=TestNotices`.
func TestNotices_SurviveKill(t *testing.T) {
	const signIns = 3
	mails := smtptest.Start(t, smtptest.Off)
	mails.Stop() // the address stays free until the end

	flags := []string{
		"-data", t.TempDir(), "-trusted-proxies", "127.0.0.1", "-smtp-url", "smtp://" + mails.Address + "?tls=off",
		"-smtp-from", "matching@example.com", "-public-url", "https://match.example.com",
	}
	s := programs.Start(t, flags...)
	link := setUpPattern.FindStringSubmatch(s.Greeting)
	if link == nil {
		t.Fatalf("no setup link in:\n%s", s.Greeting)
	}
	form := url.Values{
		"secret": {link[1]}, "account_name": {"Owner"}, "email": {ownersEmail}, "password": {ownersPassword},
	}
	if status := newPerson(t, s, "192.0.2.1").post(t, "/dashboard/setup", form); status != http.StatusSeeOther {
		t.Fatalf("setup: status %d", status)
	}

	for range signIns {
		if status := newPerson(t, s, "198.51.100.7").signIn(t, ownersPassword); status != http.StatusSeeOther {
			t.Fatalf("the sign-in didn't succeed: status %d", status)
		}
		if err := s.Cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = s.Cmd.Wait() // reports the kill
		s = programs.Start(t, flags...)
	}

	programs.Eventually(t, "an attempt without a mail server", func() bool {
		return strings.Contains(s.Log.String(), "notice not sent")
	})
	mails.Restart(t)

	told := 0
	for told < signIns {
		text := mails.Next(t).Text(t)
		told += strings.Count(text, "Someone signed in as you from a new browser.")
		if !strings.Contains(text, "198.51.100.7") || strings.Contains(text, ownersPassword) {
			t.Fatalf("mail:\n%s", text)
		}
	}
	if told != signIns {
		t.Errorf("%d sign-ins were told, want %d", told, signIns)
	}
}
