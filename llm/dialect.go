package llm

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// format is how a server is asked for JSON, the strictest first.
type format int

const (
	strictSchema format = iota
	looseSchema         // the same without bounds, which some strict modes do not know
	anyObject
	plainText
)

func (f format) String() string {
	return [...]string{"JSON schema", "JSON schema without bounds", "JSON object", "plain text"}[f]
}

// dialect is what a server takes, as far as it is known.
type dialect struct {
	format        format
	showSchema    bool // among the instructions: the server does not hold the model to a schema that it accepts
	tokens        TokenField
	tokensDecided bool
	noTemperature bool // the model has one of its own
	noSeed        bool
	noUsage       bool // of streams
	noStream      bool
}

// without is the dialect after a refusal in the given words, which name a field that is not taken. It is false where the
// words name none.
func (d dialect) without(words string, streamed bool) (dialect, bool) {
	words = " " + strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ") + " "
	has := func(phrases ...string) bool {
		return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(words, " "+phrase+" ") })
	}
	tooMany := has("too large", "too long", "maximum context", "context length", "at most") // of the field that was sent
	switch {
	case streamed && !d.noUsage && has("stream_options", "include_usage"):
		d.noUsage = true
	case !d.tokensDecided && !tooMany && has(string(MaxTokensField), string(MaxCompletionTokensField)):
		d.tokens, d.tokensDecided = MaxCompletionTokensField, true
	case d.format == strictSchema && has("schema for response_format", "schema for response format"):
		d.format = looseSchema
	case d.format < anyObject && has("response_format", "response format", "json_schema", "json schema", "grammar"):
		d.format = anyObject
	case d.format == anyObject && has("response_format", "response format", "json_object"):
		d.format = plainText
	case !d.noTemperature && has("temperature"):
		d.noTemperature = true
	case !d.noSeed && has("seed"):
		d.noSeed = true
	case streamed && !d.noStream && has("stream", "streaming"):
		d.noStream = true
	default:
		return d, false
	}
	return d, true
}

// knowledge is the dialect of a server while it is being learnt.
type knowledge struct {
	mu  sync.Mutex
	now dialect
	log *slog.Logger
}

func (k *knowledge) dialect() dialect {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// learn takes up what a refusal says of a request in the dialect spoken. It reports whether there is a better one to try:
// another task may have learnt it meanwhile.
func (k *knowledge) learn(spoken dialect, words string, streamed bool) bool {
	if next, ok := spoken.without(words, streamed); ok {
		k.change(spoken, next)
		return true
	}
	return k.dialect() != spoken
}

// change goes from one dialect to the next, unless it has been left meanwhile.
func (k *knowledge) change(from, to dialect) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now != from || from == to {
		return
	}
	k.now = to
	k.log.Warn("the model server does not take all of a request; it is asked otherwise from now on",
		"reply", to.format, "show_schema", to.showSchema, "tokens", string(to.tokens), "temperature", !to.noTemperature,
		"seed", !to.noSeed, "stream", !to.noStream, "stream_usage", !to.noUsage)
}
