package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/fields"
	"github.com/freelancer-matching/service/resume/formats"
	"github.com/freelancer-matching/service/resume/ocr"
	"github.com/freelancer-matching/service/resume/pdf"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	// readTimeout limits the time for reading one resume. A typical PDF takes about a tenth of a second.
	readTimeout = 5 * time.Second
	// scanTime limits the time for recognizing the text of one scanned resume. A page takes one to three seconds.
	scanTime = 15 * time.Second
	// cacheFolder is where the user's cache folder keeps the compiled pdfium, so that only the first start of a
	// version compiles it.
	cacheFolder = "freelancer-matching"
)

// A Parser reads resumes.
type Parser struct {
	*resume.Parser
	pdf      *pdf.Engine
	ocr      *ocr.Engine // nil without text recognition
	draftKey resume.DraftKey
}

// A ParserConfig holds the settings of a Parser.
type ParserConfig struct {
	Taxonomy *taxonomy.Taxonomy
	Analyzer *analysis.Analyzer
	Parallel int              // resumes read at once
	OCR      config.OCR       // the zero value turns it off
	DraftKey resume.DraftKey  // makes the ID of a person from an email address; "": each text has its own ID
	Lazy     bool             // prepare the reading of PDF files for the first one
	Now      func() time.Time // default: time.Now
	Log      *slog.Logger
}

// ParserConfig returns the settings of a resume parser that shares the index's taxonomy.
func (x *Index) ParserConfig() ParserConfig {
	return ParserConfig{
		Taxonomy: x.Taxonomy, Analyzer: x.Analyzer, Parallel: x.config.MaxParses, OCR: x.config.OCR, Lazy: x.config.Test,
		Now: x.Now, Log: x.log,
	}
}

// OpenParser returns a Parser at once and compiles pdfium in the background.
func OpenParser(ctx context.Context, c ParserConfig) (*Parser, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	options := pdf.Options{Lazy: c.Lazy, Workers: c.Parallel, Timeout: readTimeout, CacheDir: cacheDir(ctx, c.Log)}
	tesseract, err := openOCR(ctx, c)
	if err != nil {
		return nil, err
	}

	// Recognition uses all of a core for seconds, so half of the cores stay free for other requests.
	if tesseract != nil {
		options.Recognizer, options.Scanners = tesseract, max(1, runtime.GOMAXPROCS(0)/2)
	}

	engine, err := pdf.Open(ctx, options)
	if err != nil {
		return nil, err
	}

	settings := resume.Config{
		Readers:    formats.Readers(engine),
		Text:       fields.Text,
		Extract:    fields.New(c.Taxonomy, c.Analyzer, c.Now).Extract,
		MaxBytes:   resume.MaxFile,
		Concurrent: c.Parallel,
		Wait:       readTimeout,
		Timeout:    readTimeout,
		Log:        c.Log,
	}

	if tesseract != nil {
		// Scanned pages need much more time than text, so they have a limit of their own.
		settings.Recognizer = engine
		settings.Scan = scanTime
	}

	return &Parser{pdf: engine, ocr: tesseract, draftKey: c.DraftKey, Parser: resume.New(settings)}, nil
}

// openOCR returns the text recognition that the settings ask for, or nil for none. Without an installed program, it
// returns nil and logs how to get it, or returns an error if text recognition is required.
func openOCR(ctx context.Context, c ParserConfig) (*ocr.Engine, error) {
	if c.OCR.Mode != config.OCRAuto && c.OCR.Mode != config.OCRRequired {
		return nil, nil //nolint:nilnil // documented
	}

	engine, missing, err := ocr.Open(ctx, ocr.Options{Languages: c.OCR.Languages, Timeout: scanTime})
	switch {
	case err != nil && c.OCR.Mode == config.OCRRequired:
		return nil, fmt.Errorf("ocr is required: %w; install tesseract-ocr and its data, or set ocr to auto", err)
	case errors.Is(err, ocr.ErrNotInstalled):
		c.Log.InfoContext(ctx, "text of scanned pages not recognized", "reason", err,
			"hint", "install tesseract-ocr, or set ocr to off")
		return nil, nil //nolint:nilnil // documented

	case err != nil:
		c.Log.WarnContext(ctx, "text of scanned pages not recognized", "error", err)
		return nil, nil //nolint:nilnil // documented
	case len(missing) > 0:
		c.Log.WarnContext(ctx, "languages of scanned pages not installed", "missing", missing,
			"hint", "install tesseract-ocr-<language>, or change ocr-languages")
	}

	c.Log.InfoContext(ctx, "text of scanned pages is recognized", "program", engine.Path(),
		"languages", engine.Languages())
	return engine, nil
}

// ScanTime returns the time limit for recognizing the text of one scanned resume, or 0 if that is off.
func (p *Parser) ScanTime() time.Duration {
	if p.ocr == nil {
		return 0
	}
	return scanTime
}

// OCRLanguages returns the languages of text recognition, or nil if it is off.
func (p *Parser) OCRLanguages() []string {
	if p.ocr == nil {
		return nil
	}
	return p.ocr.Languages()
}

// cacheDir returns the folder for compiled code in the user's cache folder. If it cannot be created, cacheDir logs a
// warning and returns "".
func cacheDir(ctx context.Context, log *slog.Logger) string {
	userCache, err := os.UserCacheDir()
	dir := filepath.Join(userCache, cacheFolder)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		log.WarnContext(ctx, "no cache folder for pdfium; every start compiles it again", "error", err)
		return ""
	}
	return dir
}

// Parse does what resume.Parser.Parse does, but waits for pdfium first. That time doesn't count toward the time limit
// of a resume. Drafts of resumes with the same email address get the same ID.
func (p *Parser) Parse(ctx context.Context, file []byte) (resume.Resume, error) {
	if err := p.pdf.Ready(ctx); err != nil && ctx.Err() != nil {
		return resume.Resume{}, err
	}
	r, err := p.Parser.Parse(ctx, file) // if pdfium failed to start, reading a PDF returns that error
	if p.draftKey != "" && r.Contact.Email != "" {
		r.Freelancer.ID = p.draftKey.ID(r.Contact.Email)
	}
	return r, err
}

// Text does what resume.Parser.Text does, but waits for pdfium first, as Parse does.
func (p *Parser) Text(ctx context.Context, file []byte, limit int) (resume.Text, error) {
	if err := p.pdf.Ready(ctx); err != nil && ctx.Err() != nil {
		return resume.Text{}, err
	}
	return p.Parser.Text(ctx, file, limit)
}

// Ready waits until PDF files can be read. It returns an error if pdfium failed to start, or the error of ctx.
func (p *Parser) Ready(ctx context.Context) error { return p.pdf.Ready(ctx) }

// Close waits for the resumes being read and frees the Parser.
func (p *Parser) Close() error { return p.pdf.Close() }
