package matching

// A Ranking is a version of an account's own ranking profile: a shipped profile with other weights. It never changes.
type Ranking struct {
	Name    string `json:"name"`
	Version int    `json:"version"` // from 1, over all rankings of the account
	Profile string `json:"profile"` // name of the shipped profile whose other numbers it has
	// Weights has the weight of each feature. A feature of a later release has the weight of the shipped profile.
	Weights map[string]float64 `json:"weights"`
}

// Explored says that a coin decided the order of two neighbors, whose scores are nearly equal, because the account
// allows it to learn what its clients choose.
type Explored struct {
	Rank    int    `json:"rank"`    // of the upper neighbor, from 1, among all matches of the brief
	Swapped bool   `json:"swapped"` // the one with the lower score comes first
	Message string `json:"message"`
}

// A RankingUse says that a version of the account's ranking ordered an answer, because the request named no profile and
// no weights.
type RankingUse struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Message string `json:"message"`
}
