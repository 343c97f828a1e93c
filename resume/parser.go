package resume

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
	"unicode"

	"freelancer-matching/internal/matching"
)

// A Config holds the settings of a Parser. All fields are required.
type Config struct {
	Readers    map[Format]Reader                               // one for each format
	Extract    func(context.Context, Document) (Resume, error) // returns soon after its context ends
	Text       func(d Document, limit int) Text                // quick; Format need not be set
	MaxBytes   int                                             // of a file
	Concurrent int                                             // files read at once
	Wait       time.Duration                                   // for a free worker
	Timeout    time.Duration                                   // for reading one file, once it has a worker
	Log        *slog.Logger
}

// A Parser turns files into resumes. It reads a limited number at once, so that hostile documents slow down only other
// documents. It is safe for concurrent use.
type Parser struct {
	config  Config
	workers chan struct{} // holds an element for each file being read
}

// New returns a Parser.
func New(c Config) *Parser {
	return &Parser{config: c, workers: make(chan struct{}, c.Concurrent)}
}

// Parse reads a file. Errors that the client can fix are matching.Errors with the codes of this package. If no worker
// becomes free in time, the code is matching.CodeOverloaded. If ctx ends first, Parse returns its error.
func (p *Parser) Parse(ctx context.Context, file []byte) (r Resume, err error) {
	err = p.use(ctx, file, func(ctx context.Context, _ Format, d Document) error {
		r, err = p.config.Extract(ctx, d)
		return err
	})
	if err != nil {
		return Resume{}, err
	}
	return r, nil
}

// Text returns the running text of a file, up to limit characters. It returns the same errors as Parse, and CodeNoText
// if the text has neither a letter nor a digit.
func (p *Parser) Text(ctx context.Context, file []byte, limit int) (t Text, err error) {
	err = p.use(ctx, file, func(_ context.Context, f Format, d Document) error {
		t = p.config.Text(d, limit)
		t.Format = f
		if !strings.ContainsFunc(t.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			return &matching.Error{
				Code:    CodeNoText,
				Message: "The document has no readable words. Upload a document with text.",
			}
		}
		return nil
	})
	if err != nil {
		return Text{}, err
	}
	return t, nil
}

// use reads a file once a worker is free, and calls f with the document within the time limit.
func (p *Parser) use(ctx context.Context, file []byte, f func(context.Context, Format, Document) error) error {
	if len(file) > p.config.MaxBytes {
		return &matching.Error{
			Code: CodeTooComplex,
			Message: fmt.Sprintf("The file has %d bytes, but the limit is %d. Remove pictures and upload it again.",
				len(file), p.config.MaxBytes),
		}
	}
	format, err := Kind(file)
	if err != nil {
		return err
	}
	if err := p.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-p.workers }()
	return p.read(ctx, p.config.Readers[format], file, func(ctx context.Context, d Document) error {
		return f(ctx, format, d)
	})
}

// acquire waits for a worker. The caller must receive from p.workers to release it.
func (p *Parser) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.workers <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(p.config.Wait)
	defer timer.Stop()
	select {
	case p.workers <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return &matching.Error{
			Code:       matching.CodeOverloaded,
			Message:    "The server is reading too many documents. Retry shortly.",
			RetryAfter: max(p.config.Wait, time.Second),
		}
	}
}

// read reads a file and calls use with the document within the timeout. It treats a panic as a damaged document and
// logs it with the stack, but without the document.
func (p *Parser) read(
	ctx context.Context, reader Reader, file []byte, use func(context.Context, Document) error,
) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			p.config.Log.LogAttrs(ctx, slog.LevelError, "resume parser panicked", slog.Int("bytes", len(file)),
				slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			err = &matching.Error{
				Code:    CodeCorrupt,
				Message: "The document is damaged. Open it, save it again as PDF and upload that.",
			}
		}
	}()
	limited, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()
	document, err := reader.Read(limited, file)
	if err == nil {
		err = use(limited, document)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &matching.Error{
			Code: CodeTooComplex, Cause: err,
			Message: fmt.Sprintf("Reading the document takes longer than %s. Save it in a simpler form and upload that.",
				p.config.Timeout),
		}
	}
	return err
}
