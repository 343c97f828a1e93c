package pdf

import (
	"encoding/binary"
	"fmt"
)

// reader reads WebAssembly's binary format. Past the end it answers zeros and has failed.
type reader struct {
	data   []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.failed = true
		r.data = nil
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// u32 is an unsigned LEB128.
func (r *reader) u32() uint32 {
	value, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.failed = true
	}
	r.take(max(n, 0))
	return uint32(value)
}

// number skips a LEB128 of either kind.
func (r *reader) number() {
	for r.byte()&0x80 != 0 {
	}
}

func (r *reader) numbers(n int) {
	for range n {
		r.number()
	}
}

// immediates skips what follows the opcode of an instruction (WebAssembly 2.0, 5.4). Those of later versions are an error.
func (r *reader) immediates(op byte) error {
	const more, vector = 0xfc, 0xfd // prefixes
	switch {
	case op <= 0x01, op == 0x05, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	case op >= 0x02 && op <= 0x04, op == 0x0c, op == 0x0d, op == 0x10, op >= 0x20 && op <= 0x26,
		op == 0x3f, op == 0x40, op == 0x41, op == 0x42, op == 0xd0, op == 0xd2:
		r.number()
	case op == 0x0e: // br_table
		r.numbers(int(min(r.u32(), uint32(len(r.data)))) + 1)
	case op == 0x11, op >= 0x28 && op <= 0x3e:
		r.numbers(2)
	case op == 0x1c: // select with types
		r.numbers(int(min(r.u32(), uint32(len(r.data)))))
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == more:
		return r.moreImmediates(r.u32())
	case op == vector:
		return r.vectorImmediates(r.u32())
	default:
		return fmt.Errorf("the instruction %#x is not known", op)
	}
	return nil
}

// moreImmediates skips what follows an instruction with the prefix 0xfc: conversions, and memory and tables at once.
func (r *reader) moreImmediates(op uint32) error {
	switch {
	case op <= 7:
	case op == 9, op == 11, op == 13, op >= 15 && op <= 17:
		r.number()
	case op == 8, op == 10, op == 12, op == 14:
		r.numbers(2)
	default:
		return fmt.Errorf("the instruction 0xfc %d is not known", op)
	}
	return nil
}

// vectorImmediates skips what follows an instruction with the prefix 0xfd.
func (r *reader) vectorImmediates(op uint32) error {
	switch {
	case op <= 11, op == 92, op == 93:
		r.numbers(2)
	case op == 12, op == 13:
		r.take(16)
	case op >= 21 && op <= 34:
		r.take(1)
	case op >= 84 && op <= 91:
		r.numbers(2)
		r.take(1)
	case op > 255:
		return fmt.Errorf("the instruction 0xfd %d is not known", op)
	}
	return nil
}
