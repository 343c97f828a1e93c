package app

import (
	"log/slog"
	"time"

	"freelancer-matching/internal/config"
	"freelancer-matching/llm"
	"freelancer-matching/llm/skilljudge"
	"freelancer-matching/skills"
	"freelancer-matching/store"
	"freelancer-matching/taxonomy"
)

// openVerdicts returns the service that asks the language model about keywords found neither in the taxonomy nor in the
// index.
func openVerdicts(
	chat *llm.Chat, t *taxonomy.Taxonomy, db *store.DB, c config.LLM, log *slog.Logger,
) (*skills.Verdicts, error) {
	j, err := skilljudge.New(chat, t)
	if err != nil {
		return nil, err
	}
	return skills.NewVerdicts(skills.VerdictsConfig{
		Judge: j, Store: db.Verdicts, PerDay: c.WordsADay, Now: time.Now, Log: log,
	}), nil
}
