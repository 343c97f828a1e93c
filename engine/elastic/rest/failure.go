package rest

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
)

// callError returns the error of a call that got no answer: the end of ctx, or a network error.
func callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ContextError(ctx)
	}
	return &unreachable{err}
}

// ContextError returns the error of a context that has ended, together with its cause if the caller gave one.
func ContextError(ctx context.Context) error {
	err := ctx.Err()
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// unreachable is a network error, or the error of a node that does not speak the protocol.
type unreachable struct{ err error }

// Error includes what to do about the error, if that is known.
func (u *unreachable) Error() string {
	text := "Elasticsearch is unreachable: " + u.err.Error()
	if h := hint(u.err); h != "" {
		text += ": " + h
	}
	return text
}

// Unwrap returns the network error.
func (u *unreachable) Unwrap() error { return u.err }

var (
	// ErrNotElasticsearch is the error for an answer without the header by which Elasticsearch identifies itself.
	ErrNotElasticsearch = errors.New("the server is not Elasticsearch, or a proxy removes the header X-Elastic-Product")
	// ErrTooLarge is the error for an answer over the maximum size.
	ErrTooLarge = errors.New("the answer of Elasticsearch is larger than expected")
)

// hint returns which setting to check after a TLS error, or "".
func hint(err error) string {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	named, otherName := errors.AsType[x509.HostnameError](err)
	switch {
	case otherName:
		return fmt.Sprintf("the certificate is not valid for %s: put a host name of the certificate into elasticsearch-url",
			named.Host)
	case untrusted:
		return "set elasticsearch-ca-file to the certificate of the authority that signed the node's"
	case plain || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the node does not use TLS: put http:// into elasticsearch-url"
	default:
		return ""
	}
}

// A Failure is an error that Elasticsearch answered with.
type Failure struct { //nolint:errname // Elasticsearch calls the error of a shard or an item a failure
	Status int    // HTTP status
	Type   string // such as index_not_found_exception; "" if the answer did not come from Elasticsearch itself
	Reason string
}

// Error returns type and reason, and which setting to check if that is known.
func (f *Failure) Error() string {
	var text string
	if f.Type == "" {
		text = fmt.Sprintf("status %d %s from Elasticsearch, or from a proxy before it: %s",
			f.Status, http.StatusText(f.Status), f.Reason)
	} else {
		text = fmt.Sprintf("Elasticsearch: %s: %s (status %d)", f.Type, f.Reason, f.Status)
	}
	switch f.Status {
	case http.StatusUnauthorized:
		text += ": check elasticsearch-user and elasticsearch-password-file, or elasticsearch-api-key-file"
	case http.StatusForbidden:
		text += ": grant that privilege to the user of elasticsearch-user, or to the key in elasticsearch-api-key-file"
	}
	return text
}

// Is reports a search that Elasticsearch ended at the given deadline as context.DeadlineExceeded, and damaged files of
// an index as engine.ErrDamaged.
func (f *Failure) Is(target error) bool {
	switch f.Type {
	case "search_timeout_exception":
		return target == context.DeadlineExceeded
	case "corrupt_index_exception", "translog_corrupted_exception":
		return target == engine.ErrDamaged
	default:
		return false
	}
}

// IndexNotFound is the Type of a Failure about an index or alias that does not exist.
const IndexNotFound = "index_not_found_exception"

// maxReason is the maximum length of a reason in bytes.
const maxReason = 500

// newFailure parses the body of an error answer.
func newFailure(ctx context.Context, status int, body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil {
		return callError(ctx, err)
	}
	var answer struct{ Error json.RawMessage }
	if json.Unmarshal(data, &answer) != nil {
		return &Failure{Status: status, Reason: truncate(string(data))}
	}
	return parseFailure(status, answer.Error)
}

// parseFailure parses the field "error" of an answer.
func parseFailure(status int, data json.RawMessage) *Failure {
	type reason struct{ Type, Reason string }
	var detail struct {
		reason
		RootCause    []reason `json:"root_cause"`
		FailedShards []struct {
			Reason reason
		} `json:"failed_shards"`
	}
	if json.Unmarshal(data, &detail) != nil {
		return &Failure{Status: status, Reason: truncate(string(data))}
	}

	best := detail.reason
	switch {
	case len(detail.FailedShards) > 0: // more specific than "all shards failed"
		best = detail.FailedShards[0].Reason
	case len(detail.RootCause) > 0 && detail.RootCause[0].Reason != "":
		best = detail.RootCause[0]
	}

	return &Failure{Status: status, Type: cmp.Or(best.Type, "unknown"), Reason: truncate(best.Reason)}
}

// truncate returns the beginning of a text, with invalid UTF-8 replaced by spaces.
func truncate(text string) string {
	return strings.ToValidUTF8(strings.TrimSpace(text[:min(len(text), maxReason)]), " ")
}

// IsFailure reports whether err is a Failure with the given status, or any if status is 0, and one of the given types,
// or any if there are none.
func IsFailure(err error, status int, types ...string) bool {
	f, ok := errors.AsType[*Failure](err)
	return ok && (status == 0 || f.Status == status) && (len(types) == 0 || slices.Contains(types, f.Type))
}
