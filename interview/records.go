package interview

import (
	"errors"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Summary describes a session without questions and answers.
type Summary struct {
	SessionID      string
	Freelancer     Person
	JobTitle       string // of the project
	Project        string // description of the project
	Mode           Mode   // that the session started with; Full for Questions
	State          State
	Language       string // ISO 639-1
	Begun          time.Time
	Evaluated      time.Time // zero for an open session
	Expires        time.Time
	Questions      int // so far
	Answered       int // not counting skipped questions
	Overall        matching.Optional[int]
	Points         *Points // covered by the answers; nil for an open session
	Recommendation matching.Optional[bool]
}

// A Page is a part of the list of sessions.
type Page struct {
	Sessions []Summary
	Damaged  int   // sessions left out because their stored data can't be read
	Next     Place // where the next page begins; zero on the last page
}

// ErrDamaged is the error for a session whose stored data can't be read.
var ErrDamaged = errors.New("the stored data of the session is damaged")
