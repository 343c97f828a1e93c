package embedded

import (
	"errors"
	"fmt"

	"freelancer-matching/engine/embedded/changelog"
)

// A directory locates the records of a base by ID.
type directory struct {
	ids     names
	docOf   []uint32
	offsets []uint64
	lengths []uint32
	sums    []uint32
}

// readDirectory reads the directory from an index file and skips everything else, without checking it.
func readDirectory(path string) (*directory, error) {
	s, err := openSections(path)
	if err != nil {
		return nil, err
	}
	defer s.file.Close()
	d := &directory{}
	for s.err == nil && s.left > 0 {
		switch name := s.peek(); name {
		case "ids text":
			section(s, name, &d.ids.text)
		case "ids ends":
			section(s, name, &d.ids.ends)
		case "ids documents":
			section(s, name, &d.docOf)
		case "records offsets":
			section(s, name, &d.offsets)
		case "records lengths":
			section(s, name, &d.lengths)
		case "records sums":
			section(s, name, &d.sums)
		default:
			s.skip(name)
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	d.ids.index()
	return d, nil
}

func (d *directory) check() error {
	n := len(d.offsets)
	if err := d.ids.check("ids"); err != nil {
		return err
	}
	if len(d.docOf) != d.ids.len() || len(d.lengths) != n || len(d.sums) != n {
		return errors.New("ids and records contradict each other")
	}
	for _, doc := range d.docOf {
		if int(doc) >= n {
			return fmt.Errorf("ids: document %d of %d", doc, n)
		}
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
