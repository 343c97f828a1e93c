package events

import (
	"encoding/binary"
	"errors"
	"math"
)

const (
	// MaxLesson is the number of freelancers of a response that a lesson has, the first.
	MaxLesson = 10
	// lessonHeader is the size of what comes before the values: version, rank of the coin, number of features, and brief.
	lessonHeader  = 3 + 8
	lessonVersion = 1
	valueSize     = 4
)

// A Lesson is what learning needs of a response: what its first freelancers contributed to their scores, and which
// order a coin decided.
type Lesson struct {
	// Upper is the rank, from 1, of the upper of two neighbors whose order a coin decided; 0 for none.
	Upper int
	// Brief is the seed of the coin, which is the same for each response to a brief, so that they count once.
	Brief uint64
	// Parts has a row for each freelancer, in the order of the response, with a number for each feature; see
	// ranking.Scorer.Parts. The row of somebody who was erased is nil.
	Parts [][]float64
}

// Encode returns a lesson in its stored form: about 300 bytes.
func (l *Lesson) Encode() []byte {
	rows := l.Parts[:min(len(l.Parts), MaxLesson)]
	if len(rows) == 0 {
		return nil
	}

	features := len(rows[0])
	text := []byte{lessonVersion, byte(l.Upper), byte(features)}
	text = binary.LittleEndian.AppendUint64(text, l.Brief)
	for _, row := range rows {
		for f := range features {
			value := math.NaN()
			if row != nil {
				value = row[f]
			}
			text = binary.LittleEndian.AppendUint32(text, math.Float32bits(float32(value)))
		}
	}
	return text
}

var errLesson = errors.New("damaged lesson")

// ReadLesson returns a lesson from its stored form.
func ReadLesson(text []byte) (*Lesson, error) {
	if len(text) < lessonHeader || text[0] != lessonVersion || text[2] == 0 {
		return nil, errLesson
	}
	features := int(text[2])
	l := &Lesson{Upper: int(text[1]), Brief: binary.LittleEndian.Uint64(text[3:])}

	values := text[lessonHeader:]
	size := features * valueSize
	if len(values)%size != 0 || len(values) > MaxLesson*size {
		return nil, errLesson
	}
	for ; len(values) > 0; values = values[size:] {
		row := make([]float64, features)
		for f := range row {
			row[f] = float64(math.Float32frombits(binary.LittleEndian.Uint32(values[f*valueSize:])))
		}
		if math.IsNaN(row[0]) {
			row = nil
		}
		l.Parts = append(l.Parts, row)
	}
	return l, nil
}

// forgetLesson returns a lesson without the values of the freelancer at an index. Nothing remains of a damaged lesson.
func forgetLesson(text []byte, i int) []byte {
	if text == nil {
		return nil
	}
	l, err := ReadLesson(text)
	if err != nil {
		return nil
	}
	if i < len(l.Parts) {
		l.Parts[i] = nil
	}

	// The first row says how many features there are.
	if len(l.Parts) == 0 || l.Parts[0] == nil {
		return nil
	}
	return l.Encode()
}
