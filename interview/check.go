package interview

// Check is every fault of a request that shows without its session, as Conduct tells them; nil without any. It is for callers who
// have found faults of their own, and tell all of them at once.
func (s *Service) Check(r *Request) error { return r.check(s.config.MaxQuestions) }
