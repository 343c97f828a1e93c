package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// index is one index in memory. It never changes after load, and is a Snapshot of itself.
//
// A document that was replaced by a later one with the same id keeps its number but has no id, and no postings.
type index struct {
	info engine.Info
	bm25 mappings.BM25
	// worded is the number of documents that have a term, and meanLength their terms on average; as in Lucene, only these
	// count in the BM25 formula.
	worded     int
	meanLength float64
	meanRating float64 // NaN: nobody has one

	ids        names
	docOf      []uint32 // document of each id
	idOf       []uint32 // id of each document, noID for one that was replaced
	lengths    []uint32 // terms of each document, with repetition
	terms      names
	skills     names
	families   names
	termDocs   []uint32 // documents of each term
	skillDocs  []uint32 // documents of each skill
	unknown    tally
	jobTitles  tally
	signals    signals
	fit        classes
	quality    classes
	blocks     []block
	rotations  []*rotation // of the vector spaces
	records    recordTable
	recordFile *os.File // closed by the runtime when no reader holds the index any more
	scratch    sync.Pool
}

const noID = math.MaxUint32

// block is up to blockSize documents with everything that is found by term, skill or family.
type block struct {
	terms, skills, families postings
	vectors                 []vectors // by space
}

// recordTable says where the record of each document is in the records file.
type recordTable struct {
	offsets []uint64
	lengths []uint32
	sums    []uint32 // CRC-32C
}

var _ engine.Snapshot = (*index)(nil)

// load reads a complete index into memory.
func load(dir string, d *description) (*index, error) {
	for name, want := range d.Files {
		stat, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if stat.Size() != want {
			return nil, fmt.Errorf("%s has %d bytes, want %d: the file is damaged", name, stat.Size(), want)
		}
	}
	s, err := openSections(filepath.Join(dir, indexFile))
	if err != nil {
		return nil, err
	}
	x, err := decode(s, d.info())
	if err != nil {
		return nil, err
	}
	if x.recordFile, err = os.Open(filepath.Join(dir, recordsFile)); err != nil {
		return nil, err
	}
	return x, nil
}

// decode reads a whole index file and closes it.
func decode(s *sections, info engine.Info) (*index, error) {
	x := &index{info: info}
	for _, space := range info.Vectors {
		if err := space.Check(); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), s.close())
		}
	}
	x.rotations = rotations(info.Vectors)
	x.transferDocuments(s)
	x.blocks = make([]block, blocksFor(len(x.fit.of)))
	for i := range x.blocks {
		x.blocks[i].vectors = newVectors(x.rotations)
		x.blocks[i].transfer(s, i)
	}
	x.transferCounts(s)
	if err := s.close(); err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	x.connect()
	return x, nil
}

// transferDocuments is the part of the file that comes before the blocks.
func (x *index) transferDocuments(s *sections) {
	numbers := []float64{x.bm25.K1, x.bm25.B, float64(x.worded), x.meanLength, x.meanRating}
	section(s, "numbers", &numbers)
	if s.err == nil && len(numbers) != 5 {
		s.err = fmt.Errorf("%s: section \"numbers\": %d elements, want 5", s.name, len(numbers))
	}
	if s.err != nil {
		return
	}
	x.bm25 = mappings.BM25{K1: numbers[0], B: numbers[1]}
	x.worded, x.meanLength, x.meanRating = int(numbers[2]), numbers[3], numbers[4]
	for _, n := range []struct {
		of   string
		text *names
	}{{"ids", &x.ids}, {"terms", &x.terms}, {"skills", &x.skills}, {"families", &x.families}} {
		section(s, n.of+" text", &n.text.text)
		section(s, n.of+" ends", &n.text.ends)
	}
	section(s, "ids documents", &x.docOf)
	section(s, "lengths", &x.lengths)
	x.signals.transfer(s, "signals")
	x.fit.transfer(s, "fit")
	x.quality.transfer(s, "quality")
	section(s, "records offsets", &x.records.offsets)
	section(s, "records lengths", &x.records.lengths)
	section(s, "records sums", &x.records.sums)
}

// transferCounts is the part that comes after the blocks, from which it follows.
func (x *index) transferCounts(s *sections) {
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

// check finds what a checksum does not: sections that do not fit together, so that no later step can panic.
func (x *index) check() error {
	documents := len(x.fit.of)
	errs := []error{
		x.signals.check("signals", documents), x.fit.check("fit", documents), x.quality.check("quality", documents),
		x.ids.check("ids"), x.terms.check("terms"), x.skills.check("skills"), x.families.check("families"),
		x.unknown.check("unknown skills"), x.jobTitles.check("job titles"),
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
		errs = append(errs, b.terms.check(i, "terms", size, codes), b.skills.check(i, "skills", size, uint8(matching.Listed)),
			b.families.check(i, "families", size, uint8(matching.Sibling)))
		for space := range b.vectors {
			errs = append(errs, b.vectors[space].check(fmt.Sprintf("block %d vectors %d", i, space), size, x.rotations[space].dimensions))
		}
	}
	return errors.Join(errs...)
}

func (n *names) check(name string) error {
	end := uint32(0)
	for _, next := range n.ends {
		if next < end {
			return fmt.Errorf("%s: a name ends before it begins", name)
		}
		end = next
	}
	if int(end) != len(n.text) {
		return fmt.Errorf("%s: the names end at byte %d of %d", name, end, len(n.text))
	}
	return nil
}

func (p *postings) check(blockNumber int, name string, size int, highest uint8) error {
	if len(p.starts) != len(p.keys)+1 || len(p.codes) != len(p.docs) || p.starts[0] != 0 ||
		!slices.IsSorted(p.starts) || int(p.starts[len(p.keys)]) != len(p.docs) {
		return fmt.Errorf("block %d %s: keys, starts, documents and codes do not fit together", blockNumber, name)
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

// connect derives what is not stored.
func (x *index) connect() {
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

// blocksFor is how many blocks so many documents make.
func blocksFor(documents int) int { return (documents + blockSize - 1) / blockSize }

// blockSize is how many documents block i has.
func (x *index) blockSize(i int) int { return min(blockSize, len(x.fit.of)-i*blockSize) }

// live reports whether the document was not replaced.
func (x *index) live(doc int) bool { return x.idOf[doc] != noID }

// Info describes the index.
func (x *index) Info() engine.Info { return x.info }

// Statistics are facts about all documents together.
func (x *index) Statistics(_ context.Context, skills []string) (engine.Statistics, error) {
	s := engine.Statistics{Documents: x.info.Documents, MeanRating: known(x.meanRating), SkillCount: map[string]int{}}
	for _, skill := range skills {
		s.SkillCount[skill] = 0
		if number, ok := x.skills.find(skill); ok {
			s.SkillCount[skill] = int(x.skillDocs[number])
		}
	}
	return s, nil
}

// Fetch reads freelancers from the disk.
func (x *index) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	freelancers := make([]matching.Freelancer, len(ids))
	for i, id := range ids {
		number, ok := x.ids.find(id)
		if !ok {
			return nil, fmt.Errorf("index %q: freelancer %q: %w", x.info.Name, id, engine.ErrNotFound)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := x.record(x.docOf[number], &freelancers[i]); err != nil {
			return nil, fmt.Errorf("index %q: freelancer %q: %w", x.info.Name, id, err)
		}
	}
	return freelancers, nil
}

// record reads the record of one document.
func (x *index) record(doc uint32, f *matching.Freelancer) error {
	b := make([]byte, x.records.lengths[doc])
	if _, err := x.recordFile.ReadAt(b, int64(x.records.offsets[doc])); err != nil {
		return err
	}
	if crc32.Checksum(b, castagnoli) != x.records.sums[doc] {
		return fmt.Errorf("%s: checksum mismatch at byte %d: the file is damaged", recordsFile, x.records.offsets[doc])
	}
	return json.Unmarshal(b, f)
}
