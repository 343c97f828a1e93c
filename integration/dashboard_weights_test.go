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

// The browser computes the same scores as the server, with the weights of the profile and with others.
func TestDashboard_Weights(t *testing.T) {
	c := newChromium(t)
	d := deploy(t, embeddedEngine())
	d.index(t, "load", generate(t, 1500, 1))
	s := start(t, d.flags...)
	v := newVisitor(t, s)
	v.setUp(t, s)
	v.newKey(t, "Website")
	for _, screen := range screens() {
		t.Run(screen.name, func(t *testing.T) {
			b := c.person(t, s.URL, screen)
			signInAsAdministrator(t, b, s, func(*testing.T, string) {})
			b.open(t, "/dashboard/playground?sample=1")
			b.press(t, "Find matches")
			before, served := b.rerankedScores(t)
			if len(before) < 3 {
				t.Fatalf("scores %v", before)
			}
			for name, score := range served {
				if math.Abs(before[name]-score) > 5e-6 {
					t.Errorf("%s: the browser computes %v, the server %v", name, before[name], score)
				}
			}
			const move = `for (const [id, value] of [["weight_budget", 0], ["weight_quality", 2], ["weight_text", .4]]) {
				const slider = document.getElementById(id).previousElementSibling;
				slider.value = value;
				slider.dispatchEvent(new Event("input"));
			}`
			b.run(t, "move the sliders", chromedp.Evaluate(move, nil))
			changed, _ := b.rerankedScores(t)
			b.inspect(t, "weights")
			b.press(t, "Find matches with these weights")
			_, served = b.rerankedScores(t)
			common := 0
			for name, score := range served {
				if computed, ok := changed[name]; ok {
					common++
					if math.Abs(computed-score) > 5e-6 {
						t.Errorf("%s: the browser computed %v, the server %v", name, computed, score)
					}
				}
			}
			t.Logf("%d of %d matches stayed", common, len(served))
			b.press(t, "Reset weights")
			reset, _ := b.rerankedScores(t)
			for name, score := range reset {
				if before[name] > 0 && math.Abs(before[name]-score) > 2e-5 {
					t.Errorf("%s: after a reset %v, before %v", name, score, before[name])
				}
			}
		})
	}
}
