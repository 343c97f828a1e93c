//go:build integration

package attacks

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"
)

// Metrics and profiles are on an address of their own, which only this machine reaches unless the operator names
// another. The public address serves neither.
func TestMetricsAndProfilesAreNotPublic(t *testing.T) {
	server := programs.Start(t, "-data", t.TempDir(), "-metrics-addr", ":0", "-pprof")
	address, err := url.Parse(metricsAddress(t, server))
	if err != nil || !net.ParseIP(address.Hostname()).IsLoopback() {
		t.Fatalf("the metrics are at %v (%v), want loopback; the log is\n%s", address, err, server.Log)
	}

	status := func(u string) int {
		t.Helper()
		response, err := http.Get(u)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()

		return response.StatusCode
	}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline"} {
		if got := status("http://" + address.Host + path); got != http.StatusOK {
			t.Errorf("%s on the metrics address: status %d", path, got)
		}
		if got := status(server.URL + path); got != http.StatusNotFound {
			t.Errorf("%s on the public address: status %d, want 404", path, got)
		}
	}

	refused := programs.Launch(t, "-data", t.TempDir(), "-metrics-addr", "0.0.0.0:0", "-pprof")
	const reason = "pprof needs metrics-addr on loopback"
	if err := refused.Cmd.Wait(); err == nil || !strings.Contains(refused.Log.String(), reason) {
		t.Errorf("profiles for other machines: %v; the log is\n%s", err, refused.Log)
	}
}
