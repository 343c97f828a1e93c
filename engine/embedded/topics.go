package embedded

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"freelancer-matching/internal/matching"
)

// Documents are ordered by topic, so that those of a tile resemble each other and share most of their words. The
// highest codes of a tile then occur together in its best documents, which makes the upper bounds of tiles close, and
// most of them are too low for a brief about another topic (Dhulipala et al., KDD 2016, and Mallia et al., SIGIR 2024,
// measure the effect of such orders). Topics are clusters of the vectors.
const (
	topicBranches = 16
	topicLevels   = 3
	topics        = 1 << 12 // topicBranches to the power of topicLevels

	// topicSample is the number of vectors from which the topics are computed, and topicRounds the number of rounds of
	// Lloyd's algorithm. More of either change the order a little but not the speed of searches.
	topicSample = 1 << 15
	topicRounds = 4
)

// orderedFrom is the number of documents from which they are ordered by topic. Smaller segments have so few tiles that
// the order gains nothing.
const orderedFrom = 1 << 14

// A topicTree finds the topic of a vector. It has topicLevels levels of centers, of which each has topicBranches
// children; the topic is the number of the nearest child of the nearest child of the nearest root.
type topicTree struct {
	space   int
	centers []int8 // by level and number; each has as many elements as the space has dimensions
}

// newTopicTree computes the topics of a sample of the vectors of a space. Equal samples have equal topics.
func newTopicTree(space int, sample []matching.Vector) *topicTree {
	t := &topicTree{space: space}
	rng := rand.New(rand.NewPCG(uint64(len(sample)), 2)) //nolint:gosec // picks the first centers
	groups := [][]matching.Vector{sample}
	for range topicLevels {
		var children [][]matching.Vector
		for _, group := range groups {
			centers, members := divide(group, len(sample[0]), rng)
			for _, c := range centers {
				t.centers = append(t.centers, c...)
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
	if length := math.Sqrt(float64(squares(v))); length > 0 {
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
		if dot := product(center, v); dot > highest {
			best = i
			highest = dot
		}
	}
	return best
}

// of returns the topic of a vector.
func (t *topicTree) of(v matching.Vector) uint16 {
	// the number of centers of the level, of which the first is at first
	topic := 0
	first := 0
	number := topicBranches
	var centers [topicBranches]matching.Vector
	for range topicLevels {
		for i := range centers {
			centers[i] = t.centers[(first+topic*topicBranches+i)*len(v):][:len(v)]
		}
		topic = topic*topicBranches + nearest(centers[:], v)
		first += number
		number *= topicBranches
	}
	return uint16(topic)
}

// byTopic returns the new number of each document: its place in the order of topics. Documents of a topic keep their
// order, and those that are not live are gone.
func byTopic(topicOf []uint16, live func(doc int) bool) (to []uint32, documents int) {
	var next [topics]uint32
	for doc, topic := range topicOf {
		if live(doc) {
			next[topic]++
			documents++
		}
	}

	first := uint32(0)
	for topic, count := range next {
		next[topic] = first
		first += count
	}

	to = make([]uint32, len(topicOf))
	for doc, topic := range topicOf {
		if to[doc] = gone; live(doc) {
			to[doc] = next[topic]
			next[topic]++
		}
	}

	return to, documents
}

// topicSpace returns the space with the fewest dimensions, or -1 if the index has no vectors.
func topicSpace(rotations []*rotation) int {
	best := -1
	for i, r := range rotations {
		if best < 0 || r.dimensions < rotations[best].dimensions {
			best = i
		}
	}
	return best
}

// arrived returns the documents in the order in which they were added, which is the order of their records.
func (x *segment) arrived() []uint32 {
	docs := make([]uint32, len(x.lengths))
	for i := range docs {
		docs[i] = uint32(i)
	}
	if x.topicTree == nil {
		return docs
	}
	file := func(doc uint32) uint16 {
		if x.records.file == nil {
			return 0
		}
		return x.records.file[doc]
	}
	slices.SortFunc(docs, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(file(a), file(b)), cmp.Compare(x.records.offsets[a], x.records.offsets[b]))
	})
	return docs
}

// topic returns the topic of a document.
func (x *segment) topic(tree *topicTree, doc uint32) uint16 {
	if x.topicTree == tree {
		return x.topicOf[doc]
	}
	return tree.of(x.blocks[doc/blockSize].vectors[tree.space].at(int(doc % blockSize)))
}

// topics returns the tree that a new base is ordered by: that of the old one, or a new one if the index has enough
// documents by now. It is nil if documents stay in the order in which they were added.
func (v *view) topics() *topicTree {
	base := v.parts[0]
	space := topicSpace(v.shared.rotations)
	if base.topicTree != nil || space < 0 || v.totals.documents < v.shared.orderedFrom {
		return base.topicTree
	}

	var sample []matching.Vector
	every := max(1, v.totals.documents/topicSample)
	for _, p := range v.parts {
		for doc := 0; doc < len(p.lengths); doc += every {
			of := &p.blocks[doc/blockSize].vectors[space]
			if at := doc % blockSize; p.current(uint32(doc)) && of.squares[at] > 0 {
				sample = append(sample, of.at(at))
			}
		}
	}

	if len(sample) == 0 {
		return nil
	}

	return newTopicTree(space, sample)
}

// arrange renumbers the documents: those that are gone are removed.
func (x *segment) arrange(to []uint32, documents int) {
	x.lengths = arranged(x.lengths, to, documents)
	x.from = arranged(x.from, to, documents)
	x.idOf = arranged(x.idOf, to, documents)
	x.topicOf = arranged(x.topicOf, to, documents)
	s := &x.signals
	r := &x.records
	s.experience, s.rating = arranged(s.experience, to, documents), arranged(s.rating, to, documents)
	s.rate, s.sales = arranged(s.rate, to, documents), arranged(s.sales, to, documents)
	s.availability = arranged(s.availability, to, documents)
	r.offsets, r.lengths = arranged(r.offsets, to, documents), arranged(r.lengths, to, documents)
	r.sums, r.file = arranged(r.sums, to, documents), arranged(r.file, to, documents)
	for id, doc := range x.docOf {
		x.docOf[id] = to[doc]
	}
}

// arranged returns the elements of a column, which may be nil, at the new numbers of their documents.
func arranged[T any](column []T, to []uint32, documents int) []T {
	if column == nil {
		return nil
	}
	moved := make([]T, documents)
	for doc, number := range to {
		if number != gone {
			moved[number] = column[doc]
		}
	}
	return moved
}
