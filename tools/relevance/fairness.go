package relevance

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const fairnessHelp = `
Gives generated freelancers twins that differ in one word only, such as the name or a nationality in the description,
and compares the scores of the twins for each brief. Names of people must change nothing.

The columns count freelancers times briefs: in how many cases the twins' scores differ, by how much at most, and in how
many the place among the other freelancers depends on the word. "exposure" is the attention that the twins with one
word get if all twins are ranked together, relative to an equal share: 1/log2(1+rank), averaged over ties and briefs
(Singh and Joachims, Fairness of Exposure in Rankings, KDD 2018). The table has the words with the least and the most.

A brief that contains one of the words asks for it; such briefs are counted apart.

Examples:
  relevance fairness
  relevance fairness -weights semantic=0               whether the vectors or the words of the brief make the difference
`

// maxTwins is the number of twins of one kind: those of a single response.
const maxTwins = pageSize

type fairnessOptions struct {
	common
	freelancers int
	seed        uint64
}

func fairnessCommand() *command {
	o := &fairnessOptions{}
	flags := commandline.NewFlags("fairness")
	flags.StringVar(&o.judged, "judged", "", "`folder` with the briefs (default: the real judged set, if available)")
	flags.IntVar(&o.freelancers, "freelancers", 8, "`number` of freelancers that get twins, 2 to 8")
	bindEncoder(flags, &o.encoder)
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the generated freelancers")
	flags.Var(&o.way.drop, "drop", "comma-separated `members` to remove from the briefs before sending them")
	flags.StringVar(&o.way.profile, "profile", "", "`name` of the ranking profile (default: the service's default)")
	o.bindWeights(flags)
	return &command{
		name: "fairness", summary: "measure what names, nationalities and the like change", details: fairnessHelp,
		flags: flags, run: o.run,
	}
}

//go:embed twins.txt
var twinsFile string

// A twinKind is a way in which twins differ.
type twinKind struct {
	name, field, text string
	words             []string
}

// twinKinds returns the kinds in twins.txt.
func twinKinds() ([]twinKind, error) {
	var kinds []twinKind
	for line := range strings.Lines(twinsFile) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 4 || fields[1] != "name" && fields[1] != "description" || !strings.Contains(fields[2], "{}") {
			return nil, fmt.Errorf("twins.txt: line %q lacks a part, or its field is neither name nor description", line)
		}
		words := strings.Split(fields[3], ", ")
		kinds = append(kinds, twinKind{fields[0], fields[1], fields[2], words})
	}
	return kinds, nil
}

// twin returns a freelancer with one of the words.
func (k *twinKind) twin(f matching.Freelancer, original, word int) matching.Freelancer {
	f.ID = k.id(original, word)
	f.ProfileURL = ""
	text := strings.ReplaceAll(k.text, "{}", k.words[word])
	if k.field == "name" {
		f.Name = text
	} else {
		f.Description = text + " " + f.Description
	}
	return f
}

func (k *twinKind) id(original, word int) string {
	return fmt.Sprintf("%s/%d/%d", k.name, original, word)
}

// asksFor reports whether a brief contains one of the words.
func (k *twinKind) asksFor(b eval.Brief) (bool, error) {
	var body struct {
		Title       string `json:"job_title"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal(b.Body, &body); err != nil {
		return false, fmt.Errorf("brief %q: %w", b.ID, err)
	}
	words := strings.FieldsFunc(body.Title+" "+body.Description, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(k.words, func(w string) bool { return strings.EqualFold(word, w) })
	}), nil
}

func (o *fairnessOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	if o.freelancers < 2 || o.freelancers > 8 {
		return commandline.Usagef("-freelancers must be 2 to 8, got %d", o.freelancers)
	}

	set, err := openJudgedSet(o.judged)
	if err != nil {
		return err
	}

	kinds, err := twinKinds()
	if err != nil {
		return err
	}

	s, err := o.start(ctx, kinds)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	fmt.Fprintf(stdout, "%s, %d briefs, %d freelancers\n\n", o.way, len(set.briefs), o.freelancers)
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "twins differ in\tbriefs\tscores differ\tat most by\tplaces differ\tleast exposure\tmost exposure")

	for _, k := range kinds {
		plain, asked, err := o.compare(ctx, s, set.briefs, &k)
		if err != nil {
			return err
		}
		plain.write(table, k.name)
		asked.write(table, k.name+", asked for")
	}

	return table.Flush()
}

// start starts a service with the twins of generated freelancers, and a few hundred others.
func (o *fairnessOptions) start(ctx context.Context, kinds []twinKind) (_ *service, err error) {
	generator, err := synthetic.New()
	if err != nil {
		return nil, err
	}
	all := slices.Collect(generator.Freelancers(300, o.seed))
	originals := slices.Clone(all[:o.freelancers])
	for _, k := range kinds {
		for i, f := range originals {
			for word := range k.words {
				all = append(all, k.twin(f, i, word))
			}
		}
	}
	return startWith(ctx, all, o.encoder)
}

// compare asks for the twins of one kind with every brief. It counts briefs that contain one of the words apart.
func (o *fairnessOptions) compare(
	ctx context.Context, s *service, briefs []eval.Brief, k *twinKind,
) (plain, asked *twinResult, err error) {
	plain = newTwinResult(k)
	asked = newTwinResult(k)
	ids := []string{}
	for i := range o.freelancers {
		for word := range k.words {
			ids = append(ids, k.id(i, word))
		}
	}

	if len(ids) > maxTwins {
		return nil, nil, fmt.Errorf("%d twins in %s, want at most %d", len(ids), k.name, maxTwins)
	}

	for _, b := range briefs {
		asks, err := k.asksFor(b)
		if err != nil {
			return nil, nil, err
		}

		body, err := o.way.body(b)
		if err != nil {
			return nil, nil, fmt.Errorf("brief %q: %w", b.ID, err)
		}

		body["filters"] = map[string]any{"ids": ids}
		body["limit"] = len(ids)
		a, err := s.post(ctx, body)
		if err != nil {
			return nil, nil, fmt.Errorf("brief %q: %w", b.ID, err)
		}

		scores := map[string]float64{}
		for _, m := range a.Matches {
			scores[m.Freelancer.ID] = m.Score
		}

		// A twin without a score would look like unfairness, or hide it.
		if len(scores) != len(ids) {
			return nil, nil, fmt.Errorf("brief %q: %d of %d twins have a score", b.ID, len(scores), len(ids))
		}

		// A brief that asks for one of the words, such as a language, may well prefer that twin.
		result := plain
		if asks {
			result = asked
		}

		result.add(o.freelancers, func(original, word int) float64 { return scores[k.id(original, word)] })
	}

	return plain, asked, nil
}

// A twinResult counts what a word changes.
type twinResult struct {
	words         []string
	briefs, cases int // cases are freelancers times briefs
	scores        int // cases in which the scores differ
	difference    float64
	places        int       // cases in which the places differ
	exposure      []float64 // by word, relative to an equal share, summed over briefs
}

func newTwinResult(k *twinKind) *twinResult {
	return &twinResult{words: k.words, exposure: make([]float64, len(k.words))}
}

// add counts the scores for one brief.
func (r *twinResult) add(freelancers int, score func(original, word int) float64) {
	r.briefs++
	type ranked struct {
		word  int
		score float64
	}

	var all []ranked
	for i := range freelancers {
		r.cases++
		lowest := math.Inf(1)
		highest := math.Inf(-1)
		places := map[int]bool{}
		for word := range r.words {
			own := score(i, word)
			place := 1
			lowest = min(lowest, own)
			highest = max(highest, own)

			// Each twin is ranked among the unchanged others, as if no other twin had applied.
			for other := range freelancers {
				if other != i && score(other, 0) > own {
					place++
				}
			}

			places[place] = true
			all = append(all, ranked{word, own})
		}

		if lowest < highest {
			r.scores++
			r.difference = max(r.difference, highest-lowest)
		}

		if len(places) > 1 {
			r.places++
		}
	}

	slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	total := 0.
	exposure := make([]float64, len(r.words))

	// Tied twins share the exposure of their places, because their order among themselves is arbitrary.
	for from := 0; from < len(all); {
		to := from
		sum := 0.
		for ; to < len(all) && all[to].score == all[from].score; to++ {
			sum += 1 / math.Log2(float64(to)+2)
		}

		for _, tied := range all[from:to] {
			exposure[tied.word] += sum / float64(to-from)
		}

		total += sum
		from = to
	}

	// Scaled so that 1 is a fair share of the exposure.
	for word := range exposure {
		r.exposure[word] += exposure[word] / total * float64(len(r.words))
	}
}

// write writes a row of the table, if there were any briefs.
func (r *twinResult) write(w io.Writer, name string) {
	if r.briefs == 0 {
		return
	}
	at := func(x float64) string {
		return strconv.FormatFloat(x/float64(r.briefs), 'f', 3, 64) + " " + r.words[slices.Index(r.exposure, x)]
	}
	fmt.Fprintf(w, "%s\t%d\t%d of %d\t%.4f\t%d of %d\t%s\t%s\n", name, r.briefs, r.scores, r.cases, r.difference,
		r.places, r.cases, at(slices.Min(r.exposure)), at(slices.Max(r.exposure)))
}
