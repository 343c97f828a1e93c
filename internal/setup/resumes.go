package setup

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/resume"
	"freelancer-matching/resume/fields"
	"freelancer-matching/resume/formats"
	"freelancer-matching/resume/pdf"
	"freelancer-matching/taxonomy"
)

const (
	// readTimeout limits the time for reading one resume. A typical PDF takes about a tenth of a second.
	readTimeout = 5 * time.Second
	// cacheFolder is where the user's cache folder keeps the compiled pdfium, so that only the first start of a
	// version compiles it.
	cacheFolder = "freelancer-matching"
)

// A Parser reads resumes.
type Parser struct {
	*resume.Parser
	pdf      *pdf.Engine
	draftKey resume.DraftKey
}

// A ParserConfig holds the settings of a Parser.
type ParserConfig struct {
	Taxonomy *taxonomy.Taxonomy
	Analyzer *analysis.Analyzer
	Parallel int             // resumes read at once
	DraftKey resume.DraftKey // makes the ID of a person from an email address; "": each text has its own ID
	Log      *slog.Logger
}

// ParserConfig returns the settings of a resume parser that shares the index's taxonomy.
func (x *Index) ParserConfig() ParserConfig {
	return ParserConfig{Taxonomy: x.Taxonomy, Analyzer: x.Analyzer, Parallel: x.config.MaxParses, Log: x.log}
}

// OpenParser returns a Parser at once and compiles pdfium in the background.
func OpenParser(ctx context.Context, c ParserConfig) (*Parser, error) {
	engine, err := pdf.Open(ctx, pdf.Options{Workers: c.Parallel, Timeout: readTimeout, CacheDir: cacheDir(ctx, c.Log)})
	if err != nil {
		return nil, err
	}
	return &Parser{pdf: engine, draftKey: c.DraftKey, Parser: resume.New(resume.Config{
		Readers:    formats.Readers(engine),
		Text:       fields.Text,
		Extract:    fields.New(c.Taxonomy, c.Analyzer, time.Now).Extract,
		MaxBytes:   resume.MaxFile,
		Concurrent: c.Parallel,
		Wait:       readTimeout,
		Timeout:    readTimeout,
		Log:        c.Log,
	})}, nil
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
