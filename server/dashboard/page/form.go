package page

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

	"github.com/freelancer-matching/service/server/api/receive"
)

// The size limits of forms, in bytes. Only signed-in users may send forms larger than maxForm.
const (
	maxForm          = 64 << 10
	MaxMatchForm     = 512 << 10 // 20,000 characters of any script, URL-encoded
	MaxInterviewForm = 8 << 20   // all answers at their maximum length, in any script, URL-encoded
	MaxResumeForm    = 32 << 20  // more than the API accepts, so that the API can reject larger files
)

// The total size of the forms larger than maxForm that may be in memory at a time, in bytes. Parsing takes about four
// times as much. Forms with a file don't count, because the API limits them while it receives them.
const (
	maxLargeForms          = 4 * MaxInterviewForm
	maxLargeFormsOfAccount = 2 * MaxInterviewForm
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
func (s *site) readForm(v *Visit, r Route) (release func(), err error) {
	release = func() {}
	if v.Request.Method != http.MethodPost {
		v.Request.Body = http.NoBody
		return release, parseForm(v)
	}

	// A form of another type would be parsed as empty, like one in which nothing was filled in.
	if !hasFormType(v.Request, r.file) {
		return release, errFormType
	}

	// The API reads files while they arrive, and limits their number and speed itself.
	if r.file {
		v.Request.Body = http.MaxBytesReader(v.Writer, receive.NewPacedBody(v.Writer, v.Request.Body, r.pace), r.maxBody)
		return release, parseForm(v)
	}

	// A form of unknown length reserves as much as it may have.
	size := v.Request.ContentLength
	if size < 0 { // unknown
		size = r.maxBody
	}

	if size > r.maxBody {
		return release, errTooLarge
	}
	if release, err = s.forms.reserve(v.Account.ID, size); err != nil {
		return release, err
	}

	// The deadline covers the whole form. A client that sends a byte now and then would otherwise hold the memory
	// forever.
	limit := formTime
	if size > maxForm {
		limit = largeFormTime
	}
	body := &timedBody{ReadCloser: v.Request.Body, control: http.NewResponseController(v.Writer)}
	body.setDeadline(time.Now().Add(limit))
	v.Request.Body = http.MaxBytesReader(v.Writer, body, r.maxBody)

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
func parseForm(v *Visit) error {
	err := v.Request.ParseForm()
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrSlowForm
	}
	if err != nil {
		return ErrBadForm
	}
	for _, values := range v.Request.Form {
		if slices.ContainsFunc(values, func(value string) bool { return !IsText(value) }) {
			return ErrBadForm
		}
	}
	return nil
}

// IsText reports whether s is valid text for every database: UTF-8 without NUL characters.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// closeUnread makes the server close the connection after the response instead of waiting for the rest of the body.
func closeUnread(v *Visit) {
	if v.Request.ContentLength != 0 {
		v.Writer.Header().Set("Connection", "close")
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
