package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// A segment holds documents with everything that a search needs. It never changes and knows no other segment.
//
// A document that was replaced while the segment was built keeps its number but has no id and no postings.
type segment struct {
	bm25       mappings.BM25
	meanLength float64 // from which the impacts were computed
	totals     totals

	ids     names
	docOf   []uint32 // document of each id
	idOf    []uint32 // id of each document, or noID if it was replaced
	lengths []uint32 // number of terms of each document, with repetition
	names   [kinds]names
	counts  counts
	signals signals
	from    []int32 // Document.AvailableFrom, or unknownDay
	fit     classes
	quality classes
	blocks  []block
	records recordTable
	holes   tombstones // the replaced documents
	order   idOrder

	columns    [columns]slicedColumn
	rates      shapedRates
	conditions conditionCache

	damaged        sync.Map // documents whose records were found damaged
	damagedRecords atomic.Int32
}

const noID = math.MaxUint32

// A kind is a kind of word that documents have. The words of each kind are numbered apart.
type kind int

const (
	ofTerms kind = iota
	ofSkills
	ofFamilies
	ofLabels
	ofUnknownSkills
	ofJobTitles
	kinds
)

// kindOf describes the kinds: their name in sections and the highest code of a posting.
var kindOf = [kinds]struct {
	name    string
	highest uint8
}{
	ofTerms:         {"terms", codes},
	ofSkills:        {"skills", uint8(matching.Listed)},
	ofFamilies:      {"families", uint8(matching.Sibling)},
	ofLabels:        {"labels", 1},
	ofUnknownSkills: {"unknown skills", 1},
	ofJobTitles:     {"job titles", 1},
}

// counts holds the number of documents with each word of each kind.
type counts [kinds][]uint32

// A block holds the postings and vectors of up to blockSize documents.
type block struct {
	postings [kinds]postings
	vectors  []vectors // by space
}

// A recordTable locates the record of each document.
type recordTable struct {
	files   []*os.File // closed by the garbage collector when no reader refers to the segment
	file    []uint16   // index into files; nil if there is only one
	offsets []uint64
	lengths []uint32
	sums    []uint32 // CRC-32C
}

// A location is the place of a record.
type location struct {
	file   *os.File
	offset uint64
	length uint32
	sum    uint32 // CRC-32C
}

// at returns the location of a document's record.
func (t *recordTable) at(doc uint32) location {
	l := location{offset: t.offsets[doc], length: t.lengths[doc], sum: t.sums[doc]}
	switch {
	case t.file != nil:
		l.file = t.files[t.file[doc]]
	case len(t.files) > 0:
		l.file = t.files[0]
	}
	return l
}

// add appends the location of the next document's record.
func (t *recordTable) add(l location) {
	t.offsets = append(t.offsets, l.offset)
	t.lengths = append(t.lengths, l.length)
	t.sums = append(t.sums, l.sum)
	number := len(t.files) - 1
	for number >= 0 && t.files[number] != l.file { // there are few, and mostly it is the last one
		number--
	}
	if number < 0 {
		number = len(t.files)
		t.files = append(t.files, l.file)
	}
	if number > 0 && t.file == nil {
		t.file = make([]uint16, len(t.offsets)-1)
	}
	if t.file != nil {
		t.file = append(t.file, uint16(number))
	}
}

// load reads a complete index into memory. The error wraps engine.ErrDamaged if a file is not as it was written. If
// tick is not nil, load calls it after every few milliseconds of work with the time that it took.
func load(dir string, d *description, tick func(worked time.Duration)) (*view, error) {
	if err := checkSizes(dir, d); err != nil {
		return nil, err
	}
	s, err := openSections(filepath.Join(dir, d.indexFile()))
	if err != nil {
		return nil, err
	}
	s.tick, s.ticked = tick, time.Now()
	x, err := decode(s, d.Vectors, d.Documents)
	if err != nil {
		return nil, d.indexError(err)
	}
	records, err := os.Open(filepath.Join(dir, d.recordsFile()))
	if err != nil {
		return nil, err
	}
	x.records.files = []*os.File{records}
	return newView(d.info(), x), nil
}

// checkHeader checks the sizes of all files of a complete index, and that this program can read its format.
func checkHeader(dir string, d *description) error {
	if err := checkSizes(dir, d); err != nil {
		return err
	}
	s, err := openSections(filepath.Join(dir, d.indexFile()))
	if err != nil {
		return err
	}
	defer s.file.Close()
	if s.err != nil {
		return d.indexError(s.err)
	}
	return nil
}

// indexError returns the error for an index file that can't be read because of err: an *engine.FormatError, or damage.
func (d *description) indexError(err error) error {
	if f, ok := errors.AsType[*engine.FormatError](err); ok && d.Format != formatVersion {
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

// decode reads an index file and closes it. spaces and documents are what the manifest says.
func decode(s *sections, spaces []matching.VectorSpace, documents int) (*segment, error) {
	x := new(segment)
	for _, space := range spaces {
		if err := space.Check(); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), s.close())
		}
	}
	rotations := newRotations(spaces)
	x.transferDocuments(s)
	x.blocks = make([]block, blocksFor(len(x.fit.of)))
	for i := range x.blocks {
		x.blocks[i].vectors = newVectors(rotations)
		x.blocks[i].transfer(s, i)
	}
	x.transferNames(s)
	if err := s.close(); err != nil {
		return nil, err
	}
	if err := x.check(rotations, documents); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	x.connect()
	return x, nil
}

// transferDocuments writes or reads the sections before the blocks.
func (x *segment) transferDocuments(s *sections) {
	numbers := []float64{x.bm25.K1, x.bm25.B, x.meanLength}
	section(s, "numbers", &numbers)
	if s.err == nil && len(numbers) != 3 {
		s.err = fmt.Errorf("%s: section \"numbers\": %d elements, want 3", s.name, len(numbers))
	}
	if s.err != nil {
		return
	}
	x.bm25, x.meanLength = mappings.BM25{K1: numbers[0], B: numbers[1]}, numbers[2]
	section(s, "lengths", &x.lengths)
	x.signals.transfer(s, "signals")
	section(s, "available from", &x.from)
	x.fit.transfer(s, "fit", fitKey)
	x.quality.transfer(s, "quality", qualityKey)
	section(s, "records offsets", &x.records.offsets)
	section(s, "records lengths", &x.records.lengths)
	section(s, "records sums", &x.records.sums)
}

// transferNames writes or reads the sections after the blocks. A merge knows them only when it has written the blocks.
func (x *segment) transferNames(s *sections) {
	x.ids.transfer(s, "ids")
	section(s, "ids documents", &x.docOf)
	for k := range kinds {
		x.names[k].transfer(s, kindOf[k].name)
	}
}

func (n *names) transfer(s *sections, name string) {
	section(s, name+" text", &n.text)
	section(s, name+" ends", &n.ends)
}

// transfer writes or reads block number i.
func (b *block) transfer(s *sections, i int) {
	for k := range kinds {
		b.postings[k].transfer(s, fmt.Sprintf("block %d %s", i, kindOf[k].name))
	}
	for space := range b.vectors {
		b.vectors[space].transfer(s, fmt.Sprintf("block %d vectors %d", i, space))
	}
}

func (p *postings) transfer(s *sections, name string) {
	section(s, name+" keys", &p.keys)
	section(s, name+" starts", &p.starts)
	section(s, name+" documents", &p.docs)
	section(s, name+" codes", &p.codes)
}

// check returns an error if sections contradict each other, which checksums don't detect. It ensures that no later step
// panics.
func (x *segment) check(rotations []*rotation, want int) error {
	documents := len(x.fit.of)
	errs := []error{
		x.signals.check("signals", documents),
		x.fit.check("fit", documents),
		x.quality.check("quality", documents),
		x.ids.check("ids"),
	}
	for k := range kinds {
		errs = append(errs, x.names[k].check(kindOf[k].name))
	}
	if len(x.lengths) != documents || len(x.from) != documents {
		errs = append(errs, fmt.Errorf("lengths and available from: %d and %d documents, want %d",
			len(x.lengths), len(x.from), documents))
	}
	if n := len(x.records.offsets); n != documents || len(x.records.lengths) != n || len(x.records.sums) != n {
		errs = append(errs, fmt.Errorf("records: %d documents, want %d", n, documents))
	}
	if len(x.docOf) != x.ids.len() || len(x.docOf) != want {
		errs = append(errs, fmt.Errorf("ids: %d documents for %d ids, the manifest says %d",
			len(x.docOf), x.ids.len(), want))
	}
	for _, doc := range x.docOf {
		if int(doc) >= documents {
			errs = append(errs, fmt.Errorf("ids: document %d of %d", doc, documents))
			break
		}
	}
	for i := range x.blocks {
		b, size := &x.blocks[i], x.blockSize(i)
		for k := range kinds {
			name := fmt.Sprintf("block %d %s", i, kindOf[k].name)
			errs = append(errs, b.postings[k].check(name, x.names[k].len(), size, kindOf[k].highest))
		}
		for space := range b.vectors {
			name := fmt.Sprintf("block %d vectors %d", i, space)
			errs = append(errs, b.vectors[space].check(name, size, rotations[space].dimensions))
		}
	}
	return errors.Join(errs...)
}

func (n *names) check(name string) error {
	end := uint32(0)
	for _, next := range n.ends {
		if next < end {
			return fmt.Errorf("%s: a name ends before its start", name)
		}
		end = next
	}
	if int(end) != len(n.text) {
		return fmt.Errorf("%s: the names end at byte %d of %d", name, end, len(n.text))
	}
	return nil
}

// check returns an error unless the keys are below keys, the documents below size, and the codes at most highest.
func (p *postings) check(name string, keys, size int, highest uint8) error {
	if len(p.starts) != len(p.keys)+1 || len(p.codes) != len(p.docs) || p.starts[0] != 0 ||
		!slices.IsSorted(p.starts) || int(p.starts[len(p.keys)]) != len(p.docs) {
		return fmt.Errorf("%s: keys, starts, documents and codes contradict each other", name)
	}
	if n := len(p.keys); n > 0 && (!slices.IsSorted(p.keys) || int(p.keys[n-1]) >= keys) {
		return fmt.Errorf("%s: keys are not in order, or not below %d", name, keys)
	}
	for _, doc := range p.docs {
		if int(doc) >= size {
			return fmt.Errorf("%s: document %d of %d", name, doc, size)
		}
	}
	for _, code := range p.codes {
		if code > highest {
			return fmt.Errorf("%s: code %d, want at most %d", name, code, highest)
		}
	}
	return nil
}

// connect builds the structures that are not stored.
func (x *segment) connect() {
	x.ids.index()
	for k := range kinds {
		if k != ofUnknownSkills && k != ofJobTitles { // nobody searches for these
			x.names[k].index()
		}
	}
	x.idOf = make([]uint32, len(x.fit.of))
	for doc := range x.idOf {
		x.idOf[doc] = noID
	}
	for id, doc := range x.docOf {
		x.idOf[doc] = uint32(id)
	}
	x.summarize()
}

// liveTotals returns the totals over the live documents.
func (x *segment) liveTotals() *totals {
	var t totals
	for doc := range x.idOf {
		if x.live(doc) {
			t.add(x, uint32(doc), 1)
		}
	}
	return &t
}

// summarize computes the totals, the counts and the holes.
func (x *segment) summarize() {
	x.totals, x.holes = *x.liveTotals(), make(tombstones, len(x.blocks))
	for doc := range x.idOf {
		if !x.live(doc) {
			x.holes.set(x, uint32(doc))
		}
	}
	for k := range kinds {
		x.counts[k] = make([]uint32, x.names[k].len())
		for i := range x.blocks {
			x.blocks[i].postings[k].count(x.counts[k])
		}
	}
}

// blocksFor returns the number of blocks that the given number of documents needs.
func blocksFor(documents int) int { return (documents + blockSize - 1) / blockSize }

// blockSize returns the number of documents in block i.
func (x *segment) blockSize(i int) int { return min(blockSize, len(x.lengths)-i*blockSize) }

// live reports whether a document was not replaced while the segment was built.
func (x *segment) live(doc int) bool { return x.idOf[doc] != noID }

// id returns the id of a document that is live.
func (x *segment) id(doc uint32) []byte { return x.ids.at(x.idOf[doc]) }

// readRecord reads the record of a document that is live, and checks it.
func (x *segment) readRecord(doc uint32, f *matching.Freelancer) error {
	b, err := x.records.at(doc).read()
	if err != nil {
		return err
	}
	l := x.records.at(doc)
	if err := json.Unmarshal(b, f); err != nil {
		return fmt.Errorf("%s: %w", l, err)
	}
	if f.ID != string(x.id(doc)) {
		return fmt.Errorf("%s: the record belongs to freelancer %s", l, f.ID)
	}
	return nil
}

// String names the file and the place in it.
func (l location) String() string {
	return fmt.Sprintf("%s at byte %d", filepath.Base(l.file.Name()), l.offset)
}

// read reads a record and verifies its checksum.
func (l location) read() ([]byte, error) {
	b := make([]byte, l.length)
	if _, err := l.file.ReadAt(b, int64(l.offset)); err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	if crc32.Checksum(b, castagnoli) == l.sum {
		return b, nil
	}
	// A record that is just being erased is overwritten from its start on, so the second time, the start is blank.
	if _, err := l.file.ReadAt(b, int64(l.offset)); err == nil && isBlank(b) {
		return b, errErased
	}
	return b, fmt.Errorf("%s: checksum mismatch", l)
}
