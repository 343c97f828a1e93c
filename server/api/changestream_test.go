package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/server/api/endpoint"
)

// A client that leaves a stream of changes is no failure of the server: the request has the status 499 and no code.
func TestChanges_ClientLeavesTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.Feed = feedFunc(func() (feed.Page, error) { return feed.Page{}, nil })
		c := call{
			method: http.MethodGet, path: basePath + "/changes/stream", header: http.Header{"Accept": {endpoint.EventsType}},
		}
		w := &fragileRecorder{ResponseRecorder: httptest.NewRecorder()}

		ended := make(chan struct{})
		go func() {
			defer close(ended)
			New(f.Dependencies).Handler().ServeHTTP(w, c.request(t))
		}()
		synctest.Wait() // the stream has begun
		w.broken.Store(true)
		<-ended

		if got := f.usage.requests[0]; got.Status != 499 || got.Code != "" {
			t.Errorf("recorded status %d and code %q, want 499 and none", got.Status, got.Code)
		}
	})
}
