package relevance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// learnFrom runs the command and returns its output.
func learnFrom(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out, errs bytes.Buffer
	code := Run(t.Context(), append([]string{"learn"}, args...), &out, &errs)
	return out.String() + errs.String(), code
}

func TestLearn_Simulation(t *testing.T) {
	out, code := learnFrom(t, "-seeds", "3", "-n", "3000")
	if code != 0 || !strings.Contains(out, "These weights may be published.") ||
		!strings.Contains(out, "Published although clients choose by nothing: 0 of 3") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

// The lists have explanations as in responses. Clients choose who has the skills, wherever they are shown.
func TestLearn_Lists(t *testing.T) {
	var lines strings.Builder
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for i := range 1500 {
		upper, lower := 0, 1 // who has the skills
		if i%2 == 0 {
			upper, lower = 1, 0
		}
		event := func(skilled int) string {
			if skilled == 1 && i%3 != 0 {
				return "contacted"
			}
			return "shown"
		}
		match := func(id string, skilled int) string {
			return fmt.Sprintf(`{"freelancer_id":%q,"event":%q,"explanation":[`+
				`{"feature":"skills","value":%d,"weight":0.18,"contribution":%.3f},`+
				`{"feature":"text","value":%.2f,"weight":0.82,"contribution":%.3f}]}`,
				id, event(skilled), skilled, .18*float64(skilled), .9-.6*float64(skilled), .82*(.9-.6*float64(skilled)))
		}
		fmt.Fprintf(&lines, `{"at":%q,"swap":1,"matches":[%s,%s]}`+"\n", at.Add(time.Duration(i)*30*time.Minute).
			Format(time.RFC3339), match(fmt.Sprint("f", upper), upper), match(fmt.Sprint("f", lower), lower))
	}
	dir := t.TempDir()
	lists := filepath.Join(dir, "lists.jsonl")
	groups := filepath.Join(dir, "groups.csv")
	for file, content := range map[string]string{lists: lines.String(), groups: "freelancer_id,sex\nf0,a\nf1,b\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if out, code := learnFrom(t, "-lists", lists); code != 0 || !strings.Contains(out, "may be published") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	out, code := learnFrom(t, "-lists", lists, "-groups", groups)
	if code != 0 || !strings.Contains(out, `the exposure of the group "sex: a" would fall by`) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestLearn_RejectsInvalidLists(t *testing.T) {
	for name, tt := range map[string]struct{ line, want string }{
		"no JSON":        {"{", "line 1: "},
		"no time":        {`{"matches":[]}`, "at is missing"},
		"coin":           {`{"at":"2026-05-01T00:00:00Z","swap":1,"matches":[]}`, "swap must be"},
		"no explanation": {`{"at":"2026-05-01T00:00:00Z","matches":[{"freelancer_id":"a"}]}`, "match 1 has no explanation"},
		"event": {
			`{"at":"2026-05-01T00:00:00Z","matches":[{"freelancer_id":"a","event":"seen"}]}`, `unknown event "seen"`,
		},
		"feature": {
			`{"at":"2026-05-01T00:00:00Z","matches":[{"freelancer_id":"a","explanation":[{"feature":"luck"}]}]}`,
			`unknown feature "luck"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "lists.jsonl")
			if err := os.WriteFile(file, []byte(tt.line), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, code := learnFrom(t, "-lists", file); code != 1 || !strings.Contains(out, tt.want) {
				t.Errorf("exit code %d: %s", code, out)
			}
		})
	}
	if out, code := learnFrom(t, "-max-loss", "2"); code != 2 {
		t.Errorf("exit code %d: %s", code, out)
	}
}
