package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/resume"
	"freelancer-matching/internal/resume/docx"
	"freelancer-matching/internal/resume/fields"
	"freelancer-matching/internal/resume/pdf"
	"freelancer-matching/internal/taxonomy"
)

const (
	// readTimeout is what reading one resume may take; usual ones take some hundredths of it.
	readTimeout = 5 * time.Second
	// compiledDir keeps the compiled PDF engine in the data folder, so that only the first start takes seconds for it.
	compiledDir = "cache"
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
	Data     string // the data folder; "": nothing is kept there
	Parallel int    // resumes read at once
	Log      *slog.Logger
}

// parserConfig is what the configuration says of reading resumes.
func (x *Index) parserConfig() ParserConfig {
	return ParserConfig{
		Taxonomy: x.Taxonomy, Analyzer: x.Analyzer, Data: x.config.Data, Parallel: x.config.MaxParses, Log: x.log,
	}
}

// OpenParser is a Parser at once; what PDF needs is made ready in the background, and waited for by those who come before.
func OpenParser(ctx context.Context, c ParserConfig) (*Parser, error) {
	options := pdf.Options{Workers: c.Parallel, Timeout: readTimeout}
	if c.Data != "" {
		options.CacheDir = filepath.Join(c.Data, compiledDir)
	}
	engine, err := pdf.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Parser{pdf: engine, Parser: resume.New(resume.Config{
		PDF: engine, DOCX: docx.New(docx.DefaultLimits()), MaxBytes: resume.MaxFile, Concurrent: c.Parallel, Wait: readTimeout,
		Timeout: readTimeout, Log: c.Log, Extract: fields.New(c.Taxonomy, c.Analyzer, time.Now).Extract,
	})}, nil
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
