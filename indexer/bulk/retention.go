package bulk

import (
	"context"
	"slices"

	"github.com/freelancer-matching/service/engine"
)

// dropOld drops the oldest finished indexes until Options.KeepIndexes of them are left, but never the live or the
// previous one. It keeps damaged indexes, whose records may still be needed, and doesn't count them. A failure is
// logged: the change itself has succeeded, and the next one tries again.
func (c *change) dropOld(ctx context.Context) {
	if c.KeepIndexes <= 0 || c.Everywhere { // Delete drops indexes itself
		return
	}
	infos, err := c.Indexer.Indexes(ctx)
	if err != nil {
		c.Log.WarnContext(ctx, "old indexes not removed", "error", err)
		return
	}

	infos = slices.DeleteFunc(infos, func(info engine.Info) bool {
		return !info.Complete || info.Pending || info.Fault != ""
	})
	for i := range infos {
		info := &infos[i]
		if len(infos)-len(c.report.Removed) <= c.KeepIndexes {
			return
		}
		if info.Name == c.report.Index || info.Name == c.report.Previous {
			continue
		}

		if err := c.Indexer.Drop(ctx, info.Name); err != nil {
			c.Log.WarnContext(ctx, "old index not removed", "index", info.Name, "error", err)
			continue
		}

		c.report.Removed = append(c.report.Removed, Removed{info.Name, info.Documents, info.Bytes})
	}
}

// Removed describes an old index that was dropped.
type Removed struct {
	Index       string
	Freelancers int
	Bytes       int64
}
