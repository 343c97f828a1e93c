package value

// CutTotal cuts a word such as "Total" off the start of a cell, and reports whether there is one.
func CutTotal(s string) (rest string, ok bool) {
	if !isPlain(s) {
		s = fold(s)
	}
	return cutWord(s, "total")
}
