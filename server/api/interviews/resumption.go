package interviews

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/server/api/endpoint"
)

// The parts of a session's stream, in order, and their letters in event IDs.
const (
	partSession = iota
	partQuestions
	partJudgments
	partResult

	partLetters = "sqjr"
)

// A place is the position of an event in the complete stream of a session.
type place struct {
	session string
	part    int
	number  int // of the question, from 1
}

func questionPlace(session, id string) place { return place{session, partQuestions, numberOf(id)} }
func judgmentPlace(session, id string) place { return place{session, partJudgments, numberOf(id)} }

// numberOf returns the number in a question's ID, such as 3 in q3, or 0 if the ID has another form.
func numberOf(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "q"))
	return n
}

// id returns the ID of an event with this data, such as 0f…:q3:1a2b3c4d. Different data at the same place has a
// different ID.
func (p place) id(data []byte) string {
	sum := sha256.Sum256(data)
	return p.session + ":" + partLetters[p.part:p.part+1] + strconv.Itoa(p.number) + ":" + hex.EncodeToString(sum[:4])
}

// placeOf returns the place in an event ID, and whether the ID is well formed.
func placeOf(id string) (place, bool) {
	fields := strings.Split(id, ":")
	if len(fields) != 3 || len(fields[1]) < 2 {
		return place{}, false
	}
	part := strings.Index(partLetters, fields[1][:1])
	n, err := strconv.Atoi(fields[1][1:])
	return place{fields[0], part, n}, part >= 0 && err == nil
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.part, q.part), cmp.Compare(p.number, q.number))
}

// A resumption skips the events that a reconnected client already has: all events up to the one whose ID it sent, if
// the repeated interview produces that event again. If it doesn't, or the event has different data because another
// judge took over, nothing is skipped. Until that is known, events are held back.
type resumption struct {
	id   string
	at   place
	held []endpoint.Event
	over bool // the remaining events are sent immediately
}

// newResumption returns the resumption for a Last-Event-ID header. If it names the result, the stream starts over.
func newResumption(id string) resumption {
	at, ok := placeOf(id)
	return resumption{id: id, at: at, over: !ok || at.part == partResult}
}

// next returns the events to send now, after e was created at p.
func (r *resumption) next(p place, e endpoint.Event) []endpoint.Event {
	if r.over {
		return []endpoint.Event{e}
	}
	r.held = append(r.held, e)
	if p.session == r.at.session && p.compare(r.at) < 0 {
		return nil
	}
	r.over = true
	if e.ID == r.id {
		r.held = nil
	}
	return r.rest()
}

// rest returns the events that were held back.
func (r *resumption) rest() []endpoint.Event {
	held := r.held
	r.held = nil
	return held
}
