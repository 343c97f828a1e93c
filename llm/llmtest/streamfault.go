package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/retry"
)

// Slow waits before a healthy response.
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

// CutStream closes the connection after some events of a stream.
func CutStream(after int) Fault {
	return events(func(w io.Writer, event string, n int, _ *http.Request) {
		if n >= after {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, event)
	})
}

// EndStream ends a stream after some events as if it were complete, like a proxy that lost its server.
func EndStream(after int) Fault {
	return events(func(w io.Writer, event string, n int, _ *http.Request) {
		if n < after {
			_, _ = io.WriteString(w, event)
		}
	})
}

// Stall sends some events of a stream, and then nothing until the client hangs up.
func Stall(after int) Fault {
	return events(func(w io.Writer, event string, n int, r *http.Request) {
		if n >= after {
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, event)
	})
}

// NoDone omits the [DONE] of a stream.
func NoDone() Fault {
	return events(func(w io.Writer, event string, _ int, _ *http.Request) {
		if !strings.Contains(event, "[DONE]") {
			_, _ = io.WriteString(w, event)
		}
	})
}

// NoFinish omits the finish_reason of a stream.
func NoFinish() Fault {
	return events(func(w io.Writer, event string, _ int, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Replace(event, `"finish_reason":"stop"`, `"finish_reason":null`, 1))
	})
}

// Comments sends n comments before each event of a stream, like servers that keep the connection alive.
func Comments(n int) Fault {
	return events(func(w io.Writer, event string, _ int, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat(": keep-alive\n\n", n)+event)
	})
}

// Instead replaces event n of a stream, counted from 0, for example by {"error": …} or by invalid JSON.
func Instead(n int, data string) Fault {
	return events(func(w io.Writer, event string, i int, _ *http.Request) {
		if i == n {
			event = "data: " + data + "\n\n"
		}
		_, _ = io.WriteString(w, event)
	})
}

// Unstreamed ignores the request for a stream, like servers without support for streams.
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

// RefuseField rejects requests that have a field, with status 400 and a message. Dots separate the names of nested
// fields, and a value may follow: "seed", "response_format.type=json_schema".
func RefuseField(field, message string) Fault {
	return RefuseFieldWith(http.StatusBadRequest, field, message)
}

// RefuseFieldWith rejects requests like RefuseField, with another status.
func RefuseFieldWith(status int, field, message string) Fault {
	path, value, valued := strings.Cut(field, "=")
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body) // in memory
			r.Body = io.NopCloser(bytes.NewReader(body))
			found, ok := lookUp(body, path)
			isRefused := !valued || found == value
			if ok && isRefused {
				Status(status, message, "")(healthy).ServeHTTP(w, r)
				return
			}
			healthy.ServeHTTP(w, r)
		})
	}
}

// Together combines faults. The first one sees a request first.
func Together(faults ...Fault) Fault {
	return func(healthy http.Handler) http.Handler {
		for i := len(faults) - 1; i >= 0; i-- {
			healthy = faults[i](healthy)
		}
		return healthy
	}
}

// lookUp returns the value of a field in a JSON object.
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

// events calls write with every event of a stream and its number, counted from 0.
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

// eventWriter treats each Write as one event.
type eventWriter struct {
	http.ResponseWriter
	write func(event string)
}

func (w *eventWriter) Write(p []byte) (int, error) {
	w.write(string(p))
	return len(p), nil
}

// Unwrap supports http.ResponseController.
func (w *eventWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
