package input

import (
	"fmt"
	"io"
	"os"
)

// Source is what [Open] reads: a file, or a copy of something that can be read only once. It can be opened several
// times, because a load reads it twice if rows merge.
type Source struct {
	Name   string // in messages
	Format string // what the content was made from, such as postgresql; empty if that is the format of the content
	Open   func() (Content, error)
}

// Content is the open content of an Input, read from its start. Some formats need its io.ReaderAt and its size.
type Content struct {
	*io.SectionReader
	closer io.Closer // nil if the owner of the Input closes it
}

// Close closes the content.
func (c Content) Close() error {
	if c.closer == nil {
		return nil
	}
	return c.closer.Close()
}

// FromPath returns the file at a path as an Input.
func FromPath(path string) Source {
	return Source{Name: path, Open: func() (Content, error) {
		file, err := os.Open(path)
		if err != nil {
			return Content{}, err
		}
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			err = fmt.Errorf("%s is a folder; name a file, or use -resumes for a folder of resumes", path)
		}
		if err != nil {
			file.Close()
			return Content{}, err
		}
		return Content{io.NewSectionReader(file, 0, info.Size()), file}, nil
	}}
}

// FromReaderAt returns size bytes of r as an Input. The caller closes r after the last use of the Input.
func FromReaderAt(name string, r io.ReaderAt, size int64) Source {
	return Source{Name: name, Open: func() (Content, error) {
		return Content{SectionReader: io.NewSectionReader(r, 0, size)}, nil
	}}
}
