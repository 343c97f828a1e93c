package relevance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

// common holds the flags of every command.
type common struct {
	judged   string
	url, key string
	encoder  string // config.EncoderOn or config.EncoderOff
	way      way
}

func (o *common) bind(flags *flag.FlagSet) {
	flags.StringVar(&o.judged, "judged", "", "`folder` of the judged set (default: the real one, if available)")
	flags.StringVar(&o.url, "url", "",
		"`address` of a running service that has already loaded the set's freelancers (default: start one and load them)")
	flags.StringVar(&o.key, "key", "",
		"API `key` for -url; use the enterprise plan, because other plans have a per-minute limit")
	bindEncoder(flags, &o.encoder)
	flags.Var(&o.way.drop, "drop", "comma-separated `members` to remove from the briefs before sending them")
	flags.StringVar(&o.way.profile, "profile", "", "`name` of the ranking profile (default: the service's default)")
}

func (o *common) bindWeights(flags *flag.FlagSet) {
	flags.Var(&o.way.weights, "weights", "comma-separated `feature=weight` pairs that override the profile's weights")
}

func bindEncoder(flags *flag.FlagSet, to *string) {
	flags.StringVar(to, "encoder", config.EncoderOff,
		"`whether` the started service uses the sentence encoder, on or off; on takes about 8 ms for each freelancer")
}

// open returns the judged set and a service that has its freelancers loaded. The caller must close the service.
func (o *common) open(ctx context.Context) (*judgedSet, *service, error) {
	return o.openSet(ctx, openJudgedSet)
}

// openSet does what open does, and reads the judged set with a function.
func (o *common) openSet(
	ctx context.Context, read func(folder string) (*judgedSet, error),
) (*judgedSet, *service, error) {
	// An invalid command line is reported before any file is read.
	if o.url != "" {
		u, err := url.Parse(o.url)
		isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https")
		isServer := isWeb && u.Host != "" && strings.Trim(u.Path, "/") == ""
		if !isServer {
			return nil, nil, commandline.Usagef("-url must look like http://127.0.0.1:8080, got %q", o.url)
		}
		if o.key == "" {
			return nil, nil, commandline.Usagef("-url needs -key, an API key of that service")
		}
	}

	set, err := read(o.judged)
	if err != nil {
		return nil, nil, err
	}
	if o.url != "" {
		return set, &service{url: strings.TrimRight(o.url, "/"), key: o.key, close: func() error { return nil }}, nil
	}

	s, err := start(ctx, set.freelancers, o.encoder)
	return set, s, err
}

const judgeHelp = `
Sends every brief, takes the first 100 matches of each, and prints nDCG@10, P@5, MRR and recall@50 with 95% intervals
(bootstrap over briefs), then results by category and by brief. Unjudged freelancers count as unsuitable: if
unjudged@10 is above .05, compare nDCG@10 with "nDCG@10 of judged".

With -against, -against-weights or -against-run, it also prints the differences from that ranking, paired by brief. If
an interval contains 0, the difference may be chance.

Examples:
  relevance judge -drop budget_range,budget_type,complexity,timeline
  relevance judge -against economy
  relevance judge -weights skills=.3,text=.3 -against default
  relevance judge -against-weights semantic=0
  relevance judge -save before.tsv                     then change the code and run
  relevance judge -against-run before.tsv
  relevance judge -judged my-briefs -url http://127.0.0.1:8080 -key svc_ent_...
`

// judgeOptions holds the flags of judge.
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
		"comma-separated `feature=weight` pairs to compare with, in the profile of -against if set")
	flags.StringVar(&o.againstRun, "against-run", "", "`file` with a ranking to compare with, written by -save")
	flags.StringVar(&o.save, "save", "", "`file` for the ranking, as tab-separated brief_id, rank and freelancer_id")
	return &command{
		name: "judge", summary: "measure the ranking, and compare it with another one",
		details: judgeHelp, flags: flags, run: o.run,
	}
}

func (o *judgeOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	// The flags of the comparison are checked first, because evaluating the first ranking takes a while.
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

// other returns the ranking to compare with, and whether the flags ask for one.
func (o *judgeOptions) other() (_ way, wanted bool, err error) {
	wanted = o.against != "" || len(o.againstWeights) > 0
	if wanted && o.againstRun != "" {
		return way{}, false, commandline.Usagef("-against-run can't be combined with -against or -against-weights")
	}
	other := way{drop: o.way.drop, profile: o.against, weights: o.againstWeights}
	if other.profile == "" {
		other.profile = o.way.profile
	}
	return other, wanted, nil
}

// judge evaluates the ranking of all briefs. It also prints the request options w and what the service skipped.
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
