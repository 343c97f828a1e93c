package relevance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/events/bias"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/ranking/learn"
	"github.com/freelancer-matching/service/ranking/learn/simulation"
)

const learnHelp = `
Learns weights from what a client did with the people whom they saw, and says whether they may be published. Choices
are corrected for the attention that each position gets, which needs lists in which a coin decided the order of two
neighbors. The last week decides, and takes no part in the fit. Publish the weights on the page Tune of the dashboard.

A line of the file of lists is one response that was shown:
  {"at": "2026-05-01T10:00:00Z", "swap": 3, "encoder": {…}, "matches": [
    {"freelancer_id": "f1", "explanation": […], "event": "clicked"}, …]}
The response to a match with "explain": true has encoder and explanation. swap is the upper position, from 1, of the
neighbors whose order a coin decided; 0 for none. event is the strongest event; "" or "shown" for none.

A file of groups has the columns freelancer_id and one to four others, as for the bias audit.

Without a file, the lists are simulated: clients choose by known weights, or by nothing.

Examples:
  relevance learn                                          what is recovered from simulated choices
  relevance learn -lists shown.jsonl                       learn from your own lists
  relevance learn -lists shown.jsonl -groups groups.csv    compare the exposure of groups, too
`

// learnOptions holds the flags of learn.
type learnOptions struct {
	lists, groups, profile string
	seeds, simulated       int
	learn.Options
}

func learnCommand() *command {
	o := &learnOptions{Options: learn.DefaultOptions()}
	flags := commandline.NewFlags("learn")
	flags.StringVar(&o.lists, "lists", "", "`file` with the lists that were shown (default: simulated ones)")
	flags.StringVar(&o.groups, "groups", "", "`file` in CSV with groups of freelancers")
	flags.StringVar(&o.profile, "profile", "default", "`name` of the ranking profile that ordered the lists")
	flags.DurationVar(&o.HeldOut, "held-out", o.HeldOut, "`time` at the end that decides, and isn't fitted")
	flags.Float64Var(&o.MaxLoss, "max-loss", o.MaxLoss, "`share` of its exposure that a group may lose")
	flags.IntVar(&o.seeds, "seeds", 100, "`number` of simulations in which clients choose by nothing")
	flags.IntVar(&o.simulated, "n", 4000, "`number` of lists in each simulation")
	return &command{
		name: "learn", summary: "learn weights from events, and say whether they may be published", details: learnHelp,
		flags: flags, run: o.run,
	}
}

func (o *learnOptions) run(ctx context.Context, stdout io.Writer) error {
	if o.MaxLoss < 0 || o.MaxLoss > 1 {
		return commandline.Usagef("-max-loss must be from 0 to 1, got %v", o.MaxLoss)
	}
	profile, err := ranking.Load(o.profile)
	if err != nil {
		return commandline.Usagef("-profile: %v", err)
	}
	learner := newLearner(profile)
	if o.lists == "" {
		return learner.simulate(ctx, o, stdout)
	}

	var groups *bias.Groups
	if o.groups != "" {
		file, err := os.Open(o.groups)
		if err != nil {
			return err
		}
		defer file.Close()
		if groups, err = bias.ReadGroups(file); err != nil {
			return fmt.Errorf("%s: %w", o.groups, err)
		}
	}

	file, err := os.Open(o.lists)
	if err != nil {
		return err
	}
	defer file.Close()
	lists, err := learner.read(file, groups)
	if err != nil {
		return fmt.Errorf("%s: %w", o.lists, err)
	}

	p := learner.propose(lists, o.Options)
	learner.write(stdout, &p)
	return nil
}

// A learner learns weights that start from a profile.
type learner struct {
	profile  *ranking.Profile
	features []string
	shipped  []float64 // in the order of features
	sum      float64   // of shipped
}

func newLearner(profile *ranking.Profile) *learner {
	l := &learner{profile: profile, features: slices.Sorted(maps.Keys(profile.Weights))}
	for _, name := range l.features {
		l.shipped = append(l.shipped, profile.Weights[name])
		l.sum += profile.Weights[name]
	}
	return l
}

func (l *learner) propose(lists []learn.List, o learn.Options) learn.Proposal {
	skills := slices.Index(l.features, "skills")
	quality := slices.Index(l.features, "quality")
	return learn.Propose(lists, l.shipped, l.shipped, skills, quality, o)
}

// shownList is a line of the file of lists.
type shownList struct {
	At      time.Time            `json:"at"`
	Swap    int                  `json:"swap"`
	Encoder *matching.EncoderUse `json:"encoder"`
	Matches []struct {
		Freelancer  string             `json:"freelancer_id"`
		Explanation []matching.Feature `json:"explanation"`
		Event       events.Type        `json:"event"`
	} `json:"matches"`
}

// read returns the lists of a file.
func (l *learner) read(r io.Reader, groups *bias.Groups) (lists []learn.List, err error) {
	const maxLine = 1 << 20
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var shown shownList
		if err := json.Unmarshal(lines.Bytes(), &shown); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		list, err := l.list(&shown, groups)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		lists = append(lists, list)
	}
	return lists, lines.Err()
}

// list returns a list with what each weight contributed to the scores. A contribution is proportional to the weight, so
// it says what another weight would contribute.
func (l *learner) list(shown *shownList, groups *bias.Groups) (learn.List, error) {
	list := learn.List{At: shown.At, Swap: shown.Swap}
	if shown.At.IsZero() {
		return list, fmt.Errorf("at is missing")
	}
	if shown.Swap < 0 || shown.Swap > 0 && shown.Swap >= len(shown.Matches) {
		return list, fmt.Errorf("swap must be 0 or the upper position of two of the %d matches, got %d", len(shown.Matches),
			shown.Swap)
	}

	for i := range shown.Matches {
		m := &shown.Matches[i]
		person := learn.Person{Values: make([]float64, len(l.features))}
		var err error
		if person.Gain, err = gainOf(m.Event); err != nil {
			return list, err
		}
		if len(m.Explanation) == 0 {
			return list, fmt.Errorf("match %d has no explanation", i+1)
		}
		for _, f := range m.Explanation {
			k := slices.Index(l.features, f.Name)
			if k < 0 {
				return list, fmt.Errorf("match %d has the unknown feature %q", i+1, f.Name)
			}

			// With the encoder, a part of the weight of meanings is another number of the profile.
			fixed := 0.
			if f.Name == "semantic" && shown.Encoder != nil {
				fixed = l.profile.Semantic.Encoder
			}
			if weight := l.shipped[k] + fixed; weight > 0 {
				person.Values[k] = f.Contribution / weight * l.sum
				person.Fixed += fixed * person.Values[k]
			}
		}
		if groups != nil {
			person.Groups = groups.Of(m.Freelancer)
		}
		list.Shown = append(list.Shown, person)
	}
	return list, nil
}

// gainOf returns what an event is worth, as the grades of judgments are.
func gainOf(t events.Type) (float64, error) {
	switch t {
	case events.Hired:
		return 1, nil
	case events.Contacted:
		return 2. / 3, nil
	case events.Clicked:
		return 1. / 3, nil
	case "", events.Shown, events.Rejected:
		return 0, nil
	default:
		return 0, fmt.Errorf("unknown event %q", t)
	}
}

// write writes a proposal for people.
func (l *learner) write(w io.Writer, p *learn.Proposal) {
	fmt.Fprintf(w, "Choices: %d before %s, %d in the %d held-out lists\n", p.Gains, p.Before.Format(time.DateOnly),
		p.Comparison.Gains, p.Lists)
	if p.Attention != nil {
		fmt.Fprintf(w, "Attention by position: %.2f\n", p.Attention)
	}
	fmt.Fprintln(w, "\nfeature      shipped  learned")
	for i, name := range l.features {
		fmt.Fprintf(w, "%-11s %8.3f %8.3f\n", name, l.shipped[i], p.Weights[i])
	}
	if p.Attention != nil {
		fmt.Fprintf(w, "\nRandomized neighbors: %s, %d choices\nMean gain of a choice:  %s, %d lists\n",
			interval(p.Neighbors), p.Neighbors.N, interval(p.Better), p.Better.N)
	}
	for _, g := range p.Exposure {
		fmt.Fprintf(w, "Exposure of %s: %+.1f %%, %d people\n", g.Group, 100*g.Change, g.People)
	}

	if p.Publish {
		fmt.Fprintln(w, "\nThese weights may be published.")
		return
	}
	fmt.Fprintln(w, "\nThese weights must not be published:")
	for _, reason := range p.Reasons {
		fmt.Fprintf(w, "- %s\n", reason)
	}
}

func interval(e learn.Estimate) string {
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", e.Mean, e.Low, e.High)
}

// simulate reports what is recovered from simulated choices, with and without the correction, and how often noise would
// be published.
func (l *learner) simulate(ctx context.Context, o *learnOptions, w io.Writer) error {
	// Clients who care for skills and experience more than for words and price.
	truth := make([]float64, len(l.features))
	for name, weight := range map[string]float64{
		"skills": .9, "text": .4, "semantic": .3, "budget": .1, "timeline": .1, "experience": .5, "quality": .4,
	} {
		truth[slices.Index(l.features, name)] = weight
	}
	world := simulation.World{
		Shown: l.shipped, Truth: truth, Lists: o.simulated, Days: 28, Swaps: true, Bias: 1, Favored: -1, Seed: 1,
	}
	lists := world.Draw()

	p := l.propose(lists, o.Options)
	l.write(w, &p)
	uncorrected := o.Options
	uncorrected.Uncorrected = true
	misled := l.propose(lists, uncorrected)
	fmt.Fprintf(w, "\nAngle to the weights by which clients choose: shipped %.1f°, learned %.1f°, learned without "+
		"correction %.1f°\n", angle(l.shipped, truth), angle(p.Weights, truth), angle(misled.Weights, truth))

	published := 0
	world.Truth = nil
	for seed := range o.seeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		world.Seed = uint64(seed)
		if noise := l.propose(world.Draw(), o.Options); noise.Publish {
			published++
		}
	}
	fmt.Fprintf(w, "Published although clients choose by nothing: %d of %d\n", published, o.seeds)
	return nil
}

// angle returns the angle between two sets of weights in degrees. Only it matters for an order.
func angle(a, b []float64) float64 {
	dot, aa, bb := 0., 0., 0.
	for i := range a {
		dot += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return math.Acos(min(1, dot/math.Sqrt(aa*bb))) * 180 / math.Pi
}
