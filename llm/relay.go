package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Relays and gateways send status 200 before they reach a model. If it fails then, they report the error in the body,
// or in an event of the stream.

// providerError is an error in a response with status 200.
type providerError struct {
	status  int // that the error states; 0: none
	code    string
	message string
	wait    time.Duration // that the error asks for; 0: none
}

func (e *providerError) Error() string { return e.message }

// findProviderError returns the error in a response, or in an event of a stream, or nil. A response without choices is
// an error; an event without choices may be one that reports the usage.
func findProviderError(body []byte, isEvent bool) *providerError {
	var response struct {
		Error   any
		Choices []struct{ Error any }
		Message string
	}
	isJSON := json.Unmarshal(body, &response) == nil
	if !isJSON {
		return nil
	}

	for _, choice := range response.Choices {
		if e := newProviderError(choice.Error); e != nil {
			return e
		}
	}
	if e := newProviderError(response.Error); e != nil {
		return e
	}

	isEmpty := response.Choices == nil && (!isEvent || response.Message != "")
	if !isEmpty {
		return nil
	}
	var members map[string]any
	_ = json.Unmarshal(body, &members) // it is an object
	return describeError(members)
}

// newProviderError returns the error that a member "error" states, or nil if it states none.
func newProviderError(value any) *providerError {
	switch value := value.(type) {
	case string:
		if value != "" {
			return &providerError{message: value, wait: statedWait(value)}
		}
	case map[string]any:
		if len(value) > 0 {
			return describeError(value)
		}
	}
	return nil
}

// describeError returns the error with these members, which differ from relay to relay.
func describeError(members map[string]any) *providerError {
	e := &providerError{}
	e.message, _ = members["message"].(string)
	e.code, _ = members["code"].(string)
	kind, _ := members["type"].(string)

	for _, name := range []string{"code", "status", "status_code"} {
		if status := httpStatus(members[name]); status != 0 && e.status == 0 {
			e.status = status
		}
	}
	isRateLimit := strings.Contains(e.code+kind, "rate_limit")
	if e.status == 0 && isRateLimit {
		e.status = http.StatusTooManyRequests
	}

	metadata, _ := members["metadata"].(map[string]any)
	for _, wait := range []any{members["retry_after"], metadata["retry_after"], metadata["retry_after_seconds"]} {
		if seconds, ok := wait.(float64); ok && seconds > 0 {
			e.wait = limitWait(seconds)
		}
	}
	if e.wait == 0 {
		e.wait = statedWait(e.message)
	}

	return e
}

// httpStatus returns a status from 400 to 599, given as a number or as a text, or 0.
func httpStatus(value any) int {
	number, _ := value.(float64)
	status := int(number)
	if text, ok := value.(string); ok {
		status, _ = strconv.Atoi(text)
	}
	if status < http.StatusBadRequest || status > 599 {
		return 0
	}
	return status
}

// waitPattern matches a wait in a message: "try again in 1.5s", "retry after 20 seconds".
var waitPattern = regexp.MustCompile(
	`(?i)\b(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s|m|sec|seconds?|min|minutes?)\b`)

// statedWait returns the wait that a message asks for, or 0.
func statedWait(message string) time.Duration {
	match := waitPattern.FindStringSubmatch(message)
	if match == nil {
		return 0
	}

	number, _ := strconv.ParseFloat(match[1], 64) // digits
	switch unit := strings.ToLower(match[2]); {
	case unit == "ms":
		number /= 1000
	case strings.HasPrefix(unit, "m"):
		number *= 60
	}

	return limitWait(number)
}

// limitWait returns a number of seconds as a duration of at most a day.
func limitWait(seconds float64) time.Duration {
	return time.Duration(min(seconds, 24*60*60) * float64(time.Second))
}

// eventBody is the body of a stream of events. Reading it fails at an event with an error, which go-openai recognizes
// only in one of its forms. It remembers whether the stream was complete.
type eventBody struct {
	io.Closer
	lines  *bufio.Reader
	unread []byte
	isDone bool // the last line with a text is [DONE]
}

func newEventBody(body io.ReadCloser) *eventBody {
	return &eventBody{Closer: body, lines: bufio.NewReader(body)}
}

func (b *eventBody) Read(p []byte) (int, error) {
	if len(b.unread) == 0 {
		line, err := b.lines.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err // the reader returns the error of a line without an end again
		}

		if data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:")); ok {
			b.isDone = string(bytes.TrimSpace(data)) == "[DONE]"
			if e := findProviderError(data, true); e != nil {
				return 0, e
			}
		} else if len(bytes.TrimSpace(line)) > 0 {
			b.isDone = false
		}
		b.unread = line
	}

	n := copy(p, b.unread)
	b.unread = b.unread[n:]
	return n, nil
}
