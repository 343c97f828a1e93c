package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
	"freelancer-matching/interview/bank"
	"freelancer-matching/llm"
	"freelancer-matching/taxonomy"
)

// contestant is a judge that is measured.
type contestant struct {
	title   string
	judge   interview.Judge
	repeats int
	every   int // the judge gets each every-th injection; 0: none
}

// A real model gets one in injectionSample injections, because each is a call.
const injectionSample = 10

// concurrency is the number of calls to the language model at once.
const concurrency = 8

// evaluate measures every judge that there is.
func evaluate(ctx context.Context, o options, stdout, stderr io.Writer) error {
	candidates, err := readCandidates(o.candidates)
	if err != nil {
		return err
	}
	injections, err := readInjections(o.injections)
	if err != nil {
		return err
	}
	contestants, err := open(o, candidates, stderr)
	if err != nil {
		return err
	}
	for _, c := range contestants {
		r, err := c.measure(ctx, candidates, injections, concurrency)
		if err != nil {
			return err
		}
		r.write(stdout)
		fmt.Fprintln(stdout)
	}
	if !o.config.LLM.On() {
		fmt.Fprintln(stdout, "No real model was asked: name one with -llm-url and -llm-model.")
	}
	return nil
}

// open opens the judges: the offline one, the model's with the knowing model, and with the real one where it is named, of whose
// failures stderr is told.
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
	interviewer := func(options llm.ChatOptions) (interview.Judge, error) {
		chat, err := llm.NewChat(options)
		if err != nil {
			return nil, err
		}
		return llm.NewInterviewer(chat, analyzer), nil
	}
	known, err := interviewer(llm.ChatOptions{BaseURL: "http://model.invalid/v1", Model: "knowing", Transport: &knowing{candidates}})
	if err != nil {
		return nil, err
	}
	all := []contestant{
		{"offline judge", bank.NewJudge(b), o.repeats, 1},
		{"the model's judge with a model that knows the levels", known, o.repeats, 0},
	}
	if s := o.config.LLM; s.On() {
		log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		remote, err := interviewer(llm.ChatOptions{
			BaseURL: s.URL, Key: s.Key, Model: s.Model, Timeout: s.Timeout, Seed: 1, Log: log,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, contestant{"the model's judge with " + s.Model, remote, o.repeats, injectionSample})
	}
	return all, nil
}

// judged is what became of one answer.
type judged struct {
	totals   []int // of each judgement that did not fail
	failures []error
}

// middle is the median total; of none, -1.
func (j *judged) middle() int {
	if len(j.totals) == 0 {
		return -1
	}
	return slices.Sorted(slices.Values(j.totals))[(len(j.totals)-1)/2]
}

// spread is how far the totals lie apart.
func (j *judged) spread() int {
	if len(j.totals) == 0 {
		return 0
	}
	return slices.Max(j.totals) - slices.Min(j.totals)
}

// measure has all answers judged, and the weak one of the first candidate with every injection.
func (c *contestant) measure(ctx context.Context, candidates []candidate, injections []string, concurrency int) (*report, error) {
	r := &report{title: c.title, repeats: c.repeats, answers: make(map[answerKey]*judged)}
	var calls sync.WaitGroup
	free := make(chan struct{}, concurrency)
	start := func(of *candidate, answer string, repeats int) *judged {
		j := new(judged)
		calls.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			c.repeat(ctx, of, answer, repeats, j)
		})
		return j
	}
	for i := range candidates {
		r.candidates = append(r.candidates, candidates[i].ID)
		for _, level := range answerLevels {
			r.answers[answerKey{candidates[i].ID, level}] = start(&candidates[i], candidates[i].Answers[level], c.repeats)
		}
	}
	for k := 0; c.every > 0 && k < len(injections); k += c.every {
		r.injected = append(r.injected, start(&candidates[0], candidates[0].Answers["weak"]+"\n\n"+injections[k], 1))
	}
	calls.Wait()
	return r, ctx.Err()
}

// repeat has an answer judged some times.
func (c *contestant) repeat(ctx context.Context, of *candidate, answer string, repeats int, into *judged) {
	for range repeats {
		j, err := c.judge.Judge(ctx, "", of.subject(), of.question(), answer)
		if err != nil {
			into.failures = append(into.failures, err)
			continue
		}
		into.totals = append(into.totals, total(j))
	}
}

// total is the score of an answer, 0 to 100: each level a fifth, by the weights of the criteria that have a mark.
func total(j interview.Judgment) int {
	sum, weights := 0, 0
	for _, m := range j.Marks {
		weight := interview.DefaultWeights()[m.Criterion]
		sum, weights = sum+weight*m.Level, weights+weight
	}
	if weights == 0 {
		return 0
	}
	return (100*sum/interview.BestLevel + weights/2) / weights
}
