package ranking

// Curve is a line of straight pieces through points [mix, score] that rise from [0, 0] to [1, 1]. It makes scores
// mean the same to whoever reads them, and changes no order. Without points the score is the mix itself.
type Curve [][2]float64

// At is the score of a mix.
func (c Curve) At(mix float64) float64 {
	for i := 1; i < len(c); i++ {
		from, to := c[i-1], c[i]
		if mix <= to[0] {
			return from[1] + (to[1]-from[1])*(mix-from[0])/(to[0]-from[0])
		}
	}
	return mix
}

// rises reports whether the points are as they must be.
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
