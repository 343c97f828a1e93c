package people

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Exports is the data folder, in which exports of freelancers may be: files in it and in its folder exports that end in
// .ndjson, .jsonl or .csv. Other files, such as compressed ones, are not searched.
type Exports string

// exportsDir is the folder for exports in the data folder.
const exportsDir = "exports"

// erase removes the freelancers with these IDs from all exports, and returns how many lines it removed for each.
func (x Exports) erase(ids []string) (removed map[string]int, err error) {
	removed = map[string]int{}
	for _, folder := range []string{string(x), filepath.Join(string(x), exportsDir)} {
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return removed, fmt.Errorf("exports: %w", err)
		}

		for _, entry := range entries {
			each := eachRecord
			switch strings.ToLower(filepath.Ext(entry.Name())) {
			case ".csv":
				each = eachRow
			case ".ndjson", ".jsonl":
			default:
				continue
			}

			// Hidden files include the replacements of other files that are being written.
			if !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") {
				continue
			}

			path := filepath.Join(folder, entry.Name())
			if err := eraseFrom(path, each, ids, removed); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return removed, fmt.Errorf("export %s: %w", path, err)
			}
		}
	}

	return removed, nil
}

// A part is a freelancer in an export, or anything else with the ID "".
type part struct {
	id   string
	text []byte
}

// eraseFrom removes freelancers from one file. It reads the file first, and rewrites it only if it has one of them.
func eraseFrom(
	path string, each func(in *os.File, do func(part) error) error, ids []string, removed map[string]int,
) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()

	// Most exports have none of the freelancers, so each is read before it is rewritten.
	has := false
	err = each(in, func(p part) error {
		if p.id != "" && slices.Contains(ids, p.id) {
			removed[p.id]++
			has = true
		}
		return nil
	})
	if err != nil || !has {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}

	return replaceFile(path, func(out io.Writer) error {
		return each(in, func(p part) error {
			if p.id != "" && slices.Contains(ids, p.id) {
				return nil
			}
			_, err := out.Write(p.text)
			return err
		})
	})
}

// eachRecord calls do for each line of a file with one JSON object per line.
func eachRecord(in *os.File, do func(part) error) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := buffered.ReadBytes('\n')
		if len(line) > 0 {
			var record struct{ ID json.RawMessage }
			_ = json.Unmarshal(line, &record) // a line without an ID is nobody's
			// An ID may be a number, which is kept as it is written.
			id := string(record.ID)
			if bytes.HasPrefix(record.ID, []byte{'"'}) {
				_ = json.Unmarshal(record.ID, &id) // a valid string
			}

			if err := do(part{id, line}); err != nil {
				return err
			}
		}

		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// eachRow calls do for each row of a table whose header has a column id. The texts of the rows are as in the file.
// A table without such a column, or one that isn't CSV as exports are, has no freelancers.
func eachRow(in *os.File, do func(part) error) error {
	rows := csv.NewReader(bufio.NewReaderSize(in, 64<<10))
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true

	// The CSV reader reads ahead, so the texts of the rows come from a second handle.
	raw, err := os.Open(in.Name())
	if err != nil {
		return err
	}
	defer raw.Close()

	column := -1     // of the IDs; -1 if there is none
	from := int64(0) // where the text of the row begins
	for isHeader := true; ; isHeader = false {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if _, malformed := errors.AsType[*csv.ParseError](err); malformed {
			return copyRest(raw, from, do)
		}
		if err != nil {
			return err
		}

		id := ""
		switch {
		case isHeader:
			column = slices.IndexFunc(cells, isIDHeader)
		case 0 <= column && column < len(cells):
			id = cells[column]
		}

		// The offset points to the next row, so the text includes the line break.
		to := rows.InputOffset()
		text := make([]byte, to-from)
		if _, err := raw.ReadAt(text, from); err != nil {
			return err
		}

		if err := do(part{id, text}); err != nil {
			return err
		}

		from = to
	}
}

// isIDHeader reports whether a header is the one of the column of IDs. The first header may follow a byte order mark.
func isIDHeader(cell string) bool { return strings.EqualFold(strings.TrimPrefix(cell, "\ufeff"), "id") }

// copyRest calls do with the rest of a file, as nobody's.
func copyRest(raw *os.File, from int64, do func(part) error) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := raw.ReadAt(buffer, from)
		if n > 0 {
			if err := do(part{"", buffer[:n]}); err != nil {
				return err
			}
		}
		from += int64(n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
