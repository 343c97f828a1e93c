// Package sessions conducts interviews: it starts sessions, asks questions, stores answers and has them evaluated. It
// also lists, reads, exports, reviews and deletes sessions, and lets invited candidates answer them.
package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/taxonomy"
	"github.com/freelancer-matching/service/webhook"
)

// Freelancers looks up freelancers in the live index.
type Freelancers interface {
	// Freelancer returns the freelancer with an ID. Its errors are matching.Errors, with CodeFreelancerUnknown if there is
	// no such freelancer.
	Freelancer(ctx context.Context, id string) (matching.Freelancer, error)
}

// Skills finds skills by name and in texts. A taxonomy.Taxonomy implements it.
type Skills interface {
	ResolveAll(name string, list ...string) []taxonomy.Resolution
	Extract(text string) []taxonomy.Mention
	Subjects(text string) []taxonomy.Subject
	Skill(id string) (taxonomy.Skill, bool)
}

// Config holds the dependencies and limits of a Service. The limits have defaults; all other fields are required.
type Config struct {
	Store       interview.Store
	Freelancers Freelancers
	Skills      Skills
	Analyzer    *analysis.Analyzer // detects the language of a project description
	// Askers and Judges are in order of preference: if one fails, the next one replaces it, and the result says so. The
	// last of each needs no model and may use all of the request's time. Those before it share ModelTimeout.
	Askers []interview.Asker
	Judges []interview.Judge
	Now    func() time.Time
	Log    *slog.Logger

	Webhooks webhook.Allowed // endpoints without a public address; default: none
	Notify   func()          // called when a message to a webhook was stored; default: nothing

	// QuestionTimeout is how long a person waits for questions. After that, the next asker takes over, unless questions
	// are streamed and one has arrived. Default: 8 s.
	QuestionTimeout time.Duration

	ModelTimeout time.Duration // default: 20 s, so that clients with a timeout of 30 s get a result
	Parallel     int           // answers of one request judged in parallel; default: 4
	MaxQuestions int           // generated questions in a session; default and maximum: the constant MaxQuestions
	Lifetime     time.Duration // of a session after its start, and again after its evaluation; default: 30 days
}

// A Service conducts interviews. It is safe for concurrent use, and several processes can share one Store.
type Service struct{ config Config }

// NewService returns a service with configuration c.
func NewService(c Config) *Service {
	c.QuestionTimeout = cmp.Or(c.QuestionTimeout, 8*time.Second)
	c.ModelTimeout = cmp.Or(c.ModelTimeout, 20*time.Second)
	c.Parallel = cmp.Or(c.Parallel, 4)
	c.MaxQuestions = cmp.Or(c.MaxQuestions, interview.MaxQuestions)
	c.Lifetime = cmp.Or(c.Lifetime, 30*24*time.Hour)
	if c.Notify == nil {
		c.Notify = func() {}
	}
	return &Service{config: c}
}

// now returns the current time with the precision and in the time zone that stores keep.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Microsecond) }

// Check returns all faults of a request that are visible without its session as a matching.Error, or nil if there are
// none. Conduct does the same; Check is for callers that report faults of their own together with these.
func (s *Service) Check(r *interview.Request) error {
	return r.Check(s.config.MaxQuestions, &s.config.Webhooks)
}

// Delete deletes a session of an account and the stored results of requests about it. It returns CodeSessionNotFound if
// the account has no such session. The audit log has an entry about it.
func (s *Service) Delete(ctx context.Context, account, id string, by interview.Requester) error {
	if !isID(id) { // some databases fail for NUL
		return s.errNotFound()
	}
	err := s.config.Store.DeleteAudited(ctx, account, id, entryBy(by, s.now(), audit.InterviewDeleted, id))
	if errors.Is(err, interview.ErrNotFound) {
		return s.errNotFound()
	}
	return err
}

// errNotFound returns the error for a session that doesn't exist or belongs to another account.
func (s *Service) errNotFound() error {
	return &matching.Error{
		Code: interview.CodeSessionNotFound,
		Message: fmt.Sprintf("There is no such session; sessions expire after %s. Omit session_id to start one.",
			days(s.config.Lifetime)),
		Cause: interview.ErrNotFound,
	}
}

// days returns a duration in days if it is a multiple of a day.
func days(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "1 day"
	case d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	default:
		return d.String()
	}
}
