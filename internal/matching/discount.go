package matching

// A Discount is what a freelancer loses who lacks required skills: a share of the score, from 0 to 1. To have a skill,
// there must be evidence of it that Matches.
type Discount struct {
	// Some is for those who have one of the required skills, times the share of these that they lack.
	Some    float64 `json:"some"`
	Related float64 `json:"related"` // for those who have none, but evidence of a related skill; at least Some
	None    float64 `json:"none"`    // for everybody else; at least Related
}

// Kept returns the share of the score that a freelancer keeps who has a number of the required skills. related says
// whether there is any evidence for one of them.
func (d Discount) Kept(required, has int, related bool) float64 {
	switch {
	case has == required:
		return 1
	case has > 0:
		return 1 - d.Some*float64(required-has)/float64(required)
	case related:
		return 1 - d.Related
	default:
		return 1 - d.None
	}
}
