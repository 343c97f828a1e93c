package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/internal/commandline"
)

// adviseIdentity adds to an error what the user can do about ids of several people.
func adviseIdentity(err error, r *bulk.Report) error {
	if _, ok := errors.AsType[*bulk.MergeLimitError](err); ok {
		return fmt.Errorf("%w\nSee the merges above. Identify people with -id or -id-prefix, or raise -max-merged", err)
	}
	clashes := r.Merges.Clashes
	if len(clashes) < 2 || err == nil {
		return err
	}
	prefixes := make([]string, len(clashes))
	for i, file := range clashes {
		prefixes[i] = fmt.Sprintf("-id-prefix %s=%c-", filepath.Base(file), 'a'+i)
	}
	return fmt.Errorf("%w\nThe same ids are different people in %s. If each file numbers its own people, pass %s",
		err, english.WordSeries(clashes, "and"), strings.Join(prefixes, " "))
}

// advise adds to an error what the user can do next.
func advise(err error, result *bulk.Report) error {
	err = adviseIdentity(err, result)
	if e, ok := errors.AsType[*bulk.CurrencyError](err); ok {
		return commandline.Usagef("%v; use -currency %s, and -rate to convert amounts in other currencies", err, e.Has)
	}
	if _, ok := errors.AsType[*bulk.VectorsError](err); ok {
		return fmt.Errorf("%w\nUse the embeddings settings that it was loaded with, or run indexer reindex first", err)
	}
	if _, ok := errors.AsType[*bulk.ShrinkError](err); ok {
		return fmt.Errorf("%w\nIf that is right, use -allow-shrink", err)
	}
	if e, ok := errors.AsType[*bulk.StaleError](err); ok {
		return fmt.Errorf("%w\nRun indexer reindex -from %s first", err, e.Index)
	}

	if _, ok := errors.AsType[*bulk.UnreadError](err); ok {
		return fmt.Errorf("%w\nSee the warnings above. If all amounts are in one currency, name it with -currency. If the "+
			"values are not needed, leave the column out with -map FIELD=, or use -allow-shrink", err)
	}

	see := "See the reasons above"
	if result.DeadLetters != "" {
		see += " and the dead letters in " + result.DeadLetters
	}

	if _, ok := errors.AsType[*bulk.LostError](err); ok {
		return fmt.Errorf("%w\n%s. Correct these freelancers with indexer load -upsert, or remove them with indexer delete",
			err, see)
	}

	if _, ok := errors.AsType[*bulk.LimitError](err); ok {
		return fmt.Errorf("%w\n%s. Correct the file, map its columns with -map field=column, or raise -max-failures",
			err, see)
	}

	return err
}
