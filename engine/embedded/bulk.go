package embedded

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/changelog"
	"freelancer-matching/internal/matching"
)

// A bulk builds an index. For each document, it keeps the ID, its number, and the number of terms in memory: about 40
// bytes. Besides these, it keeps the words and one block of documents. Everything else goes to disk. A bulk is safe for
// concurrent use, but several goroutines are no faster than one.
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
	blocks  *sections // finished blocks, with term frequencies instead of impacts
	columns *spill
	builder *builder

	orderedFrom int
	sample      []matching.Vector // of the space of the topics
	sampled     int               // number of vectors from which the sample was drawn
	rng         *rand.Rand
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

	columns, err := newSpill(dir)
	if err != nil {
		return nil, errors.Join(err, file.Close(), blocks.file.Close())
	}

	return &bulk{
		dir:     dir,
		spec:    spec,
		log:     log,
		reject:  reject,
		failed:  map[string]struct{}{},
		file:    file,
		records: bufio.NewWriterSize(file, 1<<20),
		blocks:  blocks,
		columns: columns,
		builder: newBuilder(newRotations(spec.Vectors)),

		orderedFrom: orderedFrom,
		rng:         rand.New(rand.NewPCG(3, 3)), //nolint:gosec // draws a sample
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
	x := b.builder.x
	if len(x.ids.text)+len(d.Freelancer.ID) > math.MaxUint32 || len(x.lengths) == noID {
		return errors.New("the index is full")
	}
	if _, err := b.records.Write(record); err != nil {
		return err
	}

	b.builder.add(d, location{
		offset: b.offset, length: uint32(len(record)), sum: crc32.Checksum(record, castagnoli),
	})
	b.offset += uint64(len(record))
	b.draw(d)
	delete(b.failed, d.Freelancer.ID)

	if b.builder.full() {
		b.endBlock()
	}

	return errors.Join(b.blocks.err, b.columns.sections.err)
}

// draw makes the vector of a document part of the sample by chance, so that all have the same (reservoir sampling).
func (b *bulk) draw(d *engine.Document) {
	space := topicSpace(b.builder.rotations)
	if space < 0 || d.Vectors[space] == nil {
		return
	}
	b.sampled++
	if len(b.sample) < topicSample {
		b.sample = append(b.sample, d.Vectors[space])
	} else if i := b.rng.IntN(b.sampled); i < topicSample {
		b.sample[i] = d.Vectors[space]
	}
}

// endBlock writes the current block to disk and starts the next one.
func (b *bulk) endBlock() {
	finished := b.builder.block()
	finished.transfer(b.blocks, blocksFor(len(b.builder.x.lengths))-1)
	b.columns.write(b.builder.x)
	for space := range finished.vectors {
		finished.vectors[space].reset()
	}
}

// fail ends the bulk and leaves the index incomplete.
func (b *bulk) fail(err error) {
	if b.err == nil {
		b.err = err
		b.file.Close()
		b.blocks.file.Close()
		b.columns.close()
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
	x := b.builder.x
	failed := 0
	for id := range b.failed {
		if _, ok := x.ids.find(id); !ok {
			failed++
		}
	}

	if err := b.finish(ctx); err != nil {
		b.fail(fmt.Errorf("finish index %q: %w", b.spec.Name, err))
		return engine.BulkResult{}, b.err
	}

	b.err = errClosed
	b.builder = nil // free the memory even if the caller keeps the bulk
	return engine.BulkResult{Indexed: x.ids.len(), Failed: failed}, nil
}

func (b *bulk) finish(ctx context.Context) error {
	if len(b.builder.x.lengths)%blockSize != 0 {
		b.endBlock()
	}
	b.builder.release()
	err := errors.Join(b.blocks.close(), b.records.Flush(), b.columns.restore(b.builder.x))
	if err != nil {
		return err
	}
	if err := errors.Join(b.blankReplaced(), b.file.Sync(), b.file.Close()); err != nil {
		return err
	}

	sum := b.builder.x.recordsSum()
	size, err := b.writeIndex(ctx)
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(b.dir, blocksFile)); err != nil {
		return err
	}

	manifest := *b.spec
	manifest.Documents = b.builder.x.ids.len()
	manifest.Files = map[string]int64{recordsFile: int64(b.offset), indexFile: size}
	manifest.Format, manifest.RecordsSum = formatVersion, hexSum(sum)
	log, err := changelog.Create(filepath.Join(b.dir, manifest.changesFile()), manifest.Generation)
	if err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.dir, pendingFile), nil, 0o600); err != nil {
		return err
	}

	return writeJSON(filepath.Join(b.dir, manifestFile), manifest)
}

// blankReplaced overwrites the records that were replaced by later ones. If one of these freelancers is deleted, nobody
// needs to look for them.
func (b *bulk) blankReplaced() error {
	x := b.builder.x
	for doc := range x.idOf {
		if x.live(doc) {
			continue
		}
		if _, err := b.file.WriteAt(blank(x.records.lengths[doc]), int64(x.records.offsets[doc])); err != nil {
			return err
		}
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

// A recordsSum is a checksum of records in order, which can be computed without those that were erased.
type recordsSum uint32

// add adds the CRC-32C of the next record.
func (s *recordsSum) add(sum uint32) {
	*s = recordsSum(crc32.Update(uint32(*s), castagnoli, binary.LittleEndian.AppendUint32(nil, sum)))
}

// writeIndex writes the index file, with the documents in the order of their topics and impacts instead of frequencies,
// and returns its size in bytes.
func (b *bulk) writeIndex(ctx context.Context) (size int64, err error) {
	x := b.builder.x
	in, err := openSections(filepath.Join(b.dir, blocksFile))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.close()) }()

	to, documents, err := b.order(ctx, in)
	if err != nil {
		return 0, err
	}
	x.arrange(to, documents)
	x.bm25, x.meanLength = b.spec.BM25, x.liveTotals().meanLength()
	x.fit = classify(&x.signals, fitBanding())
	x.quality = classify(&x.signals, qualityBanding())
	out, err := createSections(filepath.Join(b.dir, indexFile))
	if err != nil {
		return 0, err
	}

	x.transferDocuments(out)
	// free their memory for the blocks
	x.signals = signals{}
	x.from = nil
	x.records = recordTable{}
	norms := x.norms()

	for first := 0; first < blocksFor(documents); first += blocksAtOnce {
		last := min(first+blocksAtOnce, blocksFor(documents))
		blocks, err := b.gather(ctx, in, to, first, last)
		if err != nil {
			return 0, errors.Join(err, out.close())
		}

		finished := make([]block, len(blocks))
		parallel(len(blocks), func(i int) {
			finished[i] = blocks[i].finish(&x.names, x.blockSize(first+i), func() {})
			blocks[i] = nil // its entries take more memory than the finished block
			x.finishBlock(&finished[i], (first+i)*blockSize, norms)
		})

		for i := range finished {
			finished[i].transfer(out, first+i)
			x.count(&finished[i])
		}
	}

	x.transferNames(out)
	size, err = out.finish()
	return size, errors.Join(ctx.Err(), err)
}

// parallel calls do for each number below n, with as many goroutines as there are processors.
func parallel(n int, do func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}

// blocksAtOnce is the number of blocks that are put together each time that the finished blocks are read. Each needs
// 50 MB or more, and reading ten million documents once reads 3 GB.
const blocksAtOnce = 8

// order returns the new number of each document, and the number of those that are not gone. It computes their topics if
// there are enough documents with vectors.
func (b *bulk) order(ctx context.Context, in *sections) (to []uint32, documents int, err error) {
	x := b.builder.x
	topicOf := make([]uint16, len(x.lengths)) // a single topic

	if space := topicSpace(b.builder.rotations); space >= 0 && len(x.lengths) >= b.orderedFrom && len(b.sample) > 0 {
		x.topicTree = newTopicTree(space, b.sample)
		for i := range blocksFor(len(x.lengths)) {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			var v vectors
			in.seek(fmt.Sprintf("block %d vectors %d values", i, space))
			section(in, fmt.Sprintf("block %d vectors %d values", i, space), &v.values)

			if in.err != nil {
				return nil, 0, in.err
			}
			v.squares = make([]uint32, x.blockSize(i))
			const part = 1 << 10
			parallel((len(v.squares)+part-1)/part, func(n int) {
				for doc := n * part; doc < min(len(v.squares), (n+1)*part); doc++ {
					topicOf[i*blockSize+doc] = x.topicTree.of(v.at(doc))
				}
			})
		}
	}

	if to, documents = byTopic(topicOf, x.live); x.topicTree != nil {
		x.topicOf = topicOf
	}

	return to, documents, nil
}

// gather reads the finished blocks and returns the new blocks from first to before last.
func (b *bulk) gather(ctx context.Context, in *sections, to []uint32, first, last int) ([]*gathered, error) {
	x := b.builder.x
	blocks := make([]*gathered, last-first)
	for i := range blocks {
		blocks[i] = newGathered(b.builder.rotations, x.blockSize(first+i))
	}
	for i := range blocksFor(len(to)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from := block{vectors: newVectors(b.builder.rotations)}
		in.seek(fmt.Sprintf("block %d %s keys", i, kindOf[0].name))
		from.transfer(in, i)
		if in.err != nil {
			return nil, in.err
		}
		from.scatter(to[i*blockSize:], blocks, first)
	}
	return blocks, nil
}
