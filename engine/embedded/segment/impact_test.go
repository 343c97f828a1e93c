package segment

import (
	"math"
	"testing"
)

// Frequencies up to 6 are recovered exactly. For others, the error of the score is about one code at most.
func TestFrequency(t *testing.T) {
	for norm := .9; norm < 40; norm *= 1.01 {
		for tf := 1; tf <= Codes; tf++ {
			got := Frequency(impact(uint8(tf), norm), norm)
			want := float64(tf)
			if tf <= 6 && got != want {
				t.Fatalf("frequency %d with norm %v is recovered as %v", tf, norm, got)
			}
			if off := math.Abs(got/(got+norm) - want/(want+norm)); off > 1.1/Codes {
				t.Fatalf("frequency %d with norm %v is recovered as %v, an error of %v", tf, norm, got, off)
			}
		}
	}
}
