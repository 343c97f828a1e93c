package loading

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/setup"
)

// Options returns the options that everything has in common that builds or changes an index. The caller sets the others
// and Progress.
func Options(index *setup.Index, data, owner string, run engine.Run) (bulk.Options, error) {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		return bulk.Options{}, err
	}

	// The list of erased people is read when the run asks for it, so people who are erased in the meantime count, too.
	return bulk.Options{
		Owner:       owner,
		Alias:       match.Alias,
		Mapping:     mapping,
		Taxonomy:    index.Taxonomy.Version(),
		DeadLetters: func(index string) string { return setup.DeadLetterFile(data, index) },
		Erased:      index.Erased,
		Edits:       index.Edits,
		KeepIndexes: index.KeepIndexes(),
		Run:         run,
	}, nil
}

// Owner describes what a process does to others that find the engine's lock taken.
func Owner(doing string, now time.Time) string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("%s, process %d on %s, since %s", doing, os.Getpid(), host, now.UTC().Format(format.TimeLayout))
}

// A Mode says what a load does to the live index.
type Mode string

// The modes of a load.
const (
	Replace Mode = "load"   // a new index has the freelancers of the files alone
	Upsert  Mode = "upsert" // the freelancers of the files are added to the live index, or replace those with the same IDs
	Patch   Mode = "patch"  // the values of the files replace those of freelancers in the live index
)

// Run loads files.
func (m Mode) Run(ctx context.Context, l *bulk.Loader, files []bulk.Input, o bulk.Options) (*bulk.Report, error) {
	switch m {
	case Upsert:
		return l.Upsert(ctx, files, o)
	case Patch:
		return l.Patch(ctx, files, o)
	default:
		return l.Load(ctx, files, o)
	}
}
