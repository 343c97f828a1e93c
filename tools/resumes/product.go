package resumes

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/fields"
	"github.com/freelancer-matching/service/resume/formats"
	"github.com/freelancer-matching/service/resume/pdf"
	"github.com/freelancer-matching/service/taxonomy"
)

// readTime limits the time for reading one file. The server's limit is shorter, but a busy machine would turn it into
// worse figures.
const readTime = time.Minute

// A product is the parser as the server runs it. It keeps the document of the last file, and parses one file at a time.
type product struct {
	engine    *pdf.Engine
	parser    *resume.Parser
	extractor *fields.Extractor
	document  resume.Document
}

// openProduct starts the parser and waits until it is ready. Its date is in June 2026, as that of the generated people.
func openProduct(ctx context.Context, t *taxonomy.Taxonomy) (*product, error) {
	engine, err := pdf.Open(ctx, pdf.Options{Timeout: readTime})
	if err != nil {
		return nil, err
	}
	if err := engine.Ready(ctx); err != nil {
		return nil, errors.Join(err, engine.Close())
	}

	today := func() time.Time { return time.Date(2026, time.June, 15, 0, 0, 0, 0, time.UTC) }
	p := &product{engine: engine, extractor: fields.New(t, analysis.New(), today)}
	p.parser = resume.New(resume.Config{
		Readers:    formats.Readers(engine),
		MaxBytes:   10 << 20,
		Concurrent: 2,
		Wait:       time.Second,
		Timeout:    readTime,
		Log:        slog.Default(),
		Extract: func(ctx context.Context, document resume.Document) (resume.Resume, error) {
			// The parser returns fields only, but the reading order is judged by the lines.
			p.document = document
			return p.extractor.Extract(ctx, document)
		},
	})

	return p, nil
}

func (p *product) parse(ctx context.Context, file []byte) (resume.Document, resume.Resume, error) {
	p.document = resume.Document{}
	r, err := p.parser.Parse(ctx, file)
	return p.document, r, err
}

func (p *product) close() error { return p.engine.Close() }
