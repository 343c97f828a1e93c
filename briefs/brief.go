// Package briefs keeps the briefs that accounts save, and the list of the best freelancers for each of them.
//
// A Watcher follows the changes of freelancers. It changes the lists, and announces who has entered one, who has left
// it, and who in it has become available. Package percolate decides which briefs a change concerns.
package briefs

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// The limits of a saved brief. The number of briefs of an account depends on its plan.
const (
	DefaultTop = 10
	MaxTop     = 50 // places that are watched

	MaxName    = 120      // characters of a name
	MaxRequest = 64 << 10 // bytes of the match
)

// The codes of errors.
const (
	CodeUnknown     matching.Code = "brief_not_found"
	CodeFull        matching.Code = "too_many_briefs"
	CodeUnsupported matching.Code = "watch_not_supported"
)

// The errors of a Store.
var (
	ErrNotFound = errors.New("no such brief")
	ErrFull     = errors.New("the account has as many briefs as it may have")
	// ErrWatched is returned if a brief was saved from the same project or result before.
	ErrWatched = errors.New("a brief was saved from it before")
	// ErrNotHolder is returned if another server watches the briefs.
	ErrNotHolder = errors.New("another server watches the briefs")
)

// A Brief is a brief that an account has saved.
type Brief struct {
	ID       string // "brf_" and 16 characters
	Account  string
	Settings Settings
	Created  time.Time
	Changed  time.Time
	Revision int64 // rises with each change
	// Origin is the ID of the project or of the result of the dashboard that the brief was saved from, or "".
	Origin string

	Matched time.Time // when its list last changed; zero before the first match
	People  []Person  // its list, the best first
}

// Settings are what an account chooses about a brief.
type Settings struct {
	Name    string
	Request json.RawMessage // the body of a match, without a page
	// Top is how many of the best freelancers are on the list. Of these, those below MinScore or MinLevel are left out.
	Top      int
	MinScore float64
	MinLevel matching.Level // "" for any
	Notify   bool           // webhook endpoints of the account get the events
	Closed   bool           // not watched, and not ranked for freelancers
}

// A Person is somebody on the list of a brief.
type Person struct {
	ID        string         `json:"id"`
	Rank      int            `json:"rank"` // in the ranking of all freelancers, from 1
	Score     float64        `json:"score"`
	Level     matching.Level `json:"level"`
	Available bool           `json:"available"`
	Since     time.Time      `json:"since"` // on the list
}
