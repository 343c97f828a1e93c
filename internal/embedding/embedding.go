package embedding

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// Model is a table of vectors for pieces of words. It is safe for concurrent use.
type Model struct {
	space  matching.VectorSpace
	starts *pieceTable // pieces at the start of a word
	others *pieceTable // pieces that continue a word, without the mark
	table  []byte      // one row of int8 per piece
}

// format starts a data file, which has one line with format, name, dimensions and number of pieces, one line per piece,
// and then the table.
const format = "vectors 1"

// Load returns the model with the embedded table. It is read once per process, and all callers share it.
func Load() (*Model, error) { return embedded() }

var embedded = sync.OnceValues(read)

func read() (*Model, error) {
	m, err := parse(mappings.Vectors())
	if err == nil {
		m.space.Floor, err = Floor(context.Background(), m)
	}
	if err != nil {
		return nil, fmt.Errorf("read the embedded vectors: %w", err)
	}
	return m, nil
}

func parse(data []byte) (*Model, error) {
	head, rest, ok := bytes.Cut(data, []byte("\n"))
	if !ok || !bytes.HasPrefix(head, []byte(format+" ")) {
		return nil, fmt.Errorf("the first line is not %q with name, dimensions and pieces", format)
	}

	m := &Model{}
	var count int
	if _, err := fmt.Sscanf(string(head[len(format):]), "%s %d %d",
		&m.space.Model, &m.space.Dimensions, &count); err != nil {
		return nil, fmt.Errorf("the first line: %w", err)
	}
	if m.space.Dimensions < 1 || count < 1 || count > len(rest) {
		return nil, errors.New("the first line has numbers out of range")
	}

	// Pieces that begin a word and pieces inside of one are looked up apart.
	m.starts, m.others = newPieceTable(count), newPieceTable(count)
	for i := range count {
		piece, after, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			return nil, fmt.Errorf("%d pieces, want %d", i, count)
		}
		if !m.addPiece(string(piece), int32(i)) {
			return nil, fmt.Errorf("piece %q is listed twice", piece)
		}

		rest = after
	}

	if want := count * m.space.Dimensions; len(rest) != want {
		return nil, fmt.Errorf("the table has %d bytes, want %d", len(rest), want)
	}

	m.table = rest

	return m, nil
}

// addPiece adds a piece with the number of its row, and reports whether it is new.
func (m *Model) addPiece(piece string, number int32) (isNew bool) {
	if rest, ok := strings.CutPrefix(piece, continuation); ok {
		return m.others.add(rest, number)
	}
	return m.starts.add(piece, number)
}

// Space returns the vector space of the model.
func (m *Model) Space() matching.VectorSpace { return m.space }

// Embed returns the vectors of texts in their order. It never fails; a text without known words has a nil vector.
func (m *Model) Embed(_ context.Context, texts []string) ([]matching.Vector, error) {
	vectors := make([]matching.Vector, len(texts))
	sum := make([]int32, m.space.Dimensions)
	for i, text := range texts {
		clear(sum)
		m.add(sum, text)
		vectors[i] = shrink(sum)
	}
	return vectors, nil
}

// Vector returns the vector of a text, nil if it contains no known word.
func (m *Model) Vector(text string) matching.Vector {
	sum := make([]int32, m.space.Dimensions)
	m.add(sum, text)
	return shrink(sum)
}

// add adds the rows of a text's pieces to sum.
func (m *Model) add(sum []int32, text string) {
	m.pieces(text, func(piece int32) {
		row := m.table[int(piece)*len(sum):][:len(sum)]
		for i, x := range row {
			sum[i] += int32(int8(x))
		}
	})
}

// shrink scales a sum to the range of int8, rounding half away from zero. It returns nil for zeros.
func shrink(sum []int32) matching.Vector {
	largest := int64(0)
	for _, x := range sum {
		largest = max(largest, int64(x), -int64(x))
	}
	if largest == 0 {
		return nil
	}
	v := make(matching.Vector, len(sum))
	for i, x := range sum {
		scaled := int64(x) * math.MaxInt8 * 2
		if x >= 0 {
			scaled += largest
		} else {
			scaled -= largest
		}
		v[i] = int8(scaled / (2 * largest))
	}
	return v
}

// Round converts another model's vector to integers. It returns nil for zeros.
func Round(v []float32) matching.Vector {
	largest := 0.
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	if largest == 0 {
		return nil
	}
	rounded := make(matching.Vector, len(v))
	for i, x := range v {
		rounded[i] = int8(math.Round(float64(x) / largest * math.MaxInt8))
	}
	return rounded
}
