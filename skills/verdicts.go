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

	"freelancer-matching/internal/matching"
)

// Verdict is what a judge says of a word that neither taxonomy nor index know.
type Verdict struct {
	Word       string   // as it was asked about
	Kind       string   // TypeSkill, TypeJobTitle, or "" for neither
	Name       string   // as professionals write it, up to 100 characters; "" of neither
	Category   string   // of the taxonomy; "" where it is in none
	Near       []string // ids of skills of the taxonomy that are a kind of it, or it of them, or nearly the same
	Confidence float64  // in Kind, over 0 to 1; 0 of neither
	By         string   // the model, and the version of what it was asked
}

// Judge says what words mean that neither taxonomy nor index know.
type Judge interface {
	// Judge is asked for an account, which pays for the answer: ErrUsedUp where it has nothing left to pay with.
	Judge(ctx context.Context, account, word string) (Verdict, error)
}

// VerdictStore keeps verdicts, and counts the words that a judge was asked about.
type VerdictStore interface {
	// Verdict is the verdict on the word with a key that has not expired at a moment, and counts that it was asked for. It is
	// ErrNoVerdict where there is none.
	Verdict(ctx context.Context, key string, at time.Time) (Verdict, error)
	// KeepVerdict keeps the verdict on the word with a key from a moment until it expires, in place of an earlier one.
	KeepVerdict(ctx context.Context, key string, v Verdict, at, expires time.Time) error
	// TakeWord counts a word that a judge is asked about for an account on a day, a date in UTC such as 2026-01-31. It is
	// ErrUsedUp, and counts nothing, where as many as limit, at least 1, are counted already.
	TakeWord(ctx context.Context, account, day string, limit int) error
}

// Why there is no verdict though nothing failed.
var (
	ErrNoVerdict = errors.New("there is no verdict on the word")
	ErrUsedUp    = errors.New("the account has used up what it may have judged in a day")
)

// KeptVerdict is a verdict in a store.
type KeptVerdict struct {
	Verdict
	Key       string // of the word, as package taxonomy makes it
	Asked     int    // how often, together with the first time
	Judged    time.Time
	LastAsked time.Time
	Expires   time.Time
}

const (
	verdictLife  = 30 * 24 * time.Hour
	neitherLife  = 7 * 24 * time.Hour // shorter: a word of today may be a skill of tomorrow
	judgeTimeout = 5 * time.Second
	keepTimeout  = 2 * time.Second
	longestName  = 100 // characters
)

// VerdictsConfig is what Verdicts are made of. All must be set.
type VerdictsConfig struct {
	Judge  Judge
	Store  VerdictStore
	PerDay int // words that the judge is asked about in a day for each account; 0: none
	Now    func() time.Time
	Log    *slog.Logger
}

// Verdicts asks a judge as little as it can: a verdict is kept, those who want the same one at the same moment share it, and
// an account can have so many words judged in a day. It is safe for concurrent use.
type Verdicts struct {
	config VerdictsConfig
	asking singleflight.Group
}

// NewVerdicts is Verdicts that has asked for nothing yet.
func NewVerdicts(c VerdictsConfig) *Verdicts { return &Verdicts{config: c} }

// of is the verdict on a word. ErrUsedUp where the account has used its words of the day; any other error is a failure of the
// judge or the store, of which the log tells.
func (v *Verdicts) of(ctx context.Context, account, key, word string) (Verdict, error) {
	for {
		asked := v.asking.DoChan(key, func() (any, error) {
			// Not with ctx: the verdict is for all who ask.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), judgeTimeout)
			defer cancel()
			verdict, err := v.ask(ctx, account, key, word)
			if err != nil && !errors.Is(err, ErrUsedUp) {
				v.config.Log.WarnContext(ctx, "no verdict on an unknown word", "error", err)
			}
			return shared{verdict, account}, err
		})
		select {
		case r := <-asked:
			s, _ := r.Val.(shared)
			if errors.Is(r.Err, ErrUsedUp) && s.account != account {
				continue // it was another account that has none left
			}
			return s.Verdict, r.Err
		case <-ctx.Done():
			return Verdict{}, context.Cause(ctx)
		}
	}
}

// shared is a verdict, and the account that asked for all.
type shared struct {
	Verdict
	account string
}

// ask is the verdict that is kept, or a new one.
func (v *Verdicts) ask(ctx context.Context, account, key, word string) (Verdict, error) {
	now := v.config.Now()
	kept, err := v.config.Store.Verdict(ctx, key, now)
	if !errors.Is(err, ErrNoVerdict) {
		return kept, err
	}
	if v.config.PerDay == 0 {
		return Verdict{}, ErrUsedUp
	}
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
		life = neitherLife
	}
	keeping, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	now = v.config.Now()
	if err := v.config.Store.KeepVerdict(keeping, key, verdict, now, now.Add(life)); err != nil {
		v.config.Log.WarnContext(ctx, "a verdict is not kept, and will be asked for again", "error", err)
	}
	return verdict, nil
}

// checked is a verdict on a word in its usual form. It fails where it is none.
func (v Verdict) checked(word string) (Verdict, error) {
	v.Word = word
	switch {
	case v.Kind == "":
		return Verdict{Word: word, By: v.By}, nil
	case v.Kind != matching.TypeSkill && v.Kind != matching.TypeJobTitle:
		return Verdict{}, fmt.Errorf("the verdict is of kind %q; want %s, %s or none",
			v.Kind, matching.TypeSkill, matching.TypeJobTitle)
	case !(v.Confidence > 0 && v.Confidence <= 1):
		return Verdict{}, fmt.Errorf("the verdict has the confidence %g, want over 0 to 1", v.Confidence)
	}
	if v.Name = strings.Join(strings.Fields(v.Name), " "); v.Name == "" {
		v.Name = word
	}
	if n := utf8.RuneCountInString(v.Name); n > longestName || strings.ContainsFunc(v.Name, unicode.IsControl) {
		return Verdict{}, fmt.Errorf("the verdict has a name of %d characters, want up to %d, all of them visible", n, longestName)
	}
	return v, nil
}

// judged answers with the verdict on a word that nobody knows, or with why there is none.
func (q *question) judged(ctx context.Context, verdicts *Verdicts, account string, v *matching.Verification) {
	verdict, err := verdicts.of(ctx, account, q.key, q.keyword)
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
		found(v, matching.SourceLLM, verdict.Confidence)
	}
}

// judgedSkill answers with the skill that the verdict names, which the taxonomy may know by that name.
func (q *question) judgedSkill(verdict Verdict, v *matching.Verification) {
	v.Skills = []string{verdict.Name}
	if s, known := q.service.taxonomy.Named(verdict.Name); known {
		v.Skills, v.Skill = []string{s.Name}, q.facts(s.ID)
		v.FreelancerCount = v.Skill.FreelancerCount
	}
}
