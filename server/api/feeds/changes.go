package feeds

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

const (
	// StreamTime is how long a stream of changes lasts. Clients reconnect and continue where it ended.
	StreamTime = time.Hour
	// MaxChanges is the size of the largest page, and defaultChanges that of a page without a limit.
	MaxChanges     = 1000
	defaultChanges = 100
	// drainEvery is the interval at which a stream looks whether the server shuts down.
	drainEvery = 500 * time.Millisecond

	headerLastEventID = "Last-Event-ID"
)

// Feed has the changes of freelancers; see feed.Service.
type Feed interface {
	Since(ctx context.Context, after int64, limit int) (feed.Page, error)
	Grown() <-chan struct{}
}

// Changes handles the list and the stream of changes.
type Changes struct {
	Feed     Feed
	Streams  *admission.Gate // limits open streams
	Draining func() bool     // whether the server shuts down
	// Recheck returns an error if the key of a call no longer allows it.
	Recheck func(ctx context.Context, call *endpoint.Call) error
}

// List handles GET /changes. Clients that ask for events get a stream.
func (h *Changes) List(ctx context.Context, call *endpoint.Call) error {
	if call.Accepts(endpoint.EventsType) {
		return h.Stream(ctx, call)
	}

	var faults validate.Faults
	query := call.Query(&faults, "limit", "cursor")
	limit := defaultChanges
	if text, ok := query["limit"]; ok {
		limit = int(validate.WholeNumber(&faults, "limit", text, 1, MaxChanges))
	}
	after := parseCursor(&faults, "cursor", query["cursor"])
	if err := faults.Err(); err != nil {
		return err
	}

	page, err := h.Feed.Since(ctx, after, limit)
	if err != nil {
		return err
	}
	answer := wire.ChangeListAnswer{
		Status: "success", Data: make([]wire.Change, len(page.Changes)), NextCursor: strconv.FormatInt(page.Next, 10),
		HasMore: page.More, RequestID: call.ID,
	}
	for i := range page.Changes {
		answer.Data[i] = wire.NewChange(&page.Changes[i])
	}
	if page.More {
		call.LinkNext("cursor", answer.NextCursor)
	}
	answer.TookMS = call.TookMS()
	return call.WriteJSON(http.StatusOK, endpoint.JSONType, answer)
}

// parseCursor returns the number in a cursor, or feed.Newest for "".
func parseCursor(faults *validate.Faults, field, text string) int64 {
	if text == "" {
		return feed.Newest
	}
	after, err := strconv.ParseInt(text, 10, 64)
	if err != nil || after < 0 || after == feed.Newest {
		faults.Add(field, "invalid_value",
			"%s must be the next_cursor of a response or the id of an event; omit it to begin with later changes.", field)
	}
	return after
}

// Stream handles GET /changes/stream. It sends changes as they happen.
func (h *Changes) Stream(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	query := call.Query(&faults, "cursor")
	after := parseCursor(&faults, "cursor", query["cursor"])

	// A client that reconnects sends the ID of the last event that it got, and the first cursor once more.
	if last := call.Request.Header.Get(headerLastEventID); last != "" {
		after = parseCursor(&faults, headerLastEventID, last)
	}
	if err := faults.Err(); err != nil {
		return err
	}

	leave, err := h.Streams.Enter(ctx, call.Caller.Account)
	if err != nil {
		return err
	}
	defer leave()

	st := &changeStream{Changes: h, call: call, events: endpoint.NewEventStream(call), after: after}
	err = st.run(ctx)
	clientLeft := errors.Is(err, endpoint.ErrClientGone)
	if err == nil || clientLeft || !st.events.Begun() {
		return err
	}

	// The status is sent already, so the error becomes the last event.
	public := call.PublicError(ctx, err)
	call.Code = public.Code
	data, encodeErr := wire.Encode(wire.NewFailure(call.ID, public))
	if err := cmp.Or(encodeErr, st.events.Send(endpoint.NewEvent("error", "", data))); err != nil {
		return err
	}
	return st.events.End()
}

// A changeStream is a stream of changes to one client.
type changeStream struct {
	*Changes
	call   *endpoint.Call
	events *endpoint.EventStream
	after  int64 // number of the last change sent
}

// run sends changes until the client leaves, the server shuts down, or the time of streams ends.
func (st *changeStream) run(ctx context.Context) error {
	every := endpoint.HeartbeatEvery
	closed := st.call.Closed
	silence := time.NewTimer(0) // the first heartbeat tells the client that the stream has begun
	defer silence.Stop()
	drain := time.NewTicker(drainEvery)
	defer drain.Stop()

	var grown <-chan struct{}
	for {
		if grown == nil {
			grown = st.Feed.Grown() // before reading, so that nothing is missed in between
			if err := st.sendNew(ctx); err != nil {
				return err
			}
		}

		select {
		case <-ctx.Done():
			return st.events.End()
		case <-grown:
			grown = nil
			continue
		case <-drain.C:
			if st.Draining() {
				return st.events.End()
			}
			continue
		case <-closed:
			// The client may have closed its sending side only. Frequent heartbeats show soon whether it has left.
			every = endpoint.ProbeEvery
			closed = nil
		case <-silence.C:
			if err := st.Recheck(ctx, st.call); err != nil {
				return err
			}
			if err := st.events.Heartbeat(); err != nil {
				return err
			}
		}
		silence.Reset(every)
	}
}

// sendNew sends the changes that the client doesn't have.
func (st *changeStream) sendNew(ctx context.Context) error {
	for {
		page, err := st.Feed.Since(ctx, st.after, MaxChanges)
		if err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // the time of streams has ended
			}
			return err
		}
		for i := range page.Changes {
			c := &page.Changes[i]
			data, err := wire.Encode(wire.NewChange(c))
			if err != nil {
				return err
			}
			if err := st.events.Send(endpoint.NewEvent("change", strconv.FormatInt(c.Sequence, 10), data)); err != nil {
				return err
			}
		}
		st.after = page.Next
		if !page.More {
			return nil
		}
	}
}
