package interview

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/taxonomy"
)

// The codes with which an interview is refused, beside matching.CodeInvalid and matching.CodeFreelancerUnknown.
const (
	CodeSessionNotFound matching.Code = "session_not_found"    // 404: also one of another account, and one that has expired
	CodeSessionClosed   matching.Code = "session_closed"       // 409: it is evaluated, and takes no new answers
	CodeSessionChanged  matching.Code = "session_changed"      // 409: another request changed it meanwhile
	CodeTooManySessions matching.Code = "too_many_sessions"    // 409: the account has Config.MaxOpen open ones
	CodeIdempotency     matching.Code = "idempotency_conflict" // 409: the key was used for another request, or is in use
)

// Freelancers looks freelancers up in the live index. Its failures are matching.Errors: CodeFreelancerUnknown for nobody.
type Freelancers interface {
	Freelancer(ctx context.Context, id string) (matching.Freelancer, error)
}

// Skills knows skills by their names and in texts. A taxonomy.Taxonomy does.
type Skills interface {
	ResolveAll(name string, list ...string) []taxonomy.Resolution
	Extract(text string) []taxonomy.Mention
	Subjects(text string) []taxonomy.Subject
	Skill(id string) (taxonomy.Skill, bool)
}

// Config is what a service is made of. Store, Freelancers, Skills, Analyzer, Askers, Judges, Now and Log must be set.
type Config struct {
	Store       Store
	Freelancers Freelancers
	Skills      Skills
	Analyzer    *analysis.Analyzer // tells the language of a project description
	// Askers and Judges, best first: where one fails the next one takes its place, and the answer says so. The last ones, which
	// need no model, get as long as the request has; those before them Patience, all together.
	Askers []Asker
	Judges []Judge
	Now    func() time.Time
	Log    *slog.Logger

	Patience     time.Duration // 0: 20 s, so that clients who give up after 30 have their answer
	Parallel     int           // answers judged at once for one request; 0: 4
	MaxQuestions int           // generated for one session, up to the constant MaxQuestions; 0: that
	MaxOpen      int           // open sessions of one account; 0: 10,000
	Lifetime     time.Duration // of a session, from its beginning and again from its evaluation; 0: 30 days
}

// Service conducts interviews. It is safe for concurrent use, also by several processes on one store.
type Service struct{ config Config }

// NewService is a service made of c.
func NewService(c Config) *Service {
	c.Patience = cmp.Or(c.Patience, 20*time.Second)
	c.Parallel = cmp.Or(c.Parallel, 4)
	c.MaxQuestions = cmp.Or(c.MaxQuestions, MaxQuestions)
	c.MaxOpen = cmp.Or(c.MaxOpen, 10_000)
	c.Lifetime = cmp.Or(c.Lifetime, 30*24*time.Hour)
	return &Service{c}
}

// now is the time as stores keep it.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Microsecond) }
