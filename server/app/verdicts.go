package app

import (
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/skilljudge"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/taxonomy"
)

// openVerdicts returns the service that asks the language model about keywords found neither in the taxonomy nor in the
// index.
func openVerdicts(
	chat *llm.Chat, t *taxonomy.Taxonomy, db *store.DB, c config.LLM, now func() time.Time, log *slog.Logger,
) (*skills.Verdicts, error) {
	j, err := skilljudge.New(chat, t)
	if err != nil {
		return nil, err
	}
	return skills.NewVerdicts(skills.VerdictsConfig{
		Judge: j, Store: db.Verdicts, PerDay: c.WordsADay, Now: now, Log: log,
	}), nil
}
