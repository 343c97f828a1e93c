package fields

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
)

// calibrationFile has the fitted tables. "go run ./tools resumes calibrate" writes it.
const calibrationFile = "data/calibration.txt"

//go:embed data/calibration.txt
var calibrationTables embed.FS

// readCalibration reads the fitted tables. It panics if the file is malformed, because it is part of the program.
func readCalibration() odds.Calibration {
	calibration := make(odds.Calibration)
	for field, items := range lexicon.ReadItems(calibrationTables, calibrationFile) {
		for _, item := range items {
			strength, share, _ := strings.Cut(item, " ")
			x, errX := strconv.ParseFloat(strength, 64)
			y, errY := strconv.ParseFloat(share, 64)
			n := len(calibration[field])
			isNumber := errX == nil && errY == nil
			falls := n > 0 && (x <= calibration[field][n-1].Strength || y < calibration[field][n-1].Share)
			if !isNumber || falls {
				panic(fmt.Sprintf("%s: %s: want increasing \"STRENGTH SHARE\", got %q", calibrationFile, field, item))
			}
			calibration[field] = append(calibration[field], odds.Point{Strength: x, Share: y})
		}
	}
	return calibration
}

// Uncalibrated returns an Extractor whose confidences are the logistic function of the strengths, from which tables are
// fitted.
func (e *Extractor) Uncalibrated() *Extractor {
	return e.services.extractor(nil)
}
