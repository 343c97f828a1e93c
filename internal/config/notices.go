package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
)

// The ports of mail servers that accept mails from programs.
const (
	smtpPort  = 587
	smtpsPort = 465
)

// A MailServer is where notices are sent as mails.
type MailServer struct {
	Host string
	Port int
	User string // "" for none
	TLS  bool   // from the first byte; otherwise the connection begins without
	// Plain means that the connection stays without TLS. Otherwise, it must switch to TLS.
	Plain bool
}

// Mails reports whether notices are sent as mails.
func (n *Notices) Mails() bool { return n.SMTP != "" }

// Webhooks reports whether notices are sent to an endpoint.
func (n *Notices) Webhooks() bool { return n.WebhookURL != "" }

// MailServer returns the server of the URL in SMTP.
func (n *Notices) MailServer() (s MailServer, err error) {
	u, err := url.Parse(n.SMTP)
	if err != nil {
		return MailServer{}, errors.New("the URL is invalid")
	}

	s = MailServer{Host: u.Hostname(), Port: smtpPort, User: u.User.Username(), TLS: u.Scheme == "smtps"}
	if s.TLS {
		s.Port = smtpsPort
	}
	if u.Port() != "" {
		if s.Port, err = strconv.Atoi(u.Port()); err != nil || s.Port < 1 || s.Port > 65535 {
			return MailServer{}, fmt.Errorf("the port is %q", u.Port())
		}
	}

	_, hasPassword := u.User.Password()
	s.Plain = u.RawQuery == "tls=off"
	switch {
	case u.Scheme != "smtp" && u.Scheme != "smtps" || s.Host == "":
		return MailServer{}, errors.New("use a URL such as smtp://user@mail.example.com:587")
	case hasPassword:
		return MailServer{}, errors.New("name a file with the password with smtp-password-file instead")
	case u.Path != "" && u.Path != "/" || u.Fragment != "" || u.RawQuery != "" && !s.Plain:
		return MailServer{}, errors.New("nothing but ?tls=off can follow host and port")
	case s.Plain && (s.TLS || s.User != ""):
		return MailServer{}, errors.New("tls=off can't be used with smtps:// or a user")
	}

	return s, nil
}

// validate adds the faults of the settings.
func (n *Notices) validate(f *faults) {
	if n.Mails() {
		s, err := n.MailServer()
		if err != nil {
			*f = append(*f, fmt.Errorf("smtp-url: %w", err))
		}
		f.addIf((s.User == "") != (n.SMTPPassword.Get() == ""),
			"smtp-url with a user and smtp-password-file belong together")
		_, err = mail.ParseAddress(n.From)
		f.addIf(err != nil, "smtp-from is %q; use an address such as matching@example.com", n.From)
	}
	f.addIf(!n.Mails() && (n.SMTPPassword.Get() != "" || n.From != "" || n.CACert != nil),
		"smtp-password-file, -from and -ca-file need smtp-url, which names the mail server")

	f.addIf(n.Webhooks() && !httpURL(n.WebhookURL),
		"notice-webhook-url is %q; use a URL such as https://example.com/notices", n.WebhookURL)
	f.addIf(n.Webhooks() != (n.WebhookSecret.Get() != ""),
		"notice-webhook-url and notice-webhook-key-file belong together")
}

// plainMail returns an http URL of the mail server if its connection stays without TLS, for plainElsewhere.
func (n *Notices) plainMail() string {
	s, err := n.MailServer()
	if err != nil || !s.Plain {
		return ""
	}
	return "http://" + net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
}
