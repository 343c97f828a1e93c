// Package receive reads the bodies of requests: of which type they are, how large, and how fast they must arrive.
package receive

import (
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// A Body is complete and in memory, or has the error that the handler reports.
type Body struct {
	Data    []byte // of a form, the file
	Request []byte // of a form, the JSON beside the file; nil if there is none
	Err     error
	Release func() // returns the slot for receiving; nil if there is none; may be called repeatedly
}

// The codes of bodies that are rejected unread.
const (
	CodeBodyTooLarge         matching.Code = "body_too_large"
	CodeUnsupportedMediaType               = resume.CodeUnsupported
)
