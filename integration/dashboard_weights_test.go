//go:build integration

package integration

import (
	"math"
	"testing"

	"github.com/chromedp/chromedp"
)

// rerankedScores returns the scores that the browser computes and those of the server, by name.
func (b *tab) rerankedScores(t *testing.T) (computed, served map[string]float64) {
	t.Helper()
	b.run(t, "read the scores", chromedp.Evaluate(`Object.fromEntries([...document.querySelectorAll(".reranked li")].
		map(li => [li.children[1].textContent, Number(li.dataset.score)]))`, &computed))
	b.run(t, "read the model", chromedp.Evaluate(`Object.fromEntries(JSON.parse(
		document.querySelector("[data-weights]").dataset.weights).matches.map(m => [m.name, m.score]))`, &served))
	return computed, served
}

// wantSameScores checks that each score of a match that both sets have is the same but for its rounding.
func wantSameScores(t *testing.T, got, want map[string]float64) {
	t.Helper()
	common := 0
	for name, score := range got {
		if _, both := want[name]; !both {
			continue
		}
		common++
		if math.Abs(want[name]-score) > 2e-5 {
			t.Errorf("%s has the score %v, want %v", name, score, want[name])
		}
	}
	if common < 2 {
		t.Errorf("%d matches are in both %v and %v; want at least 2", common, got, want)
	}
}

// The browser reorders the matches while a slider moves, with the same scores that the server then returns.
func TestDashboard_Weights(t *testing.T) {
	s, v := openPlayground(t, 300)
	c := newChromium(t)
	for _, screen := range screens() {
		t.Run(screen.name, func(t *testing.T) {
			b := c.person(t, s.URL, screen)
			b.assume(t, v)
			b.open(t, "/dashboard/playground?sample=1")
			b.choose(t, "Matches", "5") // the sentence encoder compares only the best, so farther ones change otherwise
			b.press(t, "Find matches")
			b.openView(t, "cards")
			before, served := b.rerankedScores(t)
			wantSameScores(t, before, served)
			b.run(t, "move the sliders", chromedp.Evaluate(`
				for (const [id, value] of [["weight_budget", 0], ["weight_quality", 2], ["weight_text", .4]]) {
					const slider = document.getElementById(id).previousElementSibling;
					slider.value = value;
					slider.dispatchEvent(new Event("input"));
				}`, nil))

			moved, _ := b.rerankedScores(t)
			b.wantText(t, `"budget": 0`)
			b.inspect(t, "weights")
			b.press(t, "Find matches with these weights")
			_, served = b.rerankedScores(t)
			wantSameScores(t, moved, served)
			b.run(t, "reset the weights", chromedp.Click("[data-reset]"))
			reset, _ := b.rerankedScores(t)
			wantSameScores(t, reset, before)
		})
	}
}
