package endpoint

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// deadlines records the write deadlines that are set.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

func (d *deadlines) Flush() {}

func TestStream_RemovesItsDeadline(t *testing.T) {
	w := &deadlines{ResponseWriter: httptest.NewRecorder()}
	s := &Stream{w: w, control: http.NewResponseController(w), timeout: time.Minute}
	for range 2 {
		if _, err := s.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	if len(w.set) != 3 || w.set[0].IsZero() || w.set[1].IsZero() || !w.set[2].IsZero() {
		t.Errorf("deadlines %v, want two and their removal", w.set)
	}
}
