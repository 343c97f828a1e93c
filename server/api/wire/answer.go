// Package wire has the bodies of the API's requests and responses as openapi.yaml describes them, the rules of the
// requests, and the conversions from and to domain types.
package wire

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/freelancer-matching/service/internal/matching"
)

// An Answer is a successful response with data.
type Answer[T any] struct {
	Status    string  `json:"status"` // success
	Data      T       `json:"data"`
	RequestID string  `json:"request_id"`
	TookMS    float64 `json:"took_ms"`
}

// OrEmpty returns l, or an empty list instead of nil, which JSON would write as null.
func OrEmpty[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// Convert applies wire to every element. It returns an empty list for nil, which JSON would write as null.
func Convert[T, W any](l []T, wire func(T) W) []W {
	out := make([]W, len(l))
	for i, e := range l {
		out[i] = wire(e)
	}
	return out
}

// Optional returns what a value points to, or an unknown value for nil.
func Optional[T any](value *T) matching.Optional[T] {
	if value == nil {
		return matching.Optional[T]{}
	}
	return matching.Some(*value)
}

func valueOr[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}

// NewEncoder returns an encoder that leaves <, > and & as they are.
func NewEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// Encode returns a value as a line of JSON.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

// A NullableString is a string that JSON writes as null when it is empty, and reads as empty from null.
type NullableString string

// MarshalJSON writes the string, or null for an empty one.
func (s NullableString) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // left to the encoder of the whole value
	err := encoder.Encode(string(s))
	return text.Bytes(), err
}
