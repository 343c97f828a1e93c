// Package pdf reads resumes from PDF files. The file is interpreted by pdfium, compiled to WebAssembly and run by
// wazero: it sees no file system, has a bounded memory, and is stopped at a deadline. From where each glyph stands, the
// layout finds words, lines and columns; pdfium's own order of text goes row by row across columns.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// Options tell what an Engine may use. Zero values are the defaults.
type Options struct {
	CacheDir      string        // keeps the compiled pdfium from one start to the next; "": compiled at each start, 2 s
	Workers       int           // documents at the same time; 2
	Timeout       time.Duration // of one document, after it was given a worker; 5 s
	MaxPages      int           // pages that are read; 30
	MaxCharacters int           // of one document; 500,000
	MaxObjects    int           // of one document; 200,000
	MaxMemory     int           // of one document in its sandbox, in bytes; 96 MiB
}

// withDefaults fills in what is not set.
func (o Options) withDefaults() Options {
	set := func(value *int, otherwise int) {
		if *value <= 0 {
			*value = otherwise
		}
	}
	set(&o.Workers, 2)
	set(&o.MaxPages, 30)
	set(&o.MaxCharacters, 500_000)
	set(&o.MaxObjects, 200_000)
	set(&o.MaxMemory, 96<<20)
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	return o
}

// Engine reads PDF files. It is safe for concurrent use.
type Engine struct {
	options Options
	ready   chan struct{} // closed when pool and failure are set
	failure error
	pool    pdfium.Pool
	cache   wazero.CompilationCache
	slots   chan struct{} // one taken for each document being read
	spares  chan *library // sandboxes that wait for a document
	closed  context.Context
	close   context.CancelFunc
	helpers sync.WaitGroup
}

// errClosed is that an Engine was closed.
var errClosed = errors.New("the PDF engine is closed")

var _ resume.Reader = (*Engine)(nil)

// Open starts an Engine. It returns at once, and compiles pdfium and prepares its sandboxes in the background; Ready tells
// when that is done, and whether it failed.
func Open(ctx context.Context, options Options) (*Engine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	options = options.withDefaults()
	e := &Engine{
		options: options,
		ready:   make(chan struct{}),
		cache:   wazero.NewCompilationCache(),
		slots:   make(chan struct{}, options.Workers),
		spares:  make(chan *library, options.Workers),
	}
	if options.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(options.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("keep compiled pdfium in %s: %w", options.CacheDir, err)
		}
		e.cache = cache
	}
	e.closed, e.close = context.WithCancel(context.WithoutCancel(ctx))
	e.helpers.Go(e.start)
	return e, nil
}

// start compiles pdfium and fills the spares.
func (e *Engine) start() {
	defer close(e.ready)
	const page = 1 << 16 // of WebAssembly's memory, in bytes
	config := wazero.NewRuntimeConfig().WithCompilationCache(e.cache).
		WithMemoryLimitPages(uint32(e.options.MaxMemory / page))
	var module []byte
	if module, e.failure = meter(pdfiumWasm); e.failure != nil {
		return
	}
	e.pool, e.failure = webassembly.InitWithWASM(webassembly.Config{
		Context:       experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(reserve)),
		WASM:          module,
		MaxTotal:      2 * e.options.Workers, // as many again while the stopped ones are put away
		FSConfig:      wazero.NewFSConfig(),  // nothing: without it, go-pdfium mounts the root
		RuntimeConfig: config,
		Stdout:        io.Discard,
		Stderr:        io.Discard,
	})
	for range cap(e.spares) {
		if e.failure != nil {
			return
		}
		e.failure = e.spare()
	}
}

// Ready waits until documents are read without a delay. It returns why the Engine cannot read any, or that ctx has ended.
func (e *Engine) Ready(ctx context.Context) error {
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

// Close waits for the documents being read, and frees the Engine. Whoever waits for a worker, and every later Read, fails.
func (e *Engine) Close() error {
	e.close()
	for range cap(e.slots) {
		e.slots <- struct{}{}
	}
	e.helpers.Wait()
	var err error
	if e.pool != nil {
		err = e.pool.Close()
	}
	return errors.Join(err, e.cache.Close(context.Background()))
}

// Read implements resume.Reader. A document that takes longer than the timeout fails with resume.CodeTooComplex; who waits
// for a worker until ctx ends gets the error of ctx.
func (e *Engine) Read(ctx context.Context, file []byte) (resume.Document, error) {
	const within = 1024 // bytes, in which readers look for the header (PDF 32000-1, annex H, note 13)
	if !bytes.Contains(file[:min(len(file), within)], []byte("%PDF-")) {
		return resume.Document{}, &matching.Error{Code: resume.CodeUnsupported, Message: "the file is not a PDF"}
	}
	if err := e.Ready(ctx); err != nil {
		return resume.Document{}, err
	}
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-e.closed.Done():
		return resume.Document{}, errClosed
	case <-ctx.Done():
		return resume.Document{}, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, e.options.Timeout)
	defer cancel()
	read, err := e.interpret(limited, file)
	if err == nil {
		var document resume.Document
		if document, err = layOut(limited, read); err == nil {
			return finish(document, read, file)
		}
	}
	if ctx.Err() != nil {
		return resume.Document{}, ctx.Err()
	}
	return resume.Document{}, e.explain(limited, err)
}

// interpret reads a file in a sandbox. One that failed is never used again.
func (e *Engine) interpret(ctx context.Context, data []byte) (file, error) {
	var l *library
	select {
	case l = <-e.spares:
	default:
		var err error
		if l, err = e.sandbox(ctx); err != nil {
			return file{}, err
		}
	}
	unwatch := l.stopAt(ctx)
	read, err := l.read(ctx, data, limits{
		pages: e.options.MaxPages, characters: e.options.MaxCharacters, objects: e.options.MaxObjects,
		links: 1000, depth: 8,
	})
	if stopped := unwatch(); !stopped && l.err == nil && l.module.Memory().Size() == l.size {
		e.keep(l)
		return read, err
	}
	// The memory of a sandbox never shrinks, so one that had to grow is not kept either.
	e.helpers.Go(func() {
		l.instance.Kill() //nolint:errcheck // it is thrown away, broken or not
		e.spare()         //nolint:errcheck // the next document makes its own, and tells
	})
	return read, err
}

// spare makes a sandbox for a later document.
func (e *Engine) spare() error {
	l, err := e.sandbox(e.closed)
	if err == nil {
		e.keep(l)
	}
	return err
}

// keep puts a sandbox among the spares, unless there are enough.
func (e *Engine) keep(l *library) {
	select {
	case e.spares <- l:
	default:
		l.instance.Kill() //nolint:errcheck // nothing is lost with it
	}
}

// explain is the error that a client sees of a document that could not be read.
func (e *Engine) explain(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, errEncrypted):
		return &matching.Error{Code: resume.CodeEncrypted, Message: "the PDF needs a password; send it without one", Cause: err}
	case ctx.Err() != nil, errors.Is(err, errLimit):
		return &matching.Error{Code: resume.CodeTooComplex, Message: "the PDF is too complex to be read; send a simpler one", Cause: err}
	default:
		return &matching.Error{Code: resume.CodeCorrupt, Message: "the PDF is damaged and cannot be read", Cause: err}
	}
}

// sandbox is a new one.
func (e *Engine) sandbox(ctx context.Context) (*library, error) {
	instance, err := e.pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, err
	}
	l, err := newLibrary(instance)
	if err != nil {
		return nil, errors.Join(err, instance.Kill())
	}
	return l, nil
}
