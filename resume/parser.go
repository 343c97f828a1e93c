package resume

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"freelancer-matching/internal/matching"
)

// Config is what a Parser works with. Every field is needed.
type Config struct {
	PDF, DOCX  Reader
	Extract    func(Document) Resume
	MaxBytes   int           // of a file
	Concurrent int           // files read at once
	Wait       time.Duration // for a free place
	Timeout    time.Duration // for reading one file, once it has a place
	Log        *slog.Logger
}

// Parser turns files into resumes. It has a pool of its own, so that documents, whatever they hold, slow down only each other.
type Parser struct {
	config Config
	slots  chan struct{}
}

// New is a Parser.
func New(c Config) *Parser {
	return &Parser{config: c, slots: make(chan struct{}, c.Concurrent)}
}

// Parse reads a file. Failures that the client can mend are matching.Errors with the codes of this package; beyond the pool
// it is matching.CodeOverloaded. It fails with the error of ctx where that ends first.
func (p *Parser) Parse(ctx context.Context, file []byte) (Resume, error) {
	if len(file) > p.config.MaxBytes {
		return Resume{}, &matching.Error{
			Code:    CodeTooComplex,
			Message: fmt.Sprintf("the file has %d bytes, at most %d are read; leave out pictures", len(file), p.config.MaxBytes),
		}
	}
	format, err := Kind(file)
	if err != nil {
		return Resume{}, err
	}
	if err := p.enter(ctx); err != nil {
		return Resume{}, err
	}
	defer func() { <-p.slots }()
	reader := p.config.PDF
	if format == DOCX {
		reader = p.config.DOCX
	}
	return p.read(ctx, reader, file)
}

// enter waits for a place, which must be left again.
func (p *Parser) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(p.config.Wait)
	defer timer.Stop()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return &matching.Error{
			Code: matching.CodeOverloaded, Message: "too many resumes are being read, try again shortly",
			RetryAfter: max(p.config.Wait, time.Second),
		}
	}
}

// read reads a file and extracts its fields within the timeout. A panic is taken for a document that is damaged in a way
// nobody has thought of: it is logged, without anything from the document but what the panic itself says.
func (p *Parser) read(ctx context.Context, reader Reader, file []byte) (r Resume, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			p.config.Log.LogAttrs(ctx, slog.LevelError, "panic while a resume was read", slog.Int("bytes", len(file)),
				slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			r, err = Resume{}, &matching.Error{
				Code: CodeCorrupt, Message: "the document is damaged; open it, save it again as PDF and upload that",
			}
		}
	}()
	limited, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()
	document, err := reader.Read(limited, file)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return Resume{}, &matching.Error{
			Code: CodeTooComplex, Cause: err,
			Message: fmt.Sprintf("reading the document takes longer than %s; save it in a simpler form and upload that", p.config.Timeout),
		}
	}
	if err != nil {
		return Resume{}, err
	}
	return p.config.Extract(document), nil
}
