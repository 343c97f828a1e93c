package store

import (
	"context"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Verdicts stores what a language model says about unknown words, and counts the words that accounts have it judge.
type Verdicts struct{ db *sqldb.DB }

var _ skills.VerdictStore = Verdicts{}

const verdictColumnNames = `
	word_key, word, kind, name, category, near, confidence, made_by, asked, judged, last_asked, expires`

func verdictColumns(k *skills.KeptVerdict) []any {
	return []any{
		&k.Key, &k.Word, &k.Kind, &k.Name, &k.Category,
		column.Words(&k.Near),
		&k.Confidence, &k.By, &k.Asked,
		column.Time(&k.Judged),
		column.Time(&k.LastAsked),
		column.Time(&k.Expires),
	}
}

// Verdict implements skills.VerdictStore. While the database cannot be written, it does not count the request.
func (v Verdicts) Verdict(ctx context.Context, key string, at time.Time) (skills.Verdict, error) {
	row := v.db.Pools.Write.QueryRowContext(ctx, `
		UPDATE skill_verdicts SET asked = asked + 1, last_asked = $2
		WHERE word_key = $1 AND expires > $2 RETURNING `+verdictColumnNames, key, column.Time(&at))
	k, err := sqldb.ScanOne(row, verdictColumns, skills.ErrNoVerdict)
	if v.db.Note(err) != nil && matching.CodeOf(err).IsDatabaseFault() {
		row = v.db.Pools.Read.QueryRowContext(ctx,
			"SELECT "+verdictColumnNames+" FROM skill_verdicts WHERE word_key = $1 AND expires > $2", key, column.Time(&at))
		k, err = sqldb.ScanOne(row, verdictColumns, skills.ErrNoVerdict)
	}
	if err != nil {
		return skills.Verdict{}, fmt.Errorf("find verdict: %w", err)
	}
	return k.Verdict, nil
}

// KeepVerdict implements skills.VerdictStore. A new verdict on a word keeps the count of the previous one.
func (v Verdicts) KeepVerdict(ctx context.Context, key string, verdict skills.Verdict, at, expires time.Time) error {
	kept := skills.KeptVerdict{Verdict: verdict, Key: key, Asked: 1, Judged: at, LastAsked: at, Expires: expires}
	return v.db.Exec(ctx, "keep verdict", `
		INSERT INTO skill_verdicts (`+verdictColumnNames+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (word_key) DO UPDATE SET
			word = excluded.word, kind = excluded.kind, name = excluded.name, category = excluded.category,
			near = excluded.near, confidence = excluded.confidence, made_by = excluded.made_by,
			asked = skill_verdicts.asked + 1, judged = excluded.judged, last_asked = excluded.last_asked,
			expires = excluded.expires`, verdictColumns(&kept)...)
}

// TakeWord implements skills.VerdictStore.
func (v Verdicts) TakeWord(ctx context.Context, account, day string, limit int) error {
	return v.db.ExecOne(ctx, "count word of "+account, skills.ErrUsedUp, `
		INSERT INTO llm_days (account, day, tokens, words) VALUES ($1, $2, 0, 1)
		ON CONFLICT (account, day) DO UPDATE SET words = llm_days.words + 1 WHERE llm_days.words < $3`, account, day, limit)
}

// List returns the verdicts that have not expired at a time, those asked for most often first.
func (v Verdicts) List(ctx context.Context, at time.Time) ([]skills.KeptVerdict, error) {
	verdicts, err := sqldb.SelectAll(ctx, v.db.Pools.Read, verdictColumns,
		"SELECT "+verdictColumnNames+" FROM skill_verdicts WHERE expires > $1 ORDER BY asked DESC, word_key",
		column.Time(&at))
	if err != nil {
		return nil, fmt.Errorf("list verdicts: %w", err)
	}
	return verdicts, nil
}

// Delete deletes the verdict on the word with a key, if there is one.
func (v Verdicts) Delete(ctx context.Context, key string) error {
	return v.db.Exec(ctx, "delete verdict", "DELETE FROM skill_verdicts WHERE word_key = $1", key)
}

// DeleteExpired deletes verdicts that expire at or before a time.
func (v Verdicts) DeleteExpired(ctx context.Context, at time.Time) error {
	return v.db.Exec(ctx, "delete expired verdicts", "DELETE FROM skill_verdicts WHERE expires <= $1", column.Time(&at))
}
