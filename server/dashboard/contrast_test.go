package dashboard

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/pagestyle"
)

// The colors that all pages share have enough contrast in both schemes, as WCAG 2.2 requires: 4.5 for text (1.4.3), and
// 3 for borders of fields and parts of charts (1.4.11).
func TestStyle_HasContrast(t *testing.T) {
	light, rest, _ := strings.Cut(pagestyle.Base, "@media screen and (prefers-color-scheme: dark)")
	dark, _, _ := strings.Cut(rest, "\n}\n")
	pairs := []struct {
		min        float64
		foreground string
		background string
	}{
		{4.5, "ink soft accent bad", "paper surface raised"},
		{4.5, "accent-strong ink soft", "tint"},
		{4.5, "on-accent", "accent accent-strong"},
		{4.5, "bad", "bad-tint"},
		{4.5, "warn ink", "warn-tint"},
		{3, "edge accent bad", "surface paper"},
		{3, "skills text semantic budget timeline experience quality other", "surface"},
	}
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		luminance := luminances(text)
		for _, p := range pairs {
			for _, foreground := range strings.Fields(p.foreground) {
				for _, background := range strings.Fields(p.background) {
					f, ok := luminance[foreground]
					b, alsoOK := luminance[background]
					if !ok || !alsoOK {
						t.Fatalf("%s: unknown color %s or %s", scheme, foreground, background)
					}

					if contrast := (max(f, b) + .05) / (min(f, b) + .05); contrast < p.min {
						t.Errorf("%s: the contrast of %s on %s is %.2f, want %.1f",
							scheme, foreground, background, contrast, p.min)
					}
				}
			}
		}
	}
}

// luminances returns the relative luminance of each color variable in a part of the style sheet.
func luminances(css string) map[string]float64 {
	luminances := map[string]float64{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{3,6});`).FindAllStringSubmatch(css, -1) {
		hex := m[2]
		if len(hex) == 3 {
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		}
		luminance := 0.
		for i, share := range []float64{.2126, .7152, .0722} {
			n, _ := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
			v := float64(n) / 255
			if v <= .04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+.055)/1.055, 2.4)
			}

			luminance += share * v
		}

		luminances[m[1]] = luminance
	}

	return luminances
}
