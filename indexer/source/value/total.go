package value

// CutTotal cuts a word such as "Total" off the start of a cell, and reports whether there is one.
func CutTotal(s string) (rest string, ok bool) { return cutWord(s, "total") }
