package embedded

import (
	"context"
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

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// A segment holds documents with everything that a search needs. It never changes and knows no other segment.
//
// A document that was replaced by a later one with the same id keeps its number but has no id and no postings.
type segment struct {
	info engine.Info
	bm25 mappings.BM25
	// withTerms is the number of documents that have a term, and meanLength is their mean number of terms. As in Lucene,
	// documents without terms don't count in the BM25 formula.
	withTerms  int
	meanLength float64
	meanRating float64 // NaN if no rating is known

	ids        names
	docOf      []uint32 // document of each id
	idOf       []uint32 // id of each document, or noID if it was replaced
	lengths    []uint32 // number of terms of each document, with repetition
	terms      names
	skills     names
	families   names
	termDocs   []uint32 // number of documents with each term
	skillDocs  []uint32 // number of documents with each skill
	unknown    tally
	jobTitles  tally
	signals    signals
	fit        classes
	quality    classes
	blocks     []block
	rotations  []*rotation // of the vector spaces
	records    recordTable
	recordFile *os.File // closed by the garbage collector when no reader refers to the index
	scratch    sync.Pool
	order      idOrder

	damaged        sync.Map // documents whose records were found damaged
	damagedRecords atomic.Int32
}

const noID = math.MaxUint32

// A block holds the postings and vectors of up to blockSize documents.
type block struct {
	terms, skills, families postings
	unknown, jobTitles      postings  // of the tallies; every code is 1
	vectors                 []vectors // by space
}

// A recordTable locates the record of each document in the records file.
type recordTable struct {
	offsets []uint64
	lengths []uint32
	sums    []uint32 // CRC-32C
}

var _ engine.Snapshot = (*segment)(nil)

// load reads a complete index into memory. The error wraps engine.ErrDamaged if a file is not as it was written.
func load(dir string, d *description) (*segment, error) {
	if err := checkSizes(dir, d); err != nil {
		return nil, err
	}
	s, err := openSections(filepath.Join(dir, indexFile))
	if err != nil {
		return nil, err
	}
	x, err := decode(s, d.info())
	if err != nil {
		return nil, d.indexError(err)
	}
	if x.recordFile, err = os.Open(filepath.Join(dir, recordsFile)); err != nil {
		return nil, err
	}
	return x, nil
}

// checkHeader checks the sizes of all files of a complete index, and that this program can read its format.
func checkHeader(dir string, d *description) error {
	if err := checkSizes(dir, d); err != nil {
		return err
	}
	s, err := openSections(filepath.Join(dir, indexFile))
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

// decode reads an index file and closes it.
func decode(s *sections, info engine.Info) (*segment, error) {
	x := &segment{info: info}
	for _, space := range info.Vectors {
		if err := space.Check(); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), s.close())
		}
	}
	x.rotations = newRotations(info.Vectors)
	x.transferDocuments(s)
	x.blocks = make([]block, blocksFor(len(x.fit.of)))
	for i := range x.blocks {
		x.blocks[i].vectors = newVectors(x.rotations)
		x.blocks[i].transfer(s, i)
	}
	x.transferNames(s)
	if err := s.close(); err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	x.connect()
	return x, nil
}

// transferDocuments writes or reads the sections before the blocks.
func (x *segment) transferDocuments(s *sections) {
	numbers := []float64{x.bm25.K1, x.bm25.B, float64(x.withTerms), x.meanLength, x.meanRating}
	section(s, "numbers", &numbers)
	if s.err == nil && len(numbers) != 5 {
		s.err = fmt.Errorf("%s: section \"numbers\": %d elements, want 5", s.name, len(numbers))
	}
	if s.err != nil {
		return
	}
	x.bm25 = mappings.BM25{K1: numbers[0], B: numbers[1]}
	x.withTerms, x.meanLength, x.meanRating = int(numbers[2]), numbers[3], numbers[4]
	section(s, "lengths", &x.lengths)
	x.signals.transfer(s, "signals")
	x.fit.transfer(s, "fit")
	x.quality.transfer(s, "quality")
	section(s, "records offsets", &x.records.offsets)
	section(s, "records lengths", &x.records.lengths)
	section(s, "records sums", &x.records.sums)
}

// transferNames writes or reads the sections after the blocks. A merge knows them only when it has written the blocks.
func (x *segment) transferNames(s *sections) {
	for _, n := range []struct {
		of   string
		text *names
	}{{"ids", &x.ids}, {"terms", &x.terms}, {"skills", &x.skills}, {"families", &x.families}} {
		section(s, n.of+" text", &n.text.text)
		section(s, n.of+" ends", &n.text.ends)
	}
	section(s, "ids documents", &x.docOf)
	section(s, "terms documents", &x.termDocs)
	section(s, "skills documents", &x.skillDocs)
	x.unknown.transfer(s, "unknown skills")
	x.jobTitles.transfer(s, "job titles")
}

// transfer writes or reads block number i.
func (b *block) transfer(s *sections, i int) {
	b.terms.transfer(s, fmt.Sprintf("block %d terms", i))
	b.skills.transfer(s, fmt.Sprintf("block %d skills", i))
	b.families.transfer(s, fmt.Sprintf("block %d families", i))
	b.unknown.transfer(s, fmt.Sprintf("block %d unknown skills", i))
	b.jobTitles.transfer(s, fmt.Sprintf("block %d job titles", i))
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
func (x *segment) check() error {
	documents := len(x.fit.of)
	errs := []error{
		x.signals.check("signals", documents),
		x.fit.check("fit", documents),
		x.quality.check("quality", documents),
		x.ids.check("ids"),
		x.terms.check("terms"),
		x.skills.check("skills"),
		x.families.check("families"),
		x.unknown.check("unknown skills"),
		x.jobTitles.check("job titles"),
	}
	if len(x.lengths) != documents {
		errs = append(errs, fmt.Errorf("lengths: %d documents, want %d", len(x.lengths), documents))
	}
	if n := len(x.records.offsets); n != documents || len(x.records.lengths) != n || len(x.records.sums) != n {
		errs = append(errs, fmt.Errorf("records: %d documents, want %d", n, documents))
	}
	if len(x.docOf) != x.ids.len() || len(x.docOf) != x.info.Documents {
		errs = append(errs, fmt.Errorf("ids: %d documents for %d ids, the manifest says %d",
			len(x.docOf), x.ids.len(), x.info.Documents))
	}
	for _, doc := range x.docOf {
		if int(doc) >= documents {
			errs = append(errs, fmt.Errorf("ids: document %d of %d", doc, documents))
			break
		}
	}
	if len(x.termDocs) != x.terms.len() || len(x.skillDocs) != x.skills.len() {
		errs = append(errs, fmt.Errorf("counts for %d terms and %d skills, want %d and %d",
			len(x.termDocs), len(x.skillDocs), x.terms.len(), x.skills.len()))
	}
	for i := range x.blocks {
		b, size := &x.blocks[i], x.blockSize(i)
		errs = append(errs,
			b.terms.check(i, "terms", x.terms.len(), size, codes),
			b.skills.check(i, "skills", x.skills.len(), size, uint8(matching.Listed)),
			b.families.check(i, "families", x.families.len(), size, uint8(matching.Sibling)),
			b.unknown.check(i, "unknown skills", x.unknown.len(), size, 1),
			b.jobTitles.check(i, "job titles", x.jobTitles.len(), size, 1),
		)
		for space := range b.vectors {
			name := fmt.Sprintf("block %d vectors %d", i, space)
			errs = append(errs, b.vectors[space].check(name, size, x.rotations[space].dimensions))
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
func (p *postings) check(blockNumber int, name string, keys, size int, highest uint8) error {
	if len(p.starts) != len(p.keys)+1 || len(p.codes) != len(p.docs) || p.starts[0] != 0 ||
		!slices.IsSorted(p.starts) || int(p.starts[len(p.keys)]) != len(p.docs) {
		return fmt.Errorf("block %d %s: keys, starts, documents and codes contradict each other", blockNumber, name)
	}
	if n := len(p.keys); n > 0 && (!slices.IsSorted(p.keys) || int(p.keys[n-1]) >= keys) {
		return fmt.Errorf("block %d %s: keys are not in order, or not below %d", blockNumber, name, keys)
	}
	for _, doc := range p.docs {
		if int(doc) >= size {
			return fmt.Errorf("block %d %s: document %d of %d", blockNumber, name, doc, size)
		}
	}
	for _, code := range p.codes {
		if code > highest {
			return fmt.Errorf("block %d %s: code %d, want at most %d", blockNumber, name, code, highest)
		}
	}
	return nil
}

// connect builds the structures that are not stored.
func (x *segment) connect() {
	for _, n := range []*names{&x.ids, &x.terms, &x.skills, &x.families} {
		n.index()
	}
	x.idOf = make([]uint32, len(x.fit.of))
	for doc := range x.idOf {
		x.idOf[doc] = noID
	}
	for id, doc := range x.docOf {
		x.idOf[doc] = uint32(id)
	}
	x.scratch.New = func() any { return new(scratch) }
}

// blocksFor returns the number of blocks that the given number of documents needs.
func blocksFor(documents int) int { return (documents + blockSize - 1) / blockSize }

// blockSize returns the number of documents in block i.
func (x *segment) blockSize(i int) int { return min(blockSize, len(x.fit.of)-i*blockSize) }

// live reports whether a document is current, that is, was not replaced by a later one.
func (x *segment) live(doc int) bool { return x.idOf[doc] != noID }

// Info implements engine.Snapshot.
func (x *segment) Info() engine.Info {
	info := x.info
	info.DamagedRecords = int(x.damagedRecords.Load())
	return info
}

// Statistics implements engine.Snapshot.
func (x *segment) Statistics(_ context.Context, skills []string) (engine.Statistics, error) {
	s := engine.Statistics{Documents: x.info.Documents, MeanRating: known(x.meanRating), SkillCount: map[string]int{}}
	for _, skill := range skills {
		s.SkillCount[skill] = 0
		if number, ok := x.skills.find(skill); ok {
			s.SkillCount[skill] = int(x.skillDocs[number])
		}
	}
	return s, nil
}

// Fetch implements engine.Snapshot. It reads from disk.
func (x *segment) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	freelancers := make([]matching.Freelancer, len(ids))
	var broken *engine.DamagedError
	for i, id := range ids {
		number, ok := x.ids.find(id)
		if !ok {
			return nil, fmt.Errorf("index %q: freelancer %q: %w", x.info.Name, id, engine.ErrNotFound)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := x.record(x.docOf[number], &freelancers[i])
		one, isRecord := errors.AsType[*engine.DamagedError](err)
		switch {
		case isRecord && broken == nil:
			broken = one
		case isRecord:
			broken.IDs = append(broken.IDs, id)
		case err != nil:
			return nil, fmt.Errorf("index %q: freelancer %q: %w", x.info.Name, id, err)
		}
	}
	if broken != nil {
		return freelancers, broken
	}
	return freelancers, nil
}

// record reads the record of one current document. If it is not the record that was stored, record leaves f empty and
// returns an *engine.DamagedError.
func (x *segment) record(doc uint32, f *matching.Freelancer) error {
	id := string(x.ids.at(x.idOf[doc]))
	err := x.readRecord(doc, id, f)
	if err == nil {
		if x.damagedRecords.Load() > 0 {
			if _, repaired := x.damaged.LoadAndDelete(doc); repaired {
				x.damagedRecords.Add(-1)
			}
		}
		return nil
	}
	*f = matching.Freelancer{}
	if _, known := x.damaged.LoadOrStore(doc, struct{}{}); !known {
		x.damagedRecords.Add(1)
	}
	return &engine.DamagedError{Index: x.info.Name, IDs: []string{id}, Err: err}
}

// readRecord reads a record and checks it.
func (x *segment) readRecord(doc uint32, id string, f *matching.Freelancer) error {
	b := make([]byte, x.records.lengths[doc])
	offset := x.records.offsets[doc]
	if _, err := x.recordFile.ReadAt(b, int64(offset)); err != nil {
		return fmt.Errorf("%s at byte %d: %w", recordsFile, offset, err)
	}
	if crc32.Checksum(b, castagnoli) != x.records.sums[doc] {
		return fmt.Errorf("%s: checksum mismatch at byte %d", recordsFile, offset)
	}
	if err := json.Unmarshal(b, f); err != nil {
		return fmt.Errorf("%s at byte %d: %w", recordsFile, offset, err)
	}
	if f.ID != id {
		return fmt.Errorf("%s: the record at byte %d belongs to freelancer %s", recordsFile, offset, f.ID)
	}
	return nil
}
