// Package encoder turns text into vectors whose directions are close where the meanings are. It reads whole profiles
// and briefs, where package embedding only adds up words.
//
// The model is bge-small-en-v1.5 in 8 bits, embedded in the program; go run ./tools encoder build makes its file.
// Matrices are multiplied in whole numbers and all other steps are rounded in a fixed order, so a text gives the same
// bits on every machine, with and without vector instructions.
package encoder

import (
	"context"
	_ "embed" // for the model
	"fmt"
	"runtime"

	"github.com/freelancer-matching/service/internal/encoder/kernel"
	"github.com/freelancer-matching/service/internal/encoder/weights"
	"github.com/freelancer-matching/service/internal/encoder/wordpiece"
)

// Dimensions is the length of a vector.
const Dimensions = 384

// MaxTokens is how many tokens of a text are read, including one before and one after it.
const MaxTokens = 512

// QueryPrefix is what the authors of the model put before short queries. Encode doesn't add it.
const QueryPrefix = "Represent this sentence for searching relevant passages: "

// ModelName is the name of the weights, which ends with the start of the file's SHA-256. Vectors of models with
// different names can't be compared.
const ModelName = "bge-small-en-v1.5-bd515a73"

//go:embed bge-small-en-v1.5.bin
var modelFile []byte

// A Vector is the meaning of a text.
type Vector struct {
	Values    [Dimensions]float32 // of length 1
	Tokens    int                 // that were read, including one before and one after the text
	Truncated bool                // the text has more than MaxTokens tokens; the rest wasn't read
}

// An Encoder computes vectors. It is safe for concurrent use.
type Encoder struct {
	model     *weights.Model
	tokenizer *wordpiece.Tokenizer
	kernels   kernel.Kernels
	layers    []layer

	// buffers has one element for each text that may be encoded at a time.
	buffers chan *buffers
}

// New decodes the embedded model, which takes about 0.1 s of processor time and 35 MB.
func New() (*Encoder, error) {
	return open(modelFile, kernel.Best())
}

func open(file []byte, kernels kernel.Kernels) (*Encoder, error) {
	m, err := weights.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	if m.Shape.Hidden != Dimensions || m.Shape.Positions != MaxTokens {
		return nil, fmt.Errorf("encoder: unexpected shape %+v", m.Shape)
	}

	tokenizer, err := wordpiece.New(m.Vocabulary)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}

	e := &Encoder{
		model:     m,
		tokenizer: tokenizer,
		kernels:   kernels,
		buffers:   make(chan *buffers, runtime.GOMAXPROCS(0)),
	}
	for i := range m.Layers {
		e.layers = append(e.layers, newLayer(&m.Layers[i], kernels))
	}
	for range cap(e.buffers) {
		e.buffers <- new(buffers)
	}
	return e, nil
}

// IsFast reports whether the processor has vector instructions that the encoder uses. Without them, a brief takes about
// a second.
func IsFast() bool { return len(kernel.Supported()) > 1 }

// Encode returns the vector of a text. As many texts as there are processors are encoded at a time; others wait. It
// checks the context before each layer, and returns no other error than the context's.
func (e *Encoder) Encode(ctx context.Context, text string) (Vector, error) {
	var b *buffers
	select {
	case b = <-e.buffers:
		defer func() { e.buffers <- b }()
	case <-ctx.Done():
		return Vector{}, ctx.Err()
	}

	var v Vector
	b.tokens, v.Truncated = e.tokenizer.Append(b.tokens[:0], text, MaxTokens)
	v.Tokens = len(b.tokens)

	b.resize(e.model.Shape, v.Tokens)
	e.embed(b)
	for i := range e.layers {
		if err := ctx.Err(); err != nil {
			return Vector{}, err
		}

		// The first token stands for the text. Nothing reads what the last layer computes for the others.
		needed := b.count
		if i == len(e.layers)-1 {
			needed = 1
		}
		e.apply(&e.layers[i], b, needed)
	}

	e.unit(v.Values[:], b.states[:Dimensions])
	return v, nil
}
