package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"freelancer-matching/internal/value"
)

// scaleStats counts the ratings of a column that name no scale. Zeros don't count, because they mean "not rated".
type scaleStats struct {
	values   int
	over     [3]int // values above 5, 10 and 100
	parts    int    // values between 0 and 1
	largest  float64
	declared int // values that name their scale
	decimals value.Decimals
}

// add counts a cell.
func (s *scaleStats) add(cell []byte) {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 {
		return
	}
	n, err := strconv.ParseFloat(string(cell), 64) // doesn't allocate
	if err != nil {
		score, ok := value.ParseScore(s.decimals.Clarify(string(cell)))
		switch {
		case !ok:
			return
		case score.Scale > 0:
			s.declared++
			return
		}

		n = score.Value
	}

	if !(n > 0) || n > 1e9 { // also rejects NaN
		return
	}
	s.values++
	s.largest = max(s.largest, n)

	if n < 1 {
		s.parts++
	}

	for i, limit := range [...]float64{value.MaxRating, 10, 100} {
		if n > limit {
			s.over[i]++
		}
	}
}

// isCommon reports whether n of the values are too many to be mistakes.
func (s *scaleStats) isCommon(n int) bool {
	return n >= 3 && n*50 >= s.values || n >= 2 && n*2 >= s.values
}

// judge returns the scale of the column, and what it was judged by. The scale is 0 if the values are no ratings. A
// doubt says which values don't fit.
func (s *scaleStats) judge() (scale float64, note, doubt string) {
	largest := fmt.Sprintf("the largest of %s values is %s", humanize.Comma(int64(s.values)), humanize.Ftoa(s.largest))
	if s.values == 1 {
		largest = "the only value is " + humanize.Ftoa(s.largest)
	}
	outliers := 0
	switch {
	case s.values == 0 && s.declared > 0:
		return value.MaxRating, "the values name their scale", ""
	case s.values == 0:
		return value.MaxRating, "", ""
	case s.isCommon(s.over[2]):
		return 0, largest + ", more than any rating", ""
	case s.isCommon(s.over[1]):
		scale = 100
		note = "on a scale of 0 to 100, divided by 20: " + largest
		outliers = s.over[2]

	case s.isCommon(s.over[0]):
		scale = 10
		note = "on a scale of 0 to 10, halved: " + largest
		outliers = s.over[1]

	case s.largest <= 1 && s.parts >= 3:
		scale = 1
		note = "on a scale of 0 to 1, multiplied by 5: " + largest
	default:
		scale = value.MaxRating
		note = "on a scale of 0 to 5: " + largest
		outliers = s.over[0]
	}

	if outliers > 0 {
		doubt = fmt.Sprintf("%s exceed the scale of 0 to %v and stay unknown", english.Plural(outliers, "value", ""), scale)
		if outliers == 1 {
			doubt = fmt.Sprintf("1 value exceeds the scale of 0 to %v and stays unknown", scale)
		}
	}

	return scale, note, doubt
}

// headerScale returns the scale that a header declares, as in "Rating (0-10)", "score /100" and "stars out of 5", or 0.
func headerScale(header string) float64 {
	if strings.Contains(header, "%") {
		return 100
	}
	for _, scale := range []string{"100", "10", "5"} {
		i := strings.LastIndex(header, scale)
		if i <= 0 || strings.IndexFunc(header[i+len(scale):], unicode.IsDigit) >= 0 {
			continue
		}
		before := strings.TrimRight(header[:i], " ")
		words := strings.FieldsFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })
		isRange := strings.ContainsAny(before[max(0, len(before)-1):], "/-(") || strings.HasSuffix(before, "–")
		isWord := len(words) > 1 && len(words[len(words)-1]) <= len("sur") && strings.HasSuffix(before, words[len(words)-1])
		if isRange || isWord && before != header[:i] {
			n, _ := strconv.ParseFloat(scale, 64)
			return n
		}
	}
	return 0
}

// judgeScales sets the scale of each column of ratings that neither its header nor the options declare. It goes through
// the whole column, because the first rows may have only low values.
func (f *File) judgeScales(m *mapping, t table, o Options) error {
	var open []int // columns to judge
	stats := make(map[int]*scaleStats)
	for _, set := range m.fields[fieldRating] {
		column := set.columns[0]
		s := &scaleStats{decimals: set.decimals}
		for _, rec := range t.sample {
			s.add([]byte(cellAt(rec.cells, column)))
		}

		isFraction := set.scale == 100 && s.parts > 0
		if set.scale != 0 && !isFraction {
			continue
		}
		stats[column] = s

		if isDeclared := s.values == 0 && s.declared >= minCells; len(t.sample) >= sampleRows && !isDeclared {
			open = append(open, column)
			*s = scaleStats{decimals: set.decimals}
		}
	}

	if err := f.scanRatings(t, o, open, stats); err != nil {
		return err
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
func (f *File) judgeDates(m *mapping, t table, o Options) error {
	var open []int
	judges := make(map[int]*value.DateJudge)
	for _, set := range m.fields[fieldAvailableFrom] {
		column := set.columns[0]
		var first value.DateJudge
		for cell := range cellsOf(t.sample, set.columns) {
			first.Add(cell)
		}

		if len(t.sample) >= sampleRows && first.IsOpen() {
			open = append(open, column)
			judges[column] = &value.DateJudge{}
		}
	}

	if len(open) == 0 {
		return nil
	}
	add := func(column int, cell []byte) { judges[column].Add(string(cell)) }
	isDone, err := f.scan(t, o, open, true, add)
	if !isDone && err == nil {
		for _, column := range open {
			*judges[column] = value.DateJudge{}
		}
		_, err = f.scan(t, o, open, false, add)
	}

	for i := range m.fields[fieldAvailableFrom] {
		set := &m.fields[fieldAvailableFrom][i]
		if j := judges[set.columns[0]]; j != nil {
			set.dates = j.Order()
		}
	}

	return err
}

// scanRatings counts all values of some columns.
func (f *File) scanRatings(t table, o Options, columns []int, stats map[int]*scaleStats) error {
	if len(columns) == 0 {
		return nil
	}

	reset := func() {
		for _, column := range columns {
			*stats[column] = scaleStats{}
		}
	}

	if book, ok := f.records.(*workbook); ok && book.addNumbers(columns, stats) {
		return nil
	}
	reset()
	isDone, err := f.scan(t, o, columns, true, func(column int, cell []byte) { stats[column].add(cell) })
	if isDone || err != nil {
		return err
	}

	reset()
	_, err = f.scan(t, o, columns, false, func(column int, cell []byte) { stats[column].add(cell) })
	return err
}

// scan reads the file a second time, and calls add with each cell of some columns. A quick scan doesn't parse whole
// rows. It reports whether it saw the cells of these columns and no others.
func (f *File) scan(
	t table, o Options, columns []int, quick bool, add func(column int, cell []byte),
) (isDone bool, err error) {
	in, err := openInput(f.from)
	if err != nil {
		return false, err
	}
	again := &File{from: f.from, in: in, close: in.close}
	defer func() { err = errors.Join(err, again.close()) }()

	if _, err := again.openRecords(o, func(other table) (int, error) {
		if !slices.Equal(other.headers, t.headers) {
			return 0, errors.New("another sheet")
		}
		return len(t.headers), nil
	}); err != nil {
		return false, err
	}

	switch records := again.records.(type) {
	case *csvReader:
		records.scan(columns, add)
		return true, nil
	case *jsonReader:
		if quick {
			return records.scanKeys(t.headers, columns, add), nil
		}
	}

	for {
		rec, err := again.records.next()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return true, nil // Rows reports the error with the rows before it
		case rec.fault != "":
			continue
		}

		for _, column := range columns {
			add(column, []byte(cellAt(rec.cells, column)))
		}
	}
}
