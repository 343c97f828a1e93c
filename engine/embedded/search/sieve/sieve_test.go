package sieve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// Every version finds the same documents, also for sums and scores at the ends of their ranges.
func TestFilter_FindsWhatPlainFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for turn := range 2000 {
		words, needs := draw(random)
		var want, got Set
		plain(&want, words, needs)
		Filter(&got, words, needs)
		if got != want {
			t.Fatalf("turn %d: got %x, want %x, for %+v", turn, got, want, needs)
		}
	}
}

// The sieve drops none of the documents that suffice without rounding, and nearly all of the others.
func TestFilter_DropsThoseWhoseWordsDoNotSuffice(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	dropped := 0
	for range 2000 {
		words, needs := draw(random)
		var found Set
		Filter(&found, words, needs)
		for doc := range segment.TileSize {
			sum := float64(words.Text[doc]) * float64(needs.Stretch)
			score := float64(words.Skills[doc]) + float64(needs.Weight)*sum/(sum+float64(needs.Half))
			needed := float64(needs.Score) + float64(needs.Penalties[words.Codes[doc]])
			const rounding = 1e-5
			switch isFound := found[doc/64]>>(doc%64)&1 == 1; {
			case !isFound && score > needed+rounding:
				t.Fatalf("document %d with %v is dropped, needed is %v", doc, score, needed)
			case isFound && score < needed-rounding:
				t.Fatalf("document %d with %v is kept, needed is %v", doc, score, needed)
			case !isFound:
				dropped++
			}
		}
	}
	if dropped < 2000*segment.TileSize/10 {
		t.Errorf("only %d documents were dropped", dropped)
	}
}

func draw(random *rand.Rand) (*Words, *Needs) {
	words := &Words{
		Text: new([segment.TileSize]uint32), Skills: new([segment.TileSize]float32), Codes: new([segment.TileSize]uint16),
	}
	needs := &Needs{
		Score: random.Float32(), Weight: random.Float32() * 1.0001, Half: random.Float32() * math.MaxUint32,
		Stretch: 1 + random.Float32(), Penalties: make([]float32, 1+random.IntN(100)),
	}
	switch random.IntN(10) {
	case 0:
		needs.Score = float32(math.Inf(-1)) // not enough hits have been found yet
	case 1:
		needs.Score = -needs.Score
	}

	for code := range needs.Penalties[1:] {
		needs.Penalties[code] = random.Float32()
	}
	for doc := range words.Text {
		words.Text[doc] = random.Uint32() >> random.IntN(32)
		words.Codes[doc] = uint16(random.IntN(len(needs.Penalties)))
		if random.IntN(4) == 0 {
			words.Skills[doc] = random.Float32()
		}
	}
	return words, needs
}

func BenchmarkSieve(b *testing.B) {
	words, needs := draw(rand.New(rand.NewPCG(5, 6)))
	for name, filter := range map[string]func(*Set, *Words, *Needs){"plain": plain, "filter": Filter} {
		b.Run(name, func(b *testing.B) {
			var found Set
			for b.Loop() {
				filter(&found, words, needs)
			}
		})
	}
}
