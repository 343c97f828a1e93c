package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/changelog"
	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// Files of an index.
const (
	specFile       = "spec.json"
	recordsFile    = "records.ndjson"
	indexFile      = "index.bin"
	manifestFile   = "manifest.json"
	pendingFile    = "pending"
	provenanceFile = "provenance.json"
)

// Format is the version of the index format that this package writes and searches.
const Format = sectionfile.FormatVersion

// A description is the content of spec.json, and of manifest.json in a complete index.
type description struct {
	Name     string        `json:"name"`
	Mapping  string        `json:"mapping"`
	BM25     mappings.BM25 `json:"bm25"`
	Source   string        `json:"source"`
	Currency string        `json:"currency"`
	Taxonomy string        `json:"taxonomy"`
	Created  time.Time     `json:"created"`

	Vectors []matching.VectorSpace `json:"vectors,omitempty"`

	Documents int              `json:"documents,omitempty"` // manifest only
	Files     map[string]int64 `json:"files,omitempty"`     // manifest only: sizes in bytes
	// Format is the version of the format of index.bin; 0 in manifests written before November 2026.
	Format int `json:"format,omitempty"`
	// RecordsSum is the checksum of the records; "" in manifests written before November 2026. From format 5 on, it is
	// the CRC-32C of the CRC-32Cs of the records that were not replaced, and before that of the whole file.
	RecordsSum string `json:"records_sum,omitempty"`

	// Generation is the number of merges that have written a new base. It is part of the names of the files.
	Generation uint64 `json:"generation,omitempty"`
	// Carried is the position in the log up to which its entries come from the log of the generation before.
	Carried changelog.Position `json:"carried,omitzero"`
	// Updated is the time of the last change that is part of the base; zero if there was none.
	Updated time.Time `json:"updated,omitzero"`
}

func newDescription(s engine.Spec) *description {
	return &description{
		Name:     s.Name,
		Mapping:  s.Mapping.Name,
		BM25:     s.Mapping.BM25,
		Source:   s.Source,
		Currency: s.Currency,
		Taxonomy: s.Taxonomy,
		Vectors:  s.Vectors,
		Created:  s.Created,
	}
}

// The files of a base and the log of its changes.
func (d *description) recordsFile() string { return d.generated(recordsFile) }
func (d *description) indexFile() string   { return d.generated(indexFile) }
func (d *description) changesFile() string { return fmt.Sprintf("changes-%d.log", d.Generation) }

// generated returns the name of a file of the generation.
func (d *description) generated(name string) string {
	if d.Generation == 0 {
		return name
	}
	stem, suffix, _ := strings.Cut(name, ".")
	return fmt.Sprintf("%s-%d.%s", stem, d.Generation, suffix)
}

func (d *description) info() engine.Info {
	info := engine.Info{
		Name:      d.Name,
		Mapping:   d.Mapping,
		Source:    d.Source,
		Currency:  d.Currency,
		Taxonomy:  d.Taxonomy,
		Vectors:   d.Vectors,
		Created:   d.Created,
		Complete:  d.Files != nil,
		Documents: d.Documents,
		Updated:   d.Updated,
	}
	for _, size := range d.Files {
		info.Bytes += size
	}
	return info
}

// readDescription reads the manifest of a complete index, or the spec of an incomplete one.
func readDescription(dir string) (*description, error) {
	d, err := readJSON[description](filepath.Join(dir, manifestFile))
	if err == nil && (d.Files == nil || d.Name != filepath.Base(dir)) {
		err = damaged("%s does not describe this index", manifestFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		d, err = readJSON[description](filepath.Join(dir, specFile))
	}
	return d, err
}

// damaged returns an error that wraps engine.ErrDamaged.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", engine.ErrDamaged, fmt.Sprintf(format, args...))
}

// A small file is a JSON object whose last member is the checksum of everything before it:
//
//	,
//	  "checksum": "89abcdef"
//	}
//
// Files written before November 2026 have no checksum.
const (
	checksumMember = ",\n  \"checksum\": \""
	checksumEnd    = "\"\n}\n"
)

// checksum returns the CRC-32C of b in hexadecimal.
func checksum(b []byte) string { return hexSum(crc32.Checksum(b, sectionfile.Castagnoli)) }

func hexSum(sum uint32) string { return fmt.Sprintf("%08x", sum) }

// readJSON reads and decodes a small file. If its content is not what writeJSON has written, the error wraps
// engine.ErrDamaged.
func readJSON[T any](path string) (*T, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	if len(b) == 0 {
		return nil, damaged("%s is empty", name)
	}
	if i := bytes.LastIndex(b, []byte(checksumMember)); i >= 0 {
		if string(b[i:]) != checksumMember+checksum(b[:i])+checksumEnd {
			return nil, damaged("%s: checksum mismatch", name)
		}
	}
	v := new(T)
	if err := json.Unmarshal(b, v); err != nil {
		return nil, damaged("%s: %v", name, err)
	}
	return v, nil
}

// writeJSON creates or replaces a small file atomically: even after a crash, the file has its old or its new content.
// v must be a struct with at least one field.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	b = bytes.TrimSuffix(b, []byte("\n}"))
	b = fmt.Append(b, checksumMember, checksum(b), checksumEnd)
	file, err := os.OpenFile(path+".tmp", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}

	_, err = file.Write(b)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}

	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}

	return syncDir(filepath.Dir(path))
}

// syncDir makes the files created, renamed or removed in a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// checkHeader checks the sizes of all files of a complete index, and that this program can read its format.
func checkHeader(dir string, d *description) error {
	if err := checkSizes(dir, d); err != nil {
		return err
	}
	s, err := sectionfile.OpenSections(filepath.Join(dir, d.indexFile()))
	if err != nil {
		return err
	}
	defer s.CloseFile() //nolint:errcheck // it was only read
	if err := s.Err(); err != nil {
		return d.indexError(err)
	}
	return nil
}

// indexError returns the error for an index file that can't be read because of err: an *engine.FormatError, or damage.
func (d *description) indexError(err error) error {
	if f, ok := errors.AsType[*engine.FormatError](err); ok && d.Format != sectionfile.FormatVersion {
		f.Index = d.Name
		return f
	}
	return damaged("%v", err)
}

// checkSizes checks that every file of a complete index exists and has the size that it was written with.
func checkSizes(dir string, d *description) error {
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		stat, err := os.Stat(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return damaged("%s is missing", name)
		case err != nil:
			return err
		case stat.Size() != d.Files[name]:
			return damaged("%s has %d bytes, want %d", name, stat.Size(), d.Files[name])
		}
	}
	return nil
}
