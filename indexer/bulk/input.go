package bulk

import (
	"context"
	"iter"

	"github.com/freelancer-matching/service/indexer/rows"
)

// Input is a file to load.
type Input struct {
	Name string // in dead letters and reports
	// Open opens the file at its start. It may be called several times.
	Open func() (File, error)
	// ETag and LastModified are recorded in the provenance.
	ETag, LastModified string
}

// File is an open file, such as a *source.File.
type File interface {
	// Rows yields the rows of the file. It yields an error and ends if the file can't be read or ctx is done.
	Rows(ctx context.Context) iter.Seq2[rows.Row, error]
	Size() int64
	Offset() int64
	Close() error
}

// Progress describes how far a load has come.
type Progress struct {
	Stage       Stage
	Rows        int // handled in this stage
	Total       int // rows in this stage; 0 if unknown
	Bytes, Size int64
}

// Stage is a step of a load, as a word for logs and progress bars.
type Stage string

// The stages, in their order. Downloading comes before a load. Reading checks all files before anything is changed.
// Comparing decides which rows are about one person, if rows with the same ID differ. Copying takes freelancers from
// another index. Merging happens only if an ID has several rows, or was not in the file. Finishing has no counts.
// Encoding comes after the checks of a new index, if it was asked for. Counting finds the known values of a live index
// that has no current counts.
const (
	Downloading Stage = "downloading"
	Reading     Stage = "reading"
	Comparing   Stage = "comparing"
	Copying     Stage = "copying"
	Loading     Stage = "loading"
	Merging     Stage = "merging"
	Finishing   Stage = "finishing"
	Encoding    Stage = "encoding"
	Counting    Stage = "counting"
)

// progressRows is the number of rows between two progress reports.
const progressRows = 256
