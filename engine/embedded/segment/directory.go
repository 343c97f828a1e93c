package segment

import (
	"errors"

	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
)

// A Directory locates the records of a base by ID. Callers of find must guard its file.
type Directory struct {
	Stored  *sectionfile.File
	ids     Names
	docOf   []uint32
	offsets []uint64
	lengths []uint32
	sums    []uint32
}

// DirectoryOf returns the directory of a base.
func DirectoryOf(base *Segment) *Directory {
	return &Directory{
		Stored: base.Stored, ids: base.IDs, docOf: base.DocOf,
		offsets: base.Records.offsets, lengths: base.Records.lengths, sums: base.Records.sums,
	}
}

// ReadDirectory opens the directory in an index file and verifies its sections, but nothing else. See
// sectionfile.Open for mapFrom.
func ReadDirectory(path string, mapFrom int64) (_ *Directory, err error) {
	f, err := sectionfile.Open(path, mapFrom)
	if err != nil {
		return nil, err
	}

	d := &Directory{Stored: f}
	s := f.Sections

	// Records are overwritten where the directory says they are, so it must not be damaged.
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

func (d *Directory) check() error {
	n := len(d.offsets)
	if err := d.ids.checkShape("ids", true); err != nil {
		return err
	}
	if len(d.docOf) != d.ids.len() || len(d.lengths) != n || len(d.sums) != n {
		return errors.New("ids and records contradict each other")
	}
	return nil
}

// Find returns where the record of a document is.
func (d *Directory) Find(id string) (changelog.Span, bool) {
	number, ok := d.ids.Find(id)
	if !ok {
		return changelog.Span{}, false
	}
	doc := d.docOf[number]
	return changelog.Span{Offset: int64(d.offsets[doc]), Length: d.lengths[doc], Sum: d.sums[doc]}, true
}
