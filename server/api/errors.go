package api

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

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/changes"
	"freelancer-matching/access/quota"
	"freelancer-matching/access/views"
	"freelancer-matching/events"
	"freelancer-matching/freelancers"
	"freelancer-matching/internal/admission"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/resume"
	"freelancer-matching/server/api/strictjson"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// The codes that only this package uses.
const (
	CodeMethodNotAllowed     matching.Code = "method_not_allowed"
	CodeBodyTooLarge         matching.Code = "body_too_large"
	CodeUnsupportedMediaType               = resume.CodeUnsupported
	CodeNotProcessed         matching.Code = "not_processed" // a brief of a batch that did not run
)

// statuses returns the HTTP status of every code that a client can receive.
func statuses() map[matching.Code]int {
	return map[matching.Code]int{
		strictjson.CodeMalformedJSON:     http.StatusBadRequest,
		CodeMalformedMultipart:           http.StatusBadRequest,
		apikey.CodeMissing:               http.StatusUnauthorized,
		apikey.CodeInvalid:               http.StatusUnauthorized,
		apikey.CodeDisabled:              http.StatusUnauthorized,
		apikey.CodeRevoked:               http.StatusUnauthorized,
		apikey.CodeExpired:               http.StatusUnauthorized,
		apikey.CodeOperation:             http.StatusForbidden,
		apikey.CodeNetwork:               http.StatusForbidden,
		apikey.CodePermission:            http.StatusForbidden,
		matching.CodeNotFound:            http.StatusNotFound,
		matching.CodeFreelancerUnknown:   http.StatusNotFound,
		interview.CodeSessionNotFound:    http.StatusNotFound,
		interview.CodeInvitationNotFound: http.StatusNotFound,
		CodeMethodNotAllowed:             http.StatusMethodNotAllowed,
		CodeUnknownHost:                  http.StatusMisdirectedRequest,
		interview.CodeSessionClosed:      http.StatusConflict,
		interview.CodeSessionOpen:        http.StatusConflict,
		interview.CodeSessionChanged:     http.StatusConflict,
		interview.CodeTooManySessions:    http.StatusConflict,
		interview.CodeStorageFull:        http.StatusConflict,
		interview.CodeIdempotency:        http.StatusConflict,
		events.CodeFull:                  http.StatusConflict,
		freelancers.CodeErased:           http.StatusConflict,
		freelancers.CodeContended:        http.StatusConflict,
		freelancers.CodeNoData:           http.StatusConflict,
		freelancers.CodeVersion:          http.StatusPreconditionFailed,
		CodeBodyTooLarge:                 http.StatusRequestEntityTooLarge,
		CodeUnsupportedMediaType:         http.StatusUnsupportedMediaType,
		matching.CodeInvalid:             http.StatusUnprocessableEntity,
		validate.CodeWrongType:           http.StatusUnprocessableEntity,
		validate.CodeUnknownField:        http.StatusUnprocessableEntity,
		resume.CodeNoText:                http.StatusUnprocessableEntity,
		resume.CodeEncrypted:             http.StatusUnprocessableEntity,
		resume.CodeCorrupt:               http.StatusUnprocessableEntity,
		resume.CodeTooComplex:            http.StatusUnprocessableEntity,
		CodeIncompleteBody:               http.StatusRequestTimeout,
		admission.CodeTooManyConcurrent:  http.StatusTooManyRequests,
		quota.CodeRateLimit:              http.StatusTooManyRequests,
		quota.CodeQuota:                  http.StatusTooManyRequests,
		quota.CodeTooManyFailures:        http.StatusTooManyRequests,
		views.CodeLimit:                  http.StatusTooManyRequests,
		changes.CodeLimit:                http.StatusTooManyRequests,
		matching.CodeInternal:            http.StatusInternalServerError,
		freelancers.CodeReadOnly:         http.StatusNotImplemented,
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

const (
	problemType = "application/problem+json"
	// statusClientGone is the status in the access log when the client left before the end of a stream, or read it too
	// slowly. It is never sent.
	statusClientGone  = 499
	defaultRetryAfter = time.Second
)

// errClientGone reports that a stream can't be written.
var errClientGone = errors.New("the client left")

// writeErrors responds to every request whose handler or middleware failed.
func (s *Server) writeErrors(c *gin.Context) {
	c.Next()
	if last := c.Errors.Last(); last != nil {
		s.writeError(c, last.Err)
	}
}

func (s *Server) writeError(c *gin.Context, err error) {
	if errors.Is(err, errClientGone) {
		c.Set(contextGone, true)
		return
	}

	e := s.publicError(c.Request.Context(), requestID(c), err)
	c.Set(contextCode, string(e.Code))
	status := s.statuses[e.Code]

	if c.Writer.Written() {
		panic(http.ErrAbortHandler) // cuts the connection: a truncated stream must not look complete
	}

	if c.Request.ContentLength != 0 && status != http.StatusRequestTimeout {
		limitDiscard(c)
	}
	wait := e.RetryAfter
	if wait <= 0 && (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) {
		wait = defaultRetryAfter
	}

	if wait > 0 {
		c.Header("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}

	if status == http.StatusUnauthorized {
		c.Header("WWW-Authenticate", "ApiKey")
	}

	if accepts(c.Request, problemType) {
		err = writeJSON(c, status, problemType, wire.Problem{
			Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: e.Message, Code: e.Code,
			Errors: wire.OrEmpty(e.Details), RequestID: requestID(c),
		})
	} else {
		err = writeJSON(c, status, jsonType, wire.NewFailure(requestID(c), e))
	}

	if err != nil {
		s.deps.Log.Debug("response not sent", "request_id", requestID(c), "error", err)
	}
}

// publicError returns the part of an error that the client may see. It logs the whole error if the server is at fault.
func (s *Server) publicError(ctx context.Context, requestID string, err error) *matching.Error {
	e := withoutInternals(err)
	if s.statuses[e.Code] >= http.StatusInternalServerError {
		s.deps.Log.LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("request_id", requestID), slog.String("code", string(e.Code)), slog.Any("error", err))
	}
	return e
}

// withoutInternals returns the part of an error that the client may see. Errors without a code, or with a code that has
// no status, become CodeInternal.
func withoutInternals(err error) *matching.Error {
	e, coded := errors.AsType[*matching.Error](err)
	switch {
	case coded && e.Code != matching.CodeInternal && statuses()[e.Code] != 0:
		return e
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

// accepts reports whether the Accept header names a media type; wildcards don't count.
func accepts(r *http.Request, wanted string) bool {
	for _, accepted := range strings.Split(r.Header.Get("Accept"), ",") {
		if media, parameters, err := mime.ParseMediaType(accepted); err == nil && media == wanted {
			return parameters["q"] != "0"
		}
	}
	return false
}
