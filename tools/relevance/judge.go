package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strings"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/tools/relevance/eval"
)

// common are the flags of every command.
type common struct {
	judged   string
	url, key string
	way      way
}

func (o *common) bind(flags *flag.FlagSet) {
	flags.StringVar(&o.judged, "judged", "", "`folder` of the judged set (default: the real one, where it is found)")
	flags.StringVar(&o.url, "url", "",
		"`address` of a running service with the freelancers of the set already loaded (default: load them here)")
	flags.StringVar(&o.key, "key", "", "API `key` for -url, of the enterprise plan: others limit the requests a minute")
	flags.Var(&o.way.drop, "drop", "`members` of the briefs that are not sent, between commas")
	flags.StringVar(&o.way.profile, "profile", "", "`name` of the ranking profile (default: the service's default one)")
}

func (o *common) bindWeights(flags *flag.FlagSet) {
	flags.Var(&o.way.weights, "weights", "`feature=weight` between commas, in place of those of the profile")
}

// open is the judged set and a service with its freelancers. The caller closes the service.
func (o *common) open(ctx context.Context) (*judgedSet, *service, error) {
	if o.url != "" {
		u, err := url.Parse(o.url)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
			return nil, nil, commandline.Usagef("-url must be like http://127.0.0.1:8080, got %q", o.url)
		}
		if o.key == "" {
			return nil, nil, commandline.Usagef("-url needs -key, an API key of that service")
		}
	}
	set, err := openJudgedSet(o.judged)
	if err != nil {
		return nil, nil, err
	}
	if o.url != "" {
		return set, &service{url: strings.TrimRight(o.url, "/"), key: o.key, close: func() error { return nil }}, nil
	}
	s, err := start(ctx, set.freelancers)
	return set, s, err
}

const judgeHelp = `
Sends every brief, takes the first hundred of each answer, and prints nDCG@10, P@5, MRR and recall@50 with 95% intervals
(bootstrap over briefs), by category and by brief. Freelancers that nobody judged count as not suitable: where
unjudged@10 is above .05, read "nDCG@10 of judged" beside nDCG@10.

With -against, -against-weights or -against-run it prints the differences from that ranking too, paired by brief: an
interval that holds 0 may be chance.

Examples:
  relevance judge -drop budget_range,budget_type,complexity,timeline
  relevance judge -against economy
  relevance judge -weights skills=.3,text=.3 -against default
  relevance judge -against-weights semantic=0
  relevance judge -save before.tsv                     then, with changed code,
  relevance judge -against-run before.tsv
  relevance judge -judged my-briefs -url http://127.0.0.1:8080 -key svc_ent_...
`

// judgeOptions are the flags of judge.
type judgeOptions struct {
	common
	against        string
	againstWeights weights
	againstRun     string
	save           string
}

func judgeCommand() *command {
	o := &judgeOptions{}
	flags := commandline.NewFlags("judge")
	o.bind(flags)
	o.bindWeights(flags)
	flags.StringVar(&o.against, "against", "", "`name` of a profile to compare with")
	flags.Var(&o.againstWeights, "against-weights",
		"`feature=weight` between commas to compare with; without -against in the same profile")
	flags.StringVar(&o.againstRun, "against-run", "", "`file` with a ranking to compare with, as -save writes it")
	flags.StringVar(&o.save, "save", "", "`file` for the ranking: brief_id, rank and freelancer_id between tabs")
	return &command{
		name: "judge", summary: "how good the ranking is, and what it does better and worse than another one",
		details: judgeHelp, flags: flags, run: o.run,
	}
}

func (o *judgeOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	other, compare, err := o.other()
	if err != nil {
		return err
	}
	set, s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	report, run, err := s.judge(ctx, set, o.way, stdout)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\n%s", report)
	if o.save != "" {
		if err := writeFile(o.save, run.Write); err != nil {
			return err
		}
	}
	if o.againstRun != "" {
		before, err := readFile(o.againstRun, eval.ReadRun)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "\nagainst %s\n", o.againstRun)
		fmt.Fprintf(stdout, "\n%s", eval.Compare(report, eval.Evaluate(before, set.judgments, set.briefs)))
	}
	if compare {
		fmt.Fprint(stdout, "\nagainst ")
		before, _, err := s.judge(ctx, set, other, stdout)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "\n%s", eval.Compare(report, before))
	}
	return nil
}

// other is the ranking to compare with, and whether one is wanted.
func (o *judgeOptions) other() (_ way, wanted bool, err error) {
	wanted = o.against != "" || len(o.againstWeights) > 0
	if wanted && o.againstRun != "" {
		return way{}, false, commandline.Usagef("-against-run cannot stand beside -against and -against-weights")
	}
	other := way{drop: o.way.drop, profile: o.against, weights: o.againstWeights}
	if other.profile == "" {
		other.profile = o.way.profile
	}
	return other, wanted, nil
}

// judge plays all briefs in one way. It writes which way that was and what the service left out.
func (s *service) judge(ctx context.Context, set *judgedSet, w way, stdout io.Writer) (*eval.Report, eval.Run, error) {
	fmt.Fprintln(stdout, w)
	a, err := s.ask(ctx, set.briefs, w, pageSize, false)
	if err != nil {
		return nil, nil, err
	}
	a.writeSkipped(stdout)
	run := a.candidates.Run()
	return eval.Evaluate(run, set.judgments, set.briefs), run, nil
}
