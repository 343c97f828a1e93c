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
	// heartbeatEvery is the longest silence of a stream: proxies cut connections that are silent for longer.
	heartbeatEvery = 10 * time.Second
	// eventTime is what a client has to take in one event.
	eventTime = 10 * time.Second
)

// event is one event of a stream, as it is sent.
type event struct {
	id   string // sent again by clients that come back; "": they come back to the event before
	text []byte
}

// newEvent is an event whose data is one line of JSON. See https://html.spec.whatwg.org/multipage/server-sent-events.html.
func newEvent(name, id string, data []byte) event {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\n", name)
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "data: %s\n\n", bytes.TrimSpace(data))
	return event{id: id, text: b.Bytes()}
}

// events is a stream of server-sent events. It begins with the first of them. It is for one goroutine at a time.
type events struct {
	c      *gin.Context
	stream stream
}

func newEvents(c *gin.Context) *events {
	return &events{c: c, stream: stream{w: c.Writer, control: http.NewResponseController(c.Writer), timeout: eventTime}}
}

// begun reports whether the client knows that it is a stream.
func (e *events) begun() bool { return e.c.Writer.Written() }

// send sends an event at once.
func (e *events) send(one event) error { return e.write(one.text) }

// heartbeat sends a comment, which clients pass over.
func (e *events) heartbeat() error { return e.write([]byte(": heartbeat\n\n")) }

func (e *events) write(text []byte) error {
	if !e.begun() {
		e.c.Header("Content-Type", eventsType)
		e.c.Header("Cache-Control", "no-store")
		e.c.Header("X-Accel-Buffering", "no") // nginx would gather events otherwise
		e.c.Status(http.StatusOK)
	}
	if _, err := e.stream.Write(text); err != nil {
		return err
	}
	return e.stream.control.Flush()
}

// end gives the connection back: it may serve further requests.
func (e *events) end() error { return e.stream.end() }
