package source

import (
	"errors"
	"io"
	"slices"
)

// judgeColumns sets what only the values of whole columns show: the scales of ratings, and the order of day and month.
// Of two errors, it returns both.
func (f *File) judgeColumns(m *mapping, t table, o Options) error {
	countRatings := func(columns []int, stats map[int]*scaleStats) error { return f.scanRatings(t, o, columns, stats) }
	scan := func(columns []int, quick bool, add func(column int, cell []byte)) (bool, error) {
		return f.scan(t, o, columns, quick, add)
	}
	return errors.Join(m.judgeScales(t.sample, countRatings), m.judgeDates(t.sample, scan))
}

// scanRatings counts all values of some columns.
func (f *File) scanRatings(t table, o Options, columns []int, stats map[int]*scaleStats) error {
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
