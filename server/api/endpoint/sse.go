package endpoint

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

const (
	// HeartbeatEvery is the interval of heartbeats, because proxies close idle connections.
	HeartbeatEvery = 10 * time.Second
	// ProbeEvery is the interval of heartbeats to a client that closed its sending side. If it left, the second one
	// fails.
	ProbeEvery = time.Second
	// EventTime is the time limit for a client to receive one event.
	EventTime = 10 * time.Second
)

// An Event is one encoded event of a stream.
type Event struct {
	ID   string // for Last-Event-ID when the client reconnects; "" keeps the previous event's ID
	text []byte
}

// NewEvent encodes an event whose data is one line of JSON. The format is defined at
// https://html.spec.whatwg.org/multipage/server-sent-events.html.
func NewEvent(name, id string, data []byte) Event {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\n", name)
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "data: %s\n\n", bytes.TrimSpace(data))
	return Event{ID: id, text: b.Bytes()}
}

// An EventStream is a stream of server-sent events. The response starts with the first one. Methods must not be called
// concurrently.
type EventStream struct {
	call   *Call
	stream *Stream
}

// NewEventStream returns a stream that has not started.
func NewEventStream(call *Call) *EventStream {
	return &EventStream{call: call, stream: NewStream(call, EventTime)}
}

// Begun reports whether the response has started.
func (e *EventStream) Begun() bool { return e.call.Response.Written() }

// Send sends an event without buffering.
func (e *EventStream) Send(ev Event) error { return e.write(ev.text) }

// Heartbeat sends a comment, which clients ignore.
func (e *EventStream) Heartbeat() error { return e.write([]byte(": heartbeat\n\n")) }

func (e *EventStream) write(text []byte) error {
	if !e.Begun() {
		e.call.SetHeader("Content-Type", EventsType)
		e.call.SetHeader("Cache-Control", "no-store")
		e.call.SetHeader("X-Accel-Buffering", "no") // otherwise nginx buffers events
		e.call.Response.WriteHeader(http.StatusOK)
	}
	if _, err := e.stream.Write(text); err != nil {
		return err
	}
	return e.stream.Flush()
}

// End ends the response. The connection may serve further requests.
func (e *EventStream) End() error { return e.stream.End() }
