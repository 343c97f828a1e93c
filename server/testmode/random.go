package testmode

import (
	"crypto/rand"
	"encoding/binary"
	random "math/rand/v2"
	"sync"
)

// A source is a sequence of bytes that repeats from run to run. Each call of the server restarts it at a place of its
// own, so that what one call reads doesn't depend on what goes on in the background.
type source struct {
	mu     sync.Mutex
	stream *random.ChaCha8
}

func newSource() *source {
	s := &source{}
	s.restart(0)
	return s
}

// restart begins the sequence with a number.
func (s *source) restart(number uint64) {
	var seed [32]byte
	copy(seed[:], "freelancer matching test")
	binary.BigEndian.PutUint64(seed[24:], number)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream = random.NewChaCha8(seed)
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stream.Read(p)
}

// useRandomness makes every ID and token of this process come from a source, and returns it. That is the point of test
// mode, in which nothing is secret, and why it never runs in a process that serves real accounts.
var useRandomness = sync.OnceValue(func() *source {
	s := newSource()
	rand.Reader = s
	return s
})
