package segment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/signals"
)

// A spill is a file for the columns of documents that nothing needs before an index is finished, which are half of what
// a bulk would otherwise keep in memory for each document.
type spill struct {
	path     string
	sections *sectionfile.Sections
	blocks   int
}

// columnsFile is the temporary file of the columns.
const columnsFile = "columns.tmp"

func newSpill(dir string) (*spill, error) {
	path := filepath.Join(dir, columnsFile)
	s, err := sectionfile.Create(path)
	return &spill{path: path, sections: s}, err
}

// write moves the columns of a block's documents from x to the file.
func (s *spill) write(x *Segment) {
	x.transferSpilled(s.sections, s.blocks)
	s.blocks++
	x.Signals.Reset()
	x.Schedules.Reset()
	x.Records.offsets, x.Records.lengths, x.Records.sums = x.Records.offsets[:0], x.Records.lengths[:0], x.Records.sums[:0]
}

// restore moves the columns of all documents back to x, and removes the file.
func (s *spill) restore(x *Segment) error {
	if err := s.sections.Close(); err != nil {
		return err
	}

	in, err := sectionfile.OpenSections(s.path)
	if err != nil {
		return err
	}

	n := len(x.Lengths)
	// Free the columns of the last block.
	x.Signals = signals.Columns{}
	x.Schedules = signals.Schedules{}
	x.Records = RecordTable{}
	x.Signals.Grow(n)
	x.Schedules.Grow(n)
	x.Records.grow(n)

	for i := range s.blocks {
		var part Segment
		part.transferSpilled(in, i)
		x.Signals.Append(&part.Signals)
		x.Schedules.Append(&part.Schedules)
		x.Records.offsets = append(x.Records.offsets, part.Records.offsets...)
		x.Records.lengths = append(x.Records.lengths, part.Records.lengths...)
		x.Records.sums = append(x.Records.sums, part.Records.sums...)
	}

	return errors.Join(in.Close(), os.Remove(s.path))
}

// close closes the file of an index that is not finished.
func (s *spill) close() { _ = s.sections.CloseFile() }

// transferSpilled writes or reads the columns of block i.
func (x *Segment) transferSpilled(s *sectionfile.Sections, i int) {
	block := fmt.Sprintf("block %d ", i)
	x.Signals.Transfer(s, block+"signals")
	x.Schedules.Transfer(s, block)
	sectionfile.Transfer(s, block+"records offsets", &x.Records.offsets)
	sectionfile.Transfer(s, block+"records lengths", &x.Records.lengths)
	sectionfile.Transfer(s, block+"records sums", &x.Records.sums)
}
