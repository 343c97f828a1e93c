package embedded

import (
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

	ids      names
	docOf    []uint32 // document of each id
	idOf     []uint32 // id of each document, or noID if it was replaced
	lengths  []uint32 // number of terms of each document, with repetition
	names    [kinds]names
	counts   counts
	signals  signals
	from     []int32 // Document.AvailableFrom, or unknownDay
	fit      classes
	quality  classes
	blocks   []block
	records  recordTable
	replaced []uint32   // documents that were replaced; only of a segment that is stored
	holes    tombstones // the replaced documents
	order    idOrder

	topicTree *topicTree // nil if documents are in the order in which they were added
	topicOf   []uint16   // topic of each document, ascending; only with a topicTree

	stored *baseFile // the file that the slices above are parts of; nil if the segment was built in memory

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

// addFiles makes files known, so that their numbers have the same order.
func (t *recordTable) addFiles(files []*os.File) {
	for _, file := range files {
		if !slices.Contains(t.files, file) {
			t.files = append(t.files, file)
		}
	}
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

// load opens a complete index. It maps the index file into memory, or reads it, see openBaseFile. The error wraps
// engine.ErrDamaged if a file that it reads is not as it was written.
func load(dir string, d *description, mapFrom int64) (*view, error) {
	if err := checkSizes(dir, d); err != nil {
		return nil, err
	}
	f, err := openBaseFile(filepath.Join(dir, d.indexFile()), mapFrom)
	if err != nil {
		return nil, err
	}
	x, err := f.decode(d)
	if err != nil {
		return nil, d.indexError(errors.Join(err, f.file.Close()))
	}
	records, err := os.Open(filepath.Join(dir, d.recordsFile()))
	if err != nil {
		return nil, errors.Join(err, f.file.Close())
	}
	x.records.files = []*os.File{records}
	return newView(d.info(), x), nil
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

// decode returns the segment in an index file.
func (f *baseFile) decode(d *description) (x *segment, err error) {
	defer f.guard(&err)()
	if x, err = decode(f.sections, d.Vectors, d.Documents); err == nil {
		x.stored = f
	}
	return x, err
}

// decode reads all sections of an index file. spaces and documents are what the manifest says.
func decode(s *sections, spaces []matching.VectorSpace, documents int) (*segment, error) {
	x := new(segment)
	for _, space := range spaces {
		if err := space.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
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
	if err := s.complete(); err != nil {
		return nil, err
	}
	err := x.checkShape(rotations, documents)
	if err == nil && s.mapped == nil {
		err = x.checkContent()
	}

	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}

	if x.topicTree != nil {
		x.topicTree.space = topicSpace(rotations)
	}
	x.holes = make(tombstones, len(x.blocks))
	for _, doc := range x.replaced {
		x.holes.set(x, doc)
	}

	for doc, rate := range x.signals.rate { // not in the file, which is older than these counts
		if !x.holes.has(uint32(doc)) {
			x.totals.rates.Add(rate, 1)
		}
	}

	return x, nil
}

// transferDocuments writes or reads the sections before the blocks.
func (x *segment) transferDocuments(s *sections) {
	t := &x.totals
	if s.w != nil {
		*t, x.replaced = *x.liveTotals(), x.replacedDocuments()
	}

	numbers := []float64{
		x.bm25.K1, x.bm25.B, x.meanLength,
		float64(t.documents), float64(t.withTerms), float64(t.length), float64(t.rated), t.ratings,
	}

	want := len(numbers)
	section(s, "numbers", &numbers)
	if s.err == nil && len(numbers) != want {
		s.err = fmt.Errorf("%s: section \"numbers\": %d elements, want %d", s.name, len(numbers), want)
	}

	if s.err != nil {
		return
	}
	x.bm25 = mappings.BM25{K1: numbers[0], B: numbers[1]}
	x.meanLength = numbers[2]
	x.totals = totals{
		documents: int(numbers[3]), withTerms: int(numbers[4]), length: int(numbers[5]),
		rated: int(numbers[6]), ratings: numbers[7],
	}

	section(s, "replaced", &x.replaced)
	section(s, "lengths", &x.lengths)
	x.signals.transfer(s, "signals")
	section(s, "available from", &x.from)
	x.fit.transfer(s, "fit", fitBanding())
	x.quality.transfer(s, "quality", qualityBanding())

	if x.transferTopics(s); s.err != nil {
		return
	}
	section(s, "records offsets", &x.records.offsets)
	section(s, "records lengths", &x.records.lengths)
	section(s, "records sums", &x.records.sums)
}

// checkTopics returns an error unless there are no topics, or all centers and the topic of each document.
func (x *segment) checkTopics(rotations []*rotation) error {
	centers := 0
	space := topicSpace(rotations)
	for level, number := 0, topicBranches; level < topicLevels; level++ {
		centers += number
		number *= topicBranches
	}
	switch {
	case x.topicTree == nil && len(x.topicOf) == 0:
	case x.topicTree == nil || space < 0 || len(x.topicTree.centers) != centers*rotations[space].dimensions ||
		len(x.topicOf) != len(x.fit.of):
		return fmt.Errorf("topics: %d documents, want %d and %d centers", len(x.topicOf), len(x.fit.of), centers)
	}
	return nil
}

// transferTopics writes or reads the topics of the documents.
func (x *segment) transferTopics(s *sections) {
	var centers []int8
	if x.topicTree != nil {
		centers = x.topicTree.centers
	}
	section(s, "topics", &x.topicOf)
	section(s, "topic centers", &centers)
	if s.w == nil && len(centers) > 0 {
		x.topicTree = &topicTree{centers: slices.Clone(centers)} // it outlives the file
	}
}

// transferNames writes or reads the sections after the blocks. A merge knows them only when it has written the blocks.
func (x *segment) transferNames(s *sections) {
	x.ids.transfer(s, "ids", true)
	section(s, "ids documents", &x.docOf)
	section(s, "documents ids", &x.idOf)
	for k := range kinds {
		x.names[k].transfer(s, kindOf[k].name, k != ofUnknownSkills && k != ofJobTitles) // nobody searches for these
		section(s, kindOf[k].name+" counts", &x.counts[k])
	}
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
	section(s, name+" tile starts", &p.tileStarts)
	section(s, name+" tiles", &p.tiles)
	section(s, name+" highest codes", &p.highest)
	section(s, name+" tile documents", &p.froms)
}

// checkShape returns an error if the lengths of sections contradict each other, which checksums don't detect. It reads
// none of the elements.
func (x *segment) checkShape(rotations []*rotation, want int) error {
	documents := len(x.fit.of)
	errs := []error{
		x.signals.check("signals", documents),
		x.fit.checkShape("fit", documents),
		x.quality.checkShape("quality", documents),
		x.ids.checkShape("ids", true),
	}
	for k := range kinds {
		names := &x.names[k]
		name := kindOf[k].name
		errs = append(errs, names.checkShape(name, k != ofUnknownSkills && k != ofJobTitles))
		if len(x.counts[k]) != names.len() {
			errs = append(errs, fmt.Errorf("%s: %d counts, want %d", name, len(x.counts[k]), names.len()))
		}
	}

	if len(x.lengths) != documents || len(x.from) != documents || len(x.idOf) != documents {
		errs = append(errs, fmt.Errorf("lengths, available from and ids: %d, %d and %d documents, want %d",
			len(x.lengths), len(x.from), len(x.idOf), documents))
	}

	if n := len(x.records.offsets); n != documents || len(x.records.lengths) != n || len(x.records.sums) != n {
		errs = append(errs, fmt.Errorf("records: %d documents, want %d", n, documents))
	}

	if len(x.docOf) != x.ids.len() || len(x.docOf) != want || x.totals.documents != want ||
		len(x.replaced) != documents-want {
		errs = append(errs, fmt.Errorf("ids: %d documents for %d ids, the manifest says %d",
			len(x.docOf), x.ids.len(), want))
	}

	for _, doc := range x.replaced {
		if int(doc) >= documents {
			errs = append(errs, fmt.Errorf("replaced: document %d of %d", doc, documents))
			break
		}
	}

	errs = append(errs, x.checkTopics(rotations))
	for i := range x.blocks {
		b := &x.blocks[i]
		size := x.blockSize(i)

		for k := range kinds {
			errs = append(errs, b.postings[k].checkShape(fmt.Sprintf("block %d %s", i, kindOf[k].name)))
		}

		for space := range b.vectors {
			name := fmt.Sprintf("block %d vectors %d", i, space)
			errs = append(errs, b.vectors[space].check(name, size, rotations[space].dimensions))
		}
	}

	return errors.Join(errs...)
}

// checkContent returns an error if elements of sections contradict each other. After that, nothing that uses the
// segment panics. It reads everything but vectors and signals, and releases what it has read of a mapped file.
func (x *segment) checkContent() error {
	errs := []error{x.fit.checkContent("fit"), x.quality.checkContent("quality"), x.ids.checkContent("ids")}
	for k := range kinds {
		errs = append(errs, x.names[k].checkContent(kindOf[k].name))
	}
	holes := 0
	for doc, id := range x.idOf {
		if id == noID {
			holes++
		} else if int(id) >= len(x.docOf) || x.docOf[id] != uint32(doc) {
			errs = append(errs, fmt.Errorf("ids: document %d has the id number %d of another one", doc, id))
			break
		}
	}

	if holes != len(x.replaced) || slices.ContainsFunc(x.replaced, func(doc uint32) bool { return x.live(int(doc)) }) {
		errs = append(errs, fmt.Errorf("replaced: %d documents, want %d", len(x.replaced), holes))
	}

	for i := range x.blocks {
		for k := range kinds {
			name := fmt.Sprintf("block %d %s", i, kindOf[k].name)
			err := x.blocks[i].postings[k].checkContent(name, x.names[k].len(), x.blockSize(i), kindOf[k].highest)
			errs = append(errs, err)
		}
		x.stored.release()
	}

	return errors.Join(errs...)
}

// checkShape returns an error unless there are postings for each key. indexed says whether names can be found.
func (n *names) checkShape(name string, indexed bool) error {
	want := 0
	if indexed {
		want = n.len()
	}
	if len(n.hashes) != want || len(n.order) != want {
		return fmt.Errorf("%s: %d hashes and %d numbers of %d names", name, len(n.hashes), len(n.order), n.len())
	}
	return nil
}

func (n *names) checkContent(name string) error {
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

	for i, number := range n.order {
		if int(number) >= n.len() || nameHash(n.at(number)) != n.hashes[i] {
			return fmt.Errorf("%s: name %d has another hash", name, number)
		}
	}

	if !slices.IsSorted(n.hashes) {
		return fmt.Errorf("%s: hashes are not in order", name)
	}

	return nil
}

// checkShape returns an error unless the numbers of keys, starts, documents and codes agree.
func (p *postings) checkShape(name string) error {
	if len(p.starts) != len(p.keys)+1 || len(p.codes) != len(p.docs) {
		return fmt.Errorf("%s: keys, starts, documents and codes contradict each other", name)
	}
	if len(p.tileStarts) != len(p.starts) || len(p.highest) != len(p.tiles) || len(p.froms) != len(p.tiles) {
		return fmt.Errorf("%s: the directories of tiles contradict each other", name)
	}
	return nil
}

// checkContent returns an error unless the keys are below keys, the documents below size, and the codes at most
// highest.
func (p *postings) checkContent(name string, keys, size int, highest uint8) error {
	if p.starts[0] != 0 || !slices.IsSorted(p.starts) || int(p.starts[len(p.keys)]) != len(p.docs) {
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

	want := postings{keys: p.keys, starts: p.starts, docs: p.docs, codes: p.codes}
	want.direct()
	if !slices.Equal(p.tileStarts, want.tileStarts) || !slices.Equal(p.tiles, want.tiles) ||
		!slices.Equal(p.highest, want.highest) || !slices.Equal(p.froms, want.froms) {
		return fmt.Errorf("%s: the directories of tiles don't belong to the lists", name)
	}

	return nil
}

// replacedDocuments returns the documents that were replaced while the segment was built.
func (x *segment) replacedDocuments() []uint32 {
	var docs []uint32
	for doc := range x.idOf {
		if !x.live(doc) {
			docs = append(docs, uint32(doc))
		}
	}
	return docs
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
	x.counts = counts{}
	for i := range x.blocks {
		x.count(&x.blocks[i])
	}
}

// count adds the number of documents with each word in a block to the counts, and makes room for all words known so
// far.
func (x *segment) count(b *block) {
	for k := range kinds {
		x.counts[k] = append(x.counts[k], make([]uint32, x.names[k].len()-len(x.counts[k]))...)
		b.postings[k].count(x.counts[k])
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
	if err := decodeRecord(b, f); err != nil {
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
