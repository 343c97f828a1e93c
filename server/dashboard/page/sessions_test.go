package page

import "testing"

func TestAgentName(t *testing.T) {
	const (
		webkit = "AppleWebKit/537.36 (KHTML, like Gecko) "
		chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + webkit + "Chrome/130.0.0.0 Safari/537.36"
	)
	for header, want := range map[string]string{
		"":                     "Unknown browser",
		"curl/8.5.0":           "Unknown browser",
		chrome:                 "Chrome on Windows",
		chrome + " Edg/130.0":  "Edge on Windows",
		chrome + " OPR/115.0.": "Opera on Windows",
		"Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0":              "Firefox on Linux",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) " + webkit + "Version/18.0 Safari/6": "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) " + webkit + "CriOS/130.0":    "Chrome on iPhone",
		"Mozilla/5.0 (Linux; Android 10; K) " + webkit + "Chrome/130.0.0.0 Mobile Safari/5":   "Chrome on Android",
	} {
		if got := agentName(header); got != want {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
}
