package inputs

import (
	"flag"
	"fmt"
	"strings"

	"freelancer-matching/indexer/format"
	"freelancer-matching/indexer/source/kind"
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

// checkKind returns a *KindError if a file does not look like one about freelancers, unless flags allow that.
func (o *Options) checkKind(name string, v kind.Verdict) error {
	if v.Kind == "" || o.AllowKind {
		return nil
	}
	return &KindError{name, v}
}

// A KindError reports a file that is not about freelancers.
type KindError struct {
	file    string
	verdict kind.Verdict
}

// Error quotes what the file was recognized by.
func (e *KindError) Error() string {
	evidence := make([]string, len(e.verdict.Evidence))
	for i, text := range e.verdict.Evidence {
		evidence[i] = format.Printable(text, 200)
	}
	return fmt.Sprintf("%s looks like a list of %ss, not of freelancers: it has %s; if its rows are freelancers, "+
		"use -allow-kind", e.file, e.verdict.Kind, strings.Join(evidence, ", "))
}
