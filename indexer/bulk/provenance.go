package bulk

import (
	"context"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
)

// record returns what the provenance records about this change.
func (c *change) record() *engine.Run {
	run := c.Run
	run.Started, run.Finished = c.start.UTC().Truncate(time.Second), c.Now().UTC().Truncate(time.Second)
	run.Files = c.report.Files
	run.Rows = c.report.Rows
	run.Merged = c.report.Merged
	run.Duplicates = c.report.Duplicates
	run.Rejected = c.report.Rejected
	run.Warnings = c.report.Warnings.Total()
	run.Conflicts = c.report.Merges.ConflictCount()
	run.Added = max(0, c.report.Freelancers-c.report.Refused-c.report.Replaced)
	run.Replaced = c.report.Replaced
	run.Deleted = c.report.Deleted
	return &run
}

// describe stores the provenance of a complete new index.
func (c *change) describe(ctx context.Context, index string) error {
	var p *engine.Provenance
	if c.base == nil {
		p = &engine.Provenance{Run: *c.record()}
		if c.KeepChanges {
			p.EditsSince = c.editsSince
		}
	} else {
		p = c.base.Provenance.With(c.record())
		p.Base = c.base.Name
	}
	p.Freelancers = c.report.Indexed
	p.Coverage = c.report.Coverage
	p.CoverageDrift = c.removed
	return c.Indexer.SetProvenance(ctx, index, p)
}

// describeUpsert adds an upsert in place to the provenance of an index. drift is the number of freelancers who changed
// since the report's coverage was counted.
func (c *change) describeUpsert(ctx context.Context, info *engine.Info, drift int) error {
	p := info.Provenance.With(c.record())
	p.Freelancers = c.report.Kept + c.report.Indexed
	p.Coverage = c.report.Coverage
	p.CoverageDrift = drift
	return c.Indexer.SetProvenance(ctx, info.Name, p)
}

// describePatch adds a patch to the provenance of an index.
func (c *change) describePatch(ctx context.Context, info *engine.Info) error {
	p := info.Provenance.With(c.record())
	p.Freelancers = c.report.Kept + c.report.Replaced
	p.CoverageDrift += c.report.Replaced + c.report.Deleted
	return c.Indexer.SetProvenance(ctx, info.Name, p)
}

// describeDeletion adds a deletion in place to the provenance of an index. It estimates the coverage.
func (c *change) describeDeletion(ctx context.Context, info *engine.Info, deleted int) error {
	run := c.record()
	run.Deleted = deleted
	p := info.Provenance.With(run)
	p.Freelancers = info.Documents - deleted
	if p.Coverage != nil {
		all := coverage.Of(info.Documents, p.Coverage)
		p.Coverage = all.Scaled(p.Freelancers).ByField()
		p.CoverageDrift += deleted
	}
	return c.Indexer.SetProvenance(ctx, info.Name, p)
}

// A hashedFile is a File that computes the checksum of its content while it is read.
type hashedFile interface {
	// StartHash must be called before Rows.
	StartHash() error
	// SHA256 returns the checksum of the whole content, in hexadecimal. It must be called after the last row.
	SHA256() (string, error)
	// Format returns the file format.
	Format() string
}

// startHash begins to compute the checksum of a file, if it can.
func startHash(f File) error {
	if h, ok := f.(hashedFile); ok {
		return h.StartHash()
	}
	return nil
}

// sourceFile describes a file after all its rows have been read.
func sourceFile(in *Input, f File, rows int) (engine.SourceFile, error) {
	s := engine.SourceFile{
		Name: in.Name, Bytes: f.Size(), Rows: rows, ETag: in.ETag, LastModified: in.LastModified,
	}
	h, ok := f.(hashedFile)
	if !ok {
		return s, nil
	}
	s.Format = h.Format()
	var err error
	s.SHA256, err = h.SHA256()
	return s, err
}
