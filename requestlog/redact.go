package requestlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/llm/sanitize"
)

// Limits of the parts of a body. What is beyond them is left out, and the note of the body says so.
const (
	maxElements = 20   // of a list
	maxText     = 4000 // bytes
	maxDepth    = 64
)

// The texts that take the place of secrets.
const (
	redactedSecret = "[secret]"
	redactedKey    = "[API key]"
)

// The notes of bodies.
const (
	noteShortened = "Lists have their first 20 elements and texts their first 4,000 bytes."
	noteTooLarge  = "The body is too large to be kept."
	noteNoJSON    = "The body isn't JSON, so it isn't kept."
)

// RedactBody returns a body of JSON without contact details and secrets, in the order of its members. Long lists and
// texts are shortened.
func RedactBody(data []byte) Body {
	if len(bytes.TrimSpace(data)) == 0 {
		return Body{}
	}

	r := redactor{decoder: json.NewDecoder(bytes.NewReader(data))}
	r.decoder.UseNumber()
	if err := r.value("", 0); err != nil {
		return Body{Note: noteNoJSON}
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return Body{Note: noteNoJSON}
	}

	body := Body{JSON: r.out.Bytes()}
	if r.shortened {
		body.Note = noteShortened
	}
	if len(body.JSON) > MaxBody {
		return Body{Note: noteTooLarge}
	}
	return body
}

// RedactText returns a text without contact details and API keys, shortened to maxText bytes.
func RedactText(text string) string {
	text = withoutKeys(sanitize.Redact([]string{text}, nil)[0])
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// withoutKeys replaces the API keys in a text.
func withoutKeys(text string) string {
	isPart := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isPart(r) }) {
		if _, err := apikey.Parse(word); err == nil {
			text = strings.ReplaceAll(text, word, redactedKey)
		}
	}
	return text
}

// isSecret reports whether the member of an object with a name is a secret.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"secret", "password", "api_key", "apikey", "authorization"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "token" || strings.HasSuffix(name, "_token")
}

// isID reports whether the member of an object with a name has IDs of freelancers. They stay as they are, even if they
// look like an address, because people are found by them when they are erased.
func isID(name string) bool {
	switch name {
	case "id", "ids", "exclude_ids", "freelancer_id", "freelancer_ids":
		return true
	default:
		return false
	}
}

// redactedValue returns what is kept of the value of a parameter.
func redactedValue(name, value string) string {
	switch {
	case isSecret(name):
		return redactedSecret
	case isID(name):
		return withoutKeys(value)
	default:
		return RedactText(value)
	}
}

// A redactor copies a value of JSON. It reads tokens, because members of a decoded map would lose their order.
type redactor struct {
	decoder   *json.Decoder
	out       bytes.Buffer
	shortened bool
}

var errTooDeep = errors.New("nested too deeply")

// value copies the next value, which is the member of an object with a name, or has none.
func (r *redactor) value(name string, depth int) error {
	token, err := r.decoder.Token()
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return errTooDeep
	}

	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return r.object(depth + 1)
		}
		return r.list(name, depth+1)
	case string:
		r.text(r.redacted(name, t))
	case json.Number:
		if isSecret(name) {
			r.text(redactedSecret)
			break
		}
		r.out.WriteString(t.String())
	case bool:
		r.out.WriteString(strconv.FormatBool(t))
	default:
		r.out.WriteString("null")
	}

	return nil
}

// redacted returns what is kept of a text.
func (r *redactor) redacted(name, text string) string {
	if isSecret(name) && text != "" {
		return redactedSecret
	}
	if isID(name) {
		return withoutKeys(text)
	}
	if len(text) > maxText {
		r.shortened = true
	}
	return RedactText(text)
}

func (r *redactor) object(depth int) error {
	r.out.WriteByte('{')
	for first := true; r.decoder.More(); first = false {
		token, err := r.decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // the decoder accepts nothing else here

		if !first {
			r.out.WriteByte(',')
		}
		r.text(RedactText(name))
		r.out.WriteByte(':')
		if err := r.value(name, depth); err != nil {
			return err
		}
	}
	return r.end('}')
}

// list copies a list. Elements beyond maxElements are read and left out.
func (r *redactor) list(name string, depth int) error {
	r.out.WriteByte('[')
	for i := 0; r.decoder.More(); i++ {
		if i >= maxElements {
			r.shortened = true
			var skipped json.RawMessage
			if err := r.decoder.Decode(&skipped); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			r.out.WriteByte(',')
		}
		if err := r.value(name, depth); err != nil {
			return err
		}
	}
	return r.end(']')
}

// end reads and writes the end of an object or a list.
func (r *redactor) end(delimiter byte) error {
	if _, err := r.decoder.Token(); err != nil {
		return err
	}
	return r.out.WriteByte(delimiter)
}

// text writes a string. Characters of HTML stay as they are, because a search for a person looks for them that way.
func (r *redactor) text(text string) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "�")
	}
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // every string has an encoding
	r.out.Write(bytes.TrimSpace(quoted.Bytes()))
}
