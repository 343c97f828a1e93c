package source

import (
	"strings"

	"freelancer-matching/internal/value"
)

// A cellScanner calls add with each cell of some columns of the whole file. A quick scan doesn't parse whole rows. It
// reports whether it saw the cells of these columns and no others.
type cellScanner func(columns []int, quick bool, add func(column int, cell []byte)) (isDone bool, err error)

// A ratingCounter counts all values of some columns of the whole file.
type ratingCounter func(columns []int, stats map[int]*scaleStats) error

// judgeScales sets the scale of each column of ratings that neither its header nor the options declare. It goes through
// the whole column, because the first rows may have only low values.
func (m *mapping) judgeScales(sample []record, count ratingCounter) error {
	var open []int // columns to judge
	stats := make(map[int]*scaleStats)
	for _, set := range m.fields[fieldRating] {
		column := set.columns[0]
		s := &scaleStats{decimals: set.decimals}
		for _, rec := range sample {
			s.add([]byte(cellAt(rec.cells, column)))
		}

		isFraction := set.scale == 100 && s.parts > 0
		if set.scale != 0 && !isFraction {
			continue
		}
		stats[column] = s

		if isDeclared := s.values == 0 && s.declared >= minCells; len(sample) >= sampleRows && !isDeclared {
			open = append(open, column)
			*s = scaleStats{decimals: set.decimals}
		}
	}

	if len(open) > 0 {
		if err := count(open, stats); err != nil {
			return err
		}
	}

	sets := m.fields[fieldRating][:0]
	for _, set := range m.fields[fieldRating] {
		column := set.columns[0]
		if s := stats[column]; s != nil {
			scale, note, doubt := s.judge()
			if isPercent := set.scale == 100; isPercent && scale != 1 {
				sets = append(sets, set) // as its header says
				continue
			}

			c := &m.columns[column]
			if scale == 0 && c.how != ByFlag {
				c.field = fieldNone
				c.note = "not used for rating, because " + note
				continue
			}

			if set.scale = scale; scale == 0 {
				set.scale = 100
			}

			if note != "" {
				c.note = strings.TrimSuffix(note+"; "+c.note, "; ")
			}

			if doubt != "" {
				c.doubt = doubt
			}
		}

		sets = append(sets, set)
	}

	m.fields[fieldRating] = sets
	return nil
}

// judgeDates sets the order of day and month of columns of dates that the first rows leave open. It goes through the
// whole column.
func (m *mapping) judgeDates(sample []record, scan cellScanner) error {
	var open []int
	judges := make(map[int]*value.DateJudge)
	for _, set := range m.fields[fieldAvailableFrom] {
		column := set.columns[0]
		var first value.DateJudge
		for cell := range cellsOf(sample, set.columns) {
			first.Add(cell)
		}

		if len(sample) >= sampleRows && first.IsOpen() {
			open = append(open, column)
			judges[column] = &value.DateJudge{}
		}
	}

	if len(open) == 0 {
		return nil
	}
	add := func(column int, cell []byte) { judges[column].Add(string(cell)) }
	isDone, err := scan(open, true, add)
	if !isDone && err == nil {
		for _, column := range open {
			*judges[column] = value.DateJudge{}
		}
		_, err = scan(open, false, add)
	}

	for i := range m.fields[fieldAvailableFrom] {
		set := &m.fields[fieldAvailableFrom][i]
		if j := judges[set.columns[0]]; j != nil {
			set.dates = j.Order()
		}
	}

	return err
}
