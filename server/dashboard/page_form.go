package dashboard

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"freelancer-matching/server/api"
)

// The size limits of forms, in bytes. Only signed-in users may send forms larger than maxForm.
const (
	maxForm          = 64 << 10
	maxMatchForm     = 512 << 10 // 20,000 characters of any script, URL-encoded
	maxInterviewForm = 8 << 20   // all answers at their maximum length, in any script, URL-encoded
	maxResumeForm    = 32 << 20  // more than the API accepts, so that the API can reject larger files
)

// The total size of the forms larger than maxForm that may be in memory at a time, in bytes. Parsing takes about four
// times as much. Forms with a file don't count, because the API limits them while it receives them.
const (
	maxLargeForms          = 4 * maxInterviewForm
	maxLargeFormsOfAccount = 2 * maxInterviewForm
)

// The time limits for receiving a form.
const (
	formTime      = 10 * time.Second // for a form of up to maxForm
	largeFormTime = 30 * time.Second
)

// The content types of forms.
const (
	typeURLEncoded = "application/x-www-form-urlencoded"
	typeMultipart  = "multipart/form-data" // of a form with a file
)

// readForm parses the query and, of a POST, the form of a request to a route. A form with a file is not read: the
// route streams it. The caller must call release when it no longer needs the form, whether or not readForm fails.
func (s *site) readForm(v *visit, r route) (release func(), err error) {
	release = func() {}
	if v.request.Method != http.MethodPost {
		v.request.Body = http.NoBody
		return release, parseForm(v)
	}

	if !hasFormType(v.request, r.file) {
		return release, errFormType
	}

	if r.file {
		v.request.Body = http.MaxBytesReader(v.writer, api.PaceUpload(v.writer, v.request.Body), r.maxBody)
		return release, parseForm(v)
	}

	size := v.request.ContentLength
	if size < 0 { // unknown
		size = r.maxBody
	}

	if size > r.maxBody {
		return release, errTooLarge
	}
	if release, err = s.forms.reserve(v.account.ID, size); err != nil {
		return release, err
	}

	limit := formTime
	if size > maxForm {
		limit = largeFormTime
	}
	body := &timedBody{ReadCloser: v.request.Body, control: http.NewResponseController(v.writer)}
	body.setDeadline(time.Now().Add(limit))
	v.request.Body = http.MaxBytesReader(v.writer, body, r.maxBody)

	return release, parseForm(v)
}

// hasFormType reports whether a request has no body, or one in the only content type that its route reads.
func hasFormType(r *http.Request, file bool) bool {
	want := typeURLEncoded
	if file {
		want = typeMultipart
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.ContentLength == 0 || err == nil && kind == want
}

// parseForm parses the query, and the body unless it contains a file.
func parseForm(v *visit) error {
	err := v.request.ParseForm()
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlowForm
	}
	if err != nil {
		return errBadForm
	}
	for _, values := range v.request.Form {
		if slices.ContainsFunc(values, func(value string) bool { return !isText(value) }) {
			return errBadForm
		}
	}
	return nil
}

// isText reports whether s is valid text for every database: UTF-8 without NUL characters.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// closeUnread makes the server close the connection after the response instead of waiting for the rest of the body.
func closeUnread(v *visit) {
	if v.request.ContentLength != 0 {
		v.writer.Header().Set("Connection", "close")
	}
}

// timedBody is a request body with a deadline for all of it. The deadline no longer applies when the body has ended,
// so that it does not cancel the request's context while the response is being computed.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// setDeadline sets the deadline; the zero time removes it. Without a connection, as in tests, it does nothing.
func (b *timedBody) setDeadline(t time.Time) { _ = b.control.SetReadDeadline(t) }

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.setDeadline(time.Time{})
	}
	return n, err
}

// largeForms bounds the memory that forms larger than maxForm take, in total and per account.
type largeForms struct {
	mu        sync.Mutex
	total     int64
	ofAccount map[string]int64
}

// reserve reserves the memory for a form until release is called. It returns errBusy if there is not enough.
func (l *largeForms) reserve(account string, size int64) (release func(), err error) {
	if size <= maxForm {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total+size > maxLargeForms || l.ofAccount[account]+size > maxLargeFormsOfAccount {
		return func() {}, errBusy
	}
	l.add(account, size)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.add(account, -size)
	}, nil
}

// add changes the counts. Call it with the lock held.
func (l *largeForms) add(account string, size int64) {
	l.total += size
	if l.ofAccount[account] += size; l.ofAccount[account] == 0 {
		delete(l.ofAccount, account)
	}
}
