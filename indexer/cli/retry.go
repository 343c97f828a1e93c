package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/internal/commandline"
)

const retryHelp = `
-retry loads rejected rows again after you have corrected them. The dead-letter file has one line of JSON for each
rejected row: correct the cells in its "record", and delete the lines you don't want. Null means that the row ended
before this cell. The rows are added to the live index as with -upsert. Columns, currency, exchange rates and ids are as
in the load that rejected the rows, unless flags say otherwise; the index has stored them. Rows that are still wrong go
to a new dead-letter file, and -max-failures is 100% unless you set it.
`

// bindRetry defines the flag -retry.
func (o *loadOptions) bindRetry(flags *flag.FlagSet) {
	flags.StringVar(&o.RetryFile, "retry", "", "dead-letter `file` with corrected rows to add to the live index")
}

// prepareRetry checks the flags of a retry, and takes the settings that they leave open from the live index.
func (c *cli) prepareRetry(ctx context.Context, o *loadOptions, environmentErr error, paths []string) (err error) {
	if len(paths) > 0 || o.Resumes != "" {
		return commandline.Usagef("-retry loads rows of dead letters only; load other files with a command of its own")
	}

	if same, err := sameFile(o.RetryFile, o.deadLetters); err != nil {
		return err
	} else if same {
		return commandline.Usagef("-dead-letters would overwrite the file of -retry; name another one")
	}

	x, err := c.openIndex(o.Config, environmentErr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()

	infos, live, _, err := loading.Indexes(ctx, x.Engine)
	if err != nil {
		return err
	}

	for i := range infos {
		if infos[i].Name == live && live != "" {
			o.retryOf = &infos[i]
		}
	}

	if o.retryOf == nil {
		return fmt.Errorf("%w: -retry adds rows to the live index; after a load that failed, correct the file and load all "+
			"of it", bulk.ErrNothingLive)
	}

	// These rows have failed once, and many may fail again. The default limit is meant for whole files and would stop
	// the load.
	o.upsert = true
	if _, ok := c.given["max-failures"]; !ok {
		if o.maxFailures, err = bulk.ParseLimit("100%"); err != nil {
			return err
		}
	}

	// The default currency may differ from that of the live index, and an upsert must not mix the two.
	if _, ok := c.given["currency"]; !ok && o.retryOf.Currency != "" {
		o.Source.Currency = o.retryOf.Currency
	}

	return o.recall(o.retryOf.Provenance)
}

// recall takes exchange rates and mappings from the runs that made the live index.
func (o *loadOptions) recall(p *engine.Provenance) error {
	if p == nil {
		return nil
	}
	runs := append([]engine.Run{p.Run}, p.Changes...)

	// The newest run comes first: its exchange rates win, and those of earlier runs are ignored.
	for i := len(runs) - 1; i >= 0; i-- {
		run := &runs[i]
		if rates := run.Options["rate"]; rates != "" && len(o.Source.Rates) == 0 {
			for _, rate := range strings.Fields(rates) {
				if err := o.SetRate(rate); err != nil {
					return fmt.Errorf("the exchange rates stored with the live index: %w; set them with -rate", err)
				}
			}
		}

		if run.Mapping == "" {
			continue
		}
		m, err := mappingfile.Parse([]byte(run.Mapping))
		if err != nil {
			return fmt.Errorf("the mapping stored with the live index: %w; name another one with -mapping", err)
		}

		o.RetryMappings = append(o.RetryMappings, m)
	}

	return nil
}

// sameFile reports whether two paths name the same existing file.
func sameFile(a, b string) (bool, error) {
	first, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second), nil
}
