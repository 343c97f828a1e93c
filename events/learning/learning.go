// Package learning learns the rankings of accounts from what their clients chose: each night, it fits weights to the
// events of every account that allows it, and publishes them only if package learn has proof that they are better.
package learning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/events/bias"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/ranking/learn"
)

const (
	// MaxLists is the number of responses that a run reads of an account, the newest. They take about 100 MB, and the fit
	// a few seconds.
	MaxLists = 20_000
	// Hour is the hour of the day (UTC) at which a night begins.
	Hour = 2
	// Name is the name of learned rankings.
	Name = "Learned"

	// defaultProfile is the shipped profile that ranks without a published ranking.
	defaultProfile = "default"
)

// ErrClaimed is returned by Store.Claim if the account doesn't allow learning, or another server has begun.
var ErrClaimed = errors.New("learning has begun already, or the account doesn't allow it")

// CodeNotAllowed is the error code of a run for an account that doesn't allow it.
const CodeNotAllowed matching.Code = "learning_not_allowed"

// A List is a response with a lesson, and the events about it.
type List struct {
	Match  events.Match // without brief and scores
	Events []events.Event
}

// A State says whether an account learns, and what came of it.
type State struct {
	Allowed bool
	Lists   int       // stored responses with a lesson
	Begun   time.Time // of the last run, zero before the first
	Last    *Run      // nil before the first
}

// A Run is what came of learning for one account.
type Run struct {
	At time.Time `json:"at"`
	// Version is the version of the account's ranking that was published; 0 if none was, for the reasons.
	Version int      `json:"version"`
	Reasons []string `json:"reasons"`

	Lists    int       `json:"lists"`    // responses with events, at most MaxLists
	Before   time.Time `json:"before"`   // the responses before it were fitted, the others decided
	Choices  int       `json:"choices"`  // people who were chosen in the fitted responses
	Swapped  int       `json:"swapped"`  // the same at ranks whose order a coin decided
	Decisive int       `json:"decisive"` // people who were chosen in the others

	// The members below are zero if too little is known to fit weights.

	Current   map[string]float64 `json:"current"` // weights, by feature
	Learned   map[string]float64 `json:"learned"`
	Better    learn.Estimate     `json:"better"`
	Neighbors learn.Estimate     `json:"neighbors"`
	Exposure  []learn.Exposure   `json:"exposure"` // nil without groups
}

// A Store stores what learning needs, and what came of it.
type Store interface {
	// State returns the state of an account; the zero State if nothing is stored about it.
	State(ctx context.Context, account string) (State, error)
	// AllowSwaps begins or ends it for an account, together with an entry of the audit log, and reports whether that
	// changed anything. At the end, it deletes the lessons of the account.
	AllowSwaps(ctx context.Context, account string, allow bool, e audit.Event) (bool, error)
	// Claim marks that a run for an account begins now. It returns ErrClaimed if the account doesn't allow it, or if one
	// has begun at or after a time.
	Claim(ctx context.Context, account string, now, since time.Time) error
	// Lists calls yield for the responses of an account that have a lesson and events, the newest first, up to a limit.
	Lists(ctx context.Context, account string, limit int, yield func(List) error) error
	// Finish stores a run, if the account still allows it.
	Finish(ctx context.Context, account string, run Run) error
}

// Rankings has the published rankings of accounts; see rankings.Service.
type Rankings interface {
	Published(ctx context.Context, account string) (*matching.Ranking, error)
	Replace(
		ctx context.Context, by audit.By, account string, v rankings.Version, published int,
	) (rankings.Version, error)
}

// A Config holds the dependencies of a Service. All but Groups are required.
type Config struct {
	Store      Store
	Agreements func(ctx context.Context) ([]events.Agreement, error)
	Rankings   Rankings
	// Groups returns the groups whose exposure is compared; nil for none. It is called for each run.
	Groups  func() (*bias.Groups, error)
	Now     func() time.Time
	Log     *slog.Logger
	Options learn.Options
}

// A Service learns. It is safe for concurrent use.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// State returns whether an account learns, and what came of it.
func (s *Service) State(ctx context.Context, account string) (State, error) {
	return s.Store.State(ctx, account)
}

// AllowSwaps begins or ends to let coins decide the order of neighbors for an account, and to learn from its events. It
// reports whether that changed anything.
func (s *Service) AllowSwaps(ctx context.Context, by audit.By, account string, allow bool) (bool, error) {
	e := audit.Event{
		At: s.Now().UTC().Truncate(time.Microsecond), Actor: by.Actor, Account: account, Action: audit.SwapsAllowed,
		Subject: account, Address: by.Address,
	}
	if !allow {
		e.Action = audit.SwapsForbidden
	}
	return s.Store.AllowSwaps(ctx, account, allow, e)
}

// Accounts returns the accounts that allow learning.
func (s *Service) Accounts(ctx context.Context) (accounts []string, err error) {
	list, err := s.Agreements(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		if a.Swaps {
			accounts = append(accounts, a.Account)
		}
	}
	return accounts, nil
}

// Night learns for every account that allows it and for which no server has begun since the night did. It returns when
// all are done. The error of one account doesn't keep it from the next.
func (s *Service) Night(ctx context.Context) error {
	accounts, err := s.Accounts(ctx)
	if err != nil {
		return err
	}

	now := s.Now()
	var errs []error
	for _, account := range accounts {
		if ctx.Err() != nil {
			break
		}
		_, err := s.run(ctx, account, nightBefore(now))
		if err != nil && !errors.Is(err, ErrClaimed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// nightBefore returns when the last night began.
func nightBefore(now time.Time) time.Time {
	now = now.UTC()
	begin := time.Date(now.Year(), now.Month(), now.Day(), Hour, 0, 0, 0, time.UTC)
	if begin.After(now) {
		begin = begin.AddDate(0, 0, -1)
	}
	return begin
}

// Learn learns for one account now, even if it has learned tonight.
func (s *Service) Learn(ctx context.Context, account string) (Run, error) {
	run, err := s.run(ctx, account, s.Now().Add(time.Second))
	if errors.Is(err, ErrClaimed) {
		return run, &matching.Error{Code: CodeNotAllowed, Cause: err, Message: fmt.Sprintf(
			"The account %s doesn't allow learning. An owner can turn it on, on the page Rankings of the dashboard.", account)}
	}
	return run, err
}

// run learns for an account, unless a server has begun since a time.
func (s *Service) run(ctx context.Context, account string, since time.Time) (Run, error) {
	now := s.Now().UTC()
	if err := s.Store.Claim(ctx, account, now, since); err != nil {
		return Run{}, err
	}

	run, err := s.learn(ctx, account, now)
	if err != nil {
		run = Run{At: now, Reasons: []string{"the run failed; the log of the server says why"}}
	}
	if finishErr := s.Store.Finish(ctx, account, run); finishErr != nil || err != nil {
		return run, fmt.Errorf("learn for %s: %w", account, errors.Join(err, finishErr))
	}

	s.Log.InfoContext(ctx, "learned from events", "account", account, "lists", run.Lists, "published", run.Version,
		"reasons", len(run.Reasons))
	return run, nil
}

// learn fits weights for an account, and publishes them if they are proven to be better.
func (s *Service) learn(ctx context.Context, account string, now time.Time) (Run, error) {
	published, err := s.Rankings.Published(ctx, account)
	if err != nil {
		return Run{}, err
	}
	problem, err := newProblem(published)
	if err != nil {
		return Run{}, err
	}
	if s.Groups != nil {
		if problem.groups, err = s.Groups(); err != nil {
			return Run{}, err
		}
	}

	err = s.Store.Lists(ctx, account, MaxLists, func(l List) error {
		problem.add(&l)
		return ctx.Err()
	})
	if err != nil {
		return Run{}, err
	}

	p := problem.propose(s.Options)
	run := problem.describe(&p)
	run.At = now
	if !p.Publish {
		return run, nil
	}

	// The owner may have turned it off meanwhile.
	state, err := s.Store.State(ctx, account)
	if err != nil {
		return Run{}, err
	}
	if !state.Allowed {
		run.Reasons = append(run.Reasons, "the account has turned learning off meanwhile")
		return run, nil
	}

	version := rankings.Version{
		Ranking: matching.Ranking{Name: Name, Profile: problem.profile.Name, Weights: run.Learned}, Note: note(&run),
	}
	replaced := 0
	if published != nil {
		replaced = published.Version
	}
	version, err = s.Rankings.Replace(ctx, audit.By{Actor: audit.Learning}, account, version, replaced)
	if errors.Is(err, rankings.ErrChanged) {
		run.Reasons = append(run.Reasons, "somebody published another ranking meanwhile")
		return run, nil
	}
	run.Version = version.Version
	return run, err
}

// note says where the weights of a version are from.
func note(r *Run) string {
	return fmt.Sprintf("Learned from %d choices before %s. In the %d choices after, of two neighbors whose order a coin "+
		"decided, the one whom it prefers was chosen more often by %s.", r.Choices, r.Before.Format(time.DateOnly),
		r.Decisive, Interval(r.Neighbors))
}

// Interval returns an estimate with its 95 % interval as text.
func Interval(e learn.Estimate) string {
	return fmt.Sprintf("%+.2f (95 %% interval %+.2f to %+.2f)", e.Mean, e.Low, e.High)
}

// A problem is what is learned from.
type problem struct {
	profile  *ranking.Profile // shipped
	features []string
	current  []float64 // weights that rank now, in the order of features
	shipped  []float64 // weights to which few data pull
	groups   *bias.Groups
	lists    []learn.List
	briefs   map[uint64]map[uint64]*learn.Person // the people in the list of each brief, by events.Hash
}

// newProblem returns a problem without lists for the published ranking of an account, which may be nil.
func newProblem(published *matching.Ranking) (*problem, error) {
	name := defaultProfile
	if published != nil {
		name = published.Profile
	}
	shipped, err := ranking.Load(name)
	if err != nil {
		return nil, err
	}

	ranks := shipped
	if published != nil {
		derived, faults := shipped.Derive(published)
		if err := matching.Invalid(faults); err != nil {
			return nil, err
		}
		ranks = derived
	}

	p := &problem{profile: shipped, features: ranking.Features(), briefs: map[uint64]map[uint64]*learn.Person{}}
	for _, feature := range p.features {
		weight := ranks.Weights[feature]
		p.current = append(p.current, weight)

		// The lists say nothing about a feature that takes no part, so it keeps none.
		pull := shipped.Weights[feature]
		if weight == 0 {
			pull = 0
		}
		p.shipped = append(p.shipped, pull)
	}
	return p, nil
}

// add adds a response. It leaves out damaged lessons and those of other profiles, whose values mean something else.
//
// The responses to one brief have the same coin, so they are one observation: the newest is the list, and the best that
// came of a person in any of them counts.
func (p *problem) add(l *List) {
	lesson, err := events.ReadLesson(l.Match.Lesson)
	isForeign := l.Match.Versions.Profile != p.profile.Name || l.Match.Versions.Overridden
	if err != nil || isForeign || len(lesson.Parts) > len(l.Match.Freelancers) {
		return
	}

	gains := map[uint64]float64{}
	for freelancer, gain := range events.Gains(l.Events) {
		gains[events.Hash(freelancer)] = gain
	}
	if people := p.briefs[lesson.Brief]; people != nil {
		for person, gain := range gains {
			if shown := people[person]; shown != nil {
				shown.Gain = max(shown.Gain, gain)
			}
		}
		return
	}

	list := learn.List{At: l.Match.At, Swap: lesson.Upper, Shown: make([]learn.Person, len(lesson.Parts))}
	people := map[uint64]*learn.Person{}
	for i, parts := range lesson.Parts {
		if len(parts) != len(p.features) { // erased, or of a release with other features
			return
		}
		person := l.Match.Freelancers[i]
		list.Shown[i] = learn.Person{Values: parts, Gain: gains[person]}
		if p.groups != nil {
			list.Shown[i].Groups = p.groups.OfHash(person)
		}
		people[person] = &list.Shown[i]
	}
	p.briefs[lesson.Brief] = people
	p.lists = append(p.lists, list)
}

func (p *problem) propose(o learn.Options) learn.Proposal {
	skills := slices.Index(p.features, "skills")
	quality := slices.Index(p.features, "quality")
	return learn.Propose(p.lists, p.current, p.shipped, skills, quality, o)
}

// describe returns what a run stores about a proposal.
func (p *problem) describe(proposal *learn.Proposal) Run {
	run := Run{
		Reasons: proposal.Reasons, Lists: len(p.lists), Before: proposal.Before, Choices: proposal.Gains,
		Swapped: proposal.Swapped, Decisive: proposal.Comparison.Gains,
	}
	if proposal.Attention == nil {
		return run
	}

	run.Current = p.byFeature(p.current)
	run.Learned = p.byFeature(proposal.Weights)
	run.Better = proposal.Better
	run.Neighbors = proposal.Neighbors
	run.Exposure = proposal.Exposure
	return run
}

func (p *problem) byFeature(weights []float64) map[string]float64 {
	named := map[string]float64{}
	for i, feature := range p.features {
		named[feature] = weights[i]
	}
	return named
}
