package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"freelancer-matching/engine/embedded/sectionfile"
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
func (s *spill) write(x *segment) {
	x.transferSpilled(s.sections, s.blocks)
	s.blocks++
	x.signals = signals{
		x.signals.experience[:0], x.signals.rating[:0], x.signals.rate[:0], x.signals.availability[:0], x.signals.sales[:0],
	}
	x.from = x.from[:0]
	x.records.offsets, x.records.lengths, x.records.sums = x.records.offsets[:0], x.records.lengths[:0], x.records.sums[:0]
}

// restore moves the columns of all documents back to x, and removes the file.
func (s *spill) restore(x *segment) error {
	if err := s.sections.Close(); err != nil {
		return err
	}
	in, err := sectionfile.OpenSections(s.path)
	if err != nil {
		return err
	}

	n := len(x.lengths)
	x.signals, x.from, x.records = signals{}, make([]int32, 0, n), recordTable{} // free those of the last block
	x.signals.grow(n)
	x.records.grow(n)

	for i := range s.blocks {
		var part segment
		part.transferSpilled(in, i)
		x.signals.append(&part.signals)
		x.from = append(x.from, part.from...)
		x.records.offsets = append(x.records.offsets, part.records.offsets...)
		x.records.lengths = append(x.records.lengths, part.records.lengths...)
		x.records.sums = append(x.records.sums, part.records.sums...)
	}

	return errors.Join(in.Close(), os.Remove(s.path))
}

// close closes the file of an index that is not finished.
func (s *spill) close() { _ = s.sections.CloseFile() }

// transferSpilled writes or reads the columns of block i.
func (x *segment) transferSpilled(s *sectionfile.Sections, i int) {
	block := fmt.Sprintf("block %d ", i)
	x.signals.transfer(s, block+"signals")
	sectionfile.Transfer(s, block+"available from", &x.from)
	sectionfile.Transfer(s, block+"records offsets", &x.records.offsets)
	sectionfile.Transfer(s, block+"records lengths", &x.records.lengths)
	sectionfile.Transfer(s, block+"records sums", &x.records.sums)
}
