package account

import (
	"sync/atomic"

	"github.com/alexedwards/argon2id"
)

// SetCost sets the memory cost of new hashes, in KiB.
func (s *Services) SetCost(memory uint32) {
	h := s.Verifier.hasher
	h.params = argon2id.Params{Memory: memory, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	h.dummy = randomHash(h.params)
}

// CountHashes counts the hashes that the services compute from now on.
func (s *Services) CountHashes() *atomic.Int64 {
	var n atomic.Int64
	h := s.Verifier.hasher
	create := h.create
	check := h.check
	h.create = func(password string, p *argon2id.Params) (string, error) {
		n.Add(1)
		return create(password, p)
	}
	h.check = func(password, hash string) (bool, *argon2id.Params, error) {
		n.Add(1)
		return check(password, hash)
	}
	return &n
}

// OccupySlots takes all slots for hashing until leave is called.
func (s *Services) OccupySlots() (leave func()) {
	slots := s.Verifier.hasher.slots
	for range cap(slots) {
		slots <- struct{}{}
	}
	return func() {
		for range cap(slots) {
			<-slots
		}
	}
}

// Queued returns the number of operations of the hasher that run or wait.
func (s *Services) Queued() int {
	h := s.Verifier.hasher
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.queued
}
