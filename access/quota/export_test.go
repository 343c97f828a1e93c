package quota

// Len is how many subjects are kept.
func (m *Memory) Len() (n int) {
	for i := range m.shards {
		m.shards[i].mu.Lock()
		n += len(m.shards[i].subjects)
		m.shards[i].mu.Unlock()
	}
	return n
}
