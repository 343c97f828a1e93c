package segment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/signals"
	"github.com/freelancer-matching/service/engine/embedded/vector"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// An IndexWriter builds an index file. For each document, it keeps the ID, its number, and the number of terms in
// memory: about 40 bytes. Besides these, it keeps the words and one block of documents. Everything else goes to
// temporary files, until collect is called.
type IndexWriter struct {
	blocksPath string
	blocks     *sectionfile.Sections // finished blocks, with term frequencies instead of impacts
	columns    *spill
	builder    *builder

	OrderedFrom int
	sample      []matching.Vector // of the space of the topics
	sampled     int               // number of vectors from which the sample was drawn
	rng         *rand.Rand
}

// OrderedFrom is the number of documents from which they are ordered by topic. Smaller segments have so few tiles that
// the order gains nothing.
const OrderedFrom = 1 << 14

// blocksFile is the temporary file of the finished blocks.
const blocksFile = "blocks.tmp"

// NewIndexWriter returns a writer of an index, whose temporary files are in the given directory.
func NewIndexWriter(dir string, spaces []matching.VectorSpace) (*IndexWriter, error) {
	path := filepath.Join(dir, blocksFile)
	blocks, err := sectionfile.Create(path)
	if err != nil {
		return nil, err
	}

	columns, err := newSpill(dir)
	if err != nil {
		return nil, errors.Join(err, blocks.CloseFile())
	}

	return &IndexWriter{
		blocksPath: path,
		blocks:     blocks,
		columns:    columns,
		builder:    newBuilder(vector.NewRotations(spaces)),

		OrderedFrom: OrderedFrom,
		rng:         rand.New(rand.NewPCG(3, 3)), //nolint:gosec // draws a sample
	}, nil
}

// Full reports whether there is no room for another document with the given ID.
func (w *IndexWriter) Full(id string) bool {
	x := w.builder.x
	return len(x.IDs.text)+len(id) > math.MaxUint32 || len(x.Lengths) == noID
}

// Add adds a document whose record is at l, or replaces an earlier one with the same ID.
func (w *IndexWriter) Add(d *engine.Document, l Location) error {
	w.builder.add(d, l)
	w.draw(d)

	if w.builder.full() {
		w.endBlock()
	}

	return errors.Join(w.blocks.Err(), w.columns.sections.Err())
}

// Has reports whether a document with the given ID was added.
func (w *IndexWriter) Has(id string) bool {
	_, ok := w.builder.x.IDs.Find(id)
	return ok
}

// Documents returns the number of documents that were not replaced.
func (w *IndexWriter) Documents() int { return w.builder.x.IDs.len() }

// Close closes the files of an index that is not finished.
func (w *IndexWriter) Close() {
	_ = w.blocks.CloseFile() // the first error is reported
	w.columns.close()
}

// Collect ends the temporary files, and reads the columns back. No document can be added afterwards.
func (w *IndexWriter) Collect() error {
	if len(w.builder.x.Lengths)%BlockSize != 0 {
		w.endBlock()
	}
	w.builder.release()
	return errors.Join(w.blocks.Close(), w.columns.restore(w.builder.x))
}

// BlankReplaced overwrites the records that were replaced by later ones. If one of these freelancers is deleted, nobody
// needs to look for them.
func (w *IndexWriter) BlankReplaced(records *os.File) error {
	x := w.builder.x
	for doc := range x.idOf {
		if x.live(doc) {
			continue
		}
		if _, err := records.WriteAt(BlankRecord(x.Records.lengths[doc]), int64(x.Records.offsets[doc])); err != nil {
			return err
		}
	}
	return nil
}

// RecordsSum returns the checksum of the records that were not replaced.
func (w *IndexWriter) RecordsSum() uint32 { return w.builder.x.recordsSum() }

// draw makes the vector of a document part of the sample by chance, so that all have the same (reservoir sampling).
func (w *IndexWriter) draw(d *engine.Document) {
	space := vector.TopicSpace(w.builder.rotations)
	if space < 0 || d.Vectors[space] == nil {
		return
	}
	w.sampled++
	if len(w.sample) < vector.TopicSample {
		w.sample = append(w.sample, d.Vectors[space])
	} else if i := w.rng.IntN(w.sampled); i < vector.TopicSample {
		w.sample[i] = d.Vectors[space]
	}
}

// endBlock writes the current block to disk and starts the next one.
func (w *IndexWriter) endBlock() {
	finished := w.builder.block()
	finished.transfer(w.blocks, blocksFor(len(w.builder.x.Lengths))-1)
	w.columns.write(w.builder.x)
	for space := range finished.Vectors {
		finished.Vectors[space].Reset()
	}
}

// Write writes the index file, with the documents in the order of their topics and impacts instead of frequencies,
// and returns its size in bytes.
func (w *IndexWriter) Write(ctx context.Context, path string, bm25 mappings.BM25) (size int64, err error) {
	x := w.builder.x
	in, err := sectionfile.OpenSections(w.blocksPath)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err = errors.Join(err, in.Close()); err == nil {
			err = os.Remove(w.blocksPath)
		}
	}()

	to, documents, err := w.order(ctx, in)
	if err != nil {
		return 0, err
	}

	x.arrange(to, documents)
	x.BM25, x.MeanLength = bm25, x.liveTotals().MeanLength()
	x.classifyFit()
	x.classifyQuality()
	out, err := sectionfile.Create(path)
	if err != nil {
		return 0, err
	}

	x.transferDocuments(out)
	// free their memory for the blocks
	x.Signals = signals.Columns{}
	x.Schedules = signals.Schedules{}
	x.Records = RecordTable{}
	norms := x.norms()

	for first := 0; first < blocksFor(documents); first += blocksAtOnce {
		last := min(first+blocksAtOnce, blocksFor(documents))
		blocks, err := w.gather(ctx, in, to, first, last)
		if err != nil {
			return 0, errors.Join(err, out.Close())
		}

		finished := make([]Block, len(blocks))
		parallel(len(blocks), func(i int) {
			finished[i] = blocks[i].finish(&x.Names, x.BlockSize(first+i), func() {})
			blocks[i] = nil // its entries take more memory than the finished block
			x.finishBlock(&finished[i], (first+i)*BlockSize, norms)
		})

		for i := range finished {
			finished[i].transfer(out, first+i)
			x.count(&finished[i])
		}
	}

	x.transferNames(out)
	size, err = out.Finish()
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
func (w *IndexWriter) order(ctx context.Context, in *sectionfile.Sections) (to []uint32, documents int, err error) {
	x := w.builder.x
	topicOf := make([]uint16, len(x.Lengths)) // a single topic

	space := vector.TopicSpace(w.builder.rotations)
	hasTopics := space >= 0 && len(x.Lengths) >= w.OrderedFrom && len(w.sample) > 0
	if hasTopics {
		x.TopicTree = vector.NewTopicTree(space, w.sample)
		for i := range blocksFor(len(x.Lengths)) {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}

			var v vector.Column
			in.Seek(fmt.Sprintf("block %d vectors %d values", i, space))
			sectionfile.Transfer(in, fmt.Sprintf("block %d vectors %d values", i, space), &v.Values)

			if err := in.Err(); err != nil {
				return nil, 0, err
			}

			v.Squares = make([]uint32, x.BlockSize(i))
			const part = 1 << 10
			parallel((len(v.Squares)+part-1)/part, func(n int) {
				for doc := n * part; doc < min(len(v.Squares), (n+1)*part); doc++ {
					topicOf[i*BlockSize+doc] = x.TopicTree.TopicOf(v.At(doc))
				}
			})
		}
	}

	if to, documents = byTopic(topicOf, x.live); x.TopicTree != nil {
		x.TopicOf = topicOf
	}

	return to, documents, nil
}

// gather reads the finished blocks and returns the new blocks from first to before last.
func (w *IndexWriter) gather(
	ctx context.Context, in *sectionfile.Sections, to []uint32, first, last int,
) ([]*gathered, error) {
	x := w.builder.x
	blocks := make([]*gathered, last-first)
	for i := range blocks {
		blocks[i] = newGathered(w.builder.rotations, x.BlockSize(first+i))
	}

	for i := range blocksFor(len(to)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		from := Block{Vectors: vector.NewColumns(w.builder.rotations)}
		in.Seek(fmt.Sprintf("block %d %s keys", i, kindOf[0].name))
		from.transfer(in, i)
		if err := in.Err(); err != nil {
			return nil, err
		}

		from.scatter(to[i*BlockSize:], blocks, first)
	}

	return blocks, nil
}
