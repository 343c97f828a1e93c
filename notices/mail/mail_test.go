package mail_test

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/notices/mail"
	"github.com/freelancer-matching/service/notices/mail/smtptest"
	"github.com/freelancer-matching/service/webhook"
)

// mailer returns a mailer that uses a server with the encryption that it has.
func mailer(t *testing.T, s *smtptest.Server, e mail.Encryption) *mail.Mailer {
	t.Helper()
	m := &mail.Mailer{
		Server: server(t, s.Address, e),
		From:   "Matching <matching@example.com>",
		Site:   &url.URL{Scheme: "https", Host: "match.example.com"},
	}
	m.Server.CA = s.CA
	if e != mail.Off {
		m.Server.User = smtptest.User
		m.Server.Password = func() string { return smtptest.Password }
	}
	return m
}

func server(t *testing.T, address string, e mail.Encryption) mail.Server {
	t.Helper()
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return mail.Server{Host: host, Port: port, Encryption: e}
}

// delivery returns a message about a change with a detail.
func delivery(t *testing.T, to, detail string) *webhook.Delivery {
	t.Helper()
	body, err := json.Marshal(notices.Message{
		Recipient: notices.Recipient{Email: to},
		Events: []notices.Event{{
			Action: audit.PasswordChanged, Title: "Your password was changed",
			At: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC), By: notices.Self,
			Address: "192.0.2.7", Browser: "Firefox on Linux", Detail: detail,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &webhook.Delivery{Message: webhook.Message{ID: "msg_1", Body: body}}
}

func TestSend(t *testing.T) {
	for _, encryption := range []mail.Encryption{mail.STARTTLS, mail.TLS, mail.Off} {
		t.Run(string(encryption), func(t *testing.T) {
			s := smtptest.Start(t, string(encryption))
			m := mailer(t, s, encryption)
			if err := m.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Send(t.Context(), delivery(t, "mira@example.com", "“Søren & Ko”")); err != nil {
				t.Fatal(err)
			}

			got := s.Next(t)
			header := got.Header
			for name, want := range map[string]string{
				"From": `"Matching" <matching@example.com>`, "To": "<mira@example.com>",
				"Subject": "Security notice: Your password was changed", "Message-Id": "<msg_1@example.com>",
				"Auto-Submitted": "auto-generated", "Content-Type": "text/plain; charset=UTF-8",
			} {
				if header.Get(name) != want {
					t.Errorf("%s is %q, want %q", name, header.Get(name), want)
				}
			}
			if got.From != "matching@example.com" || got.To != "mira@example.com" || len(s.Mails()) != 1 {
				t.Errorf("envelope from %s to %s, %d mails", got.From, got.To, len(s.Mails()))
			}

			for _, want := range []string{
				"for mira@example.com on match.example.com", "\nYour password was changed.\n",
				"When:    17 May 2031, 09:30:00 UTC\n", "By:      you, or somebody signed in as you\n",
				"From:    192.0.2.7, Firefox on Linux\n", "Details: “Søren & Ko”\n",
				"https://match.example.com/dashboard/account\n", "https://match.example.com/dashboard/account/security\n",
			} {
				if !strings.Contains(got.Text(t), want) {
					t.Errorf("the text lacks %q:\n%s", want, got.Text(t))
				}
			}
		})
	}
}

// A mail server can't be trusted before it has proved who it is, and a password is sent to no other.
func TestSend_RefusesServers(t *testing.T) {
	for name, test := range map[string]struct {
		server string
		mailer mail.Encryption
		change func(*mail.Mailer)
		want   string
	}{
		"without STARTTLS": {smtptest.Off, mail.STARTTLS, nil, "does not support STARTTLS"},
		"unknown authority": {
			smtptest.STARTTLS, mail.STARTTLS, func(m *mail.Mailer) { m.Server.CA = nil }, "certificate",
		},
		"unknown authority TLS": {smtptest.TLS, mail.TLS, func(m *mail.Mailer) { m.Server.CA = nil }, "certificate"},
		"another name": {
			smtptest.TLS, mail.TLS, func(m *mail.Mailer) { m.Server.Host = "localhost" }, "certificate",
		},
		"wrong password": {
			smtptest.TLS, mail.TLS,
			func(m *mail.Mailer) { m.Server.Password = func() string { return "wrong" } }, "wrong user or password",
		},
		"file without a certificate": {
			smtptest.TLS, mail.TLS, func(m *mail.Mailer) { m.Server.CA = []byte("no PEM") }, "has none",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := smtptest.Start(t, test.server)
			m := mailer(t, s, test.mailer)
			if test.change != nil {
				test.change(m)
			}

			_, err := m.Send(t.Context(), delivery(t, "mira@example.com", ""))
			for _, err := range []error{err, m.Check(t.Context())} {
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), smtptest.Password) {
					t.Errorf("error %v, want one with %q", err, test.want)
				}
			}
			if n := len(s.Mails()); n != 0 {
				t.Errorf("%d mails were sent", n)
			}
		})
	}
}

// A server that says nothing doesn't hold an attempt longer than its time limit, nor the end of the program.
func TestSend_SilentServer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()

	m := &mail.Mailer{
		Server: server(t, silent.Addr().String(), mail.Off), From: "matching@example.com", Site: &url.URL{},
	}
	m.Server.Timeout = 10 * time.Millisecond
	_, err = m.Send(t.Context(), delivery(t, "mira@example.com", ""))
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		t.Errorf("error %v, want a timeout", err)
	}

	m.Server.Timeout = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for range 2 { // the connection of the first attempt comes first
			if connection, err := silent.Accept(); err == nil {
				defer connection.Close()
			}
		}
		cancel()
	}()
	if _, err = m.Send(ctx, delivery(t, "mira@example.com", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the end of the context", err)
	}
}

// Errors for the log don't have the address of the recipient.
func TestSend_Refused(t *testing.T) {
	s := smtptest.Start(t, smtptest.Off)
	m := mailer(t, s, mail.Off)
	s.Refuse(&smtp.SMTPError{
		Code: 550, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "no relay for mira@example.com",
	})

	_, err := m.Send(t.Context(), delivery(t, "mira@example.com", ""))
	if err == nil || !strings.Contains(err.Error(), "550 5.7.1") || strings.Contains(err.Error(), "mira") {
		t.Errorf("error %v", err)
	}

	if _, err := m.Send(t.Context(), delivery(t, "mira@example.com", "")); err != nil { // the control
		t.Error(err)
	}
}

// What people choose, such as the name of a key, can't add headers, recipients or commands.
func TestSend_Injection(t *testing.T) {
	s := smtptest.Start(t, smtptest.Off)
	m := mailer(t, s, mail.Off)
	const attack = "x\r\n.\r\nMAIL FROM:<eve@example.com>\r\nBcc: eve@example.com\r\n\r\nhello"

	for _, to := range []string{
		"mira@example.com" + attack, "mira@example.com\r\nBcc: eve@example.com", "a@b, eve@example.com",
	} {
		if _, err := m.Send(t.Context(), delivery(t, to, "")); err == nil {
			t.Errorf("the recipient %q is accepted", to)
		}
	}

	if err := m.Mail(t.Context(), "mira@example.com", "msg_1"+attack, "hello "+attack, attack); err != nil {
		t.Fatal(err)
	}
	got := s.Next(t)
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || !strings.Contains(subject, "eve@example.com") {
		t.Errorf("subject %q, %v: the attack didn't arrive", subject, err)
	}
	if len(s.Mails()) != 1 || got.Header.Get("Bcc") != "" || got.To != "mira@example.com" {
		t.Errorf("%d mails, header %v", len(s.Mails()), got.Header)
	}
}
