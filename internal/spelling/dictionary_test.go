package spelling

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDictionary_Near(t *testing.T) {
	words := []string{"react", "preact", "", "reaction", "c++", "c#", "trace", strings.Repeat("x", 65), "ろくろ", "react"}
	d := NewDictionary(slices.Values(words))
	for _, tt := range []struct {
		word  string
		limit int
		want  map[int]int
	}{
		{"react", 1, map[int]int{0: 0, 9: 0, 1: 1, 3: 2}},
		{"raect", 1, map[int]int{0: 1, 9: 1}},
		{"reactt", 2, map[int]int{0: 1, 9: 1, 1: 2}},
		{"r", 0, map[int]int{0: 1, 3: 1, 9: 1}},
		{"c+", 1, map[int]int{4: 1, 5: 1}},
		{"c", 0, map[int]int{4: 1, 5: 1}},
		{"ろく", 3, map[int]int{8: 3}},
		{"", 3, nil},
		{strings.Repeat("x", 65), 3, nil},
		{"zzzzz", 1, nil},
	} {
		t.Run(tt.word[:min(len(tt.word), 20)], func(t *testing.T) {
			got := maps.Collect(d.Near(tt.word, tt.limit))
			if diff := cmp.Diff(tt.want, got); diff != "" && len(got)+len(tt.want) > 0 {
				t.Error(diff)
			}
		})
	}
}

// The bit-vector algorithm agrees with the distance table, and no word within the limit is missed.
func TestDictionary_AgreesWithTheTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	word := func(most int) string {
		b := make([]byte, 1+rng.IntN(most))
		for i := range b {
			b[i] = "abcd9é+"[rng.IntN(len("abcd9é+"))]
		}
		return string(b)
	}
	for _, most := range []int{4, 9, 64} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			words := make([]string, 300)
			for i := range words {
				words[i] = word(most)
			}

			d := NewDictionary(slices.Values(words))
			for range 60 {
				asked := word(most)
				if rng.IntN(2) == 0 { // similar to one of the words
					b := []byte(words[rng.IntN(len(words))])
					i := rng.IntN(len(b))
					j := rng.IntN(len(b))
					b[i], b[j] = b[j], b[i]
					asked = string(b)
				}

				for limit := range 4 {
					want := map[int]int{}
					for i, w := range words {
						if n := distance(asked, w); n <= limit {
							want[i] = n
						} else if strings.HasPrefix(w, asked) {
							want[i] = limit + 1
						}
					}

					if diff := cmp.Diff(want, maps.Collect(d.Near(asked, limit))); diff != "" {
						t.Fatalf("%q within %d (-want +got):\n%s", asked, limit, diff)
					}
				}
			}
		})
	}
}

func TestDictionary_StopsWithTheLoop(t *testing.T) {
	d := NewDictionary(slices.Values([]string{"aa", "ab", "ac"}))
	for number := range d.Near("aa", 1) {
		if number != 0 {
			t.Errorf("number %d", number)
		}
		break
	}
}

func BenchmarkNear(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("de vel op er ma na ger con sul tant pro gram ming mar ke ting de sign " +
		"wri ting da ta sci ence web java script")
	words := make([]string, 200_000)
	for i := range words {
		for range 2 + rng.IntN(6) {
			words[i] += syllables[rng.IntN(len(syllables))]
		}
	}
	d := NewDictionary(slices.Values(words))
	for b.Loop() {
		for range d.Near("javascritpdeveloper", 3) {
		}
	}
}
