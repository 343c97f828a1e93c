package account

import (
	"sync/atomic"

	"github.com/alexedwards/argon2id"
)

// SetCost sets the memory cost of new hashes, in KiB.
func (s *Service) SetCost(memory uint32) {
	s.passwords = newHasher(argon2id.Params{Memory: memory, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
}

// CountHashes counts the hashes that the service computes from now on.
func (s *Service) CountHashes() *atomic.Int64 {
	var n atomic.Int64
	h := s.passwords
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
func (s *Service) OccupySlots() (leave func()) {
	for range cap(s.passwords.slots) {
		s.passwords.slots <- struct{}{}
	}
	return func() {
		for range cap(s.passwords.slots) {
			<-s.passwords.slots
		}
	}
}

// Queued returns the number of operations of the hasher that run or wait.
func (s *Service) Queued() int {
	s.passwords.mu.Lock()
	defer s.passwords.mu.Unlock()
	return s.passwords.queued
}
