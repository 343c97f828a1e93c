package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"freelancer-matching/internal/retry"
)

// Slow lets a healthy answer begin after a while. In the bubble of testing/synctest the while passes at once.
func Slow(wait time.Duration) Fault {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if retry.Sleep(r.Context(), wait) == nil {
				healthy.ServeHTTP(w, r)
			}
		})
	}
}

// SlowStream waits before each event of a stream.
func SlowStream(wait time.Duration) Fault {
	return events(func(w io.Writer, event string, _ int, r *http.Request) {
		if retry.Sleep(r.Context(), wait) == nil {
			_, _ = io.WriteString(w, event)
		}
	})
}

// CutStream closes the connection after so many events of a stream.
func CutStream(after int) Fault {
	return events(func(w io.Writer, event string, n int, _ *http.Request) {
		if n >= after {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, event)
	})
}

// EndStream ends a stream after so many events as if it were complete, as a proxy does that lost its server.
func EndStream(after int) Fault {
	return events(func(w io.Writer, event string, n int, _ *http.Request) {
		if n < after {
			_, _ = io.WriteString(w, event)
		}
	})
}

// Stall sends nothing more after so many events of a stream, until the client goes away.
func Stall(after int) Fault {
	return events(func(w io.Writer, event string, n int, r *http.Request) {
		if n >= after {
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, event)
	})
}

// NoDone leaves out the [DONE] of a stream.
func NoDone() Fault {
	return events(func(w io.Writer, event string, _ int, _ *http.Request) {
		if !strings.Contains(event, "[DONE]") {
			_, _ = io.WriteString(w, event)
		}
	})
}

// NoFinish leaves out the finish_reason of a stream.
func NoFinish() Fault {
	return events(func(w io.Writer, event string, _ int, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Replace(event, `"finish_reason":"stop"`, `"finish_reason":null`, 1))
	})
}

// Comments sends so many comments before each event of a stream, as servers do to keep the connection alive.
func Comments(n int) Fault {
	return events(func(w io.Writer, event string, _ int, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat(": keep-alive\n\n", n)+event)
	})
}

// Instead sends an event in the place of a stream's nth, the first of which is 0: {"error": …} of a server that fails
// half way, or no JSON.
func Instead(n int, data string) Fault {
	return events(func(w io.Writer, event string, i int, _ *http.Request) {
		if i == n {
			event = "data: " + data + "\n\n"
		}
		_, _ = io.WriteString(w, event)
	})
}

// Unstreamed answers at once what should come as a stream, as servers do that do not know streams.
func Unstreamed() Fault {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // in memory
			body = bytes.Replace(body, []byte(`"stream":true`), []byte(`"stream":false`), 1)
			r.Body = io.NopCloser(bytes.NewReader(body))
			healthy.ServeHTTP(w, r)
		})
	}
}

// RefuseField refuses requests that have a field, with status 400 and a message. A field within another one is named with
// a dot, and a value may follow: "seed", "response_format.type=json_schema".
func RefuseField(field, message string) Fault {
	path, value, valued := strings.Cut(field, "=")
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // in memory
			r.Body = io.NopCloser(bytes.NewReader(body))
			if found, ok := lookUp(body, path); ok && (!valued || found == value) {
				Status(http.StatusBadRequest, message, "")(healthy).ServeHTTP(w, r)
				return
			}
			healthy.ServeHTTP(w, r)
		})
	}
}

// Together is several faults of one server, the first of which meets a request first.
func Together(faults ...Fault) Fault {
	return func(healthy http.Handler) http.Handler {
		for i := len(faults) - 1; i >= 0; i-- {
			healthy = faults[i](healthy)
		}
		return healthy
	}
}

// lookUp is the value of a field in a JSON object, where it is there.
func lookUp(body []byte, path string) (string, bool) {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return "", false
	}
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		var ok bool
		if value, ok = object[name]; !ok {
			return "", false
		}
	}
	if text, ok := value.(string); ok {
		return text, true
	}
	text, _ := json.Marshal(value)
	return string(text), true
}

// events gives every event of a stream, with its number from 0, to write.
func events(write func(w io.Writer, event string, n int, r *http.Request)) Fault {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := 0
			healthy.ServeHTTP(&eventWriter{ResponseWriter: w, write: func(event string) {
				write(w, event, n, r)
				n++
			}}, r)
		})
	}
}

// eventWriter takes each Write for one event.
type eventWriter struct {
	http.ResponseWriter
	write func(event string)
}

func (w *eventWriter) Write(p []byte) (int, error) {
	w.write(string(p))
	return len(p), nil
}

// Unwrap is for http.ResponseController.
func (w *eventWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
