package interview

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/taxonomy"
	"freelancer-matching/webhook"
)

// The error codes of this package. Service also returns matching.CodeInvalid and matching.CodeFreelancerUnknown.
const (
	CodeSessionNotFound matching.Code = "session_not_found"    // 404: no such session in this account, or it expired
	CodeSessionClosed   matching.Code = "session_closed"       // 409: the session is evaluated and accepts no more answers
	CodeSessionOpen     matching.Code = "session_open"         // 409: the session is not evaluated yet
	CodeSessionChanged  matching.Code = "session_changed"      // 409: another request changed the session at the same time
	CodeTooManySessions matching.Code = "too_many_sessions"    // 409: the account has as many sessions as it may
	CodeStorageFull     matching.Code = "interviews_full"      // 409: the account's sessions take too much space
	CodeIdempotency     matching.Code = "idempotency_conflict" // 409: the key belongs to another request, or is in use
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
	Store       Store
	Freelancers Freelancers
	Skills      Skills
	Analyzer    *analysis.Analyzer // detects the language of a project description
	// Askers and Judges are in order of preference: if one fails, the next one replaces it, and the result says so. The
	// last of each needs no model and may use all of the request's time. Those before it share ModelTimeout.
	Askers []Asker
	Judges []Judge
	Now    func() time.Time
	Log    *slog.Logger

	Webhooks webhook.Allowed // endpoints without a public address; default: none
	Notify   func()          // called when a message to a webhook was stored; default: nothing

	ModelTimeout time.Duration // default: 20 s, so that clients with a timeout of 30 s get a result
	Parallel     int           // answers of one request judged in parallel; default: 4
	MaxQuestions int           // generated questions in a session; default and maximum: the constant MaxQuestions
	Lifetime     time.Duration // of a session after its start, and again after its evaluation; default: 30 days
}

// A Service conducts interviews. It is safe for concurrent use, and several processes can share one Store.
type Service struct {
	config Config
	wake   chan struct{} // has an element if candidates have submitted answers since Run last looked
	turns  turns         // of candidates of adaptive interviews, by session
}

// NewService returns a service with configuration c.
func NewService(c Config) *Service {
	c.ModelTimeout = cmp.Or(c.ModelTimeout, 20*time.Second)
	c.Parallel = cmp.Or(c.Parallel, 4)
	c.MaxQuestions = cmp.Or(c.MaxQuestions, MaxQuestions)
	c.Lifetime = cmp.Or(c.Lifetime, 30*24*time.Hour)
	if c.Notify == nil {
		c.Notify = func() {}
	}
	return &Service{config: c, wake: make(chan struct{}, 1)}
}

// now returns the current time with the precision and in the time zone that stores keep.
func (s *Service) now() time.Time { return s.config.Now().UTC().Truncate(time.Microsecond) }
