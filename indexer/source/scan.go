package source

import (
	"errors"
	"io"
	"slices"

	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/csvfile"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/jsonfile"
	"github.com/freelancer-matching/service/indexer/source/ratings"
	"github.com/freelancer-matching/service/indexer/source/repair"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/indexer/source/workbook"
)

// judgeColumns sets what only the values of whole columns show: the scales of ratings, and the order of day and month.
// Of two errors, it returns both.
func (f *File) judgeColumns(m *columns.Mapping, t table.Table, o Options) error {
	countRatings := func(columns []int, stats map[int]*ratings.Stats) error { return f.scanRatings(o, columns, stats) }
	scan := func(columns []int, quick bool, add func(column int, cell []byte)) (bool, error) {
		return f.scan(o, columns, quick, add)
	}
	return errors.Join(m.JudgeScales(t.Sample, countRatings), m.JudgeDates(t.Sample, scan))
}

// scanRatings counts all values of some columns, whose decimals have been judged.
func (f *File) scanRatings(o Options, columns []int, stats map[int]*ratings.Stats) error {
	reset := func() {
		for _, column := range columns {
			*stats[column] = ratings.Stats{Decimals: stats[column].Decimals}
		}
	}

	book, isBook := f.records.(*workbook.Book)
	hasOwnColumns := len(f.constants) == 0
	if isBook && hasOwnColumns && book.CountRatings(columns, stats) {
		return nil
	}
	reset()
	isDone, err := f.scan(o, columns, true, func(column int, cell []byte) { stats[column].Add(cell) })
	if isDone || err != nil {
		return err
	}

	reset()
	_, err = f.scan(o, columns, false, func(column int, cell []byte) { stats[column].Add(cell) })
	return err
}

// scan reads the file a second time, and calls add with each repaired cell of some columns. A quick scan doesn't parse
// whole rows. It reports whether it saw the cells of these columns and no others.
func (f *File) scan(
	o Options, columns []int, quick bool, add func(column int, cell []byte),
) (isDone bool, err error) {
	// The columns of the file come after the constants, of which one cell says everything.
	shift := len(f.constants)
	var own []int
	for _, column := range columns {
		if column < shift {
			add(column, []byte(f.constantCells[column]))
		} else {
			own = append(own, column-shift)
		}
	}
	if len(own) == 0 {
		return true, nil
	}
	columns = own
	addRepaired := func(column int, cell []byte) { add(column+shift, repair.Bytes(cell)) }

	in, err := input.Open(f.from)
	if err != nil {
		return false, err
	}
	again := &File{from: f.from, in: in, close: in.Close}
	defer func() { err = errors.Join(err, again.close()) }()

	// A workbook may have several sheets. This pass must read the one that was mapped.
	if _, err := again.openRecords(o, func(other table.Table) (int, error) {
		if !slices.Equal(other.Headers, f.written) {
			return 0, errors.New("another sheet")
		}
		return len(f.written), nil
	}); err != nil {
		return false, err
	}

	// CSV is split without decoding, and in JSON only keys are searched, so that this pass takes about 2 percent of a
	// load.
	switch records := again.records.(type) {
	case *csvfile.Reader:
		records.Scan(columns, addRepaired)
		return true, nil
	case *jsonfile.Reader:
		if quick {
			return records.ScanKeys(f.written, columns, addRepaired), nil
		}
	}

	for {
		rec, err := again.records.Next()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return true, nil // Rows reports the error with the rows before it
		case rec.Fault != "":
			continue
		}

		for _, column := range columns {
			addRepaired(column, []byte(table.CellAt(rec.Cells, column)))
		}
	}
}
