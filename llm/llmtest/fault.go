package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// A Fault makes a healthy server fail, by wrapping its handler.
type Fault func(healthy http.Handler) http.Handler

// Status responds with an error in OpenAI's form. retryAfter is the Retry-After header, in seconds or as a date; "":
// none.
func Status(code int, message, retryAfter string) Fault {
	return instead(func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		body := map[string]any{"error": map[string]any{"message": message, "type": "scripted", "code": strconv.Itoa(code)}}
		writeJSON(w, code, body)
	})
}

// Body responds with a text.
func Body(code int, contentType, text string) Fault {
	return instead(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	})
}

// Redirect responds with a temporary redirect.
func Redirect(url string) Fault {
	return instead(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, url, http.StatusTemporaryRedirect) })
}

// Hang sends nothing until the client hangs up.
func Hang() Fault {
	return instead(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// HangUp closes the connection without a response.
func HangUp() Fault {
	return instead(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
}

// Truncate sends half of a healthy response, like a proxy that lost its server: the HTTP response is complete, but its
// JSON is not.
func Truncate() Fault {
	return edit(func(body []byte) ([]byte, error) { return body[:len(body)/2], nil })
}

// Oversize puts spaces, which JSON allows, before a healthy response.
func Oversize(spaces int) Fault {
	return edit(func(body []byte) ([]byte, error) { return append([]byte(strings.Repeat(" ", spaces)), body...), nil })
}

// Edit changes the vectors of a healthy response.
func Edit(change func(*Embeddings)) Fault {
	return edit(func(body []byte) ([]byte, error) {
		var e Embeddings
		if err := json.Unmarshal(body, &e); err != nil {
			return nil, fmt.Errorf("this fault is for /v1/embeddings: %w", err)
		}
		change(&e)
		return json.Marshal(e)
	})
}

func instead(answer http.HandlerFunc) Fault { return func(http.Handler) http.Handler { return answer } }

func edit(change func([]byte) ([]byte, error)) Fault {
	return func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			healthy.ServeHTTP(recorder, r)
			body, err := change(recorder.Body.Bytes())
			if err != nil {
				http.Error(w, err.Error(), http.StatusNotImplemented)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(recorder.Code)
			_, _ = w.Write(body)
		})
	}
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // fails if the client is gone
}
