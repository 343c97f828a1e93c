package llm

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// format is a way to ask for JSON. The strictest comes first.
type format int

const (
	strictSchema format = iota
	looseSchema         // the schema without bounds, which some strict modes don't support
	anyObject
	plainText
)

func (f format) String() string {
	return [...]string{"JSON schema", "JSON schema without bounds", "JSON object", "plain text"}[f]
}

// Two fields of a request limit a reply. Ollama, vLLM, llama.cpp and OpenAI's older models know the first; OpenAI's
// newer models require the second.
const (
	maxTokensField           = "max_tokens"
	maxCompletionTokensField = "max_completion_tokens"
)

// dialect is what a server is known to support.
type dialect struct {
	format              format
	showSchema          bool // put the schema into the instructions, because the server doesn't enforce it
	maxCompletionTokens bool // use maxCompletionTokensField
	noTemperature       bool
	noSeed              bool
	noUsage             bool // in streams
	noStream            bool
}

// without returns the dialect that avoids the field that an error message rejects. It returns false if the message
// names no such field.
func (d dialect) without(message string, streamed bool) (dialect, bool) {
	isSign := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(message), isSign), " ") + " "
	names := func(phrases ...string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(words, " "+phrase+" ") })
	}

	// A message about too many tokens rejects the value of the field, not the field.
	isTooLarge := names("too large", "too long", "maximum context", "context length", "at most")
	namesTokens := !isTooLarge && names(maxTokensField, maxCompletionTokensField)

	// llama.cpp turns a schema into a grammar, and rejects grammars with too many repetitions.
	namesFormat := names("response_format", "response format")
	namesGrammar := names("grammar")
	namesStrict := namesGrammar || names("schema for response_format", "schema for response format")
	namesSchema := namesGrammar || namesFormat || names("json_schema", "json schema")

	// A field that has been given up already can't be what the server rejects, so a later case applies.
	switch {
	case streamed && !d.noUsage && names("stream_options", "include_usage"):
		d.noUsage = true
	case !d.maxCompletionTokens && namesTokens:
		d.maxCompletionTokens = true
	case d.format == strictSchema && namesStrict:
		d.format = looseSchema
	case d.format < anyObject && namesSchema:
		d.format = anyObject
	case d.format == anyObject && (namesFormat || names("json_object")):
		d.format = plainText
	case !d.noTemperature && names("temperature"):
		d.noTemperature = true
	case !d.noSeed && names("seed"):
		d.noSeed = true
	case streamed && !d.noStream && names("stream", "streaming"):
		d.noStream = true
	default:
		return d, false
	}

	return d, true
}

// dialectLearner adapts the dialect of a server to its error messages. It is safe for concurrent use.
type dialectLearner struct {
	mu      sync.Mutex
	current dialect
	log     *slog.Logger
}

func (l *dialectLearner) dialect() dialect {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// learn adapts to the error message that a request in the used dialect caused. It reports whether there is another
// dialect to try, perhaps one that a concurrent task has just learned.
func (l *dialectLearner) learn(used dialect, message string, streamed bool) bool {
	if next, ok := used.without(message, streamed); ok {
		l.change(used, next)
		return true
	}
	return l.dialect() != used
}

// change replaces one dialect by another, unless a concurrent task has replaced it already.
func (l *dialectLearner) change(from, to dialect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != from || from == to {
		return
	}
	l.current = to
	l.log.Warn("model server rejects part of a request; adapting",
		"reply", to.format, "show_schema", to.showSchema, "max_completion_tokens", to.maxCompletionTokens,
		"temperature", !to.noTemperature, "seed", !to.noSeed, "stream", !to.noStream, "stream_usage", !to.noUsage)
}
