package wire

import "github.com/freelancer-matching/service/internal/matching"

// Failure is the wire form of an error.
type Failure struct {
	Status    string       `json:"status"` // error
	Error     FailureError `json:"error"`
	Detail    string       `json:"detail"` // the message again, where clients of the older service look for it
	RequestID string       `json:"request_id"`
}

// A FailureError says what went wrong.
type FailureError struct {
	Code    matching.Code         `json:"code"`
	Message string                `json:"message"`
	Details []matching.FieldError `json:"details"`
}

// A Problem is the RFC 9457 form of an error, for clients that accept application/problem+json.
type Problem struct {
	Type      string                `json:"type"` // always about:blank; Code identifies the problem
	Title     string                `json:"title"`
	Status    int                   `json:"status"`
	Detail    string                `json:"detail"`
	Code      matching.Code         `json:"code"`
	Errors    []matching.FieldError `json:"errors"`
	RequestID string                `json:"request_id"`
}

// NewFailure returns an error as clients see it.
func NewFailure(requestID string, e *matching.Error) Failure {
	return Failure{
		Status: "error", Error: FailureError{Code: e.Code, Message: e.Message, Details: OrEmpty(e.Details)},
		Detail: e.Message, RequestID: requestID,
	}
}
