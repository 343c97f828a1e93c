package events

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A verdict is what events say about a freelancer for a brief, weakest first. A stronger one replaces a weaker one.
type verdict int

const (
	unjudged verdict = iota
	skipped          // displayed above a freelancer who was chosen
	clicked
	contacted
	rejected // also after a contact: the client looked closer and decided
	hired
)

// grade returns the grade of tools/relevance for a verdict: 3 shortlist immediately, 2 good, 1 partly suitable,
// 0 unsuitable.
func (v verdict) grade() int {
	switch v {
	case hired:
		return 3
	case contacted:
		return 2
	case clicked:
		return 1
	default:
		return 0
	}
}

func verdictOf(t Type) verdict {
	switch t {
	case Hired:
		return hired
	case Rejected:
		return rejected
	case Contacted:
		return contacted
	case Clicked:
		return clicked
	default:
		return unjudged
	}
}

// judgeMatch returns the verdicts of one response. A freelancer who was only shown is judged unsuitable if somebody
// further down was clicked, contacted, hired or rejected: the client has then most likely looked at the freelancer, and
// passed on ("skip above", Joachims 2002). Freelancers further down may not have been looked at, so they stay unjudged.
func judgeMatch(events []Event) map[string]verdict {
	verdicts := map[string]verdict{}
	lowest := 0
	for _, e := range events {
		v := verdictOf(e.Type)
		verdicts[e.Freelancer] = max(verdicts[e.Freelancer], v)
		if v > unjudged {
			lowest = max(lowest, e.Rank)
		}
	}
	for _, e := range events {
		if e.Rank < lowest {
			verdicts[e.Freelancer] = max(verdicts[e.Freelancer], skipped)
		}
	}
	return verdicts
}

// Gains returns what came of the freelancers of one response, 0 to 1: the grade of the strongest event as a share of
// the best grade. Freelancers who were only shown, skipped or rejected are left out.
func Gains(events []Event) map[string]float64 {
	gains := map[string]float64{}
	for freelancer, v := range judgeMatch(events) {
		if grade := v.grade(); grade > 0 {
			gains[freelancer] = float64(grade) / float64(hired.grade())
		}
	}
	return gains
}

// A JudgedSet collects the briefs and judgments of matches with events. Matches with the same brief are one brief, and
// the strongest event about a freelancer counts.
type JudgedSet struct {
	briefs       map[string]*judgedBrief // by id
	withoutBrief int
}

type judgedBrief struct {
	account  string
	body     []byte
	verdicts map[string]verdict
}

// Add adds a match with its events. A match without a brief is only counted.
func (s *JudgedSet) Add(m Match, events []Event) error {
	if m.Brief == nil {
		s.withoutBrief++
		return nil
	}

	body, err := withoutPage(m.Brief)
	if err != nil {
		return fmt.Errorf("brief of match %s of %s: %w", m.ID, m.Account, err)
	}

	// The same brief of two accounts is two briefs.
	sum := sha256.Sum256(append([]byte(m.Account+"\n"), body...))
	id := "brief-" + hex.EncodeToString(sum[:8])

	if s.briefs == nil {
		s.briefs = map[string]*judgedBrief{}
	}
	b := s.briefs[id]
	if b == nil {
		b = &judgedBrief{m.Account, body, map[string]verdict{}}
		s.briefs[id] = b
	}

	for freelancer, v := range judgeMatch(events) {
		b.verdicts[freelancer] = max(b.verdicts[freelancer], v)
	}

	return nil
}

// withoutPage returns the body of a match request without the members that only choose a page of the matches or add
// explanations.
func withoutPage(brief []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(brief, &members); err != nil {
		return nil, err
	}
	for _, name := range []string{"limit", "offset", "explain", "details"} {
		delete(members, name)
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(members)
	return bytes.TrimSpace(body.Bytes()), err
}

// A Summary counts what a judged set has, and what it leaves out.
type Summary struct {
	Briefs       int
	Grades       [4]int // judgments by grade
	WithoutBrief int    // matches with events whose brief was not kept
	Unjudged     int    // freelancers whose events allow no judgment
}

// Write writes the briefs and judgments in the formats of tools/relevance. It leaves out briefs without a judgment.
func (s *JudgedSet) Write(briefs, judgments io.Writer) (Summary, error) {
	sum := Summary{WithoutBrief: s.withoutBrief}
	encoder := json.NewEncoder(briefs)
	encoder.SetEscapeHTML(false)

	if _, err := fmt.Fprintln(judgments, "brief_id\tfreelancer_id\tgrade"); err != nil {
		return sum, err
	}

	for _, id := range slices.Sorted(maps.Keys(s.briefs)) {
		b := s.briefs[id]
		judged := 0
		for _, freelancer := range slices.SortedFunc(maps.Keys(b.verdicts), func(a, c string) int {
			return cmp.Or(b.verdicts[c].grade()-b.verdicts[a].grade(), cmp.Compare(a, c))
		}) {
			v := b.verdicts[freelancer]
			if v == unjudged || strings.ContainsAny(freelancer, "\t\r\n") { // a cell of the file can't have those
				sum.Unjudged++
				continue
			}

			judged++
			sum.Grades[v.grade()]++
			if _, err := fmt.Fprintf(judgments, "%s\t%s\t%d\n", id, freelancer, v.grade()); err != nil {
				return sum, err
			}
		}

		if judged == 0 {
			continue
		}
		sum.Briefs++
		err := encoder.Encode(struct {
			ID       string          `json:"brief_id"`
			Category string          `json:"category"`
			Body     json.RawMessage `json:"body"`
		}{id, b.account, b.body})
		if err != nil {
			return sum, err
		}
	}

	return sum, nil
}
