package interviews

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/bank"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/interviewer"
	"github.com/freelancer-matching/service/taxonomy"
)

// A contestant is a judge to measure.
type contestant struct {
	title   string
	judge   interview.Judge
	repeats int
	every   int // use every n-th injection, or none if 0
	targets []target
}

// injectionSample is the step between the injections for a real model, because each one costs a call.
const injectionSample = 10

// concurrency is the number of parallel calls to a judge.
const concurrency = 8

// evaluate measures all judges and writes a report about each.
func evaluate(ctx context.Context, o options, stdout, stderr io.Writer) error {
	sets, err := readSets(o.candidates)
	if err != nil {
		return err
	}

	injections, err := readInjections(o.injections)
	if err != nil {
		return err
	}

	contestants, err := open(o, allOf(sets[:]), stderr)
	if err != nil {
		return err
	}

	// Judges are measured one after the other: run side by side, they would compete for the same processors and limits.
	for _, c := range contestants {
		for _, set := range sets {
			r, err := c.measure(ctx, set, injections, concurrency)
			if err != nil {
				return err
			}
			r.write(stdout)
			fmt.Fprintln(stdout)
		}
	}

	if !o.config.LLM.On() {
		fmt.Fprintln(stdout, "No real model was measured. Set -llm-url and -llm-model to measure one.")
	}

	return nil
}

// allOf returns the candidates of all sets.
func allOf(sets []candidateSet) []candidate {
	var all []candidate
	for _, set := range sets {
		all = append(all, set.candidates...)
	}
	return all
}

// open returns the judges to measure: the offline judge, the model's judge with a levelModel, and the model's judge
// with the real model if one is configured. Warnings about the real model go to stderr.
func open(o options, candidates []candidate, stderr io.Writer) ([]contestant, error) {
	t, err := taxonomy.Load()
	if err != nil {
		return nil, err
	}

	analyzer := analysis.New()
	b, err := bank.Open(t, analyzer)
	if err != nil {
		return nil, err
	}

	vectors, err := embedding.Load()
	if err != nil {
		return nil, err
	}

	interviewer := func(options llm.ChatOptions) (interview.Judge, error) {
		chat, err := llm.NewChat(options)
		if err != nil {
			return nil, err
		}
		return interviewer.New(chat, analyzer), nil
	}

	// A model that knows each answer's level separates the effect of the prompts, checks and arithmetic around a model
	// from the model's own mistakes. The address is never contacted.
	known, err := interviewer(llm.ChatOptions{
		BaseURL: "http://model.invalid/v1", Model: "level-model", Transport: &levelModel{candidates},
	})
	if err != nil {
		return nil, err
	}

	// The level model recognizes unchanged answers only, so it isn't measured with injections (every 0).
	all := []contestant{
		{"offline judge", bank.NewJudge(b, vectors), o.repeats, 1, offlineTargets()},
		{"the model's judge with a model that knows the levels", known, o.repeats, 0, nil},
	}

	if s := o.config.LLM; s.On() {
		log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		remote, err := interviewer(llm.ChatOptions{
			BaseURL: s.URL, Key: s.Key.Get, Model: s.Model, Timeout: s.Timeout, Seed: 1, Log: log,
		})
		if err != nil {
			return nil, err
		}

		all = append(all, contestant{"the model's judge with " + s.Model, remote, o.repeats, injectionSample, nil})
	}

	return all, nil
}

// A judged holds the results for one answer.
type judged struct {
	totals   []int // of the successful judgments
	covered  int   // points of the rubric that the last successful judgment finds covered
	failures []error
}

// median returns the median total, or -1 if there was no answer or all judgments failed.
func (j *judged) median() int {
	if j == nil || len(j.totals) == 0 {
		return -1
	}
	return slices.Sorted(slices.Values(j.totals))[(len(j.totals)-1)/2]
}

// spread returns the difference between the highest and the lowest total.
func (j *judged) spread() int {
	if len(j.totals) == 0 {
		return 0
	}
	return slices.Max(j.totals) - slices.Min(j.totals)
}

// measure judges all answers, and the weak answer of the first candidate with each injection.
func (c *contestant) measure(
	ctx context.Context, set candidateSet, injections []string, concurrency int,
) (*report, error) {
	candidates := set.candidates
	r := &report{
		title: c.title + ", " + set.title, repeats: c.repeats, levels: set.levels, targets: c.targets,
		answers: make(map[answerKey]*judged), points: make(map[string]int),
	}

	// Each result has its place in the report before its goroutine fills it. Nothing reads it before Wait returns.
	var calls sync.WaitGroup
	free := make(chan struct{}, concurrency)
	start := func(candidate *candidate, answer string, repeats int) *judged {
		j := new(judged)
		calls.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			c.repeat(ctx, candidate, answer, repeats, j)
		})

		return j
	}
	for i := range candidates {
		r.candidates = append(r.candidates, candidates[i].ID)
		r.points[candidates[i].ID] = len(candidates[i].Question.Points)
		for _, level := range set.levels {
			if answer := candidates[i].Answers[level]; answer != "" {
				r.answers[answerKey{candidates[i].ID, level}] = start(&candidates[i], answer, c.repeats)
			}
		}
	}

	// The weak answer has the most to gain from an instruction to the judge.
	if c.every > 0 {
		weak := candidates[0].Answers["weak"]
		for k := 0; k < len(injections); k += c.every {
			r.injected = append(r.injected, start(&candidates[0], weak+"\n\n"+injections[k], 1))
		}
	}

	calls.Wait()

	return r, ctx.Err()
}

// repeat judges an answer several times and adds the results to into.
func (c *contestant) repeat(ctx context.Context, candidate *candidate, answer string, repeats int, into *judged) {
	for range repeats {
		j, err := c.judge.Judge(ctx, "", candidate.subject(), &candidate.Question, answer)
		if err != nil {
			into.failures = append(into.failures, err)
			continue
		}
		into.totals = append(into.totals, total(j, candidate.Question.Weights))
		into.covered = len(j.Covered)
	}
}

// total returns the score of an answer, from 0 to 100: the weighted mean of its marks.
func total(j interview.Judgment, w interview.Weights) int {
	sum, weights := 0, 0
	for _, m := range j.Marks {
		sum += w[m.Criterion] * m.Level
		weights += w[m.Criterion]
	}
	if weights == 0 {
		return 0
	}
	return (100*sum/interview.BestLevel + weights/2) / weights
}
