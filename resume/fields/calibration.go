package fields

import (
	"embed"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// calibrationFile has the fitted tables. "go run ./tools resumes calibrate" writes it.
const calibrationFile = "data/calibration.txt"

//go:embed data/calibration.txt
var calibrationTables embed.FS

// A calibration converts the strength of a choice to the probability that the field, or the whole entry of a list, is
// right. A field without a table gets the logistic function of its strength.
type calibration map[string][]calibrationPoint

// A calibrationPoint says which share of the fields of about this strength was right in the files of the fit.
// Strengths and shares increase from one point of a table to the next.
type calibrationPoint struct{ strength, share float64 }

// confidence returns the probability that a field with a strength is right, with linear interpolation between points.
// It is never 0, which stands for an empty field. field is the name of the field in the JSON of a resume, such as
// "name" or "experience".
func (c calibration) confidence(field string, strength float64) float64 {
	points := c[field]
	if len(points) == 0 {
		return logistic(strength)
	}
	i := sort.Search(len(points), func(i int) bool { return points[i].strength >= strength })
	share := points[min(i, len(points)-1)].share
	if i == 0 {
		share = min(share, logistic(strength)) // weaker than anything in the files of the fit
	}
	if i > 0 && i < len(points) {
		low := points[i-1]
		high := points[i]
		share = low.share + (high.share-low.share)*(strength-low.strength)/(high.strength-low.strength)
	}
	return math.Round(100*min(max(share, .01), .99)) / 100
}

// logistic returns the probability for a strength in log odds, limited so that the strength can be computed from it.
func logistic(strength float64) float64 { return 1 / (1 + math.Exp(-min(max(strength, -20), 20))) }

// readCalibration reads the fitted tables. It panics if the file is malformed, because it is part of the program.
func readCalibration() calibration {
	c := make(calibration)
	for field, items := range readItems(calibrationTables, calibrationFile) {
		for _, item := range items {
			strength, share, _ := strings.Cut(item, " ")
			x, errX := strconv.ParseFloat(strength, 64)
			y, errY := strconv.ParseFloat(share, 64)
			n := len(c[field])
			if errX != nil || errY != nil || n > 0 && (x <= c[field][n-1].strength || y < c[field][n-1].share) {
				panic(fmt.Sprintf("%s: %s: want increasing \"STRENGTH SHARE\", got %q", calibrationFile, field, item))
			}
			c[field] = append(c[field], calibrationPoint{x, y})
		}
	}
	return c
}

// Uncalibrated returns an Extractor whose confidences are the logistic function of the strengths, from which tables are
// fitted.
func (e *Extractor) Uncalibrated() *Extractor {
	return e.services.extractor(nil)
}
