package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"freelancer-matching/skills"
)

// Verdicts keeps what a language model says of unknown words, and counts the words that accounts have it judge.
type Verdicts struct{ db *DB }

var _ skills.VerdictStore = Verdicts{}

// Verdicts is the verdicts on unknown words.
func (db *DB) Verdicts() Verdicts { return Verdicts{db} }

const verdictColumns = "word_key, word, kind, name, category, near, confidence, made_by, asked, judged, last_asked, expires"

func scanVerdict(r row) (k skills.KeptVerdict, err error) {
	var near string
	err = r.Scan(&k.Key, &k.Word, &k.Kind, &k.Name, &k.Category, &near, &k.Confidence, &k.By, &k.Asked,
		moment{&k.Judged}, moment{&k.LastAsked}, moment{&k.Expires})
	k.Near = strings.Fields(near)
	return k, err
}

// Verdict is the one on a word that has not expired, and counts that it was asked for. skills.ErrNoVerdict.
func (v Verdicts) Verdict(ctx context.Context, key string, at time.Time) (skills.Verdict, error) {
	k, err := scanVerdict(v.db.pools.Write.QueryRowContext(ctx,
		"UPDATE skill_verdicts SET asked = asked + 1, last_asked = $2 WHERE word_key = $1 AND expires > $2 RETURNING "+verdictColumns,
		key, moment{&at}))
	if errors.Is(err, sql.ErrNoRows) {
		return skills.Verdict{}, skills.ErrNoVerdict
	}
	if err != nil {
		return skills.Verdict{}, fmt.Errorf("find a verdict: %w", answered(err))
	}
	return k.Verdict, nil
}

// KeepVerdict adds a verdict, or replaces that on the same word, which goes on to be counted.
func (v Verdicts) KeepVerdict(ctx context.Context, key string, verdict skills.Verdict, at, expires time.Time) error {
	_, err := v.db.pools.Write.ExecContext(ctx, `
		INSERT INTO skill_verdicts (`+verdictColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $9, $10)
		ON CONFLICT (word_key) DO UPDATE SET
			word = excluded.word, kind = excluded.kind, name = excluded.name, category = excluded.category, near = excluded.near,
			confidence = excluded.confidence, made_by = excluded.made_by, asked = skill_verdicts.asked + 1, judged = excluded.judged,
			last_asked = excluded.last_asked, expires = excluded.expires`,
		key, verdict.Word, verdict.Kind, verdict.Name, verdict.Category, strings.Join(verdict.Near, " "), verdict.Confidence, verdict.By,
		moment{&at}, moment{&expires})
	if err != nil {
		return fmt.Errorf("keep a verdict: %w", answered(err))
	}
	return nil
}

// TakeWord counts a word of an account's day. skills.ErrUsedUp.
func (v Verdicts) TakeWord(ctx context.Context, account, day string, limit int) error {
	result, err := v.db.pools.Write.ExecContext(ctx, `
		INSERT INTO llm_days (account, day, tokens, words) VALUES ($1, $2, 0, 1)
		ON CONFLICT (account, day) DO UPDATE SET words = llm_days.words + 1 WHERE llm_days.words < $3`, account, day, limit)
	if err := one(result, err, skills.ErrUsedUp); err != nil {
		return fmt.Errorf("count a word of %s: %w", account, answered(err))
	}
	return nil
}

// List is the verdicts that have not expired, those that were asked for most often first.
func (v Verdicts) List(ctx context.Context, at time.Time) ([]skills.KeptVerdict, error) {
	all, err := list(ctx, v.db.pools.Read, scanVerdict,
		"SELECT "+verdictColumns+" FROM skill_verdicts WHERE expires > $1 ORDER BY asked DESC, word_key", moment{&at})
	if err != nil {
		return nil, fmt.Errorf("list the verdicts: %w", err)
	}
	return all, nil
}

// DeleteExpired forgets the verdicts that have expired at a moment.
func (v Verdicts) DeleteExpired(ctx context.Context, at time.Time) error {
	if _, err := v.db.pools.Write.ExecContext(ctx, "DELETE FROM skill_verdicts WHERE expires <= $1", moment{&at}); err != nil {
		return fmt.Errorf("delete expired verdicts: %w", answered(err))
	}
	return nil
}
