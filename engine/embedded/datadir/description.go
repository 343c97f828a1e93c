package datadir

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
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// Files of an index.
const (
	SpecFile       = "spec.json"
	RecordsFile    = "records.ndjson"
	IndexFile      = "index.bin"
	ManifestFile   = "manifest.json"
	PendingFile    = "pending"
	ProvenanceFile = "provenance.json"
)

// A Description is the content of spec.json, and of manifest.json in a complete index.
type Description struct {
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

// NewDescription returns the description of an index to be built.
func NewDescription(s engine.Spec) *Description {
	return &Description{
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

// RecordsFile returns the name of the file of the records.
func (d *Description) RecordsFile() string { return d.generated(RecordsFile) }

// IndexFile returns the name of the file of the search structures.
func (d *Description) IndexFile() string { return d.generated(IndexFile) }

// ChangesFile returns the name of the log of changes.
func (d *Description) ChangesFile() string { return fmt.Sprintf("changes-%d.log", d.Generation) }

// generated returns the name of a file of the generation.
func (d *Description) generated(name string) string {
	if d.Generation == 0 {
		return name
	}
	stem, suffix, _ := strings.Cut(name, ".")
	return fmt.Sprintf("%s-%d.%s", stem, d.Generation, suffix)
}

// Info returns what engine.Indexer lists.
func (d *Description) Info() engine.Info {
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
func readDescription(dir string) (*Description, error) {
	d, err := ReadJSON[Description](filepath.Join(dir, ManifestFile))
	if err == nil && (d.Files == nil || d.Name != filepath.Base(dir)) {
		err = Damaged("%s does not describe this index", ManifestFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		d, err = ReadJSON[Description](filepath.Join(dir, SpecFile))
	}
	return d, err
}

// Damaged returns an error that wraps engine.ErrDamaged.
func Damaged(format string, args ...any) error {
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

// Checksum returns the CRC-32C of b in hexadecimal.
func Checksum(b []byte) string { return HexSum(crc32.Checksum(b, sectionfile.Castagnoli)) }

// HexSum returns a checksum in hexadecimal.
func HexSum(sum uint32) string { return fmt.Sprintf("%08x", sum) }

// ReadJSON reads and decodes a small file. If its content is not what writeJSON has written, the error wraps
// engine.ErrDamaged.
func ReadJSON[T any](path string) (*T, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	if len(b) == 0 {
		return nil, Damaged("%s is empty", name)
	}
	if i := bytes.LastIndex(b, []byte(checksumMember)); i >= 0 {
		if string(b[i:]) != checksumMember+Checksum(b[:i])+checksumEnd {
			return nil, Damaged("%s: checksum mismatch", name)
		}
	}
	v := new(T)
	if err := json.Unmarshal(b, v); err != nil {
		return nil, Damaged("%s: %v", name, err)
	}
	return v, nil
}

// WriteJSON creates or replaces a small file atomically: even after a crash, the file has its old or its new content.
// v must be a struct with at least one field.
func WriteJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}

	b = bytes.TrimSuffix(b, []byte("\n}"))
	b = fmt.Append(b, checksumMember, Checksum(b), checksumEnd)
	file, err := os.OpenFile(path+".tmp", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}

	_, err = file.Write(b)
	if err == nil {
		// The content must be on disk before the name points to it.
		err = file.Sync()
	}

	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}

	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}

	return SyncDir(filepath.Dir(path))
}

// SyncDir makes the files created, renamed or removed in a directory durable.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// checkHeader checks the sizes of all files of a complete index, and that this program can read its format.
func checkHeader(dir string, d *Description) error {
	if err := CheckSizes(dir, d); err != nil {
		return err
	}
	s, err := sectionfile.OpenSections(filepath.Join(dir, d.IndexFile()))
	if err != nil {
		return err
	}
	defer s.CloseFile() //nolint:errcheck // it was only read
	if err := s.Err(); err != nil {
		return d.IndexError(err)
	}
	return nil
}

// IndexError returns the error for an index file that can't be read because of err: an *engine.FormatError, or damage.
func (d *Description) IndexError(err error) error {
	if f, ok := errors.AsType[*engine.FormatError](err); ok && d.Format != sectionfile.FormatVersion {
		f.Index = d.Name
		return f
	}
	return Damaged("%v", err)
}

// CheckSizes checks that every file of a complete index exists and has the size that it was written with.
func CheckSizes(dir string, d *Description) error {
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		stat, err := os.Stat(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Damaged("%s is missing", name)
		case err != nil:
			return err
		case stat.Size() != d.Files[name]:
			return Damaged("%s has %d bytes, want %d", name, stat.Size(), d.Files[name])
		}
	}
	return nil
}

// Generated matches the files that belong to one generation of an index.
var Generated = regexp.MustCompile(`^(records(-[0-9]+)?\.ndjson|index(-[0-9]+)?\.bin|changes-[0-9]+\.log(\.tmp)?)$`)

// RemoveOtherGenerations removes the files of earlier generations, and what an interrupted merge has left. The caller
// holds the merge lock.
func RemoveOtherGenerations(dir string) error {
	d, err := readDescription(dir)
	if err != nil || d.Files == nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		switch name := entry.Name(); {
		case !Generated.MatchString(name), name == d.RecordsFile(), name == d.IndexFile(), name == d.ChangesFile():
		default:
			errs = append(errs, os.Remove(filepath.Join(dir, name)))
		}
	}
	return errors.Join(errs...)
}
