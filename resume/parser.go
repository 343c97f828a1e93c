package resume

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Config holds the settings of a Parser. All fields are required.
type Config struct {
	Readers    map[Format]Reader                               // one for each format
	Recognizer Recognizer                                      // of text in the pictures of PDF files; nil for none
	Scan       time.Duration                                   // for recognizing the text of one file
	Extract    func(context.Context, Document) (Resume, error) // returns soon after its context ends
	Text       func(d Document, limit int) Text                // quick; Format need not be set
	MaxBytes   int                                             // of a file
	Concurrent int                                             // files read at once
	Wait       time.Duration                                   // for a free worker
	Timeout    time.Duration                                   // for reading one file, once it has a worker
	Log        *slog.Logger
}

// A Recognizer reads PDF files whose pages are pictures. An error that is no matching.Error means that recognition
// failed. Implementations limit how many files they read at once, and return soon after ctx ends.
type Recognizer interface {
	Recognize(ctx context.Context, file []byte) (Document, error)
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

// use reads a file once a worker is free, and calls f with the document within the time limit. If pages are pictures,
// it recognizes their text in between.
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

	var first Document
	isPicture := false
	err = p.read(ctx, len(file), func(ctx context.Context) (err error) {
		first, err = p.config.Readers[format].Read(ctx, file)
		if format == PDF && p.config.Recognizer != nil && hasPictures(first, err) {
			isPicture = true
			return nil
		}

		if err != nil {
			return err
		}

		return f(ctx, format, first)
	})
	if err != nil || !isPicture {
		return err
	}

	// Recognition takes seconds and has a limit of its own, so no worker waits for it.
	document, err := p.recognize(ctx, file, first)
	if err != nil {
		return err
	}

	return p.read(ctx, len(file), func(ctx context.Context) error { return f(ctx, format, document) })
}

// hasPictures reports whether some pages of a document are pictures of text.
func hasPictures(d Document, err error) bool {
	return matching.CodeOf(err) == CodeNoText || slices.Contains(d.Warnings, WarnImagePage)
}

// recognize returns the document with the text of its pictures, without holding a worker. If recognition fails, it
// returns the text that the first reading found, or CodeNoText if that found none.
func (p *Parser) recognize(ctx context.Context, file []byte, first Document) (Document, error) {
	limited, cancel := context.WithTimeout(ctx, p.config.Scan)
	defer cancel()

	document, err := p.config.Recognizer.Recognize(limited, file)
	known := matching.CodeOf(err) != matching.CodeInternal
	switch {
	case err == nil:
		return document, nil
	case ctx.Err() != nil:
		return Document{}, ctx.Err()
	case !known:
		p.config.Log.WarnContext(ctx, "text in pictures not recognized", "bytes", len(file), "error", err)
	}

	if len(first.Lines) > 0 {
		return first, nil // its warnings mention the pictures
	}
	if known {
		return Document{}, err
	}

	return Document{}, &matching.Error{
		Code: CodeNoText, Cause: err,
		Message: "The PDF has only pictures, and their text could not be recognized. Upload the document it was made from.",
	}
}

// acquire waits for a worker. The caller must receive from p.workers to release it.
func (p *Parser) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	// A free worker needs no timer.
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

// read calls use within the timeout, once a worker is free. It treats a panic as a damaged document and logs it with
// the stack and the size of the file, but without the file.
func (p *Parser) read(ctx context.Context, size int, use func(context.Context) error) (err error) {
	if err := p.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-p.workers }()
	defer func() {
		if cause := recover(); cause != nil {
			p.config.Log.LogAttrs(ctx, slog.LevelError, "resume parser panicked", slog.Int("bytes", size),
				slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			err = &matching.Error{
				Code:    CodeCorrupt,
				Message: "The document is damaged. Open it, save it again as PDF and upload that.",
			}
		}
	}()

	limited, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()

	err = use(limited)

	// If the caller's own deadline has passed, the document isn't to blame.
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &matching.Error{
			Code: CodeTooComplex, Cause: err,
			Message: fmt.Sprintf("Reading the document takes longer than %s. Save it in a simpler form and upload that.",
				p.config.Timeout),
		}
	}

	return err
}
