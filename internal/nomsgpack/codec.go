// Package codec takes the place of github.com/ugorji/go/codec, which gin links to read and write MessagePack, and which
// took a tenth of the time to compile the server. The API has JSON only, so nothing calls this package. It can go when
// gin links the codec on demand (its build tag nomsgpack isn't an option, since `go run` would need it too).
package codec

import (
	"errors"
	"io"
)

var errUnsupported = errors.New("MessagePack is not supported") //nolint:staticcheck // a proper noun

// A MsgpackHandle is what gin passes to NewDecoder and NewEncoder.
type MsgpackHandle struct{}

// A Decoder decodes nothing.
type Decoder struct{}

// NewDecoder returns a decoder whose Decode fails.
func NewDecoder(io.Reader, *MsgpackHandle) Decoder { return Decoder{} }

// Decode returns an error.
func (Decoder) Decode(any) error { return errUnsupported }

// An Encoder encodes nothing.
type Encoder struct{}

// NewEncoder returns an encoder whose Encode fails.
func NewEncoder(io.Writer, *MsgpackHandle) Encoder { return Encoder{} }

// Encode returns an error.
func (Encoder) Encode(any) error { return errUnsupported }
