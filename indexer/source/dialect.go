package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// csvOptions say how to read a CSV file.
type csvOptions struct {
	delimiter rune // 0 to detect it
	noHeader  bool
	overrides headerOverrides
}

// openCSV detects the delimiter and reads the header of a CSV file.
func openCSV(in *input, o csvOptions) (*csvReader, table, error) {
	declared, err := skipPreamble(in, o)
	if err != nil {
		return nil, table{}, err
	}

	if o.delimiter == 0 {
		o.delimiter = declared
	}
	delim := byte(o.delimiter)
	switch {
	case o.delimiter == 0:
		delim = detectDelimiter(in, o.overrides)
	case o.delimiter < 0 || o.delimiter > '~' || strings.ContainsRune("\"\r\n", o.delimiter):
		return nil, table{}, fmt.Errorf("invalid delimiter %q; use one ASCII character, but no quote or line end",
			o.delimiter)
	}

	records, err := readHead(in, delim)
	if err != nil {
		return nil, table{}, err
	}
	r := &csvReader{in: in.Reader, delim: delim, text: in.text, line: in.lines}

	if len(records) == 0 && in.whole {
		return nil, table{}, errors.New("the file has no rows")
	}
	if len(records) == 0 {
		return nil, table{}, errors.New("the first row is longer than 256 KiB; it must be a header with column names")
	}

	if o.noHeader {
		r.headers = numberedHeaders(records)
		return r, table{headers: r.headers, sample: records}, nil
	}

	skip := headerRow(records, o.overrides)
	if skip > 0 {
		in.note("%s", titleNote(records, skip))
	}

	if len(records) == skip+1 && in.whole {
		return nil, table{}, errors.New("the file has a header but no rows")
	}
	var header record
	for range skip + 1 {
		if header, err = r.next(); err != nil {
			return nil, table{}, err
		}
	}

	for _, warning := range header.warnings {
		in.note("header %q: %s", warning.Value, warning.Reason)
	}
	r.headers = make([]string, len(header.cells))
	for i, cell := range header.cells {
		r.headers[i] = strings.TrimSpace(cell)
	}

	return r, table{headers: r.headers, sample: records[skip+1:]}, nil
}

// detectDelimiter returns the delimiter that turns the beginning of a file into the best table: the one with the most
// known headers, and among those the one with the most rows that have as many cells as the header.
func detectDelimiter(in *input, overrides headerOverrides) byte {
	type score struct {
		known   int
		regular float64 // share of rows with as many cells as the header
		cells   int
	}

	best := delimiters[0]
	bestScore := score{}
	for _, delim := range []byte(delimiters) {
		records, _ := readHead(in, delim)
		if len(records) == 0 {
			continue
		}
		header := records[headerRow(records, overrides)].cells
		s := score{cells: len(header), known: overrides.countKnown(header)}
		if s.cells > 1 {
			for _, rec := range records {
				if len(rec.cells) == s.cells {
					s.regular += 1 / float64(len(records))
				}
			}
		}

		isBetter := s.known > bestScore.known ||
			s.known == bestScore.known && (s.regular > bestScore.regular ||
				s.regular == bestScore.regular && s.cells > bestScore.cells && s.cells > 1)
		if isBetter {
			best = delim
			bestScore = s
		}
	}

	return best
}

// readHead reads up to sampleRows rows and a header from the head of a file. It leaves out the last row if the file
// continues, because the row may be incomplete.
func readHead(in *input, delim byte) (records []record, err error) {
	reader := bufio.NewReaderSize(bytes.NewReader(in.head), len(in.head)+16)
	r := &csvReader{in: reader, delim: delim, text: in.text, line: in.lines}
	for len(records) <= sampleRows {
		rec, err := r.next()
		switch {
		case errors.Is(err, io.EOF), err != nil && !in.whole:
			if !in.whole && len(records) > 0 && errors.Is(err, io.EOF) {
				records = records[:len(records)-1]
			}
			return records, nil
		case err != nil:
			return records, err
		}
		rec.cells = slices.Clone(rec.cells)
		records = append(records, rec)
	}
	return records, nil
}
