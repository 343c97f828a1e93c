package elastic

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
)

// cause is what ended a call: ctx, or the network.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return &unreachable{err}
}

// ended is why ctx ended: its error and, where the caller gave one, the cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// unreachable is a failure of the network, or of a node that does not listen.
type unreachable struct{ err error }

// Error tells what can be done about it, where that is known.
func (u *unreachable) Error() string {
	text := "Elasticsearch does not answer: " + u.err.Error()
	if h := hint(u.err); h != "" {
		text += ": " + h
	}
	return text
}

// Unwrap is the failure of the network.
func (u *unreachable) Unwrap() error { return u.err }

var (
	errNotElasticsearch = errors.New("what listens there is not Elasticsearch, or a proxy takes X-Elastic-Product from its answers")
	errTooLarge         = errors.New("the answer of Elasticsearch is larger than any that was asked for")
)

// hint names the setting to look at after a failure of TLS.
func hint(err error) string {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	named, otherName := errors.AsType[x509.HostnameError](err)
	switch {
	case otherName:
		return fmt.Sprintf("its certificate is not valid for %s: use a host name of the certificate in elasticsearch-url", named.Host)
	case untrusted:
		return "name the file with the certificate of its authority in elasticsearch-ca-file"
	case plain || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "it listens without TLS: want http:// in elasticsearch-url"
	default:
		return ""
	}
}

// Failure is an answer of Elasticsearch that tells of a failure.
type Failure struct { //nolint:errname // what Elasticsearch calls a failure: of a shard, of an item
	Status int    // of HTTP
	Type   string // such as index_not_found_exception; "" where the answer was not Elasticsearch's own
	Reason string
}

// Error tells type and reason, and which setting to look at where that is known.
func (f *Failure) Error() string {
	var text string
	if f.Type == "" {
		text = fmt.Sprintf("status %d %s from Elasticsearch, or what stands before it: %s", f.Status, http.StatusText(f.Status), f.Reason)
	} else {
		text = fmt.Sprintf("Elasticsearch: %s: %s (status %d)", f.Type, f.Reason, f.Status)
	}
	switch f.Status {
	case http.StatusUnauthorized:
		text += ": look at elasticsearch-user and elasticsearch-password-file, or elasticsearch-api-key-file"
	case http.StatusForbidden:
		text += ": give the user of elasticsearch-user, or the key of elasticsearch-api-key-file, that privilege"
	}
	return text
}

// Is makes a search that Elasticsearch ended at the deadline, which it was told, what it is.
func (f *Failure) Is(target error) bool {
	return target == context.DeadlineExceeded && f.Type == "search_timeout_exception"
}

// maxReason bounds the bytes of a reason.
const maxReason = 500

// newFailure reads the body of an answer that tells of a failure.
func newFailure(ctx context.Context, status int, body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil {
		return cause(ctx, err)
	}
	var answer struct{ Error json.RawMessage }
	if json.Unmarshal(data, &answer) != nil {
		return &Failure{Status: status, Reason: cut(string(data))}
	}
	return failureOf(status, answer.Error)
}

// failureOf reads the field error of an answer.
func failureOf(status int, told json.RawMessage) *Failure {
	type reason struct{ Type, Reason string }
	var detail struct {
		reason
		RootCause    []reason `json:"root_cause"`
		FailedShards []struct {
			Reason reason
		} `json:"failed_shards"`
	}
	if json.Unmarshal(told, &detail) != nil {
		return &Failure{Status: status, Reason: cut(string(told))}
	}
	of := detail.reason
	switch {
	case len(detail.FailedShards) > 0: // says more than "all shards failed"
		of = detail.FailedShards[0].Reason
	case len(detail.RootCause) > 0 && detail.RootCause[0].Reason != "":
		of = detail.RootCause[0]
	}
	return &Failure{Status: status, Type: cmp.Or(of.Type, "unknown"), Reason: cut(of.Reason)}
}

// cut is the beginning of a text, with blanks for what is not in UTF-8.
func cut(text string) string {
	return strings.ToValidUTF8(strings.TrimSpace(text[:min(len(text), maxReason)]), " ")
}

// failed reports whether err is an answer of Elasticsearch with this status, unless that is 0, and one of these types of
// failure, unless there are none.
func failed(err error, status int, types ...string) bool {
	f, ok := errors.AsType[*Failure](err)
	return ok && (status == 0 || f.Status == status) && (len(types) == 0 || slices.Contains(types, f.Type))
}
