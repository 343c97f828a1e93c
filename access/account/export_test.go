package account

import "sync/atomic"

// SetCost lets hashes from now on cost another memory, in KiB.
func (s *Service) SetCost(memory uint32) {
	p := params{memory: memory, time: 1, lanes: 1}
	s.passwords.params = p
	s.passwords.dummy = encoded{params: p, salt: random(saltLen), key: random(keyLen)}.String()
}

// CountHashes counts the hashes that are computed from now on.
func (s *Service) CountHashes() *atomic.Int64 {
	var n atomic.Int64
	derive := s.passwords.derive
	s.passwords.derive = func(password, salt []byte, p params, keyLen uint32) []byte {
		n.Add(1)
		return derive(password, salt, p, keyLen)
	}
	return &n
}

// Occupy takes every place for hashing until the answer is called.
func (s *Service) Occupy() (leave func()) {
	for range cap(s.passwords.slots) {
		s.passwords.slots <- struct{}{}
	}
	return func() {
		for range cap(s.passwords.slots) {
			<-s.passwords.slots
		}
	}
}
