package inputs

import (
	"errors"
	"flag"
	"fmt"

	"github.com/freelancer-matching/service/indexer/loading"
)

// kindHelp explains the guard of commands that read files.
const kindHelp = `
Files that look like job postings, gigs or products are refused, judging by their headers and first rows. The error
quotes what they were recognized by. If the rows are freelancers all the same, use -allow-kind.
`

// bindKind defines the flag -allow-kind.
func (o *Options) bindKind(flags *flag.FlagSet) {
	flags.BoolVar(&o.AllowKind, "allow-kind", false,
		"read files even if they look like job postings, gigs or products; -allow-shrink does so, too")
}

// adviseKind adds to an error about a file that is not about freelancers which flag allows it.
func adviseKind(err error) error {
	if _, ok := errors.AsType[*loading.KindError](err); ok {
		return fmt.Errorf("%w; if its rows are freelancers, use -allow-kind", err)
	}
	return err
}
