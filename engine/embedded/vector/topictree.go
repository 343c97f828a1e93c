package vector

import (
	"math"
	"math/rand/v2"

	"github.com/freelancer-matching/service/internal/matching"
)

// Documents are ordered by topic, so that those of a tile resemble each other and share most of their words. The
// highest codes of a tile then occur together in its best documents, which makes the upper bounds of tiles close, and
// most of them are too low for a brief about another topic (Dhulipala et al., KDD 2016, and Mallia et al., SIGIR 2024,
// measure the effect of such orders). Topics are clusters of the vectors.
const (
	topicBranches = 16
	topicLevels   = 3
	Topics        = 1 << 12 // topicBranches to the power of topicLevels

	// TopicCenters is the number of centers of all levels.
	TopicCenters = topicBranches + topicBranches*topicBranches + Topics

	// TopicSample is the number of vectors from which the topics are computed, and topicRounds the number of rounds of
	// Lloyd's algorithm. More of either change the order a little but not the speed of searches.
	TopicSample = 1 << 15
	topicRounds = 4
)

// A TopicTree finds the topic of a vector. It has topicLevels levels of centers, of which each has topicBranches
// children; the topic is the number of the nearest child of the nearest child of the nearest root.
type TopicTree struct {
	Space   int
	Centers []int8 // by level and number; each has as many elements as the space has dimensions
}

// NewTopicTree computes the topics of a sample of the vectors of a space. Equal samples have equal topics.
func NewTopicTree(space int, sample []matching.Vector) *TopicTree {
	t := &TopicTree{Space: space}
	rng := rand.New(rand.NewPCG(uint64(len(sample)), 2)) //nolint:gosec // picks the first centers
	groups := [][]matching.Vector{sample}
	for range topicLevels {
		var children [][]matching.Vector
		for _, group := range groups {
			centers, members := divide(group, len(sample[0]), rng)
			for _, c := range centers {
				t.Centers = append(t.Centers, c...)
			}
			children = append(children, members...)
		}
		groups = children
	}
	return t
}

// divide returns topicBranches centers of a group, and the vectors nearest to each (spherical k-means).
func divide(
	group []matching.Vector, dimensions int, rng *rand.Rand,
) (centers []matching.Vector, members [][]matching.Vector) {
	for range topicBranches {
		center := make([]float64, dimensions)
		if len(group) > 0 {
			add(center, group[rng.IntN(len(group))])
		}
		centers = append(centers, direction(center))
	}

	// In each round of Lloyd's algorithm, vectors join the nearest center, and centers move to the mean of their vectors.
	for range topicRounds {
		members = make([][]matching.Vector, topicBranches)
		sums := make([][]float64, topicBranches)
		for _, v := range group {
			i := nearest(centers, v)
			members[i] = append(members[i], v)
			if sums[i] == nil {
				sums[i] = make([]float64, dimensions)
			}
			add(sums[i], v)
		}

		// A center without vectors stays where it is.
		for i, sum := range sums {
			if sum != nil {
				centers[i] = direction(sum)
			}
		}
	}

	return centers, members
}

// add adds a vector, scaled to length 1, to a sum.
func add(sum []float64, v matching.Vector) {
	if length := math.Sqrt(float64(Squares(v))); length > 0 {
		for i, c := range v {
			sum[i] += float64(c) / length
		}
	}
}

// direction returns a vector of length 127 in the direction of sum.
func direction(sum []float64) matching.Vector {
	length := 0.0
	for _, x := range sum {
		length += x * x
	}
	v := make(matching.Vector, len(sum))
	if length == 0 {
		return v
	}
	scale := math.MaxInt8 / math.Sqrt(length)
	for i, x := range sum {
		v[i] = int8(math.Round(x * scale))
	}
	return v
}

// nearest returns the number of the center with the highest dot product. Because centers are equally long, it has the
// highest cosine.
func nearest(centers []matching.Vector, v matching.Vector) int {
	best := 0
	highest := math.MinInt
	for i, center := range centers {
		if dot := Product(center, v); dot > highest {
			best = i
			highest = dot
		}
	}
	return best
}

// TopicOf returns the topic of a vector.
func (t *TopicTree) TopicOf(v matching.Vector) uint16 {
	// the number of centers of the level, of which the first is at first
	topic := 0
	first := 0
	number := topicBranches
	var centers [topicBranches]matching.Vector
	for range topicLevels {
		for i := range centers {
			centers[i] = t.Centers[(first+topic*topicBranches+i)*len(v):][:len(v)]
		}
		topic = topic*topicBranches + nearest(centers[:], v)
		first += number
		number *= topicBranches
	}
	return uint16(topic)
}

// TopicSpace returns the space with the fewest dimensions, or -1 if the index has no vectors.
func TopicSpace(rotations []*Rotation) int {
	best := -1
	for i, r := range rotations {
		if best < 0 || r.Dimensions < rotations[best].Dimensions {
			best = i
		}
	}
	return best
}
