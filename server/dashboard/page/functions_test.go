package page

import (
	"testing"
	"time"
)

func TestDecimal_Rounds(t *testing.T) {
	for _, test := range []struct {
		decimals int
		n        float64
		want     string
	}{{0, 5896.65, "5,897"}, {1, 8, "8"}, {1, 2.25, "2.3"}, {2, 4.899, "4.9"}, {2, 1234.5, "1,234.5"}} {
		if got := Decimal(test.decimals, test.n); got != test.want {
			t.Errorf("decimal(%d, %g) = %q, want %q", test.decimals, test.n, got, test.want)
		}
	}
}

func TestSpan(t *testing.T) {
	for length, want := range map[time.Duration]string{
		-time.Second:                    "0 seconds",
		time.Second:                     "1 second",
		42 * time.Second:                "42 seconds",
		time.Minute:                     "1 minute",
		59*time.Minute + 29*time.Second: "59 minutes",
		time.Hour:                       "1 hour",
		24 * time.Hour:                  "24 hours",
		48 * time.Hour:                  "2 days",
		30 * 24 * time.Hour:             "30 days",
	} {
		if got := Span(length); got != want {
			t.Errorf("span(%s) = %q, want %q", length, got, want)
		}
	}
}
