package engine

// PreviousIndex returns the index to which a rollback returns once an alias points to next. Before the move, the alias
// points to live, and a rollback would return to previous. Each may be "": there is no such index.
func PreviousIndex(live, previous, next string) string {
	switch {
	case live == next:
		return previous // the alias doesn't move
	case live != "":
		return live // the index that the alias leaves
	case previous == next:
		return "" // an index is not its own previous one
	default:
		// The alias is damaged, or its index was deleted by hand, so the last index known is the best to return to.
		return previous
	}
}
