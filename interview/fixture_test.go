package interview_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/store/sqlite"
	"freelancer-matching/taxonomy"
)

// clock is a time that tests set.
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

// people is who there is to interview.
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

// asker makes questions by number. What edit does to the i-th question of all that it was ever asked for, from 0 on, is its
// script: an error there ends it.
type asker struct {
	name string
	edit func(ctx context.Context, i int, q *interview.Question) error

	mu   sync.Mutex
	made int
	aims []interview.Aim
}

func (a *asker) Name() string { return a.name }

func (a *asker) Ask(
	ctx context.Context, _ string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.aims = append(a.aims, aim)
		for i := range n {
			q := interview.Question{
				Text: fmt.Sprintf("Question %d by %s?", len(asked)+i+1, a.name), Kind: interview.KnowHow, Difficulty: aim.Difficulty,
				Expected: "A good answer.", Points: []string{"one", "two"}, FollowUps: []string{"And then?"},
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

// judge gives the level that an answer names, as in "level 4: because", for each criterion. Its script can do otherwise.
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

func byLevel(q *interview.Question, answer string) (interview.Judgment, error) {
	out := interview.Judgment{Question: q.ID, Feedback: "about " + q.ID, Strengths: []string{"clear"}, Improvements: []string{"more of " + q.ID}}
	var level int
	if _, err := fmt.Sscanf(answer, "level %d", &level); err != nil {
		return out, fmt.Errorf("an answer in a test is %q, want one that begins with level", answer)
	}
	for _, c := range []interview.Criterion{interview.Technical, interview.Experience, interview.Communication} {
		out.Marks = append(out.Marks, interview.Mark{Criterion: c, Level: level, Evidence: []string{answer[:7]}})
	}
	return out, nil
}

var errScript = errors.New("the script says so")

// loadSkills reads the taxonomy once for all tests: it takes longer than most of them.
var loadSkills = sync.OnceValues(taxonomy.Load)

func skills(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	skills, err := loadSkills()
	if err != nil {
		t.Fatal(err)
	}
	return skills
}

// fixture is a service on an empty database.
type fixture struct {
	*interview.Service
	config interview.Config
	clock  *clock
	model  *asker
	bank   *asker
	expert *judge // of the model
	count  *judge // offline
}

const (
	byModel   = "llm:test"
	byOffline = "offline"
)

func newFixture(t testing.TB, edits ...func(*fixture)) *fixture {
	t.Helper()
	skills := skills(t)
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "service.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	f := &fixture{
		clock: &clock{at: time.Date(2031, 5, 17, 9, 30, 0, 123_456_000, time.UTC)},
		model: &asker{name: byModel}, bank: &asker{name: byOffline},
		expert: &judge{name: byModel, verdict: true}, count: &judge{name: byOffline},
	}
	f.config = interview.Config{
		Store: db.Interviews(), Freelancers: people{"f1": ana(), "f2": {ID: "f2"}}, Skills: skills, Analyzer: analysis.New(),
		Askers: []interview.Asker{f.model, f.bank}, Judges: []interview.Judge{f.expert, f.count},
		Now: f.clock.now, Log: slog.New(slog.DiscardHandler),
	}
	for _, edit := range edits {
		edit(f)
	}
	f.Service = interview.NewService(f.config)
	return f
}

// withoutModel leaves only what works offline.
func withoutModel(f *fixture) {
	f.config.Askers, f.config.Judges = f.config.Askers[1:], f.config.Judges[1:]
}

// fresh is a request for a new session.
func fresh(m interview.Mode) interview.Request {
	r := interview.Request{
		Account: "acc_1", FreelancerID: "f1", ProjectDescription: "We need a shop with React and PostgreSQL.", JobTitle: "Developer",
		RequiredSkills: []string{"ReactJS", "PostgreSQL", "Underwater Basketry"}, Mode: m,
	}
	if m == interview.CustomFull {
		r.CustomQuestions = []interview.CustomQuestion{{Text: "What is a join?"}, {Text: "Why us?", ExpectedAnswer: "Because."}}
	}
	if m == interview.Hybrid {
		r.AdditionalQuestions = []string{"When can you start?"}
	}
	return r
}

// followUp is a request that goes on with a session, as clients of the older service send it: with all of the first one.
func followUp(r interview.Request, session string, m interview.Mode, answers ...string) interview.Request {
	r.SessionID, r.Mode, r.ProvidedAnswers = session, m, answers
	if m != interview.CustomFull && m != interview.Hybrid {
		r.CustomQuestions, r.AdditionalQuestions = nil, nil
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

// refused makes sure that a request is refused with a code, and with faults in these fields, if any.
func (f *fixture) refused(t testing.TB, r interview.Request, want matching.Code, fields ...string) {
	t.Helper()
	_, err := f.Conduct(t.Context(), r, nil)
	if matching.CodeOf(err) != want {
		t.Errorf("%s: got %v, want %s", r.Mode, err, want)
	}
	if diff := cmp.Diff(fields, faultyFields(err)); diff != "" {
		t.Errorf("%v: -want +got fields\n%s", err, diff)
	}
}

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

// levels is an answer at each of these levels.
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
