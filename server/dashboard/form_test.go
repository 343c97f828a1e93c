package dashboard_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/freelancer-matching/service/access/account"
)

const (
	urlencoded = "application/x-www-form-urlencoded"
	multi      = "multipart/form-data; boundary=b"
)

// connection is a response whose request body has a deadline.
type connection struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (c *connection) SetReadDeadline(t time.Time) error {
	c.deadlines = append(c.deadlines, t)
	return nil
}

// sendBody serves a POST without a network. A length of -1 means that it is unknown.
func (w *world) sendBody(path, session, contentType string, body io.Reader, length int64) *connection {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, path, body)
	r.ContentLength = length
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Cookie", "matching_session="+session)
	c := &connection{ResponseRecorder: httptest.NewRecorder()}
	w.handler.ServeHTTP(c, r)
	return c
}

// Without a sufficient role, no byte of a form is read, however large the route's limit is.
func TestForms_AreReadOnlyWithPermission(t *testing.T) {
	w := newWorld(t)
	member := w.as(w.member).session()
	for _, test := range []struct {
		path, session string
		status        int
	}{
		{"/dashboard/playground", "", http.StatusSeeOther},
		{"/dashboard/playground/interview", "", http.StatusSeeOther},
		{"/dashboard/playground/resume", "", http.StatusSeeOther},
		{"/dashboard/playground/resume", "ended", http.StatusSeeOther},
		{"/dashboard/account/password", "", http.StatusSeeOther},
		{"/dashboard/admin/invitations", "", http.StatusSeeOther},
		{"/dashboard/keys/new", member, http.StatusForbidden},
	} {
		for _, contentType := range []string{urlencoded, multi} {
			for _, length := range []int64{1 << 10, 32 << 20, -1} {
				body := &countedBody{Reader: iotest.ErrReader(errors.New("the body was read"))}
				c := w.sendBody(test.path, test.session, contentType, body, length)
				if c.Code != test.status || body.reads != 0 || c.Header().Get("Connection") != "close" {
					t.Errorf("%s, %s, %d bytes: status %d after %d reads, Connection %q; want %d after 0, and close",
						test.path, contentType, length, c.Code, body.reads, c.Header().Get("Connection"), test.status)
				}

				if location := c.Header().Get("Location"); test.status == http.StatusSeeOther && location != "/dashboard/sign-in" {
					t.Errorf("%s redirects to %q", test.path, location)
				}
			}
		}
	}
}

func TestForms_OfStrangersAreSmall(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/dashboard/sign-in", "/dashboard/sign-up", "/dashboard/reset", "/dashboard/join"} {
		for _, length := range []int64{65 << 10, -1} {
			body := &sizedBody{left: 32 << 20}
			c := w.sendBody(path, "", urlencoded, body, length)
			if c.Code != http.StatusRequestEntityTooLarge || body.read > 70<<10 {
				t.Errorf("%s, length %d: status %d after %d bytes", path, length, c.Code, body.read)
			}
		}
	}
}

// sizedBody is a form of a fixed size that counts the bytes read.
type sizedBody struct{ left, read int }

func (b *sizedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), b.left)
	copy(p, bytes.Repeat([]byte{'x'}, n))
	b.left, b.read = b.left-n, b.read+n
	return n, nil
}

// A form with a file is multipart, and all others are URL-encoded. A form of another type is rejected unread.
func TestForms_HaveOneContentType(t *testing.T) {
	w := newWorld(t)
	session := w.as(w.owner).session()
	for _, test := range []struct {
		path, contentType string
		status            int
	}{
		{"/dashboard/playground/resume", urlencoded, http.StatusUnsupportedMediaType},
		{"/dashboard/playground/resume", "", http.StatusUnsupportedMediaType},
		{"/dashboard/playground", multi, http.StatusUnsupportedMediaType},
		{"/dashboard/playground/interview", "application/json", http.StatusUnsupportedMediaType},
		{"/dashboard/sign-in", multi, http.StatusUnsupportedMediaType},
		{"/dashboard/sign-in", "text/plain", http.StatusUnsupportedMediaType},
		{"/dashboard/sign-in", "APPLICATION/X-www-form-urlencoded; charset=UTF-8", http.StatusBadRequest}, // was read
	} {
		body := &countedBody{Reader: iotest.ErrReader(errors.New("the body was read"))}
		c := w.sendBody(test.path, session, test.contentType, body, 100)
		if wantRead := test.status == http.StatusBadRequest; c.Code != test.status || (body.reads > 0) != wantRead {
			t.Errorf("%s, %q: status %d after %d reads, want %d", test.path, test.contentType, c.Code, body.reads,
				test.status)
		}
	}

	w.browser().send(http.MethodPost, "/dashboard/sign-in", nil, nil).expect(t, http.StatusUnprocessableEntity)
}

// A form that arrives too slowly is answered with 408. The deadline doesn't apply to the work after the last byte.
func TestForms_HaveADeadline(t *testing.T) {
	w := newWorld(t)
	session := w.as(w.owner).session()
	before := time.Now()
	for _, test := range []struct {
		path   string
		length int64
		limit  time.Duration
	}{
		{"/dashboard/sign-in", 100, 10 * time.Second},
		{"/dashboard/playground", 100, 10 * time.Second},
		{"/dashboard/playground", 100 << 10, 30 * time.Second},
	} {
		stalled := io.MultiReader(strings.NewReader("email=a"), iotest.ErrReader(os.ErrDeadlineExceeded))
		c := w.sendBody(test.path, session, urlencoded, stalled, test.length)
		if c.Code != http.StatusRequestTimeout || !strings.Contains(c.Body.String(), "Form not received in time") {
			t.Errorf("%s: status %d\n%s", test.path, c.Code, c.Body)
		}

		earliest := before.Add(test.limit)
		latest := time.Now().Add(test.limit)
		if len(c.deadlines) != 1 || c.deadlines[0].Before(earliest) || c.deadlines[0].After(latest) {
			t.Errorf("%s, %d bytes: deadlines %v, want one in %s", test.path, test.length, c.deadlines, test.limit)
		}
	}

	stalled := io.MultiReader(strings.NewReader("--b"), iotest.ErrReader(os.ErrDeadlineExceeded))
	c := w.sendBody("/dashboard/playground/resume", session, multi, stalled, 8<<20)
	if c.Code != http.StatusRequestTimeout || len(c.deadlines) == 0 || time.Until(c.deadlines[0]) > 10*time.Second {
		t.Errorf("a stalled file: status %d, deadlines %v, want 408 and the pace of /parse", c.Code, c.deadlines)
	}

	c = w.sendBody("/dashboard/sign-in", "", urlencoded, strings.NewReader("email=a"), 7)
	if len(c.deadlines) == 0 || !c.deadlines[len(c.deadlines)-1].IsZero() {
		t.Errorf("deadlines %v, want the last one to be removed", c.deadlines)
	}
}

// Large forms are bounded per account and in total. The bound includes the time in which a form is processed.
func TestForms_LargeOnesAreBounded(t *testing.T) {
	w := newWorld(t)
	type form struct {
		body *io.PipeWriter
		done chan *connection
	}

	const size = 8 << 20
	begin := func(session string) form {
		r, body := io.Pipe()
		f := form{body, make(chan *connection, 1)}
		go func() {
			f.done <- w.sendBody("/dashboard/playground/interview", session, urlencoded, r, size)
		}()

		if _, err := body.Write([]byte("k")); err != nil { // returns when the form is being read
			t.Error(err)
		}
		return f
	}

	refused := func(session string) {
		t.Helper()
		c := w.sendBody("/dashboard/playground/interview", session, urlencoded, iotest.ErrReader(io.ErrNoProgress), size)
		if c.Code != http.StatusServiceUnavailable || c.Header().Get("Retry-After") == "" {
			t.Errorf("status %d, Retry-After %q", c.Code, c.Header().Get("Retry-After"))
		}
	}

	sessions := map[string]string{} // by user
	for _, u := range []account.User{w.owner, w.stranger, w.admin} {
		sessions[u.ID] = w.as(u).session()
	}
	forms := []form{begin(sessions[w.owner.ID]), begin(sessions[w.owner.ID])}
	refused(sessions[w.owner.ID])
	refused(w.as(w.member).session()) // of the same account
	forms = append(forms, begin(sessions[w.stranger.ID]), begin(sessions[w.stranger.ID]))
	refused(sessions[w.admin.ID]) // has none, but the total is used up
	small := fmt.Sprint("keyword=", strings.Repeat("x", 1<<10))
	c := w.sendBody("/dashboard/playground/skill", sessions[w.owner.ID], urlencoded, strings.NewReader(small),
		int64(len(small)))
	if c.Code == http.StatusServiceUnavailable {
		t.Error("a small form was refused")
	}

	for _, f := range forms {
		w.must(f.body.CloseWithError(os.ErrDeadlineExceeded))
		if c := <-f.done; c.Code != http.StatusRequestTimeout {
			t.Errorf("status %d, want 408", c.Code)
		}
	}

	again := begin(sessions[w.owner.ID])
	w.must(again.body.CloseWithError(os.ErrDeadlineExceeded))
	<-again.done
}
