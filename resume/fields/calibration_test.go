package fields

import "testing"

func TestCalibration_HasProbabilities(t *testing.T) {
	for field, points := range readCalibration() {
		if low, high := points[0].Share, points[len(points)-1].Share; low < 0 || high > 1 {
			t.Errorf("the shares of %s are between %v and %v, want probabilities", field, low, high)
		}
	}
}
