package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// A bulk builds an index. For each document, it keeps the ID, its number, and the number of terms in memory: about 40
// bytes. Besides these, it keeps the words and one block of documents. Everything else goes to disk. A bulk is safe for
// concurrent use, but several goroutines are no faster than one.
type bulk struct {
	dir    string
	spec   *datadir.Description
	log    *slog.Logger
	reject engine.RejectFunc

	mu      sync.Mutex // guards the fields below
	err     error      // the first disk error, or errClosed
	failed  map[string]struct{}
	file    *os.File // of the records
	records *bufio.Writer
	offset  uint64 // the end of the last record
	index   *segment.IndexWriter
}

var errClosed = errors.New("the bulk is closed or aborted")

func newBulk(dir string, spec *datadir.Description, log *slog.Logger, reject engine.RejectFunc) (*bulk, error) {
	file, err := os.OpenFile(filepath.Join(dir, datadir.RecordsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, err
	}
	index, err := segment.NewIndexWriter(dir, spec.Vectors)
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
		index:   index,
	}, nil
}

// Add stores a document. It rejects a document without an id, or whose record can't be encoded as JSON.
func (b *bulk) Add(ctx context.Context, d *engine.Document) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	record, err := segment.EncodeRecord(&d.Freelancer)
	if err == nil && d.Freelancer.ID == "" {
		err = errors.New("no id")
	}

	// Encoding needs no lock, but everything else does.
	b.mu.Lock()
	defer b.mu.Unlock()

	if b.err != nil {
		return b.err
	}

	if err != nil {
		// A rejected document doesn't end the load.
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
	if b.index.Full(d.Freelancer.ID) {
		return errors.New("the index is full")
	}
	if _, err := b.records.Write(record); err != nil {
		return err
	}

	err := b.index.Add(d, segment.Location{
		Offset: b.offset, Length: uint32(len(record)), Sum: crc32.Checksum(record, sectionfile.Castagnoli),
	})
	b.offset += uint64(len(record))
	delete(b.failed, d.Freelancer.ID)

	return err
}

// fail ends the bulk and leaves the index incomplete.
func (b *bulk) fail(err error) {
	if b.err == nil {
		b.err = err
		b.file.Close()
		b.index.Close()
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
	failed := 0
	for id := range b.failed {
		if !b.index.Has(id) {
			failed++
		}
	}

	if err := b.finish(ctx); err != nil {
		b.fail(fmt.Errorf("finish index %q: %w", b.spec.Name, err))
		return engine.BulkResult{}, b.err
	}

	b.err = errClosed
	indexed := b.index.Documents()
	b.index = nil // free the memory even if the caller keeps the bulk
	return engine.BulkResult{Indexed: indexed, Failed: failed}, nil
}

func (b *bulk) finish(ctx context.Context) error {
	if err := errors.Join(b.index.Collect(), b.records.Flush()); err != nil {
		return err
	}
	if err := errors.Join(b.index.BlankReplaced(b.file), b.file.Sync(), b.file.Close()); err != nil {
		return err
	}

	sum := b.index.RecordsSum()
	size, err := b.index.Write(ctx, filepath.Join(b.dir, datadir.IndexFile), b.spec.BM25)
	if err != nil {
		return err
	}

	// The manifest makes the index complete, so everything else is durable before it is written.
	manifest := *b.spec
	manifest.Documents = b.index.Documents()
	manifest.Files = map[string]int64{datadir.RecordsFile: int64(b.offset), datadir.IndexFile: size}
	manifest.Format, manifest.RecordsSum = sectionfile.FormatVersion, datadir.HexSum(sum)
	log, err := changelog.Create(filepath.Join(b.dir, manifest.ChangesFile()), manifest.Generation)
	if err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.dir, datadir.PendingFile), nil, 0o600); err != nil {
		return err
	}

	return datadir.WriteJSON(filepath.Join(b.dir, datadir.ManifestFile), manifest)
}
