package api

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// The parts of a session's stream, in their order, and the letters for them in ids.
const (
	partSession = iota
	partQuestions
	partJudgements
	partResult

	partLetters = "sqjr"
)

// place is where an event stands in the stream of a session that is told from its beginning.
type place struct {
	session string
	part    int
	number  int // of the question, from 1
}

func questionPlace(session, id string) place  { return place{session, partQuestions, numberOf(id)} }
func judgementPlace(session, id string) place { return place{session, partJudgements, numberOf(id)} }

// numberOf is that of a question's id, 3 of q3; 0 of any other text.
func numberOf(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "q"))
	return n
}

// id is that of an event with data, such as 0f…:q3:1a2b3c4d. Other data at the same place have another id.
func (p place) id(data []byte) string {
	sum := sha256.Sum256(data)
	return p.session + ":" + partLetters[p.part:p.part+1] + strconv.Itoa(p.number) + ":" + hex.EncodeToString(sum[:4])
}

// placeOf is the place of an event with an id; false for what is none.
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

// resumption leaves out what a client that came again has: everything up to the event with the id that it names, where that event
// is made again. Where it is not, or comes out different, because another judge took over or the work begins anew, nothing is left
// out. Events are held back only until that is known.
type resumption struct {
	id   string
	at   place
	held []event
	over bool
}

// newResumption is one for the Last-Event-ID of a request. After a result there is nothing to resume.
func newResumption(id string) resumption {
	at, ok := placeOf(id)
	return resumption{id: id, at: at, over: !ok || at.part == partResult}
}

// next is what is to be sent now that an event was made.
func (r *resumption) next(p place, e event) []event {
	if r.over {
		return []event{e}
	}
	r.held = append(r.held, e)
	if p.session == r.at.session && p.compare(r.at) < 0 {
		return nil
	}
	r.over = true
	if e.id == r.id {
		r.held = nil
	}
	return r.rest()
}

// rest is what was held back.
func (r *resumption) rest() []event {
	held := r.held
	r.held = nil
	return held
}
