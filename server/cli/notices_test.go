package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/notices/mail/smtptest"
)

func TestNotices_Test(t *testing.T) {
	mails := smtptest.Start(t, smtptest.STARTTLS)
	var requests []*http.Request
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests = append(requests, r)
	}))
	defer endpoint.Close()

	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	settings := []string{
		"-smtp-url", "smtp://" + smtptest.User + "@" + mails.Address, "-smtp-from", "matching@example.com",
		"-smtp-ca-file", file(string(mails.CA)), "-smtp-password-file", file(smtptest.Password),
		"-notice-webhook-url", endpoint.URL, "-notice-webhook-key-file", file("whsec_" + strings.Repeat("YWFh", 8)),
		"-public-url", "https://match.example.com",
	}
	x := newTerminal(t)
	got := x.ok(t, append([]string{"notices", "test", "-to", "you@example.com"}, settings...)...)
	wantWords(t, got, "sent by mail", "sent by webhook")

	mail := mails.Next(t)
	if mail.To != "you@example.com" || len(requests) != 1 || requests[0].Header.Get("Webhook-Signature") == "" {
		t.Errorf("mail to %s, %d requests", mail.To, len(requests))
	}
	wantWords(t, mail.Text(t), "This is a test", "https://match.example.com/dashboard/account/security")

	mails.Stop()
	_, stderr, code := x.run(t, append([]string{"notices", "test", "-to", "you@example.com"}, settings...)...)
	if code != 1 || !strings.Contains(stderr, "not sent by mail: ") || len(requests) != 2 {
		t.Errorf("exit code %d without a mail server, %d requests: %s", code, len(requests), stderr)
	}

	x.refused(t, []refusedCase{
		{"no command", []string{"notices"}, 2, "server notices test -to ADDRESS"},
		{"no address", []string{"notices", "test"}, 2, "-to: email must be an address"},
		{"not configured", []string{"notices", "test", "-to", "a@example.com"}, 1, "no notices are configured"},
	})
}
