package sessions

import (
	"fmt"
	"time"

	"github.com/freelancer-matching/service/interview"
)

// A position identifies a result of a session, so that the result of a request with an Idempotency-Key isn't stored a
// second time. A session only ever grows: an earlier result has its first questions, answers and notices.
type position struct {
	Format                      int // positionFormat
	Mode                        interview.Mode
	Questions, Answers, Notices int
	Evaluated                   bool
	Expires                     time.Time
}

// positionFormat distinguishes a position from a complete Result, which earlier releases stored.
const positionFormat = 1

// position returns the position of the session's current result for a request with mode m.
func (se *session) position(m interview.Mode) position {
	return position{
		positionFormat, m, len(se.Questions), len(se.Answers), len(se.Notices), se.Evaluation != nil, se.record.Expires,
	}
}

// resultAt returns an earlier result of the session.
func (se *session) resultAt(p *position) (*interview.Result, error) {
	lacksEntries := p.Questions > len(se.Questions) || p.Answers > len(se.Answers) || p.Notices > len(se.Notices)
	lacksEvaluation := p.Evaluated && se.Evaluation == nil
	if lacksEntries || lacksEvaluation {
		return nil, fmt.Errorf("session %s lacks a part of an earlier result", se.record.ID)
	}

	earlier := *se
	earlier.Questions = firstOf(se.Questions, p.Questions)
	earlier.Answers = firstOf(se.Answers, p.Answers)
	earlier.Notices = firstOf(se.Notices, p.Notices)
	earlier.record.Expires = p.Expires
	if !p.Evaluated {
		earlier.Evaluation = nil
	}
	r := earlier.result(p.Mode)
	return &r, nil
}

// firstOf returns the first n elements of a list, or nil if n is 0.
func firstOf[T any](list []T, n int) []T {
	if n == 0 {
		return nil
	}
	return list[:n]
}
