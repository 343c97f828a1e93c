package relevance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/tools/relevance/bm25"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const poolHelp = `
Collects the first freelancers of several methods for every brief, leaves out those who are graded already, and writes
them in random order to numbered files for a reader: NAME-01.txt to read, and NAME-01.tsv to enter the grades. Neither
shows the method, rank, score, name, price or rating. judgments.tsv may be missing.

The methods are the ranking as configured, without each of skills, text and semantic, by each of them alone, and BM25
over all words. -runs adds rankings of other programs, or of another version of this one (judge -save).

Examples:
  relevance pool -judged my-briefs -drop budget_range,budget_type,complexity,timeline -o to-grade
  relevance pool -judged my-briefs -runs before.tsv,other-engine.tsv -o to-grade
  relevance pool -judged my-briefs -sample 150 -name again -o second-grader    before merging the first grades
`

// Limits of the texts shown to a grader, in characters.
const (
	briefLength  = 520
	skillsLength = 400
	aboutLength  = 250
)

// poolOptions holds the flags of pool.
type poolOptions struct {
	common
	depth, pairs, sample int
	seed                 uint64
	runs                 names
	name, output         string
}

func poolCommand() *command {
	o := &poolOptions{}
	flags := commandline.NewFlags("pool")
	o.bind(flags)
	o.bindWeights(flags)
	flags.IntVar(&o.depth, "depth", 10, "`number` of freelancers per method and brief, 1 to 100")
	flags.IntVar(&o.pairs, "pairs", 40, "`number` of freelancers per file, at least 1")
	flags.IntVar(&o.sample, "sample", 0, "`number` of random pairs to write, for a second grader (default: all)")
	flags.Uint64Var(&o.seed, "seed", 1, "`number` that determines the random order and sample")
	flags.Var(&o.runs, "runs", "comma-separated `files` with more rankings, written by judge -save")
	flags.StringVar(&o.name, "name", "pool", "beginning of the files' `names`")
	flags.StringVar(&o.output, "o", "", "`folder` for the files (required); existing files are not overwritten")
	return &command{
		name: "pool", summary: "collect freelancers to grade from several methods",
		details: poolHelp, flags: flags, run: o.run,
	}
}

func (o *poolOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	switch {
	case o.depth < 1 || o.depth > pageSize:
		return commandline.Usagef("-depth must be 1 to %d, got %d", pageSize, o.depth)
	case o.pairs < 1:
		return commandline.Usagef("-pairs must be at least 1, got %d", o.pairs)
	case o.output == "":
		return commandline.Usagef("pool needs -o, a folder for its files")
	case o.sample < 0:
		return commandline.Usagef("-sample must not be negative, got %d", o.sample)
	}

	profile, err := ranking.Load(o.way.profile)
	if err != nil {
		return err
	}

	set, s, err := o.openSet(ctx, readJudgedSet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	profiles, err := readProfiles(ctx, set.freelancers)
	if err != nil {
		return err
	}

	p := &pool{set: set, found: map[string]map[string][]int{}, graded: map[pair]bool{}}
	fmt.Fprintln(stdout, o.way)
	// Several rankings contribute, so that the grades don't favor today's.
	features := slices.Sorted(maps.Keys(profile.Weights))
	for _, v := range append([]variant{{"as configured", nil}}, variants(fitted(), features)...) {
		w := o.way
		w.weights = o.way.weights.with(v.weights)
		a, err := s.ask(ctx, set.briefs, w, o.depth, false)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}

		p.add(v.name, withScore(a.candidates).Run(), o.depth)
	}

	// A ranking that shares nothing with the service finds candidates that all its variants miss.
	words := bm25.New(profiles)
	run, err := eval.Play(ctx, set.briefs, func(_ context.Context, b eval.Brief) ([]string, error) {
		body, err := readBody(b)
		if err != nil {
			return nil, err
		}
		brief := matching.Brief{JobTitle: body.JobTitle, RequiredSkills: body.Skills, Description: body.Description}
		return words.Search(&brief, o.depth), nil
	})
	if err != nil {
		return err
	}

	p.add("BM25", run, o.depth)
	for _, path := range o.runs {
		run, err := readFile(path, eval.ReadRun)
		if err != nil {
			return err
		}
		p.add(path, run, o.depth)
	}

	byID := map[string]*matching.Freelancer{}
	for i := range profiles {
		byID[profiles[i].ID] = &profiles[i]
	}

	return o.write(p, byID, stdout)
}

// withScore returns the candidates without those whose score is 0: nothing matches, and only their IDs order them.
func withScore(answers eval.Answers) eval.Answers {
	kept := eval.Answers{}
	for brief, candidates := range answers {
		kept[brief] = slices.DeleteFunc(slices.Clone(candidates), func(c eval.Candidate) bool { return c.Score == 0 })
	}
	return kept
}

// pool collects the ungraded freelancers whom methods find.
type pool struct {
	set     *judgedSet
	methods []string
	found   map[string]map[string][]int // by brief and freelancer: places in methods
	graded  map[pair]bool               // found, and left out because they have a grade
}

// pair is a freelancer and the brief they are graded for.
type pair struct{ brief, freelancer string }

// add adds the first depth freelancers that a method found for each brief.
func (p *pool) add(method string, run eval.Run, depth int) {
	for _, b := range p.set.briefs {
		if p.found[b.ID] == nil {
			p.found[b.ID] = map[string][]int{}
		}
		for _, id := range run[b.ID][:min(depth, len(run[b.ID]))] {
			if _, graded := p.set.judgments[b.ID][id]; graded {
				p.graded[pair{b.ID, id}] = true
			} else {
				p.found[b.ID][id] = append(p.found[b.ID][id], len(p.methods))
			}
		}
	}
	p.methods = append(p.methods, method)
}

// draw returns the pairs brief by brief, shuffled within each, or a random sample of them if sample is not 0.
func (p *pool) draw(seed uint64, sample int) []pair {
	rng := rand.New(rand.NewPCG(2025, seed)) //nolint:gosec // a pool needs a fixed seed, not secrecy
	var pairs []pair
	for _, b := range p.set.briefs {
		ids := slices.Sorted(maps.Keys(p.found[b.ID]))
		rng.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
		for _, id := range ids {
			pairs = append(pairs, pair{b.ID, id})
		}
	}

	if sample == 0 || sample >= len(pairs) {
		return pairs
	}

	places := rng.Perm(len(pairs))[:sample]
	slices.Sort(places)
	var drawn []pair
	for _, place := range places {
		drawn = append(drawn, pairs[place])
	}

	return drawn
}

// writeCounts prints how many freelancers each method found, and how many of them no other method found.
func (p *pool) writeCounts(w io.Writer) error {
	all := make([]int, len(p.methods))
	alone := make([]int, len(p.methods))
	for _, freelancers := range p.found {
		for _, methods := range freelancers {
			for _, m := range methods {
				all[m]++
			}
			if len(methods) == 1 {
				alone[methods[0]]++
			}
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nmethod\tungraded\tfound by no other")
	for m, name := range p.methods {
		fmt.Fprintf(table, "%s\t%d\t%d\n", name, all[m], alone[m])
	}
	return table.Flush()
}

// write writes the pool to files, each with a text to read and a table for the grades.
func (o *poolOptions) write(p *pool, profiles map[string]*matching.Freelancer, stdout io.Writer) error {
	if err := p.writeCounts(stdout); err != nil {
		return err
	}
	if err := os.MkdirAll(o.output, 0o750); err != nil {
		return err
	}

	texts := map[string]string{}
	for _, b := range p.set.briefs {
		text, err := briefText(b)
		if err != nil {
			return fmt.Errorf("brief %q: %w", b.ID, err)
		}
		texts[b.ID] = text
	}

	pairs := p.draw(o.seed, o.sample)
	files := 0
	for part := range slices.Chunk(pairs, o.pairs) {
		files++
		var text, table strings.Builder
		table.WriteString("brief_id\tfreelancer_id\tgrade\n")
		lastBrief := ""
		for _, pair := range part {
			f, ok := profiles[pair.freelancer]
			if !ok {
				return fmt.Errorf("%s has no freelancer %q; remove -url, or load this file into that service",
					p.set.freelancers, pair.freelancer)
			}

			// The freelancers of one brief follow one another, so its text is written once.
			if pair.brief != lastBrief {
				fmt.Fprintf(&text, "\n== %s ==\n%s\n\n", pair.brief, texts[pair.brief])
				lastBrief = pair.brief
			}

			fmt.Fprintf(&text, "%s\n", profileText(f))
			fmt.Fprintf(&table, "%s\t%s\t\n", pair.brief, pair.freelancer)
		}

		// The text begins with the newline that separates two briefs, hence [1:].
		base := filepath.Join(o.output, fmt.Sprintf("%s-%02d", o.name, files))
		if err := writeNew(base+".txt", text.String()[1:]); err != nil {
			return err
		}
		if err := writeNew(base+".tsv", table.String()); err != nil {
			return err
		}
	}

	fmt.Fprintf(stdout, "\n%d pairs of %d briefs in %d files in %s; %d pairs were graded already\n",
		len(pairs), len(p.set.briefs), files, o.output, len(p.graded))
	return nil
}

// writeNew writes a file and fails if it exists, because it may hold grades.
func writeNew(path, content string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

// briefText returns what a grader sees of a brief.
func briefText(b eval.Brief) (string, error) {
	body, err := readBody(b)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\nSkills: %s", shorten(body.JobTitle+" "+body.Description, briefLength), list(body.Skills)), nil
}

// profileText returns what a grader sees of a freelancer: ID, title, skills, years and description.
func profileText(f *matching.Freelancer) string {
	years := "-"
	if f.Experience.Known {
		years = fmt.Sprintf("%g years", f.Experience.Value)
	}
	return strings.Join([]string{
		f.ID, shorten(f.JobTitle, aboutLength), list(f.Skills), years, shorten(f.Description, aboutLength),
	}, " | ")
}

// list joins names, or returns "-" if there are none.
func list(names []string) string { return shorten(strings.Join(names, ", "), skillsLength) }

// shorten returns the first n characters of a text on one line, or "-" if it is empty.
func shorten(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	switch {
	case len(runes) == 0:
		return "-"
	case len(runes) > n:
		return string(runes[:n]) + "…"
	}
	return string(runes)
}

// requestBody holds the texts of a match request.
type requestBody struct {
	JobTitle    string   `json:"job_title"`
	Description string   `json:"description"`
	Skills      []string `json:"required_skills"`
}

func readBody(b eval.Brief) (body requestBody, err error) {
	err = json.Unmarshal(b.Body, &body)
	return body, err
}

// readProfiles reads the freelancers of a judged set with the indexer's reader. Rows that the indexer would reject are
// left out.
func readProfiles(ctx context.Context, path string) ([]matching.Freelancer, error) {
	f, err := source.Open(input.FromPath(path), source.Options{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var profiles []matching.Freelancer
	for row, err := range f.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		if len(row.Faults) == 0 && !row.Skipped {
			profiles = append(profiles, row.Freelancer)
		}
	}
	return profiles, nil
}
