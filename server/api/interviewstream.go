package api

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/interview"
)

// queuedEvents is how many events wait for a slow client before the interview waits with them: more than there are of one request,
// but for the longest ones.
const queuedEvents = 128

// sessionEvent is the data of the event session, which comes first.
type sessionEvent struct {
	SessionID string         `json:"session_id"`
	Mode      interview.Mode `json:"mode"`
}

// interviewStream sends the steps of an interview as they are made: session, question, judgement, and at last result or error.
type interviewStream struct {
	events *events
	mode   interview.Mode
	leave  func() // ends the work for a client that has gone; nil: it goes on
	queue  chan event
	ended  chan struct{} // closed once nothing is sent by run any more
	last   string        // id of the last event that was sent
	gone   bool          // the client does not take anything any more

	resume resumption
	began  bool  // the event session was made
	fault  error // of making an event
}

// streamInterview answers with events. A failure before the first of them, and before the first heartbeat, is answered as any other.
func (s *Server) streamInterview(ctx context.Context, c *gin.Context, r interview.Request) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	st := &interviewStream{
		events: newEvents(c), mode: r.Mode, queue: make(chan event, queuedEvents), ended: make(chan struct{}),
		resume: newResumption(c.GetHeader(headerLastEventID)),
	}
	if r.IdempotencyKey == "" { // see interviewContext
		st.leave = leave
	}
	result, err := st.conduct(ctx, s.deps.Interviewer, r)
	switch {
	case st.gone && err == nil: // what was made is kept for when the client comes back
		c.Status(statusClientGone)
		return nil
	case err == nil:
		return st.finish(c, &result)
	case st.gone, !st.events.begun(), errors.Is(c.Request.Context().Err(), context.Canceled):
		return err
	}
	data, err := encode(wireFailure(c, s.noted(c, err)))
	if err == nil {
		err = st.events.send(newEvent("error", st.last, data))
	}
	if err != nil {
		return err
	}
	return st.events.end()
}

// conduct conducts the interview while what it makes is sent. When it returns, or panics, run has ended.
func (st *interviewStream) conduct(ctx context.Context, i Interviewer, r interview.Request) (interview.Result, error) {
	go st.run()
	defer func() {
		close(st.queue)
		<-st.ended
	}()
	result, err := i.Conduct(ctx, r, func(e interview.Event) {
		for _, made := range st.make(e) {
			st.queue <- made
		}
	})
	return result, errors.Join(err, st.fault)
}

// run sends what is made, and a heartbeat where nothing is, until the queue is closed.
func (st *interviewStream) run() {
	defer close(st.ended)
	silence := time.NewTimer(heartbeatEvery)
	defer silence.Stop()
	for {
		var err error
		select {
		case e, open := <-st.queue:
			if !open {
				return
			}
			if !st.gone {
				err = st.send(e)
			}
		case <-silence.C:
			if !st.gone {
				err = st.events.heartbeat()
			}
		}
		silence.Reset(heartbeatEvery)
		if err != nil {
			st.gone = true
			if st.leave != nil {
				st.leave()
			}
		}
	}
}

func (st *interviewStream) send(e event) error {
	if err := st.events.send(e); err != nil {
		return err
	}
	st.last = e.id
	return nil
}

// make is the events of a step that are to be sent now. They are encoded here, where nobody else touches what they tell.
func (st *interviewStream) make(e interview.Event) []event {
	list := st.begin(e.SessionID)
	switch {
	case e.Question != nil:
		list = append(list, st.next("question", questionPlace(e.SessionID, e.Question.ID), wireQuestion(e.Question))...)
	case e.Score != nil:
		list = append(list, st.next("judgement", judgementPlace(e.SessionID, e.Score.Question), wireJudgment(e.Score))...)
	}
	return list
}

// begin is the event session, once.
func (st *interviewStream) begin(session string) []event {
	if st.began {
		return nil
	}
	st.began = true
	return st.next("session", place{session: session}, sessionEvent{session, st.mode})
}

func (st *interviewStream) next(name string, p place, v any) []event {
	data, err := encode(v)
	if err != nil {
		st.fault = err
		return nil
	}
	return st.resume.next(p, newEvent(name, p.id(data), data))
}

// finish sends what was held back from a client that came again, and the result.
func (st *interviewStream) finish(c *gin.Context, r *interview.Result) error {
	data, err := encode(wireInterview(c, r))
	if err != nil {
		return err
	}
	list := append(st.begin(r.SessionID), st.resume.rest()...)
	for _, e := range append(list, newEvent("result", place{session: r.SessionID, part: partResult}.id(nil), data)) {
		if err := st.send(e); err != nil {
			return err
		}
	}
	return st.events.end()
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := newEncoder(&b).Encode(v)
	return b.Bytes(), err
}
