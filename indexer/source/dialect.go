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

// openCSV detects the delimiter and reads the header of a CSV file.
func openCSV(in *input, o Options) (*csvReader, table, error) {
	delim := byte(o.Delimiter)
	switch {
	case o.Delimiter == 0:
		delim = detectDelimiter(in.head, in.whole, func(header string) bool { return isKnown(header, o.Map) })
	case o.Delimiter < 0 || o.Delimiter > '~' || strings.ContainsRune("\"\r\n", o.Delimiter):
		return nil, table{}, fmt.Errorf("invalid delimiter %q; use one ASCII character, but no quote or line end",
			o.Delimiter)
	}
	records, err := readHead(in.head, in.whole, delim, sampleRows+1)
	if err != nil {
		return nil, table{}, err
	}
	r := &csvReader{in: in.Reader, delim: delim, text: newCharset(in.head)}
	if len(records) == 0 {
		return nil, table{}, errors.New("the first row is longer than 256 KiB; it must be a header with column names")
	}
	if len(records) == 1 && in.whole {
		return nil, table{}, errors.New("the file has a header but no rows")
	}
	header, err := r.next()
	if err != nil {
		return nil, table{}, err
	}
	t := table{headers: make([]string, len(header.cells)), sample: records[1:]}
	for i, cell := range header.cells {
		t.headers[i] = strings.TrimSpace(cell)
	}
	return r, t, nil
}

// delimiters has the delimiters that are detected, the most likely first.
const delimiters = ",;\t|"

// detectDelimiter returns the delimiter that turns the beginning of a file into the best table: the one with the most
// known headers, and among those the one with the most rows that have as many cells as the header.
func detectDelimiter(head []byte, whole bool, isKnown func(header string) bool) byte {
	type score struct {
		known   int
		regular float64 // share of rows with as many cells as the header
		cells   int
	}
	best, bestScore := delimiters[0], score{}
	for _, delim := range []byte(delimiters) {
		records, _ := readHead(head, whole, delim, sampleRows+1)
		if len(records) == 0 {
			continue
		}
		s := score{cells: len(records[0].cells)}
		for _, header := range records[0].cells {
			if isKnown(header) {
				s.known++
			}
		}
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
			best, bestScore = delim, s
		}
	}
	return best
}

// readHead reads rows from the beginning of a file. It leaves out the last row if the file continues, because the row
// may be incomplete.
func readHead(head []byte, whole bool, delim byte, limit int) (records []record, err error) {
	in := bufio.NewReaderSize(bytes.NewReader(head), len(head)+16)
	r := &csvReader{in: in, delim: delim, text: newCharset(head)}
	for len(records) < limit {
		rec, err := r.next()
		switch {
		case errors.Is(err, io.EOF), err != nil && !whole:
			if !whole && len(records) > 0 && errors.Is(err, io.EOF) {
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
