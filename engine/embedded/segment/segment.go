// Package segment has the immutable structures of an index: postings, columns, names and records of documents, how they
// are built, merged, and read from index.bin.
package segment

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

	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/signals"
	"github.com/freelancer-matching/service/engine/embedded/vector"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A Segment holds documents with everything that a search needs. It never changes and knows no other segment.
//
// A document that was replaced while the segment was built keeps its number but has no id and no postings.
type Segment struct {
	BM25       mappings.BM25
	MeanLength float64 // from which the impacts were computed
	Totals     Totals

	IDs       Names
	DocOf     []uint32 // document of each id
	idOf      []uint32 // id of each document, or noID if it was replaced
	Lengths   []uint32 // number of terms of each document, with repetition
	Names     [kinds]Names
	counts    Counts
	Signals   signals.Columns
	Schedules signals.Schedules
	Fit       signals.Classes
	Quality   signals.Classes
	Blocks    []Block
	Records   RecordTable
	replaced  []uint32   // documents that were replaced; only of a segment that is stored
	holes     Tombstones // the replaced documents
	order     idOrder

	TopicTree *vector.TopicTree // nil if documents are in the order in which they were added
	TopicOf   []uint16          // topic of each document, ascending; only with a topicTree

	Stored *sectionfile.File // the file that the slices above are parts of; nil if the segment was built in memory

	columns    [columns]bitmap.SlicedColumn
	rates      shapedRates
	conditions conditionCache

	damaged        sync.Map // documents whose records were found damaged
	damagedRecords atomic.Int32
}

const noID = math.MaxUint32

// A Kind is a kind of word that documents have. The words of each kind are numbered apart.
type Kind int

// The kinds of words.
const (
	OfTerms Kind = iota
	OfSkills
	OfFamilies
	ofLabels
	OfUnknownSkills
	OfJobTitles
	kinds
)

// tallied reports whether words of a kind are only counted. Nobody searches for them.
func (k Kind) tallied() bool { return k == OfUnknownSkills || k == OfJobTitles }

// kindOf describes the kinds: their name in sections and the highest code of a posting.
var kindOf = [kinds]struct {
	name    string
	highest uint8
}{
	OfTerms:         {"terms", Codes},
	OfSkills:        {"skills", uint8(matching.Listed)},
	OfFamilies:      {"families", uint8(matching.Sibling)},
	ofLabels:        {"labels", 1},
	OfUnknownSkills: {"unknown skills", 1},
	OfJobTitles:     {"job titles", 1},
}

// Counts holds the number of documents with each word of each kind.
type Counts [kinds][]uint32

// A Block holds the postings and vectors of up to blockSize documents.
type Block struct {
	Postings [kinds]Postings
	Vectors  []vector.Column // by space
}

// DecodeFile returns the segment in an index file. spaces and documents are what the manifest says.
func DecodeFile(f *sectionfile.File, spaces []matching.VectorSpace, documents int) (x *Segment, err error) {
	defer f.Guard(&err)()
	if x, err = Decode(f.Sections, spaces, documents); err == nil {
		x.Stored = f
	}
	return x, err
}

// SetRecords sets the file that holds the records of a decoded segment.
func (x *Segment) SetRecords(file *os.File) { x.Records.Files = []*os.File{file} }

// Decode reads all sections of an index file. spaces and documents are what the manifest says.
func Decode(s *sectionfile.Sections, spaces []matching.VectorSpace, documents int) (*Segment, error) {
	x := new(Segment)
	for _, space := range spaces {
		if err := space.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}

	rotations := vector.NewRotations(spaces)
	x.transferDocuments(s)
	x.Blocks = make([]Block, blocksFor(len(x.Fit.Of)))
	for i := range x.Blocks {
		x.Blocks[i].Vectors = vector.NewColumns(rotations)
		x.Blocks[i].transfer(s, i)
	}

	x.transferNames(s)
	if err := s.Finished(); err != nil {
		return nil, err
	}

	err := x.checkShape(rotations, documents)

	// Checking the content would read all of a mapped file, which is verified in the background instead.
	if err == nil && !s.IsMapped() {
		err = x.CheckContent()
	}

	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}

	if x.TopicTree != nil {
		x.TopicTree.Space = vector.TopicSpace(rotations)
	}

	x.holes = make(Tombstones, len(x.Blocks))
	for _, doc := range x.replaced {
		x.holes.set(x, doc)
	}

	for doc, rate := range x.Signals.Rate { // not in the file, which is older than these counts
		if !x.holes.has(uint32(doc)) {
			x.Totals.Rates.Add(rate, 1)
		}
	}

	return x, nil
}

// transferDocuments writes or reads the sections before the blocks.
func (x *Segment) transferDocuments(s *sectionfile.Sections) {
	t := &x.Totals

	// A segment that is still being written has no summary yet.
	if s.Writing() {
		*t, x.replaced = *x.liveTotals(), x.replacedDocuments()
	}

	numbers := []float64{
		x.BM25.K1, x.BM25.B, x.MeanLength,
		float64(t.Documents), float64(t.WithTerms), float64(t.length), float64(t.Rated), t.Ratings,
	}

	want := len(numbers)
	sectionfile.Transfer(s, "numbers", &numbers)
	if s.Err() == nil && len(numbers) != want {
		s.SetErr(fmt.Errorf("%s: section \"numbers\": %d elements, want %d", s.Name, len(numbers), want))
	}

	if s.Err() != nil {
		return
	}

	x.BM25 = mappings.BM25{K1: numbers[0], B: numbers[1]}
	x.MeanLength = numbers[2]
	x.Totals = Totals{
		Documents: int(numbers[3]), WithTerms: int(numbers[4]), length: int(numbers[5]),
		Rated: int(numbers[6]), Ratings: numbers[7],
	}

	// The order of these calls is the order of the sections in the file.
	sectionfile.Transfer(s, "replaced", &x.replaced)
	sectionfile.Transfer(s, "lengths", &x.Lengths)
	x.Signals.Transfer(s, "signals")
	x.Schedules.Transfer(s, "")
	x.Fit.Transfer(s, "fit", signals.FitBanding())
	x.Quality.Transfer(s, "quality", signals.QualityBanding())

	if x.transferTopics(s); s.Err() != nil {
		return
	}

	sectionfile.Transfer(s, "records offsets", &x.Records.offsets)
	sectionfile.Transfer(s, "records lengths", &x.Records.lengths)
	sectionfile.Transfer(s, "records sums", &x.Records.sums)
}

// checkTopics returns an error unless there are no topics, or all centers and the topic of each document.
func (x *Segment) checkTopics(rotations []*vector.Rotation) error {
	if x.TopicTree == nil && len(x.TopicOf) == 0 {
		return nil
	}

	space := vector.TopicSpace(rotations)
	hasTree := x.TopicTree != nil && space >= 0
	if !hasTree || len(x.TopicTree.Centers) != vector.TopicCenters*rotations[space].Dimensions ||
		len(x.TopicOf) != len(x.Fit.Of) {
		return fmt.Errorf("topics: %d documents, want %d and %d centers", len(x.TopicOf), len(x.Fit.Of), vector.TopicCenters)
	}
	return nil
}

// transferTopics writes or reads the topics of the documents.
func (x *Segment) transferTopics(s *sectionfile.Sections) {
	var centers []int8
	if x.TopicTree != nil {
		centers = x.TopicTree.Centers
	}
	sectionfile.Transfer(s, "topics", &x.TopicOf)
	sectionfile.Transfer(s, "topic centers", &centers)
	if !s.Writing() && len(centers) > 0 {
		x.TopicTree = &vector.TopicTree{Centers: slices.Clone(centers)} // it outlives the file
	}
}

// transferNames writes or reads the sections after the blocks. A merge knows them only when it has written the blocks.
func (x *Segment) transferNames(s *sectionfile.Sections) {
	x.IDs.transfer(s, "ids", true)
	sectionfile.Transfer(s, "ids documents", &x.DocOf)
	sectionfile.Transfer(s, "documents ids", &x.idOf)
	for k := range kinds {
		x.Names[k].transfer(s, kindOf[k].name, !k.tallied())
		sectionfile.Transfer(s, kindOf[k].name+" counts", &x.counts[k])
	}
}

// transfer writes or reads block number i.
func (b *Block) transfer(s *sectionfile.Sections, i int) {
	for k := range kinds {
		b.Postings[k].transfer(s, fmt.Sprintf("block %d %s", i, kindOf[k].name))
	}
	for space := range b.Vectors {
		b.Vectors[space].Transfer(s, fmt.Sprintf("block %d vectors %d", i, space))
	}
}

// checkShape returns an error if the lengths of sections contradict each other, which checksums don't detect. It reads
// none of the elements, except those that say which documents were replaced. All contradictions are collected, so that
// one error describes the damage. live is the number of documents that the manifest gives. The columns of a segment are
// longer, because they still have the documents that were replaced while the segment was built.
func (x *Segment) checkShape(rotations []*vector.Rotation, live int) error {
	documents := len(x.Fit.Of)
	return errors.Join(
		x.Signals.Check("signals", documents),
		x.Schedules.Check(documents),
		x.Fit.CheckShape("fit", documents),
		x.Quality.CheckShape("quality", documents),
		x.IDs.checkShape("ids", true),
		x.checkNamesShape(),
		x.checkDocumentsShape(documents),
		x.checkLiveShape(documents, live),
		x.checkTopics(rotations),
		x.checkBlocksShape(rotations),
	)
}

// checkNamesShape returns an error unless there is a count for each name.
func (x *Segment) checkNamesShape() error {
	var errs []error
	for k := range kinds {
		names := &x.Names[k]
		name := kindOf[k].name
		errs = append(errs, names.checkShape(name, !k.tallied()))
		if len(x.counts[k]) != names.len() {
			errs = append(errs, fmt.Errorf("%s: %d counts, want %d", name, len(x.counts[k]), names.len()))
		}
	}
	return errors.Join(errs...)
}

// checkDocumentsShape returns an error unless each document has a length, an ID and the place of a record.
func (x *Segment) checkDocumentsShape(documents int) error {
	var errs []error
	if len(x.Lengths) != documents || len(x.idOf) != documents {
		errs = append(errs, fmt.Errorf("lengths and ids: %d and %d documents, want %d",
			len(x.Lengths), len(x.idOf), documents))
	}

	if n := len(x.Records.offsets); n != documents || len(x.Records.lengths) != n || len(x.Records.sums) != n {
		errs = append(errs, fmt.Errorf("records: %d documents, want %d", n, documents))
	}
	return errors.Join(errs...)
}

// checkLiveShape returns an error unless each of the live documents has an ID, and all others are listed as replaced.
func (x *Segment) checkLiveShape(documents, live int) error {
	var errs []error
	hasIDOfEach := len(x.DocOf) == live && x.IDs.len() == live
	countsAll := x.Totals.Documents == live && len(x.replaced) == documents-live
	if !hasIDOfEach || !countsAll {
		errs = append(errs, fmt.Errorf("ids: %d documents for %d ids, the manifest says %d",
			len(x.DocOf), x.IDs.len(), live))
	}

	// The holes are computed from these numbers, even if the content of a mapped file is not checked yet.
	for _, doc := range x.replaced {
		if int(doc) >= documents {
			errs = append(errs, fmt.Errorf("replaced: document %d of %d", doc, documents))
			break
		}
	}
	return errors.Join(errs...)
}

// checkBlocksShape returns an error unless the postings of each block agree, and each of its documents has vectors.
func (x *Segment) checkBlocksShape(rotations []*vector.Rotation) error {
	var errs []error
	for i := range x.Blocks {
		b := &x.Blocks[i]
		size := x.BlockSize(i)

		for k := range kinds {
			errs = append(errs, b.Postings[k].checkShape(fmt.Sprintf("block %d %s", i, kindOf[k].name)))
		}

		for space := range b.Vectors {
			name := fmt.Sprintf("block %d vectors %d", i, space)
			errs = append(errs, b.Vectors[space].Check(name, size, rotations[space].Dimensions))
		}
	}
	return errors.Join(errs...)
}

// CheckContent returns an error if elements of sections contradict each other. After that, nothing that uses the
// segment panics. It reads everything but vectors and signals, and releases what it has read of a mapped file.
func (x *Segment) CheckContent() error {
	errs := []error{x.Fit.CheckContent("fit"), x.Quality.CheckContent("quality"), x.IDs.checkContent("ids")}
	for k := range kinds {
		errs = append(errs, x.Names[k].checkContent(kindOf[k].name))
	}

	holes := 0
	for doc, id := range x.idOf {
		if id == noID {
			holes++
		} else if int(id) >= len(x.DocOf) || x.DocOf[id] != uint32(doc) {
			errs = append(errs, fmt.Errorf("ids: document %d has the id number %d of another one", doc, id))
			break
		}
	}

	if holes != len(x.replaced) || slices.ContainsFunc(x.replaced, func(doc uint32) bool { return x.live(int(doc)) }) {
		errs = append(errs, fmt.Errorf("replaced: %d documents, want %d", len(x.replaced), holes))
	}

	for i := range x.Blocks {
		for k := range kinds {
			name := fmt.Sprintf("block %d %s", i, kindOf[k].name)
			err := x.Blocks[i].Postings[k].checkContent(name, x.Names[k].len(), x.BlockSize(i), kindOf[k].highest)
			errs = append(errs, err)
		}
		x.Stored.Release()
	}

	return errors.Join(errs...)
}

// replacedDocuments returns the documents that were replaced while the segment was built.
func (x *Segment) replacedDocuments() []uint32 {
	var docs []uint32
	for doc := range x.idOf {
		if !x.live(doc) {
			docs = append(docs, uint32(doc))
		}
	}
	return docs
}

// liveTotals returns the totals over the live documents.
func (x *Segment) liveTotals() *Totals {
	var t Totals
	for doc := range x.idOf {
		if x.live(doc) {
			t.Add(x, uint32(doc), 1)
		}
	}
	return &t
}

// summarize computes the totals, the counts and the holes.
func (x *Segment) summarize() {
	x.Totals, x.holes = *x.liveTotals(), make(Tombstones, len(x.Blocks))
	for doc := range x.idOf {
		if !x.live(doc) {
			x.holes.set(x, uint32(doc))
		}
	}
	x.counts = Counts{}
	for i := range x.Blocks {
		x.count(&x.Blocks[i])
	}
}

// count adds the number of documents with each word in a block to the counts, and makes room for all words known so
// far.
func (x *Segment) count(b *Block) {
	for k := range kinds {
		x.counts[k] = append(x.counts[k], make([]uint32, x.Names[k].len()-len(x.counts[k]))...)
		b.Postings[k].count(x.counts[k])
	}
}

// blocksFor returns the number of blocks that the given number of documents needs.
func blocksFor(documents int) int { return (documents + BlockSize - 1) / BlockSize }

// BlockSize returns the number of documents in block i.
func (x *Segment) BlockSize(i int) int { return min(BlockSize, len(x.Lengths)-i*BlockSize) }

// live reports whether a document was not replaced while the segment was built.
func (x *Segment) live(doc int) bool { return x.idOf[doc] != noID }

// ID returns the id of a document that is live.
func (x *Segment) ID(doc uint32) []byte { return x.IDs.At(x.idOf[doc]) }

// ReadRecord reads the record of a document that is live, and checks it. It remembers which records are damaged.
func (x *Segment) ReadRecord(doc uint32, f *matching.Freelancer) error {
	err := x.decodeRecord(doc, f)
	switch {
	case err == nil && x.damagedRecords.Load() > 0:
		// Somebody may have restored the file from a backup.
		if _, repaired := x.damaged.LoadAndDelete(doc); repaired {
			x.damagedRecords.Add(-1)
		}

	case err != nil && !errors.Is(err, ErrErased):
		if _, known := x.damaged.LoadOrStore(doc, struct{}{}); !known {
			x.damagedRecords.Add(1)
		}
	}

	return err
}

// DamagedDocuments returns the documents whose records were found damaged.
func (x *Segment) DamagedDocuments() (docs []uint32) {
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
func (x *Segment) decodeRecord(doc uint32, f *matching.Freelancer) error {
	b, err := x.Records.At(doc).Read()
	if err != nil {
		return err
	}
	l := x.Records.At(doc)
	if err := decodeRecord(b, f); err != nil {
		return fmt.Errorf("%s: %w", l, err)
	}
	if f.ID != string(x.ID(doc)) {
		return fmt.Errorf("%s: the record belongs to freelancer %s", l, f.ID)
	}
	return nil
}

// recordsSum returns the checksum of the records that were not replaced, see description.RecordsSum.
func (x *Segment) recordsSum() uint32 {
	var sum RecordsSum
	for doc := range x.idOf {
		if x.live(doc) {
			sum.Add(x.Records.sums[doc])
		}
	}
	return uint32(sum)
}

// Find returns the distinct documents with the given ids, ascending. It skips unknown ids.
func (x *Segment) Find(ids []string) []uint32 {
	var docs []uint32
	for _, id := range ids {
		if number, ok := x.IDs.Find(id); ok {
			docs = append(docs, x.DocOf[number])
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

// Ordered returns the current documents in the byte order of their ids.
func (x *Segment) Ordered() []uint32 {
	x.order.once.Do(func() {
		docs := slices.Clone(x.DocOf)
		slices.SortFunc(docs, func(a, b uint32) int { return bytes.Compare(x.ID(a), x.ID(b)) })
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

// Arrived returns the documents in the order in which they were added, which is the order of their records.
func (x *Segment) Arrived() []uint32 {
	docs := make([]uint32, len(x.Lengths))
	for i := range docs {
		docs[i] = uint32(i)
	}
	if x.TopicTree == nil {
		return docs
	}
	file := func(doc uint32) uint16 {
		if x.Records.file == nil {
			return 0
		}
		return x.Records.file[doc]
	}
	slices.SortFunc(docs, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(file(a), file(b)), cmp.Compare(x.Records.offsets[a], x.Records.offsets[b]))
	})
	return docs
}

// topic returns the topic of a document.
func (x *Segment) topic(tree *vector.TopicTree, doc uint32) uint16 {
	if x.TopicTree == tree {
		return x.TopicOf[doc]
	}
	return tree.TopicOf(x.Blocks[doc/BlockSize].Vectors[tree.Space].At(int(doc % BlockSize)))
}

// arrange renumbers the documents: those that are gone are removed.
func (x *Segment) arrange(to []uint32, documents int) {
	x.Lengths = arranged(x.Lengths, to, documents)
	x.Schedules.From = arranged(x.Schedules.From, to, documents)
	x.Schedules.Tenths = arranged(x.Schedules.Tenths, to, documents)
	x.idOf = arranged(x.idOf, to, documents)
	x.TopicOf = arranged(x.TopicOf, to, documents)
	s := &x.Signals
	r := &x.Records
	s.Experience, s.Rating = arranged(s.Experience, to, documents), arranged(s.Rating, to, documents)
	s.Rate, s.Sales = arranged(s.Rate, to, documents), arranged(s.Sales, to, documents)
	s.Availability = arranged(s.Availability, to, documents)
	r.offsets, r.lengths = arranged(r.offsets, to, documents), arranged(r.lengths, to, documents)
	r.sums, r.file = arranged(r.sums, to, documents), arranged(r.file, to, documents)
	for id, doc := range x.DocOf {
		x.DocOf[id] = to[doc]
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
