package relevance

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const overlapHelp = `
Sends the briefs of two or more files and prints how many of the first ten freelancers they share, brief by brief and on
average. Use it for briefs that mean the same: translations, other spellings, other markup. Briefs are paired by
brief_id. A pair whose first ten are also in the same order counts as identical.

Examples:
  relevance overlap -b briefs.es.jsonl,briefs.de.jsonl          with the briefs of the judged set
  relevance overlap -a briefs.en.jsonl -b briefs.es.jsonl -drop required_skills
`

// overlapDepth is the number of matches that overlap compares.
const overlapDepth = 10

// overlapOptions holds the flags of overlap.
type overlapOptions struct {
	common
	first  string
	others names
}

func overlapCommand() *command {
	o := &overlapOptions{}
	flags := commandline.NewFlags("overlap")
	o.bind(flags)
	flags.StringVar(&o.first, "a", "", "`file` of briefs (default: those of the judged set)")
	flags.Var(&o.others, "b", "comma-separated `files` of briefs to compare with those of -a")
	return &command{
		name: "overlap", summary: "count the freelancers that two wordings of a brief share",
		details: overlapHelp, flags: flags, run: o.run,
	}
}

func (o *overlapOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	if len(o.others) == 0 {
		return commandline.Usagef("-b is missing; set it to the file of briefs to compare")
	}

	set, s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	briefs := set.briefs
	if o.first != "" {
		if briefs, err = readFile(o.first, eval.ReadBriefs); err != nil {
			return err
		}
	}

	fmt.Fprintln(stdout, o.way)
	a, err := s.ask(ctx, briefs, o.way, overlapDepth, false)
	if err != nil {
		return err
	}

	for _, path := range o.others {
		others, err := readFile(path, eval.ReadBriefs)
		if err != nil {
			return err
		}

		b, err := s.ask(ctx, others, o.way, overlapDepth, false)
		if err != nil {
			return err
		}

		fmt.Fprintf(stdout, "\n%s\n", path)
		b.writeSkipped(stdout)
		if err := writeOverlap(stdout, others, a.candidates, b.candidates); err != nil {
			return err
		}
	}

	return nil
}

// writeOverlap prints the overlap of the answers a and b to each brief, and its mean.
func writeOverlap(w io.Writer, briefs []eval.Brief, a, b eval.Answers) error {
	total := 0
	identical := 0
	for _, brief := range briefs {
		first, ok := a[brief.ID]
		if !ok {
			return fmt.Errorf("brief %q has no counterpart in -a", brief.ID)
		}
		second := b[brief.ID]

		placeOf := map[string]int{} // in the first answer
		for place, c := range first {
			placeOf[c.ID] = place
		}

		shared := 0
		samePlaces := 0
		for place, c := range second {
			firstPlace, found := placeOf[c.ID]
			if !found {
				continue
			}
			shared++
			if firstPlace == place {
				samePlaces++
			}
		}

		// Answers are identical only if each freelancer has the same place in both.
		total += shared
		if len(first) == len(second) && samePlaces == len(second) {
			identical++
		}

		fmt.Fprintf(w, "%-8s %d\n", brief.ID, shared)
	}

	fmt.Fprintf(w, "mean     %.2f of %d over %d briefs, %d identical\n",
		float64(total)/float64(max(1, len(briefs))), overlapDepth, len(briefs), identical)
	return nil
}
