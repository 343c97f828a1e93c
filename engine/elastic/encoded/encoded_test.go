package encoded

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVector(t *testing.T) {
	for text, want := range map[string]vector{
		"[]":               {},
		"[-128]":           {-128},
		"[1, -2 ,\n127,0]": {1, -2, 127, 0},
	} {
		var got vector
		err := json.Unmarshal([]byte(text), &got)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}

	for _, text := range []string{"[128]", "[1.5]", "[1,null]", "[[1]]", `"1"`, "{}", "null"} {
		var got vector
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was decoded as %v", text, got)
		}
	}
}
