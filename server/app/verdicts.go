package app

import (
	"log/slog"
	"time"

	"freelancer-matching/internal/config"
	"freelancer-matching/llm"
	"freelancer-matching/skills"
	"freelancer-matching/store"
	"freelancer-matching/taxonomy"
)

// openVerdicts is what words mean by the word of a model, for those that neither the taxonomy nor the index know.
func openVerdicts(
	chat *llm.Chat, t *taxonomy.Taxonomy, db *store.DB, c config.LLM, log *slog.Logger,
) (*skills.Verdicts, error) {
	j, err := llm.NewSkillJudge(chat, t)
	if err != nil {
		return nil, err
	}
	return skills.NewVerdicts(skills.VerdictsConfig{
		Judge: j, Store: db.Verdicts(), PerDay: c.WordsADay, Now: time.Now, Log: log,
	}), nil
}
