package web

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// A Recorder is an http.ResponseWriter that keeps the response in memory.
type Recorder struct {
	Status int
	Body   bytes.Buffer
	header http.Header
}

// NewRecorder returns a recorder of a response that is 200 unless its handler says otherwise.
func NewRecorder() *Recorder { return &Recorder{Status: http.StatusOK, header: http.Header{}} }

// Header implements http.ResponseWriter.
func (r *Recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *Recorder) WriteHeader(status int) { r.Status = status }

func (r *Recorder) Write(p []byte) (int, error) { return r.Body.Write(p) }

// Response returns the response as a client receives it.
func (r *Recorder) Response() *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)), StatusCode: r.Status, Header: r.header,
		Body: io.NopCloser(&r.Body),
	}
}
