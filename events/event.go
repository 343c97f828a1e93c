// Package events stores what clients report about the freelancers of their matches: who was shown, clicked, contacted,
// hired or rejected. An event is accepted only if the account received that freelancer in that response, which a record
// of each match proves. Judge turns events into judgments for the relevance tools.
package events

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Type is what became of a freelancer.
type Type string

// The types.
const (
	Shown     Type = "shown"     // the client displayed the freelancer
	Clicked   Type = "clicked"   // somebody opened the profile
	Contacted Type = "contacted" // the client wrote to the freelancer
	Hired     Type = "hired"
	Rejected  Type = "rejected" // the client decided against the freelancer
)

// Types returns all types.
func Types() []Type { return []Type{Shown, Clicked, Contacted, Hired, Rejected} }

// An Event is an event about one freelancer in one response. Of each account, match, freelancer and type, one event is
// stored, so clients can send an event any number of times.
type Event struct {
	Account    string // id, or the counter of a key without an account
	Match      string // request ID
	Freelancer string // ID
	Type       Type
	At         time.Time
	Rank       int // of the freelancer among all matches of the brief, from 1; the Service sets it
}

// A Match records a response with matches, so that events about it can be checked.
type Match struct {
	Account     string // id, or the counter of a key without an account
	ID          string // request ID
	At          time.Time
	Offset      int               // number of better matches that were not in the response
	Freelancers []uint64          // Hash of each freelancer's ID, best first; 0 for one who was erased
	Scores      []float64         // of the freelancers, 0 to 1; nil for matches of earlier releases
	Brief       []byte            // the body of the request, for accounts that have agreed; otherwise nil
	Versions    matching.Versions // zero for matches of earlier releases
	// Lesson is what learning needs, of Lesson.Encode; nil unless the account allows it.
	Lesson []byte
}

// Forget removes the freelancer at an index from the record, and from its lesson.
func (m *Match) Forget(i int) {
	m.Freelancers[i] = 0
	m.Lesson = forgetLesson(m.Lesson, i)
}

// rank returns the rank of a freelancer, or 0 if the response didn't have the freelancer.
func (m *Match) rank(freelancer string) int {
	i := slices.Index(m.Freelancers, Hash(freelancer))
	if i < 0 {
		return 0
	}
	return m.Offset + i + 1
}

// Hash returns the first 64 bits of the SHA-256 of a freelancer's ID. It is never 0.
func Hash(freelancer string) uint64 {
	sum := sha256.Sum256([]byte(freelancer))
	return max(1, binary.BigEndian.Uint64(sum[:]))
}

const (
	// Window is the time after a match in which its first event must arrive. Later events are accepted as long as one is
	// stored.
	Window = 30 * 24 * time.Hour
	// MaxMatches is the number of matches without events that are kept of an account, the newest.
	MaxMatches = 100_000
	// MaxEvents is the number of events that an account can store.
	MaxEvents = 1_000_000
)

// CodeFull is the error code of a request whose events would exceed MaxEvents.
const CodeFull matching.Code = "events_full"

// ErrFull reports that an account would have too many events.
var ErrFull = errors.New("the account has reached its limit of events")

// An Agreement is what an account, or a key without an account, has agreed to.
type Agreement struct {
	Account string // as in Match
	Briefs  bool   // its briefs are kept
	Swaps   bool   // coins decide the order of neighbors, and a ranking is learned from what its clients choose
}

// A Store stores matches and events.
type Store interface {
	// AddMatches stores matches, which differ in account or ID. A match replaces an earlier one with the same ID unless
	// that has events. AddMatches drops the briefs and lessons of accounts that have not agreed.
	AddMatches(ctx context.Context, matches []Match) error
	// Matches returns the matches of an account that have one of the IDs, without briefs.
	Matches(ctx context.Context, account string, ids []string) ([]Match, error)
	// AddEvents stores those of an account's events, which differ, that are not stored yet, and reports for each whether
	// it was new. If the account would then have more than limit events, it stores none and returns ErrFull.
	AddEvents(ctx context.Context, account string, events []Event, limit int) (added []bool, err error)
	// Agreements returns what accounts have agreed to, in the order of their IDs. Others have agreed to nothing.
	Agreements(ctx context.Context) ([]Agreement, error)
}

// An Observer counts events. Implementations must be safe for concurrent use.
type Observer interface {
	// Event counts an event by its outcome: recorded, duplicate or rejected.
	Event(t Type, outcome string)
	// MatchesDropped counts matches that were not recorded, because the store failed or was too slow.
	MatchesDropped(n int)
}
