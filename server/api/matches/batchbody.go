package matches

import (
	"bytes"
	"encoding/json"

	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
)

// splitBatch returns the JSON of each brief in a batch. The briefs are decoded one by one, when they run, so that they
// don't fill the memory.
func splitBatch(body receive.Body) ([]json.RawMessage, error) {
	if body.Err != nil {
		return nil, body.Err
	}
	if err := strictjson.Check(body.Data); err != nil {
		return nil, err
	}
	s := batchSplitter{text: body.Data, decoder: json.NewDecoder(bytes.NewReader(body.Data))}
	s.split()
	return s.briefs, s.faults.Err()
}

// A batchSplitter reads the body of a batch, which is valid JSON.
type batchSplitter struct {
	text    []byte
	decoder *json.Decoder
	faults  validate.Faults
	briefs  []json.RawMessage
	value   json.RawMessage // the last one read; its memory is used again
}

// next returns the next value as a part of the text.
func (s *batchSplitter) next() json.RawMessage {
	if err := s.decoder.Decode(&s.value); err != nil {
		panic(err) // the text is valid
	}
	end := s.decoder.InputOffset()
	return s.text[end-int64(len(s.value)) : end]
}

func (s *batchSplitter) token() json.Token {
	token, err := s.decoder.Token()
	if err != nil {
		panic(err) // the text is valid
	}
	return token
}

func (s *batchSplitter) split() {
	const field = "briefs"
	if text := bytes.TrimSpace(s.text); text[0] != '{' {
		s.wrongType("", "an object", text)
		return
	}

	s.token()
	seen := false
	for s.decoder.More() && len(s.briefs) <= maxBriefs {
		switch name, _ := s.token().(string); {
		case name != field:
			s.faults.AddUnknown("", name, []string{field})
			s.next()
		case seen:
			s.faults.Add(field, "duplicate_field", "%s appears more than once; send it once.", field)
			s.next()
		case s.following() == '[':
			seen = true
			s.list()
		default:
			seen = true
			if value := s.next(); string(value) != "null" {
				s.wrongType(field, "a list", value)
			}
		}
	}

	switch n := len(s.briefs); {
	case n > maxBriefs:
		s.faults.Add(field, "too_many", "%s must have at most %d entries.", field, maxBriefs)
	case n == 0 && !s.faults.In(field):
		s.faults.Add(field, "required", "%s must be a list of 1 to %d briefs.", field, maxBriefs)
	}
}

// following returns the first character of the value after a name.
func (s *batchSplitter) following() byte {
	return bytes.TrimLeft(s.text[s.decoder.InputOffset():], " \t\r\n:")[0]
}

// list reads the list of briefs, up to the first that is too many.
func (s *batchSplitter) list() {
	s.token()
	for s.decoder.More() {
		if s.briefs = append(s.briefs, s.next()); len(s.briefs) > maxBriefs {
			return
		}
	}
	s.token()
}

// wrongType records that a field, or the whole body, is of another type than expected. It doesn't decode lists and
// objects, which can be large.
func (s *batchSplitter) wrongType(field, expected string, text []byte) {
	var value any
	switch text[0] {
	case '[':
		value = []any{}
	case '{':
		value = strictjson.Object{}
	default:
		value, _ = strictjson.Parse(text) // valid
	}
	strictjson.WrongType(&s.faults, field, expected, value)
}
