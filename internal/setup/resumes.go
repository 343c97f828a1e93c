package setup

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/resume"
	"freelancer-matching/resume/docx"
	"freelancer-matching/resume/fields"
	"freelancer-matching/resume/pdf"
	"freelancer-matching/taxonomy"
)

const (
	// readTimeout is what reading one resume may take; usual ones take some hundredths of it.
	readTimeout = 5 * time.Second
	// compiledDir keeps the compiled PDF engine, so that only the first start of a version takes seconds for it.
	compiledDir = "freelancer-matching"
)

// Parser reads resumes.
type Parser struct {
	*resume.Parser
	pdf *pdf.Engine
}

// ParserConfig is what a Parser works with.
type ParserConfig struct {
	Taxonomy *taxonomy.Taxonomy
	Analyzer *analysis.Analyzer
	Parallel int // resumes read at once
	Log      *slog.Logger
}

// ParserConfig returns the settings of a resume parser that shares the index's taxonomy.
func (x *Index) ParserConfig() ParserConfig {
	return ParserConfig{
		Taxonomy: x.Taxonomy, Analyzer: x.Analyzer, Parallel: x.config.MaxParses, Log: x.log,
	}
}

// OpenParser is a Parser at once; what PDF needs is made ready in the background, and waited for by those who come before.
func OpenParser(ctx context.Context, c ParserConfig) (*Parser, error) {
	engine, err := openPDF(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Parser{pdf: engine, Parser: resume.New(resume.Config{
		PDF: engine, DOCX: docx.New(docx.DefaultLimits()), MaxBytes: resume.MaxFile, Concurrent: c.Parallel, Wait: readTimeout,
		Timeout: readTimeout, Log: c.Log, Extract: fields.New(c.Taxonomy, c.Analyzer, time.Now).Extract,
	})}, nil
}

// openPDF keeps what it compiles in the user's cache folder, and does without where there is none.
func openPDF(ctx context.Context, c ParserConfig) (*pdf.Engine, error) {
	options := pdf.Options{Workers: c.Parallel, Timeout: readTimeout}
	cache, err := os.UserCacheDir()
	if err == nil {
		options.CacheDir = filepath.Join(cache, compiledDir)
		err = os.MkdirAll(options.CacheDir, 0o700)
	}
	if err != nil {
		c.Log.WarnContext(ctx, "what reads PDF is compiled anew at each start: no folder to keep it in", "error", err)
		options.CacheDir = ""
	}
	return pdf.Open(ctx, options)
}

// Parse is resume.Parser.Parse. Making ready what PDF needs is no part of the time that a resume may take.
func (p *Parser) Parse(ctx context.Context, file []byte) (resume.Resume, error) {
	if err := p.pdf.Ready(ctx); err != nil && ctx.Err() != nil {
		return resume.Resume{}, err
	}
	return p.Parser.Parse(ctx, file) // which tells of a failed start where it matters
}

// Ready waits until PDF files are read without a delay. It fails when they never will be.
func (p *Parser) Ready(ctx context.Context) error { return p.pdf.Ready(ctx) }

// Close waits for the resumes that are being read.
func (p *Parser) Close() error { return p.pdf.Close() }
