package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"
)

// errNotMapped means that a file can't be mapped into memory, or not be used as it is. It must be read then.
var errNotMapped = errors.New("the file can't be mapped into memory")

// mapFile maps a file of the given size into memory, for reading only. The caller must unmap the result with unmap. The
// error wraps errNotMapped.
func mapFile(file *os.File, size int64) ([]byte, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, fmt.Errorf("%w: the processor is not little-endian", errNotMapped)
	}
	if size <= 0 || size > math.MaxInt {
		return nil, fmt.Errorf("%w: its size is %d bytes", errNotMapped, size)
	}
	b, err := mapReadOnly(file, int(size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotMapped, err)
	}
	return b, nil
}

// mappedSlice returns the first count elements of b, which must be aligned and long enough, without a copy. Appending to
// the result copies it.
func mappedSlice[T element](b []byte, count int) []T {
	if count == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), count) //nolint:gosec // sections are aligned
}
