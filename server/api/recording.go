package api

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/requestlog"
	"github.com/freelancer-matching/service/server/api/endpoint"
)

// Recorder keeps requests of accounts that record them; see requestlog.Recorder.
type Recorder interface {
	Record(q requestlog.Request)
}

// recordedOperations returns the operations whose bodies are kept. The others carry resumes, whole records, answers of
// candidates or secrets, so only the fact that they were called is kept, until an operation is listed here.
func recordedOperations() []string {
	return []string{
		"match", "match-batch", "match-explain", "freelancer-similar", "teams", "verify-skill", "events", "me",
		"health",
	}
}

// The notes in place of bodies that aren't kept.
const (
	noteOperation = "Bodies of this operation aren't kept, because they can have resumes, records or secrets."
	noteVisitor   = "Bodies from visitors of a web page aren't kept."
	noteLarge     = "The body is larger than 256 kB, so it isn't kept."
)

// A capturingWriter keeps a copy of a response, if the account of its call records requests.
type capturingWriter struct {
	gin.ResponseWriter
	call  *endpoint.Call
	body  bytes.Buffer
	large bool // the copy is incomplete
}

func (w *capturingWriter) Write(data []byte) (int, error) {
	if w.capture(len(data)) {
		w.body.Write(data)
	}
	return w.ResponseWriter.Write(data)
}

// WriteString implements io.StringWriter.
func (w *capturingWriter) WriteString(text string) (int, error) {
	if w.capture(len(text)) {
		w.body.WriteString(text)
	}
	return w.ResponseWriter.WriteString(text)
}

// Unwrap returns the writer for http.ResponseController.
func (w *capturingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// capture reports whether the next bytes of the response belong to the copy.
func (w *capturingWriter) capture(n int) bool {
	w.large = w.large || w.body.Len()+n > requestlog.MaxCaptured
	return !w.large && keepsBodies(w.call)
}

// isRecorded reports whether the request log of an account keeps a call. The dashboard keeps its own requests.
func isRecorded(call *endpoint.Call) bool {
	return call.Start.Before(call.Caller.Key.RecordingUntil) && call.Caller.User == ""
}

// keepsBodies reports whether the request log keeps the bodies of a call.
func keepsBodies(call *endpoint.Call) bool {
	return isRecorded(call) && call.Caller.Browser == nil && slices.Contains(recordedOperations(), call.Operation)
}

// capture gives the call a writer that copies its response. Whether it does is only known when the key is.
func (s *Server) capture(c *gin.Context, call *endpoint.Call) *capturingWriter {
	if s.deps.Recorder == nil || !slices.Contains(recordedOperations(), call.Operation) {
		return &capturingWriter{call: call}
	}
	w := &capturingWriter{ResponseWriter: c.Writer, call: call}
	c.Writer = w
	call.Response = w
	return w
}

// record adds an answered call to the request log of its account.
func (s *Server) record(c *gin.Context, call *endpoint.Call, w *capturingWriter, status int) {
	if s.deps.Recorder == nil || !isRecorded(call) {
		return
	}

	q := requestlog.Request{
		Summary: requestlog.Summary{
			Account: call.Caller.Key.Account, Key: call.Caller.Key.ID, RequestID: call.ID, Operation: call.Operation,
			Status: status, Code: string(call.Code), At: call.Start, Took: call.Took(),
		},
		Content: requestlog.Content{
			Method: c.Request.Method, Route: c.FullPath(), Params: paramsOf(call), Query: c.Request.URL.Query(),
		},
	}

	switch {
	case call.Caller.Browser != nil:
		q.Request.Note, q.Response.Note = noteVisitor, noteVisitor
	case !keepsBodies(call):
		q.Request.Note, q.Response.Note = noteOperation, noteOperation
	default:
		q.RequestBody, q.ResponseBody = call.Body.Data, w.body.Bytes()
		if len(q.RequestBody) > requestlog.MaxCaptured {
			q.RequestBody, q.Request.Note = nil, noteLarge
		}
		if w.large {
			q.ResponseBody, q.Response.Note = nil, noteLarge
		}
	}
	s.deps.Recorder.Record(q)
}

// paramsOf returns the parameters in the path of a call, decoded.
func paramsOf(call *endpoint.Call) map[string]string {
	params := map[string]string{}
	for _, p := range call.Params {
		params[p.Key] = p.Value
		if id, err := call.PathID(); p.Key == "id" && err == nil {
			params[p.Key] = id
		}
	}
	return params
}
