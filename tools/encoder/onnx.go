package encoder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields in the messages of ONNX that are read here (onnx.proto).
const (
	modelGraph = 7

	graphNode        = 1
	graphInitializer = 5

	nodeInput  = 1
	nodeOutput = 2
	nodeType   = 4

	tensorType     = 2
	tensorFloats   = 4
	tensorIntegers = 5
	tensorName     = 8
	tensorRaw      = 9
)

// Types of the values of a tensor.
const (
	typeFloat = 1
	typeUint8 = 2
	typeInt8  = 3
)

// A graph has the constants and the operations of an ONNX file.
type graph struct {
	tensors map[string]tensor
	nodes   []node
}

type tensor struct {
	kind uint64
	raw  []byte
}

type node struct {
	operation       string
	inputs, outputs []string
}

var errProtobuf = errors.New("onnx: malformed protocol buffer")

// fields calls visit with each field of a message: the bytes of a message, text or packed list, or a number.
func fields(message []byte, visit func(field protowire.Number, value []byte, number uint64) error) error {
	for len(message) > 0 {
		field, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return errProtobuf
		}
		message = message[length:]

		var value []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			value, length = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			number, length = protowire.ConsumeVarint(message)
		default:
			length = protowire.ConsumeFieldValue(field, kind, message)
		}
		if length < 0 {
			return errProtobuf
		}

		message = message[length:]
		if err := visit(field, value, number); err != nil {
			return err
		}
	}
	return nil
}

// readGraph reads the main graph of an ONNX file.
func readGraph(file []byte) (graph, error) {
	g := graph{tensors: make(map[string]tensor)}
	err := fields(file, func(field protowire.Number, value []byte, _ uint64) error {
		if field != modelGraph {
			return nil
		}
		return fields(value, g.add)
	})
	return g, err
}

func (g *graph) add(field protowire.Number, value []byte, _ uint64) error {
	switch int(field) {
	case graphNode:
		n, err := readNode(value)
		g.nodes = append(g.nodes, n)
		return err
	case graphInitializer:
		name, t, err := readTensor(value)
		g.tensors[name] = t
		return err
	}
	return nil
}

func readNode(message []byte) (node, error) {
	var n node
	err := fields(message, func(field protowire.Number, value []byte, _ uint64) error {
		switch int(field) {
		case nodeInput:
			n.inputs = append(n.inputs, string(value))
		case nodeOutput:
			n.outputs = append(n.outputs, string(value))
		case nodeType:
			n.operation = string(value)
		}
		return nil
	})
	return n, err
}

func readTensor(message []byte) (name string, t tensor, err error) {
	err = fields(message, func(field protowire.Number, value []byte, number uint64) error {
		switch int(field) {
		case tensorType:
			t.kind = number
		case tensorName:
			name = string(value)
		case tensorRaw, tensorFloats: // packed floats are stored like raw ones
			t.raw = value
		case tensorIntegers:
			return t.addIntegers(value)
		}
		return nil
	})
	return name, t, err
}

// addIntegers appends packed numbers, of which each is a value of 8 bits here.
func (t *tensor) addIntegers(packed []byte) error {
	for len(packed) > 0 {
		value, length := protowire.ConsumeVarint(packed)
		if length < 0 {
			return errProtobuf
		}
		t.raw, packed = append(t.raw, byte(value)), packed[length:]
	}
	return nil
}

// bytes returns the values of a tensor of numbers of 8 bits.
func (g graph) bytes(name string, kind uint64, count int) ([]byte, error) {
	t, ok := g.tensors[name]
	if !ok || t.kind != kind || len(t.raw) != count {
		return nil, fmt.Errorf("onnx: tensor %q is missing, or hasn't %d values of type %d", name, count, kind)
	}
	return t.raw, nil
}

// floats returns the values of a tensor of floating-point numbers of 32 bits.
func (g graph) floats(name string, count int) ([]float32, error) {
	raw, err := g.bytes(name, typeFloat, 4*count)
	if err != nil {
		return nil, err
	}

	values := make([]float32, count)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values, nil
}
