package pdf

// A memory is the linear memory of one sandbox. The whole range that it may grow to is reserved at the start, so that
// it never moves. On the Go heap, every growth would leave behind a copy of up to 96 MiB until the next garbage
// collection.
type memory struct {
	bytes  []byte
	mapped bool // anonymous pages of the system: zero, free of charge until written to, and returned at once
}

// reserve returns a memory that may grow to limit bytes.
func reserve(limit uint64) *memory {
	if pages := mapPages(limit); pages != nil {
		return &memory{pages, true}
	}
	return &memory{make([]byte, limit), false}
}

// Reallocate implements experimental.LinearMemory. It returns nil beyond the limit.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size:size]
}

// Free implements experimental.LinearMemory. It does nothing: wazero calls it as soon as a context ends, and not
// always. The sandbox calls release when nobody reads the memory anymore.
func (m *memory) Free() {}

// release returns the memory to the system.
func (m *memory) release() {
	if m.mapped {
		unmapPages(m.bytes)
	}
	m.bytes = nil
}
