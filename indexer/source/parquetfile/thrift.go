package parquetfile

import (
	"encoding/binary"
	"errors"
)

// The limits of what describes a Parquet file.
const (
	maxThriftElements = 1_000_000 // of all lists
	maxThriftNesting  = 32
)

var errThrift = errors.New("the description of the data is damaged")

// thriftSize returns the number of bytes of the structure at the start of b, which is in Thrift's compact protocol. It
// returns an error if a list or a text says that it is longer than b, because the library allocates what they say.
func thriftSize(b []byte) (int, error) {
	w := &thriftWalker{rest: b}
	err := w.structure(maxThriftNesting)
	return len(b) - len(w.rest), err
}

type thriftWalker struct {
	rest     []byte
	elements int
}

// The types of the compact protocol.
const (
	thriftTrue = iota + 1
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

func (w *thriftWalker) structure(depth int) error {
	if depth == 0 {
		return errThrift
	}

	for {
		field, err := w.byte()
		if err != nil || field == 0 {
			return err
		}

		if field>>4 == 0 { // the field's number follows
			if _, err := w.varint(); err != nil {
				return err
			}
		}

		if kind := field & 0xf; kind > thriftFalse { // a field has its boolean in its type
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// value skips a value; a boolean as in a list.
func (w *thriftWalker) value(kind byte, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return w.skip(1)
	case thriftInt16, thriftInt32, thriftInt64:
		_, err := w.varint()
		return err
	case thriftDouble:
		return w.skip(8)
	case thriftUUID:
		return w.skip(16)
	case thriftBinary:
		size, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(size)

	case thriftList, thriftSet:
		return w.list(depth)
	case thriftMap:
		return w.pairs(depth)
	case thriftStruct:
		return w.structure(depth - 1)
	}

	return errThrift
}

func (w *thriftWalker) list(depth int) error {
	header, err := w.byte()
	if err != nil {
		return err
	}
	size := uint64(header >> 4)
	if size == 0xf {
		if size, err = w.varint(); err != nil {
			return err
		}
	}
	return w.values(size, depth, header&0xf)
}

func (w *thriftWalker) pairs(depth int) error {
	size, err := w.varint()
	if err != nil || size == 0 {
		return err
	}
	kinds, err := w.byte()
	if err != nil {
		return err
	}
	return w.values(size, depth, kinds>>4, kinds&0xf)
}

// values skips elements, each of which has a value of each kind.
func (w *thriftWalker) values(size uint64, depth int, kinds ...byte) error {
	if size > uint64(len(w.rest)) || size > uint64(maxThriftElements-w.elements) || depth == 0 {
		return errThrift
	}
	w.elements += int(size)
	for range size {
		for _, kind := range kinds {
			if err := w.value(kind, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *thriftWalker) byte() (byte, error) {
	if len(w.rest) == 0 {
		return 0, errThrift
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b, nil
}

func (w *thriftWalker) varint() (uint64, error) {
	x, n := binary.Uvarint(w.rest)
	if n <= 0 {
		return 0, errThrift
	}
	w.rest = w.rest[n:]
	return x, nil
}

func (w *thriftWalker) skip(n uint64) error {
	if n > uint64(len(w.rest)) {
		return errThrift
	}
	w.rest = w.rest[n:]
	return nil
}
