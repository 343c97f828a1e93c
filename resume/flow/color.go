package flow

import (
	"math"
	"strconv"
	"strings"
)

// A Color is an RGB color with opaque set, or 0 if it is unknown.
type Color int32

const opaque Color = 1 << 24

// White is the color of a page.
const White = opaque | 0xFFFFFF

// RGB returns a color.
func RGB(red, green, blue uint8) Color {
	return opaque | Color(red)<<16 | Color(green)<<8 | Color(blue)
}

// ParseColor returns the color of "#rrggbb", "#rgb", "rgb(r, g, b)", "white" or "black", and 0 for any other text.
func ParseColor(text string) Color {
	text = strings.ToLower(strings.TrimSpace(text))
	switch text {
	case "white":
		return White
	case "black":
		return opaque
	}

	if digits, ok := strings.CutPrefix(text, "#"); ok {
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}

		if rgb, err := strconv.ParseUint(digits, 16, 24); err == nil && len(digits) == 6 {
			return opaque | Color(rgb)
		}
		return 0
	}

	// Colors with transparency aren't supported: what shows depends on the background.
	list, ok := strings.CutPrefix(strings.TrimSuffix(text, ")"), "rgb(")
	parts := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	if !ok || len(parts) != 3 {
		return 0
	}

	var channels [3]uint8
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return 0
		}
		channels[i] = uint8(n)
	}

	return RGB(channels[0], channels[1], channels[2])
}

// Invisible reports whether text is hard to distinguish from its background. Unknown colors are visible.
func Invisible(text, background Color) bool {
	if text == 0 || background == 0 {
		return false
	}
	const maxDifference = 16 // of 255, in each channel
	for shift := 0; shift < 24; shift += 8 {
		if math.Abs(float64(text>>shift&0xFF)-float64(background>>shift&0xFF)) > maxDifference {
			return false
		}
	}
	return true
}

// Points returns a length such as 12pt, 1.5cm, 16px or .5in in points, and whether it is one.
func Points(length string) (points float64, ok bool) {
	length = strings.ToLower(strings.TrimSpace(length))
	for _, unit := range []struct {
		name   string
		points float64
	}{{"pt", 1}, {"px", .75}, {"cm", 72 / 2.54}, {"mm", 7.2 / 2.54}, {"in", 72}, {"pc", 12}, {"inch", 72}} {
		if digits, found := strings.CutSuffix(length, unit.name); found {
			n, err := strconv.ParseFloat(digits, 64)
			return n * unit.points, err == nil && math.Abs(n) < 1e6
		}
	}
	return 0, false
}
