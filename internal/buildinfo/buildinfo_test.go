package buildinfo

import "testing"

func TestRead_PrefersTheLinker(t *testing.T) {
	t.Cleanup(func() { version, commit, date = "", "", "" })
	version, commit, date = "1.2.3", "0123456789abcdef0123456789abcdef01234567", "2031-05-17T09:30:00Z"

	if got, want := Read().String(), "1.2.3 (commit 0123456789ab, 2031-05-17T09:30:00Z)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A build of a test records neither commit nor date.
func TestRead_SaysWhatIsUnknown(t *testing.T) {
	info := Read()
	if got, want := info.String(), info.Version+" (commit unknown, unknown)"; info.Version == "" || got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
