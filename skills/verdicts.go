package skills

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Verdict is what a judge says about a word that neither the taxonomy nor the index knows.
type Verdict struct {
	Word       string   // as the client sent it
	Kind       string   // matching.TypeSkill, matching.TypeJobTitle, or "" for neither
	Name       string   // usual spelling, up to 100 characters; "" for neither
	Category   string   // category of the taxonomy, or ""
	Near       []string // ids of broader, narrower and nearly identical skills of the taxonomy
	Confidence float64  // confidence in Kind, greater than 0 and at most 1; 0 for neither
	By         string   // the model and the version of the prompt
}

// A Judge decides what words mean that neither the taxonomy nor the index knows.
type Judge interface {
	// Judge returns a verdict on a word and charges the account. It returns ErrUsedUp if the account has no budget left.
	Judge(ctx context.Context, account, word string) (Verdict, error)
}

// A VerdictStore stores verdicts and counts the words that a judge was asked about.
type VerdictStore interface {
	// Verdict returns the verdict on the word with the given key and increments its request count. It returns ErrNoVerdict
	// if there is none, or if it has expired at the given time.
	Verdict(ctx context.Context, key string, at time.Time) (Verdict, error)
	// KeepVerdict stores the verdict on the word with the given key until it expires, and replaces an earlier one.
	KeepVerdict(ctx context.Context, key string, v Verdict, at, expires time.Time) error
	// TakeWord counts a word that a judge is asked about for an account on a day, a UTC date such as 2026-01-31. If limit
	// words, at least 1, are counted already, it counts nothing and returns ErrUsedUp.
	TakeWord(ctx context.Context, account, day string, limit int) error
}

// Reasons for a missing verdict other than a failure.
var (
	ErrNoVerdict = errors.New("no verdict on the word")
	ErrUsedUp    = errors.New("the account's daily limit for verdicts is used up")
)

// A KeptVerdict is a verdict in a store.
type KeptVerdict struct {
	Verdict
	Key       string // taxonomy.Key of the word
	Asked     int    // number of requests, including the first
	Judged    time.Time
	LastAsked time.Time
	Expires   time.Time
}

const (
	verdictLife   = 30 * 24 * time.Hour
	unknownLife   = 7 * 24 * time.Hour // of a word that is neither; shorter, because it may become a skill
	judgeTimeout  = 5 * time.Second
	storeTimeout  = 2 * time.Second
	maxNameLength = 100 // characters
)

// VerdictsConfig configures Verdicts. All fields are required.
type VerdictsConfig struct {
	Judge  Judge
	Store  VerdictStore
	PerDay int // words per account and day that the judge is asked about; 0 for none
	Now    func() time.Time
	Log    *slog.Logger
}

// Verdicts returns verdicts and asks the judge as rarely as possible: it stores verdicts, lets simultaneous requests
// for the same word share one, and limits the words per account and day. It is safe for concurrent use.
type Verdicts struct {
	config VerdictsConfig
	asking singleflight.Group
}

// NewVerdicts returns Verdicts with the given configuration.
func NewVerdicts(c VerdictsConfig) *Verdicts { return &Verdicts{config: c} }

// get returns the verdict on a word. It returns ErrUsedUp if the account has reached its daily limit. Any other error
// is a failure of the judge or the store, which get has logged.
func (v *Verdicts) get(ctx context.Context, account, key, word string) (Verdict, error) {
	for {
		answer := v.asking.DoChan(key, func() (any, error) {
			// All waiting requests share the verdict, so one canceled request must not stop the judge.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), judgeTimeout)
			defer cancel()

			verdict, err := v.ask(ctx, account, key, word)
			if err != nil && !errors.Is(err, ErrUsedUp) {
				v.config.Log.WarnContext(ctx, "no verdict on an unknown word", "error", err)
			}
			return shared{verdict, account}, err
		})

		select {
		case r := <-answer:
			s, _ := r.Val.(shared)
			if errors.Is(r.Err, ErrUsedUp) && s.account != account {
				continue // another account asked first and reached its own limit
			}
			return s.Verdict, r.Err

		case <-ctx.Done():
			return Verdict{}, context.Cause(ctx)
		}
	}
}

// shared is a verdict with the account that was charged for it.
type shared struct {
	Verdict
	account string
}

// ask returns the stored verdict, or asks the judge for a new one and stores it.
func (v *Verdicts) ask(ctx context.Context, account, key, word string) (Verdict, error) {
	now := v.config.Now()
	stored, err := v.config.Store.Verdict(ctx, key, now)
	if !errors.Is(err, ErrNoVerdict) {
		return stored, err
	}
	if v.config.PerDay == 0 {
		return Verdict{}, ErrUsedUp
	}
	// The word is counted before the model is asked, so that parallel requests can't exceed the limit.
	if err := v.config.Store.TakeWord(ctx, account, now.UTC().Format(time.DateOnly), v.config.PerDay); err != nil {
		return Verdict{}, err
	}

	verdict, err := v.config.Judge.Judge(ctx, account, word)
	if err != nil {
		return Verdict{}, err
	}
	if verdict, err = verdict.checked(word); err != nil {
		return Verdict{}, err
	}

	life := verdictLife
	if verdict.Kind == "" {
		life = unknownLife
	}

	// The verdict is paid for, so it's stored even if the client has gone.
	storeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()

	now = v.config.Now()
	if err := v.config.Store.KeepVerdict(storeCtx, key, verdict, now, now.Add(life)); err != nil {
		v.config.Log.WarnContext(ctx, "verdict not stored", "error", err)
	}

	return verdict, nil
}

// checked returns a verdict on a word in normal form, or an error if the verdict is invalid.
func (v Verdict) checked(word string) (Verdict, error) {
	v.Word = word
	switch {
	case v.Kind == "":
		return Verdict{Word: word, By: v.By}, nil
	case v.Kind != matching.TypeSkill && v.Kind != matching.TypeJobTitle:
		return Verdict{}, fmt.Errorf("the verdict has the kind %q, want %s, %s or none",
			v.Kind, matching.TypeSkill, matching.TypeJobTitle)
	case !(v.Confidence > 0 && v.Confidence <= 1):
		return Verdict{}, fmt.Errorf("the verdict has the confidence %g, want more than 0 and at most 1", v.Confidence)
	}
	if v.Name = strings.Join(strings.Fields(v.Name), " "); v.Name == "" {
		v.Name = word
	}
	if n := utf8.RuneCountInString(v.Name); n > maxNameLength || strings.ContainsFunc(v.Name, unicode.IsControl) {
		return Verdict{}, fmt.Errorf("the verdict's name has %d characters, want at most %d and no control characters",
			n, maxNameLength)
	}
	return v, nil
}

// askJudge answers with the verdict on a word that nobody knows, or with the reason why there is none.
func (q *question) askJudge(ctx context.Context, verdicts *Verdicts, account string, v *matching.Verification) {
	verdict, err := verdicts.get(ctx, account, q.key, q.keyword)
	switch {
	case errors.Is(err, ErrUsedUp):
		v.NoVerdict = matching.Some(matching.NoVerdictLimit)
	case err != nil:
		v.NoVerdict = matching.Some(matching.NoVerdictFailed)
	case verdict.Kind == matching.TypeSkill:
		q.judgedSkill(verdict, v)
	case verdict.Kind == matching.TypeJobTitle:
		v.JobTitles = []string{verdict.Name}
		if title, known := q.service.taxonomy.JobTitle(verdict.Name); known {
			v.JobTitles = []string{title}
		}
	}
	if len(v.Skills) > 0 || len(v.JobTitles) > 0 {
		complete(v, matching.SourceLLM, verdict.Confidence)
	}
}

// judgedSkill answers with the skill that the verdict names, as the taxonomy spells it if it knows the skill.
func (q *question) judgedSkill(verdict Verdict, v *matching.Verification) {
	v.Skills = []string{verdict.Name}
	if s, known := q.service.taxonomy.Named(verdict.Name); known {
		v.Skills, v.Skill = []string{s.Name}, q.facts(s.ID)
		v.FreelancerCount = v.Skill.FreelancerCount
	}
}
