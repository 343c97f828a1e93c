package resumes

import (
	"math/rand/v2"
	"testing"
)

// A table never decreases, is close to the shares it was fitted to, and doesn't trust weak choices of a field without
// mistakes.
func TestFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var mixed, perfect []observation
	for i := range 2000 {
		strength := float64(i%100) / 10
		mixed = append(mixed, observation{strength, random.Float64() < .4+strength/20, "a"})
		perfect = append(perfect, observation{5 + strength, true, "a"})
	}

	table := fit(mixed)
	for i := 1; i < len(table); i++ {
		if table[i].share < table[i-1].share || table[i].strength <= table[i-1].strength {
			t.Errorf("the table is not increasing at %v after %v", table[i], table[i-1])
		}
	}

	for _, strength := range []float64{1, 3, 5, 7, 9} {
		if got, want := at(table, strength), .4+strength/20; got < want-.1 || got > want+.1 {
			t.Errorf("the share at %v is %.2f, want about %.2f", strength, got, want)
		}
	}

	for strength, want := range map[float64]float64{0: .5, 2.5: .75, 12: 1} {
		if got := at(fit(perfect), strength); got < want-.03 || got > want+.03 {
			t.Errorf("the share at %v of a field without mistakes is %.2f, want about %.2f", strength, got, want)
		}
	}

	if got := at(fit(nil), 3); got != .5 {
		t.Errorf("the share without observations is %v, want .5", got)
	}
}
