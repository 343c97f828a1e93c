package interviews

import (
	"context"
	"errors"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/wire"
)

// QueuedEvents is the number of events that can wait for a slow client before the interview waits, too. All but the
// longest interviews have fewer events.
const QueuedEvents = 128

// An interviewStream sends the events of an interview as they happen: session, question, judgement, and finally result
// or error.
type interviewStream struct {
	events *endpoint.EventStream
	mode   interview.Mode
	view   wire.View
	leave  func()          // stops the work when the client leaves; nil if the work continues
	closed <-chan struct{} // closed when the client closed its sending side, or left
	queue  chan endpoint.Event
	ended  chan struct{} // closed when run returns
	last   string        // ID of the last event sent
	gone   bool          // the client left

	resume resumption
	began  bool  // the event session was created
	err    error // from encoding an event
}

// stream responds with events. An error before the first event or heartbeat becomes an ordinary error
// response.
//
// Unlike other responses, a stream shows whether the client is still there. The work stops when it isn't, because
// language models cost money. With an Idempotency-Key, the work is finished: the client may repeat the request and
// receive the result.
func (h *Handlers) stream(ctx context.Context, call *endpoint.Call, r interview.Request, v wire.View) error {
	work, leave := context.WithCancel(ctx)
	defer leave()

	st := &interviewStream{
		events: endpoint.NewEventStream(call), mode: r.Mode, view: v,
		queue: make(chan endpoint.Event, QueuedEvents), ended: make(chan struct{}),
		resume: newResumption(call.Request.Header.Get(HeaderLastEventID)), closed: call.Closed,
	}
	if r.IdempotencyKey == "" {
		st.leave = leave
	}

	result, err := st.conduct(work, h.Interviewer, r)
	switch {
	case st.gone:
		return endpoint.ErrClientGone
	case err == nil:
		return st.finish(call, &result)
	case !st.events.Begun():
		return err
	}

	// The status is sent already, so the error becomes the last event.
	public := call.PublicError(ctx, err)
	call.Code = public.Code
	data, err := wire.Encode(wire.NewFailure(call.ID, public))
	if err == nil {
		err = st.events.Send(endpoint.NewEvent("error", st.last, data))
	}
	if err != nil {
		return err
	}

	return st.events.End()
}

// conduct conducts the interview and meanwhile sends its events. Even if it panics, it waits for run to return.
func (st *interviewStream) conduct(ctx context.Context, i Interviewer, r interview.Request) (interview.Result, error) {
	go st.run()
	defer func() {
		close(st.queue)
		<-st.ended
	}()
	result, err := i.Conduct(ctx, r, func(e interview.Event) {
		for _, created := range st.eventsOf(e) {
			st.queue <- created
		}
	})
	return result, errors.Join(err, st.err)
}

// run sends the events in the queue until it is closed, and heartbeats while it is empty.
func (st *interviewStream) run() {
	defer close(st.ended)

	every := endpoint.HeartbeatEvery
	closed := st.closed
	silence := time.NewTimer(every)
	defer silence.Stop()

	for {
		var err error
		select {
		case e, open := <-st.queue:
			if !open {
				return
			}
			// If the client is gone, events are dropped, because work with an Idempotency-Key is finished and must not block.
			if !st.gone {
				err = st.send(e)
			}

		case <-silence.C:
			if !st.gone {
				err = st.events.Heartbeat()
			}

		case <-closed:
			// The client may have closed its sending side only. Frequent heartbeats show soon whether it has left.
			every = endpoint.ProbeEvery
			closed = nil
		}

		silence.Reset(every)
		if err != nil {
			st.gone = true
			if st.leave != nil {
				st.leave()
			}
		}
	}
}

func (st *interviewStream) send(e endpoint.Event) error {
	if err := st.events.Send(e); err != nil {
		return err
	}
	st.last = e.ID
	return nil
}

// eventsOf returns the events to send for a step. It encodes them immediately, because the interview may change the
// values afterward.
func (st *interviewStream) eventsOf(e interview.Event) []endpoint.Event {
	list := st.begin(e.SessionID)
	switch {
	case e.Question != nil:
		list = append(list, st.next("question", questionPlace(e.SessionID, e.Question.ID), st.view.Question(*e.Question))...)
	case e.Score != nil && st.view == wire.FullView:
		list = append(list, st.next("judgement", judgmentPlace(e.SessionID, e.Score.Question), wire.NewJudgment(*e.Score))...)
	}
	return list
}

// begin returns the event session on the first call.
func (st *interviewStream) begin(session string) []endpoint.Event {
	if st.began {
		return nil
	}
	st.began = true
	return st.next("session", place{session: session}, wire.SessionEvent{SessionID: session, Mode: st.mode})
}

// next creates an event and returns the events to send now.
func (st *interviewStream) next(name string, p place, v any) []endpoint.Event {
	data, err := wire.Encode(v)
	if err != nil {
		st.err = err
		return nil
	}
	return st.resume.next(p, endpoint.NewEvent(name, p.id(data), data))
}

// finish sends the events that were held back for a reconnected client, and the result.
func (st *interviewStream) finish(call *endpoint.Call, r *interview.Result) error {
	data, err := wire.Encode(endpoint.NewAnswer(call, st.view.Interview(r, call.Now())))
	if err != nil {
		return err
	}
	list := append(st.begin(r.SessionID), st.resume.rest()...)
	for _, e := range append(list, endpoint.NewEvent("result", place{session: r.SessionID, part: partResult}.id(nil),
		data)) {
		if err := st.send(e); err != nil {
			return err
		}
	}

	return st.events.End()
}
