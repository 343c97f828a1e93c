package taxonomy_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/taxonomy"
)

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := taxonomy.Parse(mappings.Taxonomy()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	tax := load(b)
	names := []string{
		"React", "python 3.11", "MS Excel", "Underwater Basketry", "WordPress developer", "search engine optimization", "C++",
	}
	for i := 0; b.Loop(); i++ {
		tax.Resolve(names[i%len(names)])
	}
}

func BenchmarkSuggest(b *testing.B) {
	tax := load(b)
	tax.Suggest("warm up", 5)
	for b.Loop() {
		tax.Suggest("Javascritp", 5)
	}
}

// BenchmarkComplete completes what somebody types letter by letter. One letter is the slowest.
func BenchmarkComplete(b *testing.B) {
	tax := load(b)
	tax.Complete("warm up", 10)
	for _, prefix := range []string{"s", "se", "javascr"} {
		b.Run(prefix, func(b *testing.B) {
			for b.Loop() {
				tax.Complete(prefix, 10)
			}
		})
	}
}

// BenchmarkExtract reads a megabyte of generated descriptions: ordinary and ambiguous words with a skill every few
// words, in sentences and lists.
func BenchmarkExtract(b *testing.B) {
	tax := load(b)
	text := generated(tax, 1<<20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		tax.Extract(text)
	}
}

// generated returns a description of at least size bytes.
func generated(tax *taxonomy.Taxonomy, size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(`i have worked for many years with clients around the world and will deliver your project on
		time go to the next step express make your team excel at quality results from scratch full experience in please
		contact me more than projects we provide best service access to rest of business design website company customer
		professional need looking`)

	skills := slices.Collect(tax.Skills())
	var text strings.Builder
	for text.Len() < size {
		for range 4 + r.IntN(12) {
			if r.IntN(5) == 0 {
				text.WriteString(skills[r.IntN(len(skills))].Name)
				text.WriteString([]string{" ", ", ", "/", " and "}[r.IntN(4)])
				continue
			}

			text.WriteString(words[r.IntN(len(words))])
			text.WriteByte(' ')
		}

		text.WriteString(".\n")
	}

	return text.String()
}
