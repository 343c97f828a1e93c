package sectionfile

import (
	"encoding/binary"
	"math"
	"os"
	"unsafe"
)

// mapFile maps a file of the given size into memory, for reading only. The caller must unmap the result with unmap.
// mapFile returns nil if the operating system can't map the file, or if the processor is not little-endian: the file
// must be read then.
func mapFile(file *os.File, size int64) []byte {
	if isLittleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1; !isLittleEndian {
		return nil
	}
	if size <= 0 || size > math.MaxInt {
		return nil
	}
	b, err := mapReadOnly(file, int(size))
	if err != nil {
		return nil
	}
	return b
}

// mappedSlice returns the first count elements of b, which must be aligned and long enough, without a copy. Appending
// to the result copies it.
func mappedSlice[T element](b []byte, count int) []T {
	if count == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), count) //nolint:gosec // sections are aligned
}
