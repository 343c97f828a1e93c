package api

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/freelancer-matching/service/server/openapi"
)

// uncompressed returns the body of a response as the client would decode it.
func uncompressed(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	body := io.Reader(w.Body)
	switch w.Header().Get("Content-Encoding") {
	case "gzip":
		reader, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		body = reader
	case "zstd":
		reader, err := zstd.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		body = reader
	}

	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCompression(t *testing.T) {
	h := New(newFixture().Dependencies).Handler()
	for _, tt := range []struct{ name, path, accepts, want string }{
		{"gzip", "/openapi.yaml", "gzip", "gzip"},
		{"zstd", "/openapi.yaml", "zstd", "zstd"},
		{"both", "/openapi.yaml", "gzip, deflate, br, zstd", "zstd"},
		{"neither", "/openapi.yaml", "br", ""},
		{"nothing", "/openapi.yaml", "", ""},
		{"refused", "/openapi.yaml", "gzip;q=0", ""},
		{"JSON", dataPath + "?num_freelancers=50", "gzip", "gzip"},
		{"a stream of lines", dataPath + "?num_freelancers=50&format=ndjson", "gzip", ""},
		{"small", "/livez", "gzip", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, tt.path, nil)
			r.Header.Set("X-API-Key", testKey)
			r.Header.Set("Accept-Encoding", tt.accepts)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := w.Header().Get("Content-Encoding"); w.Code != http.StatusOK || got != tt.want {
				t.Fatalf("status %d, Content-Encoding %q, want %q", w.Code, got, tt.want)
			}

			size := w.Body.Len()
			text := uncompressed(t, w)
			if tt.path == "/openapi.yaml" && text != string(openapi.YAML()) {
				t.Error("the document has changed")
			}
			if tt.want != "" && size >= len(text) {
				t.Errorf("%d of %d bytes", size, len(text))
			}
		})
	}
}

// The events of an interview must arrive one by one.
func TestCompression_LeavesEventsAlone(t *testing.T) {
	c := call{
		path: interviewPath + "/stream", body: `{"freelancer_id":"f1","job_title":"Cook"}`, status: 200,
		header: http.Header{"Accept-Encoding": {"gzip, zstd"}}, want: []string{"event: result"},
	}
	w, _ := c.send(t)
	if got := w.Header().Get("Content-Encoding"); got != "" || !w.Flushed {
		t.Errorf("Content-Encoding %q, flushed %t", got, w.Flushed)
	}
}
