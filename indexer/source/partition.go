package source

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/table"
)

// A Constant is a column that has the same value in all rows of a file, and that the file itself lacks.
type Constant struct{ Header, Value string }

// nullPartition is what Hive and Spark write for a partition without a value.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// PartitionOf returns the columns in the folders of a path, such as country=PT/part-0.parquet.
func PartitionOf(path string) (constants []Constant) {
	for folder := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		name, escaped, ok := strings.Cut(folder, "=")
		if !ok || name == "" {
			continue
		}

		value, err := url.PathUnescape(escaped)
		if err != nil {
			value = escaped
		}
		if value == nullPartition {
			value = ""
		}
		constants = append(constants, Constant{name, value})
	}
	return constants
}

// addConstants puts the constants that a table doesn't have itself before its columns, where short rows don't matter.
func (f *File) addConstants(t table.Table) table.Table {
	for _, c := range f.options.Constants {
		hasOwn := slices.ContainsFunc(t.Headers, func(header string) bool { return strings.EqualFold(header, c.Header) })
		if !hasOwn {
			f.constants = append(f.constants, c)
		}
	}
	if len(f.constants) == 0 {
		return t
	}

	headers := make([]string, len(f.constants))
	for i, c := range f.constants {
		headers[i] = c.Header
		f.constantCells = append(f.constantCells, c.Value)
	}
	t.Headers = slices.Concat(headers, t.Headers)

	t.Sample = slices.Clone(t.Sample)
	for i := range t.Sample {
		t.Sample[i].Cells = slices.Concat(f.constantCells, t.Sample[i].Cells)
	}

	return t
}
