package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A bulk builds an index. It keeps the names, the signals and one block of postings and vectors in memory; records and
// finished blocks go to disk. A bulk is safe for concurrent use, but several goroutines are no faster than one.
type bulk struct {
	dir    string
	spec   *description
	log    *slog.Logger
	reject engine.RejectFunc

	mu      sync.Mutex // guards the fields below
	err     error      // the first disk error, or errClosed
	failed  map[string]struct{}
	file    *os.File // of the records
	records *bufio.Writer
	offset  uint64    // the end of the last record
	sum     uint32    // CRC-32C of all records
	blocks  *sections // finished blocks, with term frequencies instead of impacts
	x       segment   // under construction

	// The current block.
	terms, skills, families entries
	unknown, jobTitles      entries
	vectors                 []vectors
	// The current document.
	frequency []uint8  // by term; all 0 between documents
	present   []uint32 // terms with a frequency
}

var errClosed = errors.New("the bulk is closed or aborted")

func newBulk(dir string, spec *description, log *slog.Logger, reject engine.RejectFunc) (*bulk, error) {
	file, err := os.OpenFile(filepath.Join(dir, recordsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, err
	}
	blocks, err := createSections(filepath.Join(dir, blocksFile))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	rotations := newRotations(spec.Vectors)
	return &bulk{
		dir:     dir,
		spec:    spec,
		log:     log,
		reject:  reject,
		failed:  map[string]struct{}{},
		file:    file,
		records: bufio.NewWriterSize(file, 1<<20),
		blocks:  blocks,
		x:       segment{rotations: rotations},
		vectors: newVectors(rotations),
	}, nil
}

// Add stores a document. It rejects a document without an id, or whose record can't be encoded as JSON.
func (b *bulk) Add(ctx context.Context, d *engine.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	record, err := encode(&d.Freelancer)
	if err == nil && d.Freelancer.ID == "" {
		err = errors.New("no id")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	if err != nil {
		b.log.WarnContext(ctx, "document not indexed", "id", d.Freelancer.ID, "error", err)
		b.failed[d.Freelancer.ID] = struct{}{}
		if b.reject != nil {
			b.reject(d.Freelancer.ID, err)
		}
		return nil
	}
	if err := b.add(d, record); err != nil {
		b.fail(fmt.Errorf("add to index %q: %w", b.spec.Name, err))
	}
	return b.err
}

func (b *bulk) add(d *engine.Document, record []byte) error {
	if err := d.CheckVectors(b.spec.Vectors); err != nil {
		return err
	}
	if len(b.x.ids.text)+len(d.Freelancer.ID) > math.MaxUint32 || len(b.x.lengths) == noID {
		return errors.New("the index is full")
	}
	if _, err := b.records.Write(record); err != nil {
		return err
	}
	table, doc := &b.x.records, uint32(len(b.x.lengths))
	table.offsets = append(table.offsets, b.offset)
	table.lengths = append(table.lengths, uint32(len(record)))
	table.sums = append(table.sums, crc32.Checksum(record, castagnoli))
	b.offset += uint64(len(record))
	b.sum = crc32.Update(b.sum, castagnoli, record)

	if id, added := b.x.ids.add(d.Freelancer.ID); added {
		b.x.docOf = append(b.x.docOf, doc)
		b.x.idOf = append(b.x.idOf, id)
	} else {
		b.x.idOf[b.x.docOf[id]] = noID
		b.x.docOf[id] = doc
		b.x.idOf = append(b.x.idOf, id)
	}
	delete(b.failed, d.Freelancer.ID)
	b.x.signals.add(d.Freelancer.Signals)
	b.x.lengths = append(b.x.lengths, uint32(len(d.Terms)))
	b.addPostings(d, uint16(doc%blockSize))
	for space, v := range d.Vectors {
		b.vectors[space].add(v, b.x.rotations[space])
	}
	if len(b.x.lengths)%blockSize == 0 {
		b.endBlock()
	}
	return b.blocks.err
}

func (b *bulk) addPostings(d *engine.Document, doc uint16) {
	for _, text := range d.Terms {
		term, added := b.x.terms.add(text)
		if added {
			b.frequency = append(b.frequency, 0)
		}
		switch b.frequency[term] {
		case 0:
			b.present = append(b.present, term)
			b.frequency[term] = 1
		case math.MaxUint8: // further occurrences would not change the score
		default:
			b.frequency[term]++
		}
	}
	for _, term := range b.present {
		b.terms.add(term, doc, b.frequency[term])
		b.frequency[term] = 0
	}
	b.present = b.present[:0]
	for _, s := range d.Skills {
		skill, _ := b.x.skills.add(s.ID)
		b.skills.add(skill, doc, uint8(s.Evidence))
	}
	for _, f := range d.Families {
		family, _ := b.x.families.add(f)
		b.families.add(family, doc, uint8(matching.Sibling))
	}
	b.x.unknown.add(&b.unknown, doc, d.UnknownSkills)
	b.x.jobTitles.add(&b.jobTitles, doc, d.JobTitles)
}

// endBlock writes the current block to disk and starts the next one.
func (b *bulk) endBlock() {
	finished := block{
		terms:     b.terms.postings(b.x.terms.len()),
		skills:    b.skills.postings(b.x.skills.len()),
		families:  b.families.postings(b.x.families.len()),
		unknown:   b.unknown.postings(b.x.unknown.len()),
		jobTitles: b.jobTitles.postings(b.x.jobTitles.len()),
		vectors:   b.vectors,
	}
	finished.transfer(b.blocks, blocksFor(len(b.x.lengths))-1)
	for _, e := range []*entries{&b.terms, &b.skills, &b.families, &b.unknown, &b.jobTitles} {
		e.reset()
	}
	for space := range b.vectors {
		b.vectors[space].reset()
	}
}

// fail ends the bulk and leaves the index incomplete.
func (b *bulk) fail(err error) {
	if b.err == nil {
		b.err = err
		b.file.Close()
		b.blocks.file.Close()
	}
}

// Abort ends the bulk and leaves the index incomplete. It does nothing after Close.
func (b *bulk) Abort() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail(errClosed)
}

// Close writes the index file and then, when everything else is durable, the manifest. The index is pending until an
// alias points to it.
func (b *bulk) Close(ctx context.Context) (engine.BulkResult, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return engine.BulkResult{}, b.err
	}
	if err := b.finish(ctx); err != nil {
		b.fail(fmt.Errorf("finish index %q: %w", b.spec.Name, err))
		return engine.BulkResult{}, b.err
	}
	b.err = errClosed
	result := engine.BulkResult{Indexed: b.x.ids.len()}
	for id := range b.failed {
		if _, ok := b.x.ids.find(id); !ok {
			result.Failed++
		}
	}
	b.x = segment{} // free the memory even if the caller keeps the bulk
	return result, nil
}

func (b *bulk) finish(ctx context.Context) error {
	if len(b.x.lengths)%blockSize != 0 {
		b.endBlock()
	}
	if err := errors.Join(b.blocks.close(), b.records.Flush(), b.file.Sync(), b.file.Close()); err != nil {
		return err
	}
	size, err := b.writeIndex(ctx)
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(b.dir, blocksFile)); err != nil {
		return err
	}
	manifest := *b.spec
	manifest.Documents = b.x.ids.len()
	manifest.Files = map[string]int64{recordsFile: int64(b.offset), indexFile: size}
	manifest.Format, manifest.RecordsSum = formatVersion, hexSum(b.sum)
	if err := os.WriteFile(filepath.Join(b.dir, pendingFile), nil, 0o600); err != nil {
		return err
	}
	return writeJSON(filepath.Join(b.dir, manifestFile), manifest)
}

// writeIndex writes the index file, replacing frequencies with impacts, and returns its size in bytes.
func (b *bulk) writeIndex(ctx context.Context) (size int64, err error) {
	b.summarize()
	in, err := openSections(filepath.Join(b.dir, blocksFile))
	if err != nil {
		return 0, err
	}
	out, err := createSections(filepath.Join(b.dir, indexFile))
	if err != nil {
		return 0, errors.Join(err, in.close())
	}
	b.x.transferDocuments(out)
	norms := b.norms()
	for i := range blocksFor(len(b.x.lengths)) {
		if in.err != nil || out.err != nil || ctx.Err() != nil {
			break
		}
		next := block{vectors: newVectors(b.x.rotations)}
		next.transfer(in, i)
		b.finishBlock(&next, i*blockSize, norms)
		next.transfer(out, i)
	}
	b.x.transferNames(out)
	out.sync()
	if err := errors.Join(ctx.Err(), in.close(), out.err); err != nil {
		return 0, errors.Join(err, out.file.Close())
	}
	stat, err := out.file.Stat()
	if err != nil {
		return 0, errors.Join(err, out.close())
	}
	return stat.Size(), out.close()
}

// summarize computes the means and the classes, which depend on all documents.
func (b *bulk) summarize() {
	x := &b.x
	x.bm25, x.meanRating = b.spec.BM25, math.NaN()
	rated, sum, total := 0, 0.0, 0.0
	for doc, length := range b.x.lengths {
		if !x.live(doc) {
			continue
		}
		if length > 0 {
			x.withTerms++
			total += float64(length)
		}
		if rating := x.signals.rating[doc]; !math.IsNaN(rating) {
			rated++
			sum += rating
		}
	}
	if x.withTerms > 0 {
		x.meanLength = total / float64(x.withTerms)
	}
	if rated > 0 {
		x.meanRating = sum / float64(rated)
	}
	x.fit = classify(&x.signals, x.live, fitKey)
	x.quality = classify(&x.signals, x.live, qualityKey)
	x.termDocs = make([]uint32, x.terms.len())
	x.skillDocs = make([]uint32, x.skills.len())
	x.unknown.documents = make([]uint32, x.unknown.len())
	x.jobTitles.documents = make([]uint32, x.jobTitles.len())
}

// norms returns the norm of every document.
func (b *bulk) norms() []float32 {
	norms := make([]float32, len(b.x.lengths))
	for doc := range norms {
		norms[doc] = float32(b.x.norm(doc))
	}
	return norms
}

// finishBlock replaces the frequencies of a block with impacts, removes documents that were replaced and counts the
// rest. The block's first document is number first.
func (b *bulk) finishBlock(next *block, first int, norms []float32) {
	next.terms.rewrite(func(doc uint16, frequency uint8) uint8 {
		if !b.x.live(first + int(doc)) {
			return 0
		}
		return impact(frequency, float64(norms[first+int(doc)]))
	})
	for _, p := range []*postings{&next.skills, &next.families, &next.unknown, &next.jobTitles} {
		p.rewrite(b.keepLive(first))
	}
	for space := range next.vectors {
		c := &next.vectors[space]
		for doc := range c.squares {
			if !b.x.live(first + doc) {
				c.erase(doc)
			}
		}
	}
	next.terms.count(b.x.termDocs)
	next.skills.count(b.x.skillDocs)
	next.unknown.count(b.x.unknown.documents)
	next.jobTitles.count(b.x.jobTitles.documents)
}

// keepLive returns a function for postings.rewrite that removes documents that were replaced. The block's first
// document is number first.
func (b *bulk) keepLive(first int) func(doc uint16, code uint8) uint8 {
	return func(doc uint16, code uint8) uint8 {
		if !b.x.live(first + int(doc)) {
			return 0
		}
		return code
	}
}
