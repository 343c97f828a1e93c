package events

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// A DecisionLog writes matches as lines of JSON: when and for which account the system ranked whom, which versions did
// it, and what the client reported.
type DecisionLog struct{ encoder *json.Encoder }

// NewDecisionLog returns a log that writes to w.
func NewDecisionLog(w io.Writer) *DecisionLog {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return &DecisionLog{encoder}
}

// decision is a line of the log.
type decision struct {
	Account     string             `json:"account"`
	Request     string             `json:"request_id"`
	At          time.Time          `json:"at"`
	Versions    *matching.Versions `json:"versions"` // null for matches of earlier releases
	Brief       json.RawMessage    `json:"brief,omitempty"`
	Freelancers []decided          `json:"freelancers"`
	Events      []reported         `json:"events"`
}

// decided is a freelancer in a response.
type decided struct {
	Rank  int      `json:"rank"`
	Hash  string   `json:"id_hash"` // the first 8 bytes of the SHA-256 of the ID; "" for a freelancer who was erased
	Score *float64 `json:"score"`   // null for matches of earlier releases
}

// reported is an event about a freelancer.
type reported struct {
	At         time.Time `json:"at"`
	Type       Type      `json:"type"`
	Freelancer string    `json:"freelancer_id"`
	Rank       int       `json:"rank"`
}

// Add writes a match with the events about it.
func (l *DecisionLog) Add(m Match, events []Event) error {
	d := decision{
		Account: m.Account, Request: m.ID, At: m.At, Brief: m.Brief, Freelancers: make([]decided, len(m.Freelancers)),
		Events: make([]reported, len(events)),
	}
	if m.Versions != (matching.Versions{}) {
		d.Versions = &m.Versions
	}

	hasScores := len(m.Scores) == len(m.Freelancers)
	for i, hash := range m.Freelancers {
		d.Freelancers[i].Rank = m.Offset + i + 1
		if hash != 0 {
			d.Freelancers[i].Hash = fmt.Sprintf("%016x", hash)
		}
		if hasScores {
			d.Freelancers[i].Score = &m.Scores[i]
		}
	}

	for i, e := range events {
		d.Events[i] = reported{e.At, e.Type, e.Freelancer, e.Rank}
	}

	return l.encoder.Encode(d)
}
