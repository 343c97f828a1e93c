package embedded

import (
	"errors"

	"freelancer-matching/engine/embedded/changelog"
	"freelancer-matching/engine/embedded/sectionfile"
)

// A directory locates the records of a base by ID. Callers of find must guard its file.
type directory struct {
	stored  *sectionfile.File
	ids     names
	docOf   []uint32
	offsets []uint64
	lengths []uint32
	sums    []uint32
}

// newDirectory returns the directory of a base.
func newDirectory(base *segment) *directory {
	return &directory{
		stored: base.stored, ids: base.ids, docOf: base.docOf,
		offsets: base.records.offsets, lengths: base.records.lengths, sums: base.records.sums,
	}
}

// readDirectory opens the directory in an index file and verifies its sections, but nothing else. See
// sectionfile.Open for mapFrom.
func readDirectory(path string, mapFrom int64) (_ *directory, err error) {
	f, err := sectionfile.Open(path, mapFrom)
	if err != nil {
		return nil, err
	}
	d := &directory{stored: f}
	s := f.Sections
	s.Strict = true
	s.Seek("ids text")
	d.ids.transfer(s, "ids", true)
	s.Seek("ids documents")
	sectionfile.Transfer(s, "ids documents", &d.docOf)
	s.Seek("records offsets")
	sectionfile.Transfer(s, "records offsets", &d.offsets)
	sectionfile.Transfer(s, "records lengths", &d.lengths)
	sectionfile.Transfer(s, "records sums", &d.sums)

	err = s.Err()
	if err == nil {
		err = d.check()
	}
	if err != nil {
		return nil, errors.Join(err, s.CloseFile())
	}

	return d, nil
}

func (d *directory) check() error {
	n := len(d.offsets)
	if err := d.ids.checkShape("ids", true); err != nil {
		return err
	}
	if len(d.docOf) != d.ids.len() || len(d.lengths) != n || len(d.sums) != n {
		return errors.New("ids and records contradict each other")
	}
	return nil
}

// find returns where the record of a document is.
func (d *directory) find(id string) (changelog.Span, bool) {
	number, ok := d.ids.find(id)
	if !ok {
		return changelog.Span{}, false
	}
	doc := d.docOf[number]
	return changelog.Span{Offset: int64(d.offsets[doc]), Length: d.lengths[doc], Sum: d.sums[doc]}, true
}
