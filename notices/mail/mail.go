// Package mail sends notices by SMTP.
package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/webhook"
)

// defaultTimeout is the time limit for connecting to the mail server with TLS and sign-in, and again for the rest of an
// attempt.
const defaultTimeout = 10 * time.Second

// An Encryption says how a connection to the mail server is encrypted.
type Encryption string

// The encryptions.
const (
	TLS      Encryption = "tls"      // from the first byte
	STARTTLS Encryption = "starttls" // required
	Off      Encryption = "off"      // for servers on a trusted network
)

// A Server is a mail server that accepts mails for all recipients.
type Server struct {
	Host       string
	Port       int
	Encryption Encryption
	CA         []byte // PEM of the authorities that may sign the server's certificate; nil for the system's
	User       string // "": don't sign in
	Password   func() string
	Timeout    time.Duration // limit for connecting and signing in, and again for sending; default: 10 seconds
}

// A Mailer sends mails. Its fields are required. It is a webhook.Transport for the messages of package notices.
type Mailer struct {
	Server Server
	From   string   // address, with or without a name
	Site   *url.URL // public URL of the dashboard
}

// Send implements webhook.Transport.
func (m *Mailer) Send(ctx context.Context, d *webhook.Delivery) (after time.Duration, err error) {
	var message notices.Message
	if err := json.Unmarshal(d.Body, &message); err != nil {
		return 0, webhook.Gone("the message can't be read: " + err.Error())
	}
	return 0, m.Mail(ctx, message.Recipient.Email, d.ID, message.Subject(), message.Text(m.Site))
}

// Mail sends a mail with plain text. Mail programs show mails with the same ID once. An error of webhook.Gone means
// that the server knows no such recipient.
func (m *Mailer) Mail(ctx context.Context, to, id, subject, text string) error {
	mail, err := m.compose(to, id, subject, text)
	if err != nil {
		return err
	}
	client, err := m.client()
	if err != nil {
		return err
	}

	err = interruptible(ctx, func() error {
		err := client.DialAndSendWithContext(ctx, mail)
		if mail.IsDelivered() { // a server may accept the mail, and then fail to end the connection
			return nil
		}
		return err
	})

	sendError, ok := errors.AsType[*gomail.SendError](err)
	if !ok {
		return err
	}

	// The library's text has the recipient's address, which is none of the log's business.
	status := sendError.EnhancedStatusCode()
	reason := fmt.Sprintf("%s: the mail server responded with %d %s", sendError.Reason, sendError.ErrorCode(), status)

	// Other permanent errors, such as a refusal to relay, are for the operator to repair.
	if status == noSuchMailbox {
		return webhook.Gone(reason)
	}

	return errors.New(reason)
}

// noSuchMailbox is the status of a recipient that will never exist (RFC 3463, 3.2).
const noSuchMailbox = "5.1.1"

// compose returns a mail. The library rejects addresses that would end a line, and encodes the other values.
func (m *Mailer) compose(to, id, subject, text string) (*gomail.Msg, error) {
	mail := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := mail.From(m.From); err != nil {
		return nil, fmt.Errorf("sender: %w", err)
	}
	if err := mail.To(to); err != nil {
		return nil, webhook.Gone("the recipient's address is not valid")
	}

	sender := mail.GetFrom()[0].Address
	mail.SetMessageIDWithValue(id + sender[strings.LastIndex(sender, "@"):])
	mail.SetDate()
	mail.Subject(subject)
	mail.SetGenHeader("Auto-Submitted", "auto-generated") // no out-of-office replies (RFC 3834)
	mail.SetBodyString(gomail.TypeTextPlain, text)

	return mail, nil
}

// Check signs in to the mail server without sending a mail.
func (m *Mailer) Check(ctx context.Context) error {
	client, err := m.client()
	if err != nil {
		return err
	}
	return interruptible(ctx, func() error {
		connection, err := client.DialToSMTPClientWithContext(ctx)
		if err != nil {
			return err
		}
		return client.CloseWithSMTPClient(connection)
	})
}

// client returns a client for one connection, with the password as it is now.
func (m *Mailer) client() (*gomail.Client, error) {
	s := &m.Server
	settings := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	if s.CA != nil {
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(s.CA) {
			return nil, errors.New("the file with the authority's certificate has none")
		}
	}

	options := []gomail.Option{
		gomail.WithPort(s.Port), gomail.WithTimeout(cmp.Or(s.Timeout, defaultTimeout)), gomail.WithTLSConfig(settings),
	}
	switch s.Encryption {
	case TLS:
		options = append(options, gomail.WithSSL())
	case Off:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case STARTTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}

	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.User),
			gomail.WithPassword(s.Password()))
	}

	return gomail.NewClient(s.Host, options...)
}

// interruptible runs f, but doesn't wait for it after ctx has ended. The library heeds ctx only while it connects, and
// a mail server that doesn't respond must not hold up the end of the program; f ends with its own deadlines.
func interruptible(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
