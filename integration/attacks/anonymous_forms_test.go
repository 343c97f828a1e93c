//go:build integration

package attacks

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

const (
	formPath = "/dashboard/playground/resume"
	formSize = 32 << 20
	// maxGrowth is how much resident memory an attack may cost. It cost more than 1,400 MB.
	maxGrowth = 150 << 20
)

// Strangers send forms as large as the route for résumés allows. The server used to read and parse them before it
// looked for a session, which took 1,588 MB of memory for twenty forms.
func TestAnonymousForms_TakeNoMemory(t *testing.T) {
	s := programs.Start(t, "-data", t.TempDir())
	before := s.Memory(t)
	body := bytes.Repeat([]byte("a=b&"), formSize/4)
	answers := make(chan error)
	const strangers = 20
	for range strangers {
		go func() { answers <- sendForm(s, body) }()
	}
	for range strangers {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	wantGrowth(t, s, before)
}

// The same strangers announce a large form, send nearly all of it, and stall. The answer comes nevertheless.
func TestAnonymousForms_StalledOnesAreAnswered(t *testing.T) {
	s := programs.Start(t, "-data", t.TempDir())
	before := s.Memory(t)
	body := bytes.Repeat([]byte("a=b&"), formSize/4-1)
	answers := make(chan error)
	const strangers = 40
	for range strangers {
		go func() { answers <- sendForm(s, body) }()
	}
	for range strangers {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	wantGrowth(t, s, before)
	if status, _ := s.Call(t, http.MethodGet, "/livez", ""); status != http.StatusOK {
		t.Errorf("after the attack: status %d", status)
	}
}

// sendForm announces a form of formSize bytes and sends body, until the server answers. It returns an error unless the
// server redirects to the sign-in page.
func sendForm(s *programs.Server, body []byte) error {
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		return err
	}
	defer connection.Close()

	_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\n\r\n", formPath, strings.TrimPrefix(s.URL, "http://"), formSize)
	if err != nil {
		return err
	}

	go func() { _, _ = io.Copy(connection, bytes.NewReader(body)) }() // fails when the server closes the connection
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()

	if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != "/dashboard/sign-in" {
		return fmt.Errorf("%s to %q, want a redirect to the sign-in page", response.Status, response.Header.Get("Location"))
	}

	return nil
}

func wantGrowth(t *testing.T, s *programs.Server, before int64) {
	t.Helper()
	after := s.Memory(t)
	t.Logf("resident memory: %d MB before, %d MB after", before>>20, after>>20)
	if growth := after - before; growth > maxGrowth {
		t.Errorf("the resident memory grew by %d MB, want at most %d MB", growth>>20, maxGrowth>>20)
	}
}
