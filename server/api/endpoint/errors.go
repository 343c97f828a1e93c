package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/uploads"
)

// The codes that only handlers and middleware use.
const (
	CodeMethodNotAllowed matching.Code = "method_not_allowed"
	CodeNotProcessed     matching.Code = "not_processed" // a brief of a batch that did not run
	// CodeUnknownHost is the code for a request whose Host header names a host that the operator has not configured.
	CodeUnknownHost matching.Code = "unknown_host"
)

// Statuses returns the HTTP status of every code that a client can receive.
func Statuses() map[matching.Code]int {
	return map[matching.Code]int{
		strictjson.CodeMalformedJSON:   http.StatusBadRequest,
		receive.CodeMalformedMultipart: http.StatusBadRequest,

		apikey.CodeMissing:    http.StatusUnauthorized,
		apikey.CodeInvalid:    http.StatusUnauthorized,
		apikey.CodeDisabled:   http.StatusUnauthorized,
		apikey.CodeRevoked:    http.StatusUnauthorized,
		apikey.CodeExpired:    http.StatusUnauthorized,
		apikey.CodeOperation:  http.StatusForbidden,
		apikey.CodeNetwork:    http.StatusForbidden,
		apikey.CodePermission: http.StatusForbidden,

		browsertoken.CodeInvalid: http.StatusUnauthorized,
		browsertoken.CodeExpired: http.StatusUnauthorized,
		browsertoken.CodeOrigin:  http.StatusForbidden,
		browsertoken.CodeVisitor: http.StatusTooManyRequests,

		apikey.CodeTestKey:               http.StatusForbidden,
		matching.CodeNotFound:            http.StatusNotFound,
		matching.CodeFreelancerUnknown:   http.StatusNotFound,
		interview.CodeSessionNotFound:    http.StatusNotFound,
		interview.CodeInvitationNotFound: http.StatusNotFound,
		uploads.CodeNotFound:             http.StatusNotFound,
		feed.CodeEndpointUnknown:         http.StatusNotFound,
		feed.CodeDeliveryUnknown:         http.StatusNotFound,
		briefs.CodeUnknown:               http.StatusNotFound,
		feed.CodeCursorExpired:           http.StatusGone,
		CodeMethodNotAllowed:             http.StatusMethodNotAllowed,
		CodeUnknownHost:                  http.StatusMisdirectedRequest,

		interview.CodeSessionClosed:    http.StatusConflict,
		interview.CodeSessionOpen:      http.StatusConflict,
		interview.CodeSessionChanged:   http.StatusConflict,
		interview.CodeTooManySessions:  http.StatusConflict,
		interview.CodeStorageFull:      http.StatusConflict,
		interview.CodeIdempotency:      http.StatusConflict,
		events.CodeFull:                http.StatusConflict,
		freelancers.CodeErased:         http.StatusConflict,
		freelancers.CodeContended:      http.StatusConflict,
		freelancers.CodeNoData:         http.StatusConflict,
		freelancers.CodeSeveralServers: http.StatusConflict,
		feed.CodeTooManyEndpoints:      http.StatusConflict,
		feed.CodeSending:               http.StatusConflict,
		briefs.CodeFull:                http.StatusConflict,
		uploads.CodePending:            http.StatusConflict,
		uploads.CodeState:              http.StatusConflict,
		uploads.CodeShrink:             http.StatusConflict,
		uploads.CodeElsewhere:          http.StatusConflict,
		freelancers.CodeVersion:        http.StatusPreconditionFailed,

		receive.CodeBodyTooLarge:         http.StatusRequestEntityTooLarge,
		receive.CodeUnsupportedMediaType: http.StatusUnsupportedMediaType,
		matching.CodeInvalid:             http.StatusUnprocessableEntity,
		validate.CodeWrongType:           http.StatusUnprocessableEntity,
		validate.CodeUnknownField:        http.StatusUnprocessableEntity,
		resume.CodeNoText:                http.StatusUnprocessableEntity,
		resume.CodeEncrypted:             http.StatusUnprocessableEntity,
		resume.CodeCorrupt:               http.StatusUnprocessableEntity,
		resume.CodeTooComplex:            http.StatusUnprocessableEntity,

		receive.CodeIncompleteBody:      http.StatusRequestTimeout,
		admission.CodeTooManyConcurrent: http.StatusTooManyRequests,
		quota.CodeRateLimit:             http.StatusTooManyRequests,
		quota.CodeQuota:                 http.StatusTooManyRequests,
		quota.CodeTooManyFailures:       http.StatusTooManyRequests,
		views.CodeLimit:                 http.StatusTooManyRequests,
		changes.CodeLimit:               http.StatusTooManyRequests,
		uploads.CodeTooMany:             http.StatusTooManyRequests,

		matching.CodeInternal:            http.StatusInternalServerError,
		freelancers.CodeReadOnly:         http.StatusNotImplemented,
		briefs.CodeUnsupported:           http.StatusNotImplemented,
		freelancers.CodeEmbeddings:       http.StatusBadGateway,
		freelancers.CodeReindex:          http.StatusServiceUnavailable,
		matching.CodeEngineUnavailable:   http.StatusServiceUnavailable,
		matching.CodeIndexUnreadable:     http.StatusServiceUnavailable,
		matching.CodeRecordDamaged:       http.StatusServiceUnavailable,
		matching.CodeDatabaseUnavailable: http.StatusServiceUnavailable,
		matching.CodeDatabaseLocked:      http.StatusServiceUnavailable,
		matching.CodeDatabaseCorrupt:     http.StatusServiceUnavailable,
		matching.CodeStorageFull:         http.StatusServiceUnavailable,
		matching.CodeStorageReadOnly:     http.StatusServiceUnavailable,
		matching.CodeStorageFailed:       http.StatusServiceUnavailable,
		quota.CodeUnavailable:            http.StatusServiceUnavailable,
		matching.CodeOverloaded:          http.StatusServiceUnavailable,
		CodeNotProcessed:                 http.StatusServiceUnavailable,
		matching.CodeEngineTimeout:       http.StatusGatewayTimeout,
	}
}

// The media types of responses.
const (
	JSONType    = "application/json" // always UTF-8, so the type has no charset (RFC 8259, section 11)
	ProblemType = "application/problem+json"
	LinesType   = "application/x-ndjson"
	EventsType  = "text/event-stream"
)

// DefaultRetryAfter is how long a client should wait if nothing better is known.
const DefaultRetryAfter = time.Second

// ErrClientGone reports that a stream can't be written.
var ErrClientGone = errors.New("the client left")

// Errors turns errors into what clients may see of them, and logs those of which the server is at fault.
type Errors struct {
	statuses map[matching.Code]int
	log      *slog.Logger
}

// NewErrors returns Errors that log to a logger.
func NewErrors(log *slog.Logger) *Errors { return &Errors{statuses: Statuses(), log: log} }

// Status returns the HTTP status of a code, or 0 if clients never receive the code.
func (e *Errors) Status(code matching.Code) int { return e.statuses[code] }

// Public returns the part of an error that the client may see. Errors without a code, or with a code that has no
// status, become CodeInternal.
func (e *Errors) Public(err error) *matching.Error {
	found, coded := errors.AsType[*matching.Error](err)
	switch {
	case coded && found.Code != matching.CodeInternal && e.statuses[found.Code] != 0:
		return found
	case !coded && errors.Is(err, context.DeadlineExceeded):
		return &matching.Error{
			Code:    matching.CodeEngineTimeout,
			Message: "The request exceeded the server's time limit. Retry, or request less.",
		}
	default:
		return &matching.Error{
			Code:    matching.CodeInternal,
			Message: "An internal error occurred. If it persists, report the request_id to the operator of this service.",
		}
	}
}

// PublicError returns the part of an error that the client may see. It logs the whole error if the server is at fault.
func (c *Call) PublicError(ctx context.Context, err error) *matching.Error {
	public := c.Errors.Public(err)
	if c.Errors.Status(public.Code) >= http.StatusInternalServerError {
		c.Errors.log.LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("request_id", c.ID), slog.String("code", string(public.Code)), slog.Any("error", err))
	}
	return public
}

// WriteError responds with an error. If the response has begun, it cuts the connection.
func (c *Call) WriteError(ctx context.Context, err error) {
	if errors.Is(err, ErrClientGone) {
		c.ClientGone = true
		return
	}

	public := c.PublicError(ctx, err)
	c.Code = public.Code
	status := c.Errors.Status(public.Code)

	if c.Response.Written() {
		panic(http.ErrAbortHandler) // cuts the connection: a truncated stream must not look complete
	}

	// net/http waits for a body that nobody read. After a timeout, there is nothing left to wait for.
	if c.Request.ContentLength != 0 && status != http.StatusRequestTimeout {
		receive.LimitDiscard(c.Response)
	}

	c.setRetryAfter(status, public.RetryAfter)
	if status == http.StatusUnauthorized {
		c.SetHeader("WWW-Authenticate", "ApiKey")
	}

	if c.Accepts(ProblemType) {
		err = c.WriteJSON(status, ProblemType, wire.Problem{
			Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: public.Message, Code: public.Code,
			Errors: wire.OrEmpty(public.Details), RequestID: c.ID,
		})
	} else {
		err = c.WriteJSON(status, JSONType, wire.NewFailure(c.ID, public))
	}

	if err != nil {
		c.Errors.log.Debug("response not sent", "request_id", c.ID, "error", err)
	}
}

// setRetryAfter sets the header Retry-After, in whole seconds. Responses of which a retry can succeed always have it.
func (c *Call) setRetryAfter(status int, wait time.Duration) {
	retryable := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
	if wait <= 0 && retryable {
		wait = DefaultRetryAfter
	}
	if wait > 0 {
		c.SetHeader("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
}

// Accepts reports whether the Accept header names a media type; wildcards don't count.
func (c *Call) Accepts(wanted string) bool {
	for _, accepted := range strings.Split(c.Request.Header.Get("Accept"), ",") {
		if media, parameters, err := mime.ParseMediaType(accepted); err == nil && media == wanted {
			return parameters["q"] != "0"
		}
	}
	return false
}
