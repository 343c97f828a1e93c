// Package smtptest has a mail server for tests, which keeps what it receives.
package smtptest

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The encryptions of a server.
const (
	STARTTLS = "starttls"
	TLS      = "tls"
	Off      = "off"
)

// The only user that can sign in to a server with TLS.
const (
	User     = "matching"
	Password = "a password of the mail server"
)

// A Mail is a received mail.
type Mail struct {
	From, To string // of the envelope
	Header   mail.Header
	Raw      string // as received
}

// Text returns the decoded text of a mail.
func (m Mail) Text(t testing.TB) string {
	t.Helper()
	_, body, _ := strings.Cut(m.Raw, "\r\n\r\n")
	if encoding := m.Header.Get("Content-Transfer-Encoding"); encoding != "quoted-printable" {
		t.Fatalf("the mail has the encoding %q", encoding)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// A Server is a mail server on a port of this machine. It offers sign-in if it has TLS.
type Server struct {
	Address string // host:port
	CA      []byte // PEM of the authority that signed its certificate

	encryption string
	settings   *tls.Config
	running    *smtp.Server
	listener   net.Listener

	mu       sync.Mutex
	mails    []Mail
	refusals []*smtp.SMTPError
	arrived  chan Mail
}

// Start starts a server, which ends with the test.
func Start(t testing.TB, encryption string) *Server {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()

	s := &Server{
		Address: "127.0.0.1:0", encryption: encryption,
		CA:       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw}),
		settings: &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12},
		arrived:  make(chan Mail, 1000),
	}
	s.Restart(t)
	t.Cleanup(s.Stop)

	return s
}

// Restart starts a stopped server again, at the same address.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", s.Address)
	if err != nil {
		t.Fatal(err)
	}
	s.Address = listener.Addr().String()
	s.listener = listener

	s.running = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		session := &session{server: s}
		if s.encryption == Off {
			return session, nil
		}
		return &authSession{session}, nil
	}))
	s.running.Domain = "127.0.0.1"
	s.running.ErrorLog = discard{}

	switch s.encryption {
	case TLS:
		listener = tls.NewListener(listener, s.settings)
	case STARTTLS:
		s.running.TLSConfig = s.settings
	}
	go func(running *smtp.Server) { _ = running.Serve(listener) }(s.running)
}

// Stop closes the server and its connections.
func (s *Server) Stop() {
	_ = s.running.Close()
	_ = s.listener.Close() // the server closes it only if it has begun to serve
}

// Refuse makes the server refuse the recipients of the next mails with a reply each.
func (s *Server) Refuse(replies ...*smtp.SMTPError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals = append(s.refusals, replies...)
}

// Mails returns the received mails.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Next waits for a mail that no earlier call has returned.
func (s *Server) Next(t testing.TB) Mail {
	t.Helper()
	select {
	case m := <-s.arrived:
		return m
	case <-t.Context().Done():
		t.Fatal("no mail arrived")
		return Mail{}
	}
}

type session struct {
	server   *Server
	signedIn bool
	mail     Mail
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.mail = Mail{} }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.encryption != Off && !s.signedIn {
		return smtp.ErrAuthRequired
	}
	s.mail.From = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if len(s.server.refusals) > 0 {
		refusal := s.server.refusals[0]
		s.server.refusals = s.server.refusals[1:]
		return refusal
	}
	s.mail.To = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	parsed, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	s.mail.Header = parsed.Header
	s.mail.Raw = string(raw)

	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.mail)
	s.server.arrived <- s.mail

	return nil
}

// An authSession offers sign-in.
type authSession struct{ *session }

// AuthMechanisms implements smtp.AuthSession.
func (s *authSession) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *authSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != User || password != Password {
			return errors.New("wrong user or password")
		}
		s.signedIn = true
		return nil
	}), nil
}

// discard drops the log of the server, which has the connections that tests cut.
type discard struct{}

// Printf implements smtp.Logger.
func (discard) Printf(string, ...any) {}

// Println implements smtp.Logger.
func (discard) Println(...any) {}
