package dashboard

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The colours of the style sheet are far enough apart to be read, in both schemes: WCAG 2.2, 1.4.3 (text, 4.5) and 1.4.11
// (edges of fields, parts of charts, 3).
func TestStyle_HasContrast(t *testing.T) {
	css, err := staticFiles.ReadFile("static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, _ := strings.Cut(string(css), "@media screen and (prefers-color-scheme: dark)")
	dark, _, _ := strings.Cut(rest, "\n}\n")
	pairs := []struct {
		least float64
		what  string
		on    string
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
		colours := coloursOf(text)
		for _, p := range pairs {
			for _, one := range strings.Fields(p.what) {
				for _, other := range strings.Fields(p.on) {
					a, known := colours[one]
					b, alsoKnown := colours[other]
					if !known || !alsoKnown {
						t.Fatalf("%s: no colour %s or %s", scheme, one, other)
					}
					if ratio := (math.Max(a, b) + .05) / (math.Min(a, b) + .05); ratio < p.least {
						t.Errorf("%s: %s on %s is %.2f, want %.1f", scheme, one, other, ratio, p.least)
					}
				}
			}
		}
	}
}

// coloursOf is the relative luminance of each colour that a part of the style sheet names.
func coloursOf(css string) map[string]float64 {
	colours := map[string]float64{}
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
		colours[m[1]] = luminance
	}
	return colours
}
