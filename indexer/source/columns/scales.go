package columns

import (
	"strings"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/ratings"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// A cellScanner calls add with each cell of some columns of the whole file. A quick scan doesn't parse whole rows. It
// reports whether it saw the cells of these columns and no others.
type cellScanner func(columns []int, quick bool, add func(column int, cell []byte)) (isDone bool, err error)

// A ratingCounter counts all values of some columns of the whole file.
type ratingCounter func(columns []int, stats map[int]*ratings.Stats) error

// JudgeScales sets the scale of each column of ratings that neither its header nor the options declare. It goes through
// the whole column, because the first rows may have only low values.
func (m *Mapping) JudgeScales(sample []table.Record, count ratingCounter) error {
	stats, unfinished := m.countSample(sample)
	if len(unfinished) > 0 {
		if err := count(unfinished, stats); err != nil {
			return err
		}
	}

	used := m.Sets[field.Rating][:0]
	for _, set := range m.Sets[field.Rating] {
		s := stats[set.Columns[0]]
		if s == nil || m.judgeScale(&set, s) {
			used = append(used, set)
		}
	}

	m.Sets[field.Rating] = used
	return nil
}

// countSample counts the ratings of the sample in each column whose scale is open. It also returns the columns of which
// the sample is too small a part; their statistics are empty.
func (m *Mapping) countSample(sample []table.Record) (stats map[int]*ratings.Stats, unfinished []int) {
	stats = make(map[int]*ratings.Stats)
	for _, set := range m.Sets[field.Rating] {
		column := set.Columns[0]
		s := &ratings.Stats{Decimals: set.Decimals}
		for _, rec := range sample {
			s.Add([]byte(table.CellAt(rec.Cells, column)))
		}

		// Under the header of a percentage, .98 may mean 98 percent.
		isFraction := set.Scale == percentScale && s.Parts > 0
		if set.Scale != 0 && !isFraction {
			continue
		}
		stats[column] = s

		// A shorter sample is the whole column.
		isDeclared := s.Values == 0 && s.Declared >= minCells
		if len(sample) >= table.SampleRows && !isDeclared {
			unfinished = append(unfinished, column)
			*s = ratings.Stats{Decimals: set.Decimals}
		}
	}
	return stats, unfinished
}

// percentScale is the scale of percentages, and the largest one.
const percentScale = 100

// judgeScale sets the scale that the ratings of a column show. It returns false if they are no ratings.
func (m *Mapping) judgeScale(set *Set, s *ratings.Stats) bool {
	scale, note, doubt := s.Judge()
	staysPercent := set.Scale == percentScale && scale != 1 // as its header says
	if staysPercent {
		return true
	}

	c := &m.Columns[set.Columns[0]]
	if scale == 0 && c.How != ByFlag {
		c.Field = field.None
		c.Note = "not used for rating, because " + note
		return false
	}

	// Without a scale, the user insists on a column whose values exceed every scale.
	set.Scale = scale
	if scale == 0 {
		set.Scale = percentScale
	}

	if note != "" {
		c.Note = strings.TrimSuffix(note+"; "+c.Note, "; ")
	}
	if doubt != "" {
		c.Doubt = doubt
	}

	return true
}

// JudgeDates sets the order of day and month of columns of dates that the first rows leave open. It goes through the
// whole column.
func (m *Mapping) JudgeDates(sample []table.Record, scan cellScanner) error {
	var open []int
	judges := make(map[int]*value.DateJudge)
	for _, set := range m.Sets[field.AvailableFrom] {
		column := set.Columns[0]
		var first value.DateJudge
		for cell := range cellsOf(sample, set.Columns) {
			first.Add(cell)
		}

		if len(sample) >= table.SampleRows && first.IsOpen() {
			open = append(open, column)
			judges[column] = &value.DateJudge{}
		}
	}

	if len(open) == 0 {
		return nil
	}
	add := func(column int, cell []byte) { judges[column].Add(string(cell)) }

	// The quick scan of JSON may find the same keys in other objects. Then whole rows decide.
	isDone, err := scan(open, true, add)
	if !isDone && err == nil {
		for _, column := range open {
			*judges[column] = value.DateJudge{}
		}
		_, err = scan(open, false, add)
	}

	for i := range m.Sets[field.AvailableFrom] {
		set := &m.Sets[field.AvailableFrom][i]
		if j := judges[set.Columns[0]]; j != nil {
			set.Dates = j.Order()
		}
	}

	return err
}
