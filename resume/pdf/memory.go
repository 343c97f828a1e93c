package pdf

import "github.com/tetratelabs/wazero/experimental"

// memory is that of a sandbox, reserved whole: it does not move when it grows. On the heap every growth would copy it, and the
// copies, of up to 96 MiB, would wait for the next collection.
type memory struct {
	bytes  []byte
	mapped bool // pages of the system, which cost nothing until they are written to, and are given back at once
}

// reserve is a memory of at most so many bytes.
func reserve(_, most uint64) experimental.LinearMemory {
	if pages := mapPages(most); pages != nil {
		return &memory{pages, true}
	}
	return &memory{make([]byte, most), false}
}

// Reallocate is the memory at a new size; nil: there is no more.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size:size]
}

// Free gives the memory back. Nothing may run in the sandbox any more.
func (m *memory) Free() {
	if m.mapped {
		unmapPages(m.bytes)
	}
	m.bytes = nil
}
