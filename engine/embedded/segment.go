package embedded

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"freelancer-matching/engine/embedded/bitmap"
	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/engine/embedded/vector"
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

	topicTree *vector.TopicTree // nil if documents are in the order in which they were added
	topicOf   []uint16          // topic of each document, ascending; only with a topicTree

	stored *sectionfile.File // the file that the slices above are parts of; nil if the segment was built in memory

	columns    [columns]bitmap.SlicedColumn
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
	vectors  []vector.Column // by space
}

// decodeFile returns the segment in an index file. spaces and documents are what the manifest says.
func decodeFile(f *sectionfile.File, spaces []matching.VectorSpace, documents int) (x *segment, err error) {
	defer f.Guard(&err)()
	if x, err = decode(f.Sections, spaces, documents); err == nil {
		x.stored = f
	}
	return x, err
}

// setRecords sets the file that holds the records of a decoded segment.
func (x *segment) setRecords(file *os.File) { x.records.files = []*os.File{file} }

// decode reads all sections of an index file. spaces and documents are what the manifest says.
func decode(s *sectionfile.Sections, spaces []matching.VectorSpace, documents int) (*segment, error) {
	x := new(segment)
	for _, space := range spaces {
		if err := space.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}

	rotations := vector.NewRotations(spaces)
	x.transferDocuments(s)
	x.blocks = make([]block, blocksFor(len(x.fit.of)))
	for i := range x.blocks {
		x.blocks[i].vectors = vector.NewColumns(rotations)
		x.blocks[i].transfer(s, i)
	}

	x.transferNames(s)
	if err := s.Finished(); err != nil {
		return nil, err
	}
	err := x.checkShape(rotations, documents)
	if err == nil && !s.IsMapped() {
		err = x.checkContent()
	}

	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}

	if x.topicTree != nil {
		x.topicTree.Space = vector.TopicSpace(rotations)
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
func (x *segment) transferDocuments(s *sectionfile.Sections) {
	t := &x.totals
	if s.Writing() {
		*t, x.replaced = *x.liveTotals(), x.replacedDocuments()
	}

	numbers := []float64{
		x.bm25.K1, x.bm25.B, x.meanLength,
		float64(t.documents), float64(t.withTerms), float64(t.length), float64(t.rated), t.ratings,
	}

	want := len(numbers)
	sectionfile.Transfer(s, "numbers", &numbers)
	if s.Err() == nil && len(numbers) != want {
		s.SetErr(fmt.Errorf("%s: section \"numbers\": %d elements, want %d", s.Name, len(numbers), want))
	}

	if s.Err() != nil {
		return
	}
	x.bm25 = mappings.BM25{K1: numbers[0], B: numbers[1]}
	x.meanLength = numbers[2]
	x.totals = totals{
		documents: int(numbers[3]), withTerms: int(numbers[4]), length: int(numbers[5]),
		rated: int(numbers[6]), ratings: numbers[7],
	}

	sectionfile.Transfer(s, "replaced", &x.replaced)
	sectionfile.Transfer(s, "lengths", &x.lengths)
	x.signals.transfer(s, "signals")
	sectionfile.Transfer(s, "available from", &x.from)
	x.fit.transfer(s, "fit", fitBanding())
	x.quality.transfer(s, "quality", qualityBanding())

	if x.transferTopics(s); s.Err() != nil {
		return
	}
	sectionfile.Transfer(s, "records offsets", &x.records.offsets)
	sectionfile.Transfer(s, "records lengths", &x.records.lengths)
	sectionfile.Transfer(s, "records sums", &x.records.sums)
}

// checkTopics returns an error unless there are no topics, or all centers and the topic of each document.
func (x *segment) checkTopics(rotations []*vector.Rotation) error {
	if x.topicTree == nil && len(x.topicOf) == 0 {
		return nil
	}

	space := vector.TopicSpace(rotations)
	hasTree := x.topicTree != nil && space >= 0
	if !hasTree || len(x.topicTree.Centers) != vector.TopicCenters*rotations[space].Dimensions ||
		len(x.topicOf) != len(x.fit.of) {
		return fmt.Errorf("topics: %d documents, want %d and %d centers", len(x.topicOf), len(x.fit.of), vector.TopicCenters)
	}
	return nil
}

// transferTopics writes or reads the topics of the documents.
func (x *segment) transferTopics(s *sectionfile.Sections) {
	var centers []int8
	if x.topicTree != nil {
		centers = x.topicTree.Centers
	}
	sectionfile.Transfer(s, "topics", &x.topicOf)
	sectionfile.Transfer(s, "topic centers", &centers)
	if !s.Writing() && len(centers) > 0 {
		x.topicTree = &vector.TopicTree{Centers: slices.Clone(centers)} // it outlives the file
	}
}

// transferNames writes or reads the sections after the blocks. A merge knows them only when it has written the blocks.
func (x *segment) transferNames(s *sectionfile.Sections) {
	x.ids.transfer(s, "ids", true)
	sectionfile.Transfer(s, "ids documents", &x.docOf)
	sectionfile.Transfer(s, "documents ids", &x.idOf)
	for k := range kinds {
		x.names[k].transfer(s, kindOf[k].name, k != ofUnknownSkills && k != ofJobTitles) // nobody searches for these
		sectionfile.Transfer(s, kindOf[k].name+" counts", &x.counts[k])
	}
}

// transfer writes or reads block number i.
func (b *block) transfer(s *sectionfile.Sections, i int) {
	for k := range kinds {
		b.postings[k].transfer(s, fmt.Sprintf("block %d %s", i, kindOf[k].name))
	}
	for space := range b.vectors {
		b.vectors[space].Transfer(s, fmt.Sprintf("block %d vectors %d", i, space))
	}
}

// checkShape returns an error if the lengths of sections contradict each other, which checksums don't detect. It reads
// none of the elements.
func (x *segment) checkShape(rotations []*vector.Rotation, want int) error {
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
			errs = append(errs, b.vectors[space].Check(name, size, rotations[space].Dimensions))
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
		x.stored.Release()
	}

	return errors.Join(errs...)
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

// readRecord reads the record of a document that is live, and checks it. It remembers which records are damaged.
func (x *segment) readRecord(doc uint32, f *matching.Freelancer) error {
	err := x.decodeRecord(doc, f)
	switch {
	case err == nil && x.damagedRecords.Load() > 0:
		// Somebody may have restored the file from a backup.
		if _, repaired := x.damaged.LoadAndDelete(doc); repaired {
			x.damagedRecords.Add(-1)
		}

	case err != nil && !errors.Is(err, errErased):
		if _, known := x.damaged.LoadOrStore(doc, struct{}{}); !known {
			x.damagedRecords.Add(1)
		}
	}

	return err
}

// damagedDocuments returns the documents whose records were found damaged.
func (x *segment) damagedDocuments() (docs []uint32) {
	if x.damagedRecords.Load() == 0 {
		return nil
	}
	x.damaged.Range(func(doc, _ any) bool {
		docs = append(docs, doc.(uint32))
		return true
	})
	return docs
}

// decodeRecord reads and decodes the record of a document that is live.
func (x *segment) decodeRecord(doc uint32, f *matching.Freelancer) error {
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

// recordsSum returns the checksum of the records that were not replaced, see description.RecordsSum.
func (x *segment) recordsSum() uint32 {
	var sum recordsSum
	for doc := range x.idOf {
		if x.live(doc) {
			sum.add(x.records.sums[doc])
		}
	}
	return uint32(sum)
}

// documents returns the distinct documents with the given ids, ascending. It skips unknown ids.
func (x *segment) documents(ids []string) []uint32 {
	var docs []uint32
	for _, id := range ids {
		if number, ok := x.ids.find(id); ok {
			docs = append(docs, x.docOf[number])
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// An idOrder holds the documents of an index in the byte order of their ids. It is built when it is first needed, which
// takes about a second for a million documents.
type idOrder struct {
	once sync.Once
	docs []uint32
}

// ordered returns the current documents in the byte order of their ids.
func (x *segment) ordered() []uint32 {
	x.order.once.Do(func() {
		docs := slices.Clone(x.docOf)
		slices.SortFunc(docs, func(a, b uint32) int { return bytes.Compare(x.id(a), x.id(b)) })
		x.order.docs = docs
	})
	return x.order.docs
}

const gone = math.MaxUint32

// byTopic returns the new number of each document: its place in the order of topics. Documents of a topic keep their
// order, and those that are not live are gone.
func byTopic(topicOf []uint16, live func(doc int) bool) (to []uint32, documents int) {
	var next [vector.Topics]uint32
	for doc, topic := range topicOf {
		if live(doc) {
			next[topic]++
			documents++
		}
	}

	first := uint32(0)
	for topic, count := range next {
		next[topic] = first
		first += count
	}

	to = make([]uint32, len(topicOf))
	for doc, topic := range topicOf {
		if to[doc] = gone; live(doc) {
			to[doc] = next[topic]
			next[topic]++
		}
	}

	return to, documents
}

// arrived returns the documents in the order in which they were added, which is the order of their records.
func (x *segment) arrived() []uint32 {
	docs := make([]uint32, len(x.lengths))
	for i := range docs {
		docs[i] = uint32(i)
	}
	if x.topicTree == nil {
		return docs
	}
	file := func(doc uint32) uint16 {
		if x.records.file == nil {
			return 0
		}
		return x.records.file[doc]
	}
	slices.SortFunc(docs, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(file(a), file(b)), cmp.Compare(x.records.offsets[a], x.records.offsets[b]))
	})
	return docs
}

// topic returns the topic of a document.
func (x *segment) topic(tree *vector.TopicTree, doc uint32) uint16 {
	if x.topicTree == tree {
		return x.topicOf[doc]
	}
	return tree.TopicOf(x.blocks[doc/blockSize].vectors[tree.Space].At(int(doc % blockSize)))
}

// arrange renumbers the documents: those that are gone are removed.
func (x *segment) arrange(to []uint32, documents int) {
	x.lengths = arranged(x.lengths, to, documents)
	x.from = arranged(x.from, to, documents)
	x.idOf = arranged(x.idOf, to, documents)
	x.topicOf = arranged(x.topicOf, to, documents)
	s := &x.signals
	r := &x.records
	s.experience, s.rating = arranged(s.experience, to, documents), arranged(s.rating, to, documents)
	s.rate, s.sales = arranged(s.rate, to, documents), arranged(s.sales, to, documents)
	s.availability = arranged(s.availability, to, documents)
	r.offsets, r.lengths = arranged(r.offsets, to, documents), arranged(r.lengths, to, documents)
	r.sums, r.file = arranged(r.sums, to, documents), arranged(r.file, to, documents)
	for id, doc := range x.docOf {
		x.docOf[id] = to[doc]
	}
}

// arranged returns the elements of a column, which may be nil, at the new numbers of their documents.
func arranged[T any](column []T, to []uint32, documents int) []T {
	if column == nil {
		return nil
	}
	moved := make([]T, documents)
	for doc, number := range to {
		if number != gone {
			moved[number] = column[doc]
		}
	}
	return moved
}
