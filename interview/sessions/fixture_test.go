package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
	"github.com/freelancer-matching/service/taxonomy"
)

// A clock is a manual clock.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// people holds the freelancers by ID.
type people map[string]matching.Freelancer

func (p people) Freelancer(_ context.Context, id string) (matching.Freelancer, error) {
	f, ok := p[id]
	if !ok {
		return f, &matching.Error{Code: matching.CodeFreelancerUnknown, Message: "no such freelancer"}
	}
	return f, nil
}

func ana() matching.Freelancer {
	return matching.Freelancer{
		ID: "f1", Name: "Ana Example", JobTitle: "React Developer", Skills: []string{"React", "Next.js"},
		Description: "I build shops with TypeScript.", Signals: matching.Signals{Experience: matching.Some(4.0)},
	}
}

// An asker generates numbered questions. It calls edit with each question and the number of questions generated before.
// An error from edit ends the questions.
type asker struct {
	name string
	edit func(ctx context.Context, i int, q *interview.Question) error

	mu   sync.Mutex
	made int
}

// failAt returns an edit that fails at the n-th question, counted from 0.
func failAt(n int) func(context.Context, int, *interview.Question) error {
	return func(_ context.Context, i int, _ *interview.Question) error {
		if i == n {
			return errScript
		}
		return nil
	}
}

func (a *asker) Name() string { return a.name }

func (a *asker) Ask(
	ctx context.Context, _ string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		a.mu.Lock()
		defer a.mu.Unlock()

		for i := range n {
			q := interview.Question{
				Text:       fmt.Sprintf("Question %d by %s?", len(asked)+i+1, a.name),
				Kind:       interview.KnowHow,
				Difficulty: aim.Difficulty,
				Expected:   "A good answer.",
				Points:     []string{"one", "two"},
				FollowUps:  []string{"And then?"},
			}

			if i < len(aim.Skills) {
				q.Skill = aim.Skills[i].Name
			}

			if q.Difficulty == "" {
				q.Difficulty = interview.Easy
			}

			if a.edit != nil {
				if err := a.edit(ctx, a.made, &q); err != nil {
					yield(interview.Question{}, err)
					return
				}
			}

			a.made++
			if !yield(q, nil) {
				return
			}
		}
	}
}

// A judge gives the level named at the beginning of the answer, as in "level 4: because", for each criterion. A script
// replaces this.
type judge struct {
	name    string
	verdict bool
	script  func(ctx context.Context, q *interview.Question, answer string) (interview.Judgment, error)
}

func (j *judge) Name() string    { return j.name }
func (j *judge) IsVerdict() bool { return j.verdict }

func (j *judge) Judge(
	ctx context.Context, _ string, _ *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	if j.script != nil {
		return j.script(ctx, q, answer)
	}
	return byLevel(q, answer)
}

// byLevel returns the judgment for an answer that names its level.
func byLevel(q *interview.Question, answer string) (interview.Judgment, error) {
	out := interview.Judgment{
		Question:     q.ID,
		Feedback:     "about " + q.ID,
		Strengths:    []string{"clear"},
		Improvements: []string{"more of " + q.ID},
	}
	var level int
	if _, err := fmt.Sscanf(answer, "level %d", &level); err != nil {
		return out, fmt.Errorf("answer %q does not begin with a level", answer)
	}
	for _, c := range []interview.Criterion{interview.Technical, interview.Experience, interview.Communication} {
		out.Marks = append(out.Marks, interview.Mark{Criterion: c, Level: level, Evidence: []string{answer[:7]}})
	}
	return out, nil
}

var errScript = errors.New("scripted failure")

// loadSkills loads the taxonomy once for all tests, because loading takes longer than most tests.
var loadSkills = sync.OnceValues(taxonomy.Load)

func skills(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	skills, err := loadSkills()
	if err != nil {
		t.Fatal(err)
	}
	return skills
}

// A fixture is a service with an empty database. Its model and expert represent a language model; its bank and counter
// work offline.
type fixture struct {
	*sessions.Service
	candidates *sessions.Candidates
	config     sessions.Config
	db         *store.DB
	clock      *clock
	model      *asker
	bank       *asker
	expert     *judge
	counter    *judge
}

const (
	byModel   = "llm:test"
	byOffline = "offline"
)

func newFixture(t testing.TB, edits ...func(*fixture)) *fixture {
	t.Helper()
	skills := skills(t)
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { db.Close() })
	f := &fixture{
		db:    db,
		clock: &clock{at: time.Date(2031, 5, 17, 9, 30, 0, 123_456_000, time.UTC)},
		model: &asker{name: byModel}, bank: &asker{name: byOffline},
		expert: &judge{name: byModel, verdict: true}, counter: &judge{name: byOffline},
	}

	f.config = sessions.Config{
		Store:       db.Interviews,
		Freelancers: people{"f1": ana(), "f2": {ID: "f2"}},
		Skills:      skills,
		Analyzer:    analysis.New(),
		Askers:      []interview.Asker{f.model, f.bank},
		Judges:      []interview.Judge{f.expert, f.counter},
		Now:         f.clock.now,
		Log:         slog.New(slog.DiscardHandler),
	}
	for _, edit := range edits {
		edit(f)
	}

	f.restart()
	return f
}

// restart replaces the service by one with the current configuration.
func (f *fixture) restart() {
	f.Service = sessions.NewService(f.config)
	f.candidates = sessions.NewCandidates(f.Service)
}

// withoutModel removes the model's asker and judge.
func withoutModel(f *fixture) {
	f.config.Askers, f.config.Judges = f.config.Askers[1:], f.config.Judges[1:]
}

// fresh returns a request for a new session.
func fresh(m interview.Mode) interview.Request {
	r := interview.Request{
		Account:            "acc_1",
		FreelancerID:       "f1",
		ProjectDescription: "We need a shop with React and PostgreSQL.",
		JobTitle:           "Developer",
		RequiredSkills:     []string{"ReactJS", "PostgreSQL", "Underwater Basketry"},
		Mode:               m,
	}
	if m == interview.CustomFull {
		r.CustomQuestions = []interview.CustomQuestion{
			{Text: "What is a join?"}, {Text: "Why us?", ExpectedAnswer: "Because."},
		}
	}
	if m == interview.Hybrid {
		r.AdditionalQuestions = []string{"When can you start?"}
	}
	return r
}

// followUp returns a request for an existing session. Like clients of the older service, it repeats the first request.
func followUp(r interview.Request, session string, m interview.Mode, answers ...string) interview.Request {
	r.SessionID = session
	r.Mode = m
	r.ProvidedAnswers = answers
	if m != interview.CustomFull && m != interview.Hybrid {
		r.CustomQuestions = nil
		r.AdditionalQuestions = nil
	}
	return r
}

func (f *fixture) conduct(t testing.TB, r interview.Request) interview.Result {
	t.Helper()
	result, err := f.Conduct(t.Context(), r, nil)
	if err != nil {
		t.Fatalf("%s: %v", r.Mode, err)
	}
	return result
}

// refused checks that Conduct returns an error with a code and with these faults.
func (f *fixture) refused(t testing.TB, r interview.Request, want matching.Code, fields ...string) {
	t.Helper()
	_, err := f.Conduct(t.Context(), r, nil)
	if matching.CodeOf(err) != want {
		t.Errorf("%s: got error %v, want code %s", r.Mode, err, want)
	}
	if diff := cmp.Diff(fields, faultyFields(err)); diff != "" {
		t.Errorf("%v: -want +got fields\n%s", err, diff)
	}
}

// faultyFields returns the field and code of each fault in err.
func faultyFields(err error) []string {
	e, _ := errors.AsType[*matching.Error](err)
	if e == nil {
		return nil
	}
	var fields []string
	for _, d := range e.Details {
		fields = append(fields, d.Field+" "+d.Code)
	}
	return fields
}

// levels returns an answer for each level, blank for level 0.
func levels(all ...int) []string {
	answers := make([]string, len(all))
	for i, level := range all {
		if level > 0 {
			answers[i] = fmt.Sprintf("level %d: because of it", level)
		}
	}
	return answers
}

func codes(notices []interview.Notice) string {
	var all []string
	for _, n := range notices {
		all = append(all, string(n.Code))
	}
	return strings.Join(all, " ")
}

func wantSame(t testing.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
