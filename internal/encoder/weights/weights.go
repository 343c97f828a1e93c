// Package weights reads and writes the file of a sentence encoder like BERT whose matrices have numbers of 7 bits.
//
// The file is one Zstandard frame. Its content is, in little-endian order: the magic, the shape (six numbers of
// 32 bits), the vocabulary (its length in bytes, then one piece a line), and the tables in the order of Model's fields.
// Few values of a matrix are large, so the frame's Huffman codes need about 6 of 8 bits a value, without any loss.
package weights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const magic = "sentenc1"

// MaxWeight is the largest absolute value of a matrix. Two products of such a weight with a byte fit 16 bits with a
// sign, on which the kernels for AVX2 rely.
const MaxWeight = 64

// Lanes and Group say how matrices are packed: the values of Group inputs by Lanes outputs are adjacent.
const (
	Lanes = 16
	Group = 4
)

// maxBytes limits how much memory reading a damaged file can take.
const maxBytes = 64 << 20

// A Shape has the sizes of a model.
type Shape struct {
	Layers, Hidden, Heads, Intermediate, Vocabulary, Positions int
}

// A Model has the vocabulary and the parameters of an encoder.
type Model struct {
	Shape Shape

	Vocabulary []string // by token; a piece that continues a word starts with "##"

	Words     Table // a row for each token
	Positions Table // a row for each position
	Segment   Table // one row, added to every token

	EmbeddingNorm Norm
	Layers        []Layer
}

// A Table has vectors of bytes; a value is (byte - 128) × Scale.
type Table struct {
	Scale  float32
	Values []byte
}

// A Norm has the parameters of a layer normalization.
type Norm struct {
	Gain, Bias []float32
}

// A Layer has the parameters of a transformer layer.
type Layer struct {
	Attention     Matrix // query, key and value, one after the other
	Output        Matrix
	AttentionNorm Norm
	Expand        Matrix
	Contract      Matrix
	OutputNorm    Norm
}

// A Matrix multiplies vectors of In values. Output o is Σ weight × input × Scales[o] + Biases[o].
type Matrix struct {
	In, Out int
	Scales  []float32
	Biases  []float32

	// Packed has the weights, each a number of 8 bits with a sign, at PackedIndex.
	Packed []byte
}

// PackedIndex returns the place of the weight between an input and an output of a matrix with a number of inputs.
func PackedIndex(inputs, input, output int) int {
	block := output / Lanes * inputs * Lanes
	group := input / Group * Group * Lanes
	return block + group + output%Lanes*Group + input%Group
}

// Decode reads a file.
func Decode(file []byte) (*Model, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBytes))
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	defer decoder.Close()

	content, err := decoder.DecodeAll(file, nil)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}

	c := &codec{content: content}
	m := new(Model)
	c.model(m)
	if c.err == nil && len(c.content) > 0 {
		c.err = fmt.Errorf("%d bytes too many", len(c.content))
	}
	if c.err != nil {
		return nil, fmt.Errorf("weights: %w", c.err)
	}
	return m, nil
}

// Encode returns a model as a file.
func Encode(m *Model) ([]byte, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	defer func() { _ = encoder.Close() }()

	c := &codec{writing: true}
	c.model(m)
	if c.err != nil {
		return nil, fmt.Errorf("weights: %w", c.err)
	}
	return encoder.EncodeAll(c.content, nil), nil
}

// A codec reads or writes content, so that the order of the parts is written down once.
type codec struct {
	writing bool
	content []byte // what remains to be read, or has been written
	err     error
}

func (c *codec) model(m *Model) {
	start := []byte(magic)
	c.bytes(&start, len(magic))
	if c.err == nil && string(start) != magic {
		c.err = errors.New("not a file of an encoder")
		return
	}

	s := &m.Shape
	for _, size := range []*int{&s.Layers, &s.Hidden, &s.Heads, &s.Intermediate, &s.Vocabulary, &s.Positions} {
		c.size(size)
	}
	if c.err == nil {
		c.err = s.check()
	}
	if c.err != nil {
		return
	}

	c.vocabulary(m)
	c.table(&m.Words, s.Vocabulary*s.Hidden)
	c.table(&m.Positions, s.Positions*s.Hidden)
	c.table(&m.Segment, s.Hidden)
	c.norm(&m.EmbeddingNorm, s.Hidden)

	if !c.writing {
		m.Layers = make([]Layer, s.Layers)
	}
	for i := range m.Layers {
		c.layer(&m.Layers[i], *s)
	}
}

// check reports sizes that the kernels can't compute with, or that no file of this format has.
func (s Shape) check() error {
	const most = 1 << 20
	for _, size := range []int{s.Layers, s.Hidden, s.Heads, s.Intermediate, s.Vocabulary, s.Positions} {
		if size < 1 || size > most {
			return fmt.Errorf("implausible shape %+v", s)
		}
	}

	isWhole := s.Hidden%(4*Lanes) == 0 && s.Intermediate%(4*Lanes) == 0 && s.Hidden%s.Heads == 0
	if !isWhole || s.Hidden/s.Heads%Lanes != 0 || s.Layers > 100 || s.Hidden > 4096 || s.Intermediate > 16384 {
		return fmt.Errorf("unsupported shape %+v", s)
	}
	return nil
}

func (c *codec) vocabulary(m *Model) {
	text := []byte(strings.Join(m.Vocabulary, "\n"))
	length := len(text)
	c.size(&length)
	c.bytes(&text, length)
	if c.err != nil {
		return
	}

	m.Vocabulary = strings.Split(string(text), "\n")
	if len(m.Vocabulary) != m.Shape.Vocabulary {
		c.err = fmt.Errorf("%d pieces instead of %d", len(m.Vocabulary), m.Shape.Vocabulary)
	}
}

func (c *codec) layer(l *Layer, s Shape) {
	c.matrix(&l.Attention, s.Hidden, 3*s.Hidden)
	c.matrix(&l.Output, s.Hidden, s.Hidden)
	c.norm(&l.AttentionNorm, s.Hidden)
	c.matrix(&l.Expand, s.Hidden, s.Intermediate)
	c.matrix(&l.Contract, s.Intermediate, s.Hidden)
	c.norm(&l.OutputNorm, s.Hidden)
}

func (c *codec) matrix(m *Matrix, in, out int) {
	m.In, m.Out = in, out
	c.floats(&m.Scales, out)
	c.floats(&m.Biases, out)
	c.bytes(&m.Packed, in*out)
}

func (c *codec) norm(n *Norm, length int) {
	c.floats(&n.Gain, length)
	c.floats(&n.Bias, length)
}

func (c *codec) table(t *Table, length int) {
	scale := []float32{t.Scale}
	c.floats(&scale, 1)
	if c.err == nil {
		t.Scale = scale[0]
	}
	c.bytes(&t.Values, length)
}

func (c *codec) size(n *int) {
	var number []byte
	if c.writing {
		number = binary.LittleEndian.AppendUint32(nil, uint32(*n))
	}
	c.bytes(&number, 4)
	if c.err == nil {
		*n = int(binary.LittleEndian.Uint32(number))
	}
}

func (c *codec) floats(values *[]float32, count int) {
	var raw []byte
	if c.writing {
		for _, value := range *values {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(value))
		}
	}

	c.bytes(&raw, 4*count)
	if c.err != nil || c.writing {
		return
	}

	*values = make([]float32, count)
	for i := range *values {
		(*values)[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
}

// bytes writes count bytes, or replaces them with count bytes that it reads.
func (c *codec) bytes(value *[]byte, count int) {
	if c.err != nil {
		return
	}

	if c.writing {
		if len(*value) != count {
			c.err = fmt.Errorf("a part has %d bytes instead of %d", len(*value), count)
			return
		}
		c.content = append(c.content, *value...)
		return
	}

	if len(c.content) < count {
		c.err = errors.New("the file is too short")
		return
	}
	*value, c.content = c.content[:count:count], c.content[count:]
}
