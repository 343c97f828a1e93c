// Package changes makes single changes to live indexes, and finds the documents that were changed (docs/adr/0028).
//
// Changer.Apply reads the documents with their sequence numbers, plans the writes, and sends them on the condition that
// the sequence numbers are still the same. A Tracker finds documents that were put by their sequence numbers, and those
// that were deleted in a DeletionList.
package changes
