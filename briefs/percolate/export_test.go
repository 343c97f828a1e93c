package percolate

// Numbers returns how many numbers for terms the index has, used or free.
func (x *Index) Numbers() (used, free int) { return len(x.numbers), len(x.free) }
