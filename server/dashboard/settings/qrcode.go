package settings

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// qrCode is a QR code as an SVG path. One unit is one module, and a margin of four modules surrounds the code.
type qrCode struct {
	Size int
	Path string
}

const qrMargin = 4

func newQRCode(text string) (qrCode, error) {
	code, err := qr.Encode(text, qr.L, qr.Unicode) // on a screen, nothing covers a part of it
	if err != nil {
		return qrCode{}, fmt.Errorf("encode QR code: %w", err)
	}
	bounds := code.Bounds()
	var path strings.Builder
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			if gray, ok := color.GrayModel.Convert(code.At(x, y)).(color.Gray); ok && gray.Y < 128 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+qrMargin, y+qrMargin)
			}
		}
	}
	return qrCode{Size: bounds.Dx() + 2*qrMargin, Path: path.String()}, nil
}
