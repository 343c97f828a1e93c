package bank

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"freelancer-matching/interview"
)

// specimen is a line of the corpus of injections; others use the file, too.
type specimen struct {
	ID        string `json:"id"`
	Language  string `json:"language"`
	Kind      string `json:"kind"`
	Injection bool   `json:"injection"`
	Text      string `json:"text"`
}

func specimens(tb testing.TB) []specimen {
	tb.Helper()
	file, err := os.Open("../testdata/injections.ndjson")
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	var all []specimen
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var s specimen
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			tb.Fatal(err)
		}
		all = append(all, s)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

func TestDetector_FindsTheCorpusAndLeavesPlainAnswers(t *testing.T) {
	d := openBank(t).detector
	injections := 0
	for _, s := range specimens(t) {
		if s.Injection {
			injections++
		}
		if got := d.detects(s.Text); got != s.Injection {
			t.Errorf("%s (%s, %s): detected %t: %q", s.ID, s.Language, s.Kind, got, s.Text)
		}
	}
	if injections < 60 {
		t.Errorf("%d injections, want 60 or more", injections)
	}
}

// Whatever is injected into an answer, in front of it, behind it or as a paragraph of its own: no mark rises, the evidence is
// not of the injection, and the remark is there.
func TestJudge_InjectionsGiveNothing(t *testing.T) {
	j := NewJudge(openBank(t))
	c := candidates(t)[0]
	for _, level := range []string{"weak", "average"} {
		plain := c.Answers[level]
		before := judge(t, j, c, plain)
		for _, s := range specimens(t) {
			if !s.Injection {
				continue
			}
			for place, answer := range map[string]string{
				"before": s.Text + "\n\n" + plain, "behind": plain + " " + s.Text, "below": plain + "\n\n" + s.Text,
			} {
				after := judge(t, j, c, answer)
				if !slices.Contains(after.Remarks, interview.RemarkInstructions) {
					t.Errorf("%s %s: no remark", s.ID, place)
				}
				for i, m := range after.Marks {
					if m.Level > before.Marks[i].Level {
						t.Errorf("%s %s: %s rose from %d to %d", s.ID, place, m.Criterion, before.Marks[i].Level, m.Level)
					}
					for _, e := range m.Evidence {
						if !strings.Contains(plain, e) {
							t.Errorf("%s %s: evidence of the injection: %q", s.ID, place, e)
						}
					}
				}
			}
		}
	}
}

// One word of 20,000 letters once took seconds, because every beginning of it was looked up. Allocations count the look-ups.
func TestDetector_LooksUpFewBeginningsOfALongWord(t *testing.T) {
	set, err := wordSet("instruction*")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("QUFB", 5000)
	if n := testing.AllocsPerRun(3, func() { inSet(set, long) }); n > 2*longestStem {
		t.Errorf("%v allocations for one word, want at most %d", n, 2*longestStem)
	}
}

// Answers that are only answers are not accused.
func TestDetector_LeavesTheCandidatesInPeace(t *testing.T) {
	d := openBank(t).detector
	for _, c := range candidates(t) {
		for level, answer := range c.Answers {
			if got := d.detects(answer); got != (level == "injected") {
				t.Errorf("%s, %s: detected %t", c.ID, level, got)
			}
		}
	}
}
