package app

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"freelancer-matching/internal/config"
	"freelancer-matching/llm"
	"freelancer-matching/skills"
	"freelancer-matching/store"
	"freelancer-matching/taxonomy"
)

// LoadTaxonomy is the taxonomy of the program with the operator's own skills, where a file of them is named.
func LoadTaxonomy(skillsFile string) (*taxonomy.Taxonomy, error) {
	t, err := taxonomy.Load()
	if err != nil {
		return nil, fmt.Errorf("load the skill taxonomy: %w", err)
	}
	if skillsFile == "" {
		return t, nil
	}
	file, err := os.ReadFile(skillsFile)
	if err != nil {
		return nil, fmt.Errorf("read the own skills: %w", err)
	}
	own, err := taxonomy.ParseOwn(file)
	if err == nil {
		t, err = t.With(own)
	}
	if err != nil {
		return nil, fmt.Errorf("the own skills in %s are refused:\n%w", skillsFile, err)
	}
	return t, nil
}

// openVerdicts is what words mean by the word of a model, for those that neither the taxonomy nor the index know.
func openVerdicts(
	chat *llm.Chat, filter llm.InstructionFilter, t *taxonomy.Taxonomy, db *store.DB, c config.LLM, log *slog.Logger,
) (*skills.Verdicts, error) {
	j, err := llm.NewSkillJudge(chat, filter, t)
	if err != nil {
		return nil, err
	}
	return skills.NewVerdicts(skills.VerdictsConfig{
		Judge: j, Store: db.Verdicts(), PerDay: c.WordsADay, Now: time.Now, Log: log,
	}), nil
}
