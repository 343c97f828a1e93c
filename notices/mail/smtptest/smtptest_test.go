package smtptest_test

import (
	"net"
	"testing"

	"github.com/freelancer-matching/service/notices/mail/smtptest"
)

// A server that is stopped right after its start accepts nobody, or a test without a mail server would have one.
func TestStop_RightAfterStart(t *testing.T) {
	for range 50 {
		s := smtptest.Start(t, smtptest.Off)
		s.Stop()

		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Address)
		if err == nil {
			connection.Close()
			t.Fatal("the stopped server accepted a connection")
		}
	}
}
