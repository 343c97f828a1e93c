package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Importing net/http/pprof adds its handlers to http.DefaultServeMux, which nothing may serve. This server's own
// handlers serve profiles only if the operator asks for them.
func TestMetricsHandler(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, profiles := range []bool{false, true} {
		h := metricsHandler(metrics, profiles, func(host string) bool { return host == "example.com" })
		for path, want := range map[string]bool{
			"/metrics": true, "/debug/pprof/": profiles, "/debug/pprof/heap": profiles, "/debug/pprof/cmdline": profiles,
			"/debug/pprof/goroutine?debug=1": profiles, "/api/v1/health": false, "/": false,
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if (w.Code == http.StatusOK) != want {
				t.Errorf("profiles %t: %s has the status %d, want served: %t", profiles, path, w.Code, want)
			}

			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			r.Host = "evil.example"
			w = httptest.NewRecorder()
			h.ServeHTTP(w, r)

			if (w.Code == http.StatusOK) != (path == "/metrics") {
				t.Errorf("profiles %t: %s of an unknown host has the status %d", profiles, path, w.Code)
			}
		}
	}
}
