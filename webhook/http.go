package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	sendTimeout = 10 * time.Second
	maxResponse = 64 << 10 // bytes read of a response, so that its connection can be used again
)

// errNoSecret means that no key of this server decrypts the secret of the endpoint.
var errNoSecret = errors.New("the secret of the endpoint can't be decrypted; tell the operator")

// HTTP is a Transport that posts messages to their endpoints.
type HTTP struct {
	Client *http.Client // of Allowed.NewClient
	Now    func() time.Time
}

// Send implements Transport. The error is for the client who named the endpoint, so it doesn't reveal addresses of the
// operator's network.
func (h HTTP) Send(ctx context.Context, d *Delivery) (after time.Duration, err error) {
	if len(d.Secret) == 0 {
		return 0, errNoSecret
	}

	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()

	secrets := []Secret{d.Secret}
	if len(d.Previous) > 0 {
		secrets = append(secrets, d.Previous)
	}
	at := h.Now()
	r, err := NewRequest(ctx, d.URL, d.ID, d.Body, at, secrets...)
	if err != nil {
		return 0, errors.New("the URL is invalid")
	}

	response, err := h.Client.Do(r)
	if err != nil {
		return 0, describe(err)
	}
	defer response.Body.Close()
	d.Status = response.StatusCode

	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxResponse)) // the status alone counts
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		return 0, nil
	case status == http.StatusGone:
		return 0, Gone("the endpoint responded with 410 Gone")
	default:
		return retryAfter(response.Header.Get("Retry-After"), at),
			fmt.Errorf("the endpoint responded with %d %s", status, http.StatusText(status))
	}
}

// NewRequest returns the request that sends a message to an address at a time, signed with each of the secrets.
func NewRequest(
	ctx context.Context, address, id string, body []byte, at time.Time, secrets ...Secret,
) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		signatures[i] = Sign(secret, id, at, body)
	}

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "freelancer-matching")
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	r.Header.Set("Webhook-Signature", strings.Join(signatures, " "))
	return r, nil
}

// retryAfter parses the header of a response: seconds or a date. Other values are ignored.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// describe returns the reason why there was no response.
func describe(err error) error {
	// A name server that doesn't answer is no timeout of the endpoint, so this comes first.
	if _, unresolved := errors.AsType[*net.DNSError](err); unresolved || errors.Is(err, errPrivate) {
		return errPrivate
	}
	if e, ok := errors.AsType[*url.Error](err); ok && e.Timeout() {
		return fmt.Errorf("no response within %s", sendTimeout)
	}
	if isCertificateError(err) {
		return errors.New("the certificate of the endpoint is not valid")
	}
	return errors.New("the connection failed")
}

// isCertificateError reports whether the endpoint's certificate was rejected.
func isCertificateError(err error) bool {
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, verification := errors.AsType[*tls.CertificateVerificationError](err)
	return authority || name || invalid || verification
}
