package config

import (
	"errors"
	"fmt"
	"time"
)

// longestLLM is the longest that a model may take: an interview takes three seconds more at most, and clients of the older service
// give up after 30.
const longestLLM = 25 * time.Second

// LLM names a language model for interviews; without URL there is none, and the question bank asks and counts.
type LLM struct {
	URL         string        // base of an OpenAI-compatible API, such as http://127.0.0.1:11434/v1
	Key         string        // sent as bearer token; "" for none
	Model       string        // as the server names it
	Timeout     time.Duration // for all that the model does for one request; then it is done offline
	Concurrency int           // calls at once, open streams included; more wait
	TokensADay  int           // of one account; 0: no bound
	WordsADay   int           // unknown words that the model judges for one account; 0: none
}

// On reports whether a model is named.
func (l LLM) On() bool { return l.URL != "" }

// validate leaves to the client of the API what only that can judge: the form of the URL, of the key.
func (l *LLM) validate() error {
	var faults []error
	if l.On() && l.Model == "" {
		faults = append(faults, errors.New("llm-url needs llm-model, the model's name as that server knows it"))
	}
	if !l.On() && (l.Key != "" || l.Model != "") {
		faults = append(faults, errors.New("llm-key-file and llm-model are for a language model: name its server with llm-url, or leave them out"))
	}
	if l.Timeout <= 0 || l.Timeout > longestLLM {
		faults = append(faults, fmt.Errorf("llm-timeout is %s, must be over 0 and at most %s", l.Timeout, longestLLM))
	}
	if l.Concurrency < 1 {
		faults = append(faults, fmt.Errorf("llm-concurrency is %d, must be at least 1", l.Concurrency))
	}
	if l.TokensADay < 0 {
		faults = append(faults, fmt.Errorf("llm-tokens-a-day is %d, must not be negative; 0 is no bound", l.TokensADay))
	}
	if l.WordsADay < 0 {
		faults = append(faults, fmt.Errorf("llm-words-a-day is %d, must not be negative; 0 lets the model judge no words", l.WordsADay))
	}
	return errors.Join(faults...)
}
