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
	"os"
	"path/filepath"
	"sync"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/changelog"
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
	blocks  *sections // finished blocks, with term frequencies instead of impacts
	builder *builder
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
	return &bulk{
		dir:     dir,
		spec:    spec,
		log:     log,
		reject:  reject,
		failed:  map[string]struct{}{},
		file:    file,
		records: bufio.NewWriterSize(file, 1<<20),
		blocks:  blocks,
		builder: newBuilder(newRotations(spec.Vectors)),
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
	delete(b.failed, d.Freelancer.ID)
	if b.builder.full() {
		b.endBlock()
	}
	return b.blocks.err
}

// endBlock writes the current block to disk and starts the next one.
func (b *bulk) endBlock() {
	finished := b.builder.block()
	finished.transfer(b.blocks, blocksFor(len(b.builder.x.lengths))-1)
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
	result := engine.BulkResult{Indexed: b.builder.x.ids.len()}
	for id := range b.failed {
		if _, ok := b.builder.x.ids.find(id); !ok {
			result.Failed++
		}
	}
	b.builder = nil // free the memory even if the caller keeps the bulk
	return result, nil
}

func (b *bulk) finish(ctx context.Context) error {
	if len(b.builder.x.lengths)%blockSize != 0 {
		b.endBlock()
	}
	err := errors.Join(b.blocks.close(), b.records.Flush(), b.blankReplaced(), b.file.Sync(), b.file.Close())
	if err != nil {
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
	manifest.Documents = b.builder.x.ids.len()
	manifest.Files = map[string]int64{recordsFile: int64(b.offset), indexFile: size}
	manifest.Format, manifest.RecordsSum = formatVersion, hexSum(b.builder.x.recordsSum())
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

// writeIndex writes the index file, replacing frequencies with impacts, and returns its size in bytes.
func (b *bulk) writeIndex(ctx context.Context) (size int64, err error) {
	x := b.builder.x
	x.bm25, x.meanLength = b.spec.BM25, x.liveTotals().meanLength()
	x.fit = classify(&x.signals, fitBanding())
	x.quality = classify(&x.signals, qualityBanding())
	in, err := openSections(filepath.Join(b.dir, blocksFile))
	if err != nil {
		return 0, err
	}
	out, err := createSections(filepath.Join(b.dir, indexFile))
	if err != nil {
		return 0, errors.Join(err, in.close())
	}
	x.transferDocuments(out)
	norms := x.norms()
	for i := range blocksFor(len(x.lengths)) {
		if in.err != nil || out.err != nil || ctx.Err() != nil {
			break
		}
		next := block{vectors: newVectors(b.builder.rotations)}
		next.transfer(in, i)
		x.finishBlock(&next, i*blockSize, norms)
		next.transfer(out, i)
		x.count(&next)
	}
	x.transferNames(out)
	size, err = out.finish()
	return size, errors.Join(ctx.Err(), in.close(), err)
}
