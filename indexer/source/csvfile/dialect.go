package csvfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// Options say how to read a CSV file.
type Options struct {
	Delimiter rune // 0 to detect it
	NoHeader  bool
	Overrides headers.Overrides
}

// Open detects the delimiter and reads the header of a CSV file.
func Open(in *input.Stream, o Options) (*Reader, table.Table, error) {
	declared, err := skipPreamble(in, o)
	if err != nil {
		return nil, table.Table{}, err
	}

	// The options overrule the delimiter that a line "sep=;" declares.
	if o.Delimiter == 0 {
		o.Delimiter = declared
	}
	delim := byte(o.Delimiter)
	switch {
	case o.Delimiter == 0:
		delim = detectDelimiter(in, o.Overrides)
	case o.Delimiter < 0 || o.Delimiter > '~' || strings.ContainsRune("\"\r\n", o.Delimiter):
		return nil, table.Table{}, fmt.Errorf("invalid delimiter %q; use one ASCII character, but no quote or line end",
			o.Delimiter)
	}

	records, err := readHead(in, delim)
	if err != nil {
		return nil, table.Table{}, err
	}
	r := &Reader{in: in.Reader, delim: delim, charset: in.Charset, line: in.SkippedLines}

	if len(records) == 0 && in.IsWhole {
		return nil, table.Table{}, errors.New("the file has no rows")
	}
	if len(records) == 0 {
		return nil, table.Table{}, errors.New("the first row is longer than 256 KiB; it must be a header with column names")
	}

	if o.NoHeader {
		r.headers = table.NumberedHeaders(records)
		return r, table.Table{Headers: r.headers, Sample: records}, nil
	}

	skip := table.HeaderRow(records, o.Overrides)
	if skip > 0 {
		in.Note("%s", table.TitleNote(records, skip))
	}

	if len(records) == skip+1 && in.IsWhole {
		return nil, table.Table{}, errors.New("the file has a header but no rows")
	}

	// The sample was read from a copy of the head, so the reader itself still stands before the titles.
	var header table.Record
	for range skip + 1 {
		if header, err = r.Next(); err != nil {
			return nil, table.Table{}, err
		}
	}

	for _, warning := range header.Warnings {
		in.Note("header %q: %s", warning.Value, warning.Reason)
	}
	r.headers = make([]string, len(header.Cells))
	for i, cell := range header.Cells {
		r.headers[i] = strings.TrimSpace(cell)
	}

	return r, table.Table{Headers: r.headers, Sample: records[skip+1:]}, nil
}

// detectDelimiter returns the delimiter that turns the beginning of a file into the best table: the one with the most
// known headers, and among those the one with the most rows that have as many cells as the header.
func detectDelimiter(in *input.Stream, overrides headers.Overrides) byte {
	best := headers.Delimiters[0]
	bestScore := delimiterScore{}
	for _, delim := range []byte(headers.Delimiters) {
		records, _ := readHead(in, delim)
		if len(records) == 0 {
			continue
		}
		header := records[table.HeaderRow(records, overrides)].Cells
		s := delimiterScore{cells: len(header), known: overrides.CountKnown(header)}

		// A delimiter that the file doesn't have makes a regular table of one column, which is no evidence.
		if s.cells > 1 {
			for _, rec := range records {
				if len(rec.Cells) == s.cells {
					s.regular += 1 / float64(len(records))
				}
			}
		}

		if s.exceeds(bestScore) {
			best = delim
			bestScore = s
		}
	}

	return best
}

// A delimiterScore says how good a table a delimiter makes of the beginning of a file.
type delimiterScore struct {
	known   int     // number of known headers
	regular float64 // share of rows with as many cells as the header
	cells   int     // of the header
}

// exceeds reports whether a table is better than another one. Of two that are as good, the one with more columns is.
func (s delimiterScore) exceeds(other delimiterScore) bool {
	switch {
	case s.known != other.known:
		return s.known > other.known
	case s.regular != other.regular:
		return s.regular > other.regular
	default:
		return s.cells > max(other.cells, 1)
	}
}

// readHead reads up to sampleRows rows and a header from the head of a file. It leaves out the last row if the file
// continues, because the row may be incomplete.
func readHead(in *input.Stream, delim byte) (records []table.Record, err error) {
	reader := bufio.NewReaderSize(bytes.NewReader(in.Head), len(in.Head)+16)
	r := &Reader{in: reader, delim: delim, charset: in.Charset, line: in.SkippedLines}
	for len(records) <= table.SampleRows {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF), err != nil && !in.IsWhole:
			if !in.IsWhole && len(records) > 0 && errors.Is(err, io.EOF) {
				records = records[:len(records)-1]
			}
			return records, nil
		case err != nil:
			return records, err
		}
		rec.Cells = slices.Clone(rec.Cells)
		records = append(records, rec)
	}
	return records, nil
}
