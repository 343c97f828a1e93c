package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// salvage yields the freelancers of a complete index whose search structures can't be read because of cause, from its
// records alone. It yields nothing but the error if the records aren't exactly those that were stored.
func (e *Engine) salvage(
	ctx context.Context, name string, cause error, yield func(matching.Freelancer, error) bool,
) {
	fail := func(err error) {
		yield(matching.Freelancer{}, fmt.Errorf("scan index %q: %w", name, err))
	}
	d, dir, err := e.describe(name)
	if err != nil {
		fail(err)
		return
	}
	path := filepath.Join(dir, recordsFile)
	last, sum, err := lastRecords(ctx, path)
	switch {
	case err != nil:
		fail(errors.Join(cause, err))
		return
	case len(last) != d.Documents || d.RecordsSum != "" && d.RecordsSum != hexSum(sum):
		fail(errors.Join(cause, damaged("%s does not hold the records that were stored", recordsFile)))
		return
	}
	e.log.WarnContext(ctx, "index read from its records alone", "index", name, "error", cause,
		"verified", d.RecordsSum != "")
	line := 0
	err = eachRecord(ctx, path, func(f *matching.Freelancer, _ []byte) bool {
		current := last[f.ID] == line
		line++
		return !current || yield(*f, nil)
	})
	if err != nil {
		fail(err)
	}
}

// lastRecords returns the number of the last line of each freelancer in a file of records, and the file's CRC-32C.
func lastRecords(ctx context.Context, path string) (last map[string]int, sum uint32, err error) {
	last = map[string]int{}
	line := 0
	err = eachRecord(ctx, path, func(f *matching.Freelancer, record []byte) bool {
		last[f.ID] = line
		line++
		sum = crc32.Update(sum, castagnoli, record)
		return true
	})
	return last, sum, err
}

// eachRecord calls do with each record of a file and the bytes that it was decoded from, until do returns false.
func eachRecord(ctx context.Context, path string, do func(f *matching.Freelancer, record []byte) bool) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return damaged("%s is missing", recordsFile)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, 1<<20)
	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(record) == 0 {
			return nil
		}
		if err != nil {
			return damaged("%s: line %d: %v", recordsFile, number, err)
		}
		var f matching.Freelancer
		if err := json.Unmarshal(record, &f); err != nil {
			return damaged("%s: line %d: %v", recordsFile, number, err)
		}
		if !do(&f, record) {
			return nil
		}
	}
}

var _ engine.Checker = (*Engine)(nil)
