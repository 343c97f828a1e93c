package api

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	eventsType = "text/event-stream"
	// heartbeatEvery is the interval of heartbeats, because proxies close idle connections.
	heartbeatEvery = 10 * time.Second
	// probeEvery is the interval of heartbeats to a client that closed its sending side. If it left, the second one
	// fails.
	probeEvery = time.Second
	// eventTime is the time limit for a client to receive one event.
	eventTime = 10 * time.Second
)

// An event is one encoded event of a stream.
type event struct {
	id   string // for Last-Event-ID when the client reconnects; "" keeps the previous event's ID
	text []byte
}

// newEvent encodes an event whose data is one line of JSON. The format is defined at
// https://html.spec.whatwg.org/multipage/server-sent-events.html.
func newEvent(name, id string, data []byte) event {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\n", name)
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "data: %s\n\n", bytes.TrimSpace(data))
	return event{id: id, text: b.Bytes()}
}

// An eventStream is a stream of server-sent events. The response starts with the first one. Methods must not be called
// concurrently.
type eventStream struct {
	c      *gin.Context
	stream stream
}

func newEvents(c *gin.Context) *eventStream {
	control := http.NewResponseController(c.Writer)
	return &eventStream{c: c, stream: stream{w: c.Writer, control: control, timeout: eventTime}}
}

// begun reports whether the response has started.
func (e *eventStream) begun() bool { return e.c.Writer.Written() }

// send sends an event without buffering.
func (e *eventStream) send(ev event) error { return e.write(ev.text) }

// heartbeat sends a comment, which clients ignore.
func (e *eventStream) heartbeat() error { return e.write([]byte(": heartbeat\n\n")) }

func (e *eventStream) write(text []byte) error {
	if !e.begun() {
		e.c.Header("Content-Type", eventsType)
		e.c.Header("Cache-Control", "no-store")
		e.c.Header("X-Accel-Buffering", "no") // otherwise nginx buffers events
		e.c.Status(http.StatusOK)
	}
	if _, err := e.stream.Write(text); err != nil {
		return err
	}
	return e.stream.flush()
}

// end ends the response. The connection may serve further requests.
func (e *eventStream) end() error { return e.stream.end() }
