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

// openCSV finds the delimiter and the header of a CSV file.
func openCSV(in *input, o Options) (*csvReader, table, error) {
	delim := byte(o.Delimiter)
	switch {
	case o.Delimiter == 0:
		delim = detectDelimiter(in.head, in.whole, func(header string) bool { return isKnown(header, o.Map) })
	case o.Delimiter < 0 || o.Delimiter > '~' || strings.ContainsRune("\"\r\n", o.Delimiter):
		return nil, table{}, fmt.Errorf("delimiter %q: one character of ASCII expected, no quote or line end", o.Delimiter)
	}
	records, err := readHead(in.head, in.whole, delim, sampleRows+1)
	if err != nil {
		return nil, table{}, err
	}
	r := &csvReader{in: in.Reader, delim: delim, text: newCharset(in.head)}
	if len(records) == 0 {
		return nil, table{}, errors.New("the first row is longer than 256 KiB: a header of column names is expected")
	}
	if len(records) == 1 && in.whole {
		return nil, table{}, errors.New("a header and no rows")
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

// delimiters are those that are looked for, the likeliest first.
const delimiters = ",;\t|"

// detectDelimiter finds the delimiter that makes the best table of a file's head: the one with the most headers that
// are known, then the one that cuts most rows into as many cells as the header, into more than one.
func detectDelimiter(head []byte, whole bool, isKnown func(header string) bool) byte {
	type score struct {
		known   int
		regular float64 // share of rows
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

// readHead reads the first rows of a file's head. Where the head is not the whole file its last row is left out,
// because it may go on.
func readHead(head []byte, whole bool, delim byte, limit int) (records []record, err error) {
	r := &csvReader{in: bufio.NewReaderSize(bytes.NewReader(head), len(head)+16), delim: delim, text: newCharset(head)}
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
