package encoder

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/freelancer-matching/service/internal/encoder"
	"github.com/freelancer-matching/service/internal/encoder/weights"
	"github.com/freelancer-matching/service/internal/matching"
)

// A builder writes an ONNX graph.
type builder struct{ graph []byte }

func message(field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
}

func (b *builder) tensor(name string, kind uint64, raw []byte) {
	content := protowire.AppendVarint(protowire.AppendTag(nil, tensorType, protowire.VarintType), kind)
	content = append(content, message(tensorName, []byte(name))...)

	// Single values are stored like those of real files: as a list of numbers.
	if kind != typeFloat && len(raw) == 1 {
		content = append(content, message(tensorIntegers, protowire.AppendVarint(nil, uint64(raw[0])))...)
	} else {
		content = append(content, message(tensorRaw, raw)...)
	}
	b.graph = append(b.graph, message(graphInitializer, content)...)
}

func (b *builder) floats(name string, value float32, count int) {
	raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(value))
	b.tensor(name, typeFloat, bytes.Repeat(raw, count))
}

func (b *builder) matrix(step string, in, out int) {
	name := "matrix of " + step
	b.floats(name+"_scale", .5, out)
	b.tensor(name+"_zero_point", typeInt8, make([]byte, out))
	values := make([]byte, in*out)
	for i := range values {
		values[i] = byte(int8(i%129 - 64))
	}
	b.tensor(name+"_quantized", typeInt8, values)
	b.floats(strings.ReplaceAll(strings.Replace(step, "/layer.", ".layer.", 1), "/", ".")+".bias", .25, out)

	node := message(nodeInput, []byte("x"))
	node = append(node, message(nodeInput, []byte(name+"_quantized"))...)
	node = append(node, message(nodeOutput, []byte("/"+step+"/MatMul_output_0_output_quantized"))...)
	node = append(node, message(nodeType, []byte("MatMulInteger"))...)
	b.graph = append(b.graph, message(graphNode, node)...)
}

// file returns a small model with one layer.
func file(s weights.Shape) []byte {
	var b builder
	for name, rows := range map[string]int{"word": s.Vocabulary, "position": s.Positions, "token_type": 2} {
		name = "embeddings." + name + "_embeddings.weight"
		b.floats(name+"_scale", .125, 1)
		b.tensor(name+"_zero_point", typeUint8, []byte{128})
		b.tensor(name+"_quantized", typeUint8, make([]byte, rows*s.Hidden))
	}

	for _, name := range []string{"embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"} {
		b.floats(name+".LayerNorm.weight", 1, s.Hidden)
		b.floats(name+".LayerNorm.bias", 0, s.Hidden)
	}
	for _, step := range []string{
		"attention/self/query", "attention/self/key", "attention/self/value", "attention/output/dense",
	} {
		b.matrix("encoder/layer.0/"+step, s.Hidden, s.Hidden)
	}
	b.matrix("encoder/layer.0/intermediate/dense", s.Hidden, s.Intermediate)
	b.matrix("encoder/layer.0/output/dense", s.Intermediate, s.Hidden)
	return message(modelGraph, b.graph)
}

func TestConvert(t *testing.T) {
	s := weights.Shape{Layers: 1, Hidden: 64, Heads: 4, Intermediate: 128, Vocabulary: 3, Positions: 8}
	g, err := readGraph(file(s))
	if err != nil {
		t.Fatal(err)
	}
	m, err := convert(g, s)
	if err != nil {
		t.Fatal(err)
	}
	if m.Vocabulary, err = vocabulary([]byte(`{"model":{"vocab":{"a":0,"##b":2,"c":1}}}`), 3); err != nil {
		t.Fatal(err)
	}

	expand := m.Layers[0].Expand
	weight := int(int8(expand.Packed[weights.PackedIndex(64, 5, 17)]))
	if want := (5*128+17)%129 - 64; weight != want || expand.Biases[1] != .25 {
		t.Errorf("weight %d, bias %v; want %d", weight, expand.Biases[1], want)
	}
	if got := m.Layers[0].Attention; got.Out != 192 || len(got.Packed) != 64*192 {
		t.Errorf("attention has %d outputs and %d weights", got.Out, len(got.Packed))
	}

	written, err := weights.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	read, err := weights.Decode(written)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(read) != fmt.Sprint(m) {
		t.Error("the model changed while it was written and read")
	}
}

func TestConvert_ReportsWhatIsMissing(t *testing.T) {
	s := weights.Shape{Layers: 2, Hidden: 64, Heads: 4, Intermediate: 128, Vocabulary: 3, Positions: 8}
	g, err := readGraph(file(s)) // with one layer
	if err != nil {
		t.Fatal(err)
	}
	if _, err := convert(g, s); err == nil {
		t.Error("no error")
	}
	if _, err := readGraph([]byte("not a model")); err == nil {
		t.Error("text was accepted")
	}
}

func TestRun_Vectors(t *testing.T) {
	var out, errors bytes.Buffer
	texts := strings.NewReader("\"logo\"\n\"a\\nb\"\n")
	if code := Run(t.Context(), []string{"vectors"}, texts, &out, &errors); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errors)
	}

	lines := json.NewDecoder(&out)
	for _, tokens := range []int{3, 4} {
		var r result
		if err := lines.Decode(&r); err != nil || r.Tokens != tokens || r.Vector[0] == 0 {
			t.Errorf("got %d tokens, error %v; want %d", r.Tokens, err, tokens)
		}
	}
}

func TestRun_ReportsUsage(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
	}{
		{"", 2}, {"build", 2}, {"vector", 2}, {"build -jar /nowhere.jar", 1}, {"-h", 0}, {"help", 0}, {"vectors", 1},
	} {
		var out, errors bytes.Buffer
		code := Run(t.Context(), strings.Fields(test.args), strings.NewReader("no JSON"), &out, &errors)
		if code != test.code {
			t.Errorf("%q: exit code %d: %s", test.args, code, &errors)
		}
	}
}

// Another version of the taxonomy may have other common skills, but their direction hardly changes.
func TestCommon(t *testing.T) {
	if !encoder.IsFast() {
		t.Skip("the encoder would take half a minute on this processor")
	}
	file, err := common(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	made := make(matching.Vector, len(file))
	for i, b := range file {
		made[i] = int8(b)
	}
	if cosine := matching.Cosine(made, encoder.Common()); cosine < .99 {
		t.Errorf("the file's direction has a cosine of %.3f with that of the common skills; make it again", cosine)
	}
}
