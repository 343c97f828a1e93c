package relevance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const attackHelp = `
Copies parts of each brief into profiles that don't suit it, and counts how often these profiles reach the first ten
matches of the brief. The profiles are drawn from those that the service ranks in the lower half, or beyond the first
500, and that are not graded as even partly suitable. They join the other freelancers under new IDs, one kind of attack
at a time.

"briefs" counts the briefs for which at least one attacker is among the first ten. The last columns show what the
attack does to the others: nDCG@10 of the honest freelancers alone, and nDCG@10 of the answer as it is, in which an
attacker counts as unsuitable.

Examples:
  relevance attack
  relevance attack -attackers 10 -only "paste at the end"
  relevance attack -briefs other-briefs.jsonl          on briefs without grades
`

// attackOptions holds the flags of attack.
type attackOptions struct {
	common
	briefs    string
	only      string
	attackers int
	seed      uint64
}

func attackCommand() *command {
	o := &attackOptions{}
	flags := commandline.NewFlags("attack")
	flags.StringVar(&o.judged, "judged", "", "`folder` of the judged set (default: the real one, if available)")
	bindEncoder(flags, &o.encoder)
	flags.StringVar(&o.briefs, "briefs", "", "`file` of other briefs, in the format of briefs.jsonl, without grades")
	flags.StringVar(&o.only, "only", "", "`name` of the only attack to try (default: all)")
	flags.IntVar(&o.attackers, "attackers", 3, "number of unsuitable profiles for each brief")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the choice of profiles")
	flags.Var(&o.way.drop, "drop", "comma-separated `members` to remove from the briefs before sending them")
	flags.StringVar(&o.way.profile, "profile", "", "`name` of the ranking profile (default: the service's default)")
	return &command{
		name: "attack", summary: "measure what copying a brief into a profile gains", details: attackHelp, flags: flags,
		run: o.run,
	}
}

// An attack is a way of changing a profile so that it looks suitable.
type attack struct {
	name   string
	change func(f *matching.Freelancer, t *target)
}

// A target is a brief with what attackers know besides it.
type target struct {
	title, description string
	skills             []string
	popular            []string // frequent skills of other freelancers
	own                string   // a genuine description of somebody in another trade
	random             *rand.Rand
}

// attacks returns all ways of attacking, the first of which changes nothing.
func attacks() []attack {
	paste := func(edit func(t *target) string) func(*matching.Freelancer, *target) {
		return func(f *matching.Freelancer, t *target) { f.Description = strings.TrimSpace(edit(t)) }
	}
	list := func(f *matching.Freelancer, skills []string) {
		f.Skills = slices.Concat(f.Skills, skills)
	}

	return []attack{
		{"nothing", func(*matching.Freelancer, *target) {}},
		{"paste at the start", func(f *matching.Freelancer, t *target) {
			f.Description = t.description + "\n" + f.Description
		}},
		{"paste at the end", func(f *matching.Freelancer, t *target) {
			f.Description += "\n" + t.description
		}},
		{"paste half", paste(func(t *target) string {
			return strings.Join(strings.Fields(t.description)[len(strings.Fields(t.description))/2:], " ")
		})},
		{"paste shuffled sentences", paste(func(t *target) string {
			parts := sentences(t.description)
			t.random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			return strings.Join(parts, " ")
		})},
		{"paste shuffled words", paste(func(t *target) string {
			words := strings.Fields(t.description)
			t.random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			return strings.Join(words, " ")
		})},
		{"paste after own text", paste(func(t *target) string { return t.own + "\n" + t.description })},
		{"list the skills", func(f *matching.Freelancer, t *target) { list(f, t.skills) }},
		{"list the skills first", func(f *matching.Freelancer, t *target) {
			f.Skills = slices.Concat(t.skills, f.Skills)
		}},
		{"list the skills and 30 others", func(f *matching.Freelancer, t *target) {
			list(f, slices.Concat(t.skills, t.popular))
		}},
		{"repeat the keywords", paste(func(t *target) string {
			return strings.Repeat(t.title+" "+strings.Join(t.skills, " ")+"\n", 20)
		})},
		{"copy everything", func(f *matching.Freelancer, t *target) {
			f.JobTitle = t.title
			f.Skills = t.skills
			f.Description = t.description
		}},
	}
}

// sentences splits a text at line breaks and after full stops, question and exclamation marks.
func sentences(text string) []string {
	var parts []string
	for line := range strings.Lines(text) {
		for part := range strings.SplitAfterSeq(line, ". ") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

func (o *attackOptions) run(ctx context.Context, stdout io.Writer) error {
	if o.attackers < 1 {
		return commandline.Usagef("-attackers must be at least 1, got %d", o.attackers)
	}

	chosen := slices.DeleteFunc(attacks(), func(a attack) bool { return o.only != "" && a.name != o.only })
	if len(chosen) == 0 {
		return commandline.Usagef("unknown attack %q; run relevance attack without -only for the names", o.only)
	}

	set, err := openJudgedSet(o.judged)
	if err != nil {
		return err
	}

	if o.briefs != "" {
		// The grades belong to the set's own briefs.
		set.judgments = nil
		if set.briefs, err = readFile(o.briefs, eval.ReadBriefs); err != nil {
			return err
		}
	}

	honest, err := readFreelancers(ctx, set.freelancers)
	if err != nil {
		return err
	}

	plans, err := o.plan(ctx, set, honest)
	if err != nil {
		return err
	}

	fmt.Fprintf(stdout, "%s, %d briefs with %d attackers each, %d honest freelancers\n\n",
		o.way, len(plans), o.attackers, len(honest))
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "attack\tin first 10\tbriefs\tfirst\tmedian rank\tnDCG@10 of honest\tnDCG@10")

	for _, a := range chosen {
		r, err := o.try(ctx, set, honest, plans, a)
		if err != nil {
			return fmt.Errorf("attack %q: %w", a.name, err)
		}
		r.write(table, a.name)
	}

	return table.Flush()
}

const (
	copiedSkills = 30  // popular skills that attackers may list
	hidingText   = 400 // bytes of a description that is long enough to hide a copied brief
)

// An attackPlan is one brief and those who attack it.
type attackPlan struct {
	brief     eval.Brief
	target    target
	attackers []matching.Freelancer
}

// plan chooses the attackers of each brief.
func (o *attackOptions) plan(ctx context.Context, set *judgedSet, honest []matching.Freelancer) ([]attackPlan, error) {
	s, err := start(ctx, set.freelancers, o.encoder)
	if err != nil {
		return nil, err
	}

	// At most half of the freelancers count as found, so that attackers remain in a small set.
	answers, err := s.ask(ctx, set.briefs, o.way, min(window, len(honest)/2), false)
	if err = errors.Join(err, s.close()); err != nil {
		return nil, err
	}

	found := answers.candidates.Run()
	popular := popularSkills(honest, copiedSkills)
	random := rand.New(rand.NewPCG(o.seed, 17)) //nolint:gosec // a repeatable choice of attackers
	var plans []attackPlan
	for _, brief := range set.briefs {
		p := attackPlan{brief: brief}
		if p.target, err = newTarget(brief, random); err != nil {
			return nil, fmt.Errorf("brief %q: %w", brief.ID, err)
		}
		p.target.popular = popular

		// An attacker has no honest claim to a place: neither found for the brief nor graded as suitable.
		hasClaim := map[string]bool{}
		for _, id := range found[brief.ID] {
			hasClaim[id] = true
		}
		for id, grade := range set.judgments[brief.ID] {
			if grade > eval.Unsuitable {
				hasClaim[id] = true
			}
		}

		for _, i := range random.Perm(len(honest)) {
			freelancer := honest[i]
			if hasClaim[freelancer.ID] {
				continue
			}

			// Some attacks hide the copy behind text of the attacker's own.
			if p.target.own == "" && len(freelancer.Description) > hidingText {
				p.target.own = freelancer.Description
			}

			if len(p.attackers) < o.attackers {
				freelancer.ID = attackerID(brief.ID) + strconv.Itoa(len(p.attackers))
				freelancer.Name = ""
				freelancer.ProfileURL = ""
				p.attackers = append(p.attackers, freelancer)
			}
		}

		plans = append(plans, p)
	}

	return plans, nil
}

// attackerID returns the beginning of the IDs of those who attack a brief; of "", that of all attackers.
func attackerID(brief string) string {
	if brief == "" {
		return "attacker/"
	}
	return "attacker/" + brief + "/"
}

// newTarget reads what an attacker can copy from a brief. A brief without a title has its first line, and a brief
// without skills the longer words of its title.
func newTarget(b eval.Brief, random *rand.Rand) (target, error) {
	var body struct {
		Title       string   `json:"job_title"`
		Description string   `json:"description"`
		Skills      []string `json:"required_skills"`
	}
	if err := json.Unmarshal(b.Body, &body); err != nil {
		return target{}, err
	}
	t := target{title: body.Title, description: body.Description, skills: body.Skills, random: random}
	if t.title == "" {
		t.title, _, _ = strings.Cut(strings.TrimSpace(t.description), "\n")
	}
	if len(t.skills) == 0 {
		t.skills = slices.DeleteFunc(strings.Fields(t.title), func(word string) bool { return len(word) < 4 })
	}
	return t, nil
}

// popularSkills returns the n most frequent skills.
func popularSkills(freelancers []matching.Freelancer, n int) []string {
	counts := map[string]int{}
	var names []string
	for _, f := range freelancers {
		for _, skill := range f.Skills {
			if counts[skill]++; counts[skill] == 1 {
				names = append(names, skill)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	return names[:min(n, len(names))]
}

// readFreelancers reads a file of freelancers with the indexer's reader.
func readFreelancers(ctx context.Context, path string) ([]matching.Freelancer, error) {
	file, err := source.Open(input.FromPath(path), source.Options{})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []matching.Freelancer
	for row, err := range file.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		if len(row.Faults) == 0 {
			all = append(all, row.Freelancer)
		}
	}
	return all, nil
}

// attackedTop is the number of places that an attack aims at. It is less than pageSize.
const attackedTop = 10

// An attackResult counts what attackers achieved.
type attackResult struct {
	attackers, inTop, first int
	briefs, briefsReached   int
	ranks                   []int // of all attackers; pageSize+1 for a lower rank
	honest, all             *eval.Report
}

// try adds the attackers to the honest freelancers, and sends all briefs.
func (o *attackOptions) try(
	ctx context.Context, set *judgedSet, honest []matching.Freelancer, plans []attackPlan, a attack,
) (*attackResult, error) {
	all := slices.Clone(honest)
	for _, p := range plans {
		for _, f := range p.attackers {
			a.change(&f, &p.target)
			all = append(all, f)
		}
	}
	s, err := startWith(ctx, all, o.encoder)
	if err != nil {
		return nil, err
	}
	found, err := s.ask(ctx, set.briefs, o.way, pageSize, false)
	if err = errors.Join(err, s.close()); err != nil {
		return nil, err
	}
	return newAttackResult(set, plans, found.candidates.Run()), nil
}

// newAttackResult counts where the attackers of each brief are in a run, which it changes.
func newAttackResult(set *judgedSet, plans []attackPlan, run eval.Run) *attackResult {
	r := &attackResult{briefs: len(plans)}
	honest := eval.Run{}
	for _, p := range plans {
		isAttacker := func(id string) bool { return strings.HasPrefix(id, attackerID("")) }
		attacksThis := func(id string) bool { return strings.HasPrefix(id, attackerID(p.brief.ID)) }

		// The attackers of all briefs are in one index; only this brief's own ones compete here.
		competitors := slices.DeleteFunc(run[p.brief.ID], func(id string) bool {
			return isAttacker(id) && !attacksThis(id)
		})
		run[p.brief.ID] = competitors
		honest[p.brief.ID] = slices.DeleteFunc(slices.Clone(competitors), attacksThis)

		reachesTop := false
		for _, attacker := range p.attackers {
			rank := slices.Index(competitors, attacker.ID) + 1
			if rank == 0 {
				rank = pageSize + 1 // an attacker who wasn't found counts as just behind the page
			}
			r.ranks = append(r.ranks, rank)

			r.attackers++
			if rank == 1 {
				r.first++
			}
			if rank <= attackedTop {
				r.inTop++
				reachesTop = true
			}
		}

		if reachesTop {
			r.briefsReached++
		}
	}

	slices.Sort(r.ranks)
	if set.judgments != nil {
		r.honest = eval.Evaluate(honest, set.judgments, set.briefs)
		r.all = eval.Evaluate(run, set.judgments, set.briefs)
	}

	return r
}

// write writes a row of the table.
func (r *attackResult) write(w io.Writer, name string) {
	median := fmt.Sprint(r.ranks[len(r.ranks)/2])
	if r.ranks[len(r.ranks)/2] > pageSize {
		median = fmt.Sprintf("over %d", pageSize)
	}
	fmt.Fprintf(w, "%s\t%.1f%% (%d/%d)\t%d/%d\t%d\t%s", name,
		100*float64(r.inTop)/float64(r.attackers), r.inTop, r.attackers, r.briefsReached, r.briefs, r.first, median)
	for _, report := range []*eval.Report{r.honest, r.all} {
		if report == nil {
			fmt.Fprint(w, "\t-")
			continue
		}
		fmt.Fprintf(w, "\t%.3f", report.Mean(eval.NDCG10).Mean)
	}
	fmt.Fprintln(w)
}
