package remote

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/indexer/spool"
	"github.com/freelancer-matching/service/internal/retry"
)

const (
	attempts      = 4
	firstWait     = time.Second // after the first failure
	longestWait   = 30 * time.Second
	headerTimeout = time.Minute // many exports are built before the first byte is sent
	idleTimeout   = time.Minute // between two parts of a file
	maxRedirects  = 10
)

// Client downloads files.
type Client struct {
	Transport   http.RoundTripper           // nil for NewTransport
	Environment func(string) (string, bool) // has the credentials for S3
	Logins      Logins                      // by host
	Limit       int64                       // bytes of a file
	Log         *slog.Logger                // gets failures that are retried
	Progress    func(done, size int64)      // size is 0 if the server does not send it
	Now         func() time.Time
	// Wait waits before the next attempt; nil for retry.Sleep.
	Wait func(ctx context.Context, d time.Duration) error
}

// NewTransport returns a transport with deadlines for each step up to the header of the response. It uses the proxy of
// the environment.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	t.ResponseHeaderTimeout = headerTimeout
	return t
}

// Version identifies the content of a file on its server.
type Version struct {
	ETag         string
	LastModified string // as the server wrote it
}

// File is a downloaded file. The caller closes it.
type File struct {
	*spool.Spool
	Version
	SHA256 string // hexadecimal
}

// ErrNotModified is returned if a file on a server is still the known version.
var ErrNotModified = errors.New("the file has not changed")

// Download downloads a file. If known is not empty and the server still has this version, Download returns
// ErrNotModified. It retries failures that may pass, from the start of the file. Errors name the address without its
// secrets.
func (c *Client) Download(ctx context.Context, a *Address, known Version) (*File, error) {
	s, err := spool.New(c.Limit)
	if err != nil {
		return nil, err
	}
	f := &File{Spool: s}
	if err = c.retry(ctx, a, func() error { return c.try(ctx, a, known, f) }); err == nil {
		return f, nil
	}
	if errors.Is(err, ErrNotModified) {
		return nil, errors.Join(ErrNotModified, s.Close())
	}
	return nil, &downloadError{a.String(), errors.Join(err, s.Close())}
}

// retry calls try until it succeeds or fails for good.
func (c *Client) retry(ctx context.Context, a fmt.Stringer, try func() error) error {
	wait := c.Wait
	if wait == nil {
		wait = retry.Sleep
	}

	for attempt := 0; ; attempt++ {
		err := try()
		passing, ok := errors.AsType[*transientError](err)
		switch {
		case !ok || ctx.Err() != nil:
			return err
		case attempt == attempts-1:
			return fmt.Errorf("%w (after %d attempts)", err, attempts)
		}

		// A server may ask for a longer pause, but not for one that holds a load up for hours.
		pause := max(retry.Backoff(attempt, firstWait, longestWait), min(passing.after, longestWait))
		c.Log.Warn("download failed; retrying", "file", a, "error", Scrub(err.Error()),
			"wait", pause.Round(time.Millisecond))

		if err := wait(ctx, pause); err != nil {
			return err
		}
	}
}

// try downloads a file once.
func (c *Client) try(ctx context.Context, a *Address, known Version, f *File) error {
	// An earlier attempt may have stored a part of the file.
	if err := f.Truncate(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	request, err := c.request(ctx, a)
	if err != nil {
		return err
	}

	// A server ignores the date beside an ETag, so only one of them is sent.
	if known.ETag != "" {
		request.Header.Set("If-None-Match", known.ETag)
	} else if known.LastModified != "" {
		request.Header.Set("If-Modified-Since", known.LastModified)
	}

	client, done := c.open(a)
	defer done()
	response, err := client.Do(request) //nolint:bodyclose // see below
	if err != nil {
		return connectionError(err)
	}
	defer response.Body.Close()

	if err := c.checkResponse(response, a, request.Header.Get("Authorization") != ""); err != nil {
		return err
	}

	// A large file may take hours, so the deadline is for the time between two parts of it.
	hash := sha256.New()
	idle := time.AfterFunc(idleTimeout, func() { cancel(errIdle) })
	defer idle.Stop()

	body := &progressReader{Reader: response.Body, report: func(done int64) {
		idle.Reset(idleTimeout)
		if c.Progress != nil {
			c.Progress(done, max(response.ContentLength, 0))
		}
	}}
	if _, err := io.Copy(io.MultiWriter(f.Spool, hash), body); err != nil {
		return bodyError(ctx, err, f.Size(), response.ContentLength)
	}
	if response.ContentLength >= 0 && f.Size() != response.ContentLength {
		return bodyError(ctx, io.ErrUnexpectedEOF, f.Size(), response.ContentLength)
	}

	sum := hash.Sum(nil)
	f.SHA256 = hex.EncodeToString(sum)
	f.Version = Version{ETag: response.Header.Get("Etag"), LastModified: response.Header.Get("Last-Modified")}

	// The file is complete, so another attempt would most likely get the same content.
	if a.checksum != nil && !bytes.Equal(sum, a.checksum) {
		return fmt.Errorf("the SHA-256 checksum of the %s received is %x, want %x; nothing was loaded",
			humanize.IBytes(uint64(f.Size())), sum, a.checksum)
	}

	return nil
}

// open returns a client for the requests to an address, and a function to call after the last one.
func (c *Client) open(a *Address) (client *http.Client, done func()) {
	if c.Transport != nil {
		return &http.Client{Transport: c.Transport, CheckRedirect: a.checkRedirect}, func() {}
	}
	transport := NewTransport()
	return &http.Client{Transport: transport, CheckRedirect: a.checkRedirect}, transport.CloseIdleConnections
}

// request returns the request for a file, with credentials.
func (c *Client) request(ctx context.Context, a *Address) (*http.Request, error) {
	if a.bucket != "" {
		return c.requestS3(ctx, a, nil)
	}
	r, err := newRequest(ctx, a.url)
	if err != nil {
		return nil, err
	}
	if a.user != nil {
		password, _ := a.user.Password()
		r.SetBasicAuth(a.user.Username(), password)
	} else {
		c.Logins.authorize(r)
	}
	return r, nil
}

func newRequest(ctx context.Context, u *url.URL) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "", nil)
	if err != nil {
		return nil, err
	}
	r.URL = u
	r.Host = u.Host
	r.Header.Set("User-Agent", "freelancer-matching-indexer")
	// The file itself, as its checksum and size describe it, whatever compression it has.
	r.Header.Set("Accept-Encoding", "identity")
	return r, nil
}

// checkRedirect accepts redirects to URLs that may be downloaded, and never from TLS to plain text. Only the first
// server gets credentials.
func (a *Address) checkRedirect(next *http.Request, via []*http.Request) error {
	next.Header.Del("Referer") // has the query string of the last URL
	if next.URL.Host != via[0].URL.Host {
		next.Header.Del("Authorization") // which net/http sends to subdomains and other ports, too
	}
	switch {
	case a.bucket != "":
		return http.ErrUseLastResponse // the signature is for one host
	case !isAllowed(next.URL) || via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https":
		return fmt.Errorf("the server redirects to %s, which is not encrypted", redact(next.URL))
	case len(via) >= maxRedirects:
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	}
	return nil
}

// checkResponse returns an error unless the body of a response is the file.
func (c *Client) checkResponse(response *http.Response, a *Address, authorized bool) error {
	if response.StatusCode != http.StatusOK {
		return statusError(response, a, authorized)
	}
	switch encoding := strings.ToLower(response.Header.Get("Content-Encoding")); encoding {
	case "", "identity", "gzip", "x-gzip", "zstd": // the readers of files decompress the last three
	default:
		return fmt.Errorf("the server sent the file with Content-Encoding %q, although the request excluded it", encoding)
	}
	if kind := response.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return errors.New("the server sent a web page instead of a data file; the URL may need a login, or be the page " +
			"that links to the file")
	}
	if response.ContentLength > c.Limit {
		return &spool.LimitError{Limit: c.Limit}
	}
	return nil
}

// transientError is an error that may not occur again. after is how long the server asks to wait.
type transientError struct {
	error
	after time.Duration
}

// Unwrap returns the error.
func (e *transientError) Unwrap() error { return e.error }

// statusError returns the error for a status other than 200.
func statusError(response *http.Response, a *Address, authorized bool) error {
	err := fmt.Errorf("the server returned %d %s", response.StatusCode,
		cmp.Or(http.StatusText(response.StatusCode), "(unknown status)"))
	explain := func(text string) error { return fmt.Errorf("%w: %s", err, text) }

	code := ""
	if a.bucket != "" {
		code = errorCode(response)
	}
	if code != "" {
		err = fmt.Errorf("%w (%s)", err, code)
	}

	switch response.StatusCode {
	case http.StatusNotModified:
		return ErrNotModified
	case http.StatusUnauthorized, http.StatusForbidden:
		isBucket := a.bucket != "" && a.key == ""
		switch {
		case isBucket:
			return explain("check the AWS_ variables; listing a bucket needs the permission s3:ListBucket")
		case a.bucket != "":
			return explain("check the AWS_ variables, and that they may read this object")
		case authorized:
			return explain("it rejected the credentials, or they don't allow this file")
		case a.url.RawQuery != "":
			return explain("if the URL is signed, it may have expired; otherwise it needs credentials; name a netrc file " +
				"with -netrc")
		}

		return explain("the file needs credentials; name a netrc file with -netrc")

	case http.StatusNotFound, http.StatusGone:
		if code == "NoSuchBucket" {
			return explain("check the name of the bucket and AWS_ENDPOINT_URL")
		}
		return explain("there is no such file; check the URL")
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect:
		// S3 redirects to the region of a bucket, but a signature is for one host.
		if region := response.Header.Get("X-Amz-Bucket-Region"); region != "" {
			return explain(fmt.Sprintf("the bucket is in another region; set AWS_REGION=%q", region))
		}

	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return &transientError{
			explain("the server is overloaded or out of order; try again later"), time.Duration(seconds) * time.Second,
		}
	}

	return err
}

// connectionError returns the error for a request without a response, without the URL, which *url.Error quotes.
func connectionError(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return fmt.Errorf("%w; if the authority is your own, name its certificate in SSL_CERT_FILE", err)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return err
	}
	if e, ok := errors.AsType[net.Error](err); ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		if ok && e.Timeout() {
			err = fmt.Errorf("the server did not answer in time: %w", err)
		}
		return &transientError{error: err}
	}
	return err
}

var errIdle = fmt.Errorf("the server sent nothing for %v", idleTimeout)

// bodyError returns the error for a body that ended early.
func bodyError(ctx context.Context, err error, received, size int64) error {
	if _, ok := errors.AsType[*spool.LimitError](err); ok {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	of := ""
	if size >= 0 {
		of = " of " + humanize.IBytes(uint64(size))
	}
	return &transientError{error: fmt.Errorf("the download was interrupted after %s%s: %w",
		humanize.IBytes(uint64(received)), of, err)}
}

// downloadError adds the address to an error, and removes secrets that libraries may have quoted.
type downloadError struct {
	address string
	err     error
}

// Error implements error.
func (e *downloadError) Error() string { return e.address + ": " + Scrub(e.err.Error()) }

// Unwrap returns the error.
func (e *downloadError) Unwrap() error { return e.err }

// secretParts matches the parts of URLs in a text that may be secret, except query strings that redact has changed.
var secretParts = regexp.MustCompile(`://[^/\s"]*@|\?[^\s"]*=[^\s"…][^\s"]*`)

// Scrub removes users, passwords and query strings from URLs in a text.
func Scrub(text string) string {
	return secretParts.ReplaceAllStringFunc(text, func(part string) string {
		if strings.HasPrefix(part, "?") {
			return "?…"
		}
		return "://"
	})
}

// progressReader reports the number of bytes read.
type progressReader struct {
	io.Reader
	done   int64
	report func(done int64)
}

// Read implements io.Reader.
func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.done += int64(n)
	r.report(r.done)
	return n, err
}
