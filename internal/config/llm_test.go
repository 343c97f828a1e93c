package config_test

import (
	"strings"
	"testing"
	"time"

	"freelancer-matching/internal/config"
)

func TestValidate_LLM(t *testing.T) {
	tests := []struct {
		name   string
		change func(*config.LLM)
		want   string // "": no fault
	}{
		{"complete", func(*config.LLM) {}, ""},
		{"with key, without a bound", func(l *config.LLM) { l.Key, l.TokensADay = "secret", 0 }, ""},
		{"nothing but the defaults", func(l *config.LLM) { *l = config.Default().LLM }, ""},
		{"no model", func(l *config.LLM) { l.Model = "" }, "llm-url needs llm-model"},
		{"only a model", func(l *config.LLM) { l.URL = "" }, "name its server with llm-url"},
		{"only a key", func(l *config.LLM) { *l = config.Default().LLM; l.Key = "secret" }, "name its server with llm-url"},
		{"no time", func(l *config.LLM) { l.Timeout = 0 }, "llm-timeout is 0s"},
		{"more time than an interview has", func(l *config.LLM) { l.Timeout = time.Minute }, "at most 25s"},
		{"no call", func(l *config.LLM) { l.Concurrency = 0 }, "llm-concurrency is 0"},
		{"less than no words", func(l *config.LLM) { l.WordsADay = -1 }, "llm-words-a-day is -1"},
		{"less than no tokens", func(l *config.LLM) { l.TokensADay = -1 }, "llm-tokens-a-day is -1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := config.Default()
			c.LLM.URL, c.LLM.Model = "http://127.0.0.1:1/v1", "m"
			test.change(&c.LLM)
			err := c.Validate()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the key is told: %v", err)
			}
		})
	}
}
