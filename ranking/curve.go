package ranking

// Curve is a piecewise linear function through points [mix, score] that rise from [0, 0] to [1, 1]. It calibrates
// scores without changing their order. Without points, the score is the mix itself.
type Curve [][2]float64

// At returns the score for a mix.
func (c Curve) At(mix float64) float64 {
	for i := 1; i < len(c); i++ {
		from := c[i-1]
		to := c[i]
		if mix <= to[0] {
			return from[1] + (to[1]-from[1])*(mix-from[0])/(to[0]-from[0])
		}
	}
	return mix
}

// rises reports whether the points rise from [0, 0] to [1, 1].
func (c Curve) rises() bool {
	if len(c) == 0 {
		return true
	}
	for i := 1; i < len(c); i++ {
		if c[i][0] <= c[i-1][0] || c[i][1] <= c[i-1][1] {
			return false
		}
	}
	return c[0] == [2]float64{0, 0} && c[len(c)-1] == [2]float64{1, 1}
}
