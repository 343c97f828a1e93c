// Package pdf reads resumes from PDF files. Each file is interpreted by pdfium, compiled to WebAssembly, in a sandbox
// of its own: without files or network, with limited memory, and stopped at a deadline. pdfium reports where each glyph
// is; package layout finds words, lines and columns from that, because pdfium's own text runs row by row across
// columns.
package pdf

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/pdf/layout"
)

// Options are the settings of an Engine. A zero value selects the default.
type Options struct {
	Lazy          bool          // compile pdfium for the first document; without it, at once
	CacheDir      string        // keeps the compiled pdfium between starts; without it, each start compiles for seconds
	Workers       int           // documents read at once; default 2
	Timeout       time.Duration // for one document, once it has a worker; default 5 s
	MaxPages      int           // further pages are not read; default 30
	MaxCharacters int           // of one document; default 500,000
	MaxObjects    int           // of one document; default 200,000
	MaxMemory     int           // of one document's sandbox, in bytes; default 96 MiB

	Recognizer Recognizer // of text in pictures; nil for none
	Scanners   int        // documents whose pictures are recognized at once; default 1
	MaxScans   int        // pages of a document that are recognized; default 5
}

// withDefaults replaces zero values by the defaults.
func (o Options) withDefaults() Options {
	setDefault := func(value *int, fallback int) {
		if *value <= 0 {
			*value = fallback
		}
	}
	setDefault(&o.Workers, 2)
	setDefault(&o.MaxPages, 30)
	setDefault(&o.MaxCharacters, 500_000)
	setDefault(&o.MaxObjects, 200_000)
	setDefault(&o.MaxMemory, 96<<20)
	setDefault(&o.Scanners, 1)
	setDefault(&o.MaxScans, 5)
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	return o
}

// An Engine reads PDF files. It is safe for concurrent use.
type Engine struct {
	options Options
	want    func()        // lets pdfium be compiled; may be called again
	ready   chan struct{} // closed when pdfium and failure are set
	pdfium  *pdfium
	failure error         // why pdfium did not start
	workers chan struct{} // holds an element for each document being read
	scans   chan struct{} // holds an element for each document whose pictures are recognized
	closed  chan struct{} // closed by Close
}

// errClosed is returned by an Engine that was closed.
var errClosed = errors.New("the PDF engine is closed")

var _ resume.Reader = (*Engine)(nil)

// Open starts an Engine. It returns at once and compiles pdfium in the background. Ready waits for that, and reports
// whether it failed.
func Open(ctx context.Context, options Options) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	options = options.withDefaults()
	cache := wazero.NewCompilationCache()
	if options.CacheDir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(options.CacheDir); err != nil {
			return nil, fmt.Errorf("keep compiled pdfium in %s: %w", options.CacheDir, err)
		}
	}

	e := &Engine{
		options: options,
		ready:   make(chan struct{}),
		workers: make(chan struct{}, options.Workers),
		scans:   make(chan struct{}, options.Scanners),
		closed:  make(chan struct{}),
	}

	wanted := make(chan struct{})
	e.want = sync.OnceFunc(func() { close(wanted) })
	if !options.Lazy {
		e.want()
	}

	go func() {
		defer close(e.ready)
		select {
		case <-wanted:
		case <-e.closed: // before the first document
			e.failure = errClosed
			return
		}
		e.pdfium, e.failure = compilePDFium(context.WithoutCancel(ctx), cache, options.MaxMemory)
	}()

	return e, nil
}

// Ready waits until the Engine can read documents. It returns the reason if it never will, or the error of ctx.
func (e *Engine) Ready(ctx context.Context) error {
	e.want()
	select {
	case <-e.ready:
		if e.failure != nil {
			return fmt.Errorf("start pdfium: %w", e.failure)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close waits for the documents being read and frees the Engine. Reads that wait for a worker fail, as do later ones.
// Close must be called once.
func (e *Engine) Close() error {
	close(e.closed)
	for range cap(e.workers) {
		e.workers <- struct{}{}
	}
	for range cap(e.scans) {
		e.scans <- struct{}{}
	}
	<-e.ready
	if e.pdfium == nil {
		return nil
	}
	return e.pdfium.close()
}

// Read implements resume.Reader. A document that takes longer than the timeout fails with resume.CodeTooComplex. If ctx
// ends first, Read returns its error.
func (e *Engine) Read(ctx context.Context, data []byte) (resume.Document, error) {
	start := resume.FindPDF(data)
	if start < 0 {
		return resume.Document{}, &matching.Error{Code: resume.CodeUnsupported, Message: "The file is not a PDF."}
	}

	data = data[start:] // pdfium accepts up to 1 KiB before the header, and counts positions from the header, too

	if err := e.Ready(ctx); err != nil {
		return resume.Document{}, err
	}

	select {
	case e.workers <- struct{}{}:
		defer func() { <-e.workers }()
	case <-e.closed:
		return resume.Document{}, errClosed
	case <-ctx.Done():
		return resume.Document{}, ctx.Err()
	}

	limited, cancel := context.WithTimeout(ctx, e.options.Timeout)
	defer cancel()

	// The sandbox is new and never used again, so no trace of this document reaches another one.
	box, err := e.pdfium.newSandbox(limited)
	if err != nil {
		return resume.Document{}, fmt.Errorf("start a sandbox: %w", err)
	}
	defer box.close()

	document, err := e.interpret(limited, box, data, nil)
	if err == nil {
		return document, nil
	}

	// The deadline of the document ends with ctx too, so a client that left must not get the error for a complex file.
	if ctx.Err() != nil {
		return resume.Document{}, ctx.Err()
	}

	return resume.Document{}, e.clientError(limited, err)
}

// interpret reads one document in a sandbox, until ctx ends. It calls visit for each page, unless visit is nil.
func (e *Engine) interpret(
	ctx context.Context, box *sandbox, data []byte, visit func(*document, uint64, *layout.Page) error,
) (resume.Document, error) {
	f, err := box.read(data, visit, limits{
		pages:      e.options.MaxPages,
		characters: e.options.MaxCharacters,
		objects:    e.options.MaxObjects,
		links:      1000,
		depth:      8,
	})
	if err != nil {
		return resume.Document{}, err
	}
	return layout.Document(ctx, f)
}

// clientError returns the error to send for a document that could not be read before ctx ended.
func (e *Engine) clientError(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, errEncrypted):
		return &matching.Error{
			Code: resume.CodeEncrypted, Cause: err,
			Message: "The PDF is protected by a password. Remove the password and upload it again.",
		}

	case errors.Is(err, layout.ErrNoText):
		message := "The PDF has no text, only pictures or empty pages. Upload the document it was made from."
		if e.options.Recognizer == nil {
			message += " This server doesn't recognize text in pictures; its operator can turn that on by installing Tesseract."
		}
		return &matching.Error{Code: resume.CodeNoText, Cause: err, Message: message}

	case ctx.Err() != nil, errors.Is(err, errLimit):
		return &matching.Error{
			Code: resume.CodeTooComplex, Cause: err,
			Message: "The PDF is too complex to be read. Save it in a simpler form and upload that.",
		}

	default:
		return &matching.Error{
			Code: resume.CodeCorrupt, Cause: err,
			Message: "The PDF is damaged and cannot be read. Save it again as PDF and upload that.",
		}
	}
}
