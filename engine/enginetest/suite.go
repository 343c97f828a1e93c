package enginetest

import (
	"testing"
)

// Run runs the contract suite. Each engine calls it from one test.
func Run(t *testing.T, o Options) {
	t.Helper()

	for _, c := range []struct {
		name string
		test func(t *testing.T, o Options)
	}{
		{"no index before the first load", testNothingLoaded},
		{"one indexer at a time", testLock},
		{"indexes are created once and filled once", testCreate},
		{"incomplete indexes are listed but never served", testIncomplete},
		{"index info", testInfo},
		{"provenance", testProvenance},
		{"aliases move atomically and remember the previous index", testAlias},
		{"an alias that was moved is not swapped", testSwapAlias},
		{"an alias can be moved while another process holds the lock", testUnlockedAlias},
		{"snapshots keep their index", testSnapshot},
		{"the live index cannot be dropped", testDrop},
		{"later documents replace earlier ones", testReplace},
		{"rejected documents are counted", testFailed},
		{"records survive a round trip", testRecords},
		{"statistics", testStatistics},
		{"vocabulary", testVocabulary},
		{"filters", testFilters},
		{"counts of several filters", testCountEach},
		{"list", testList},
		{"list of random documents in pages", testListPages},
		{"list while documents change", testListUpdated},
		{"evidence", testEvidence},
		{"text score and reference", testText},
		{"signals order hits with equal text", testSignals},
		{"hits by words and skills", testHits},
		{"ties and the number of matching documents", testTies},
		{"ranks among all hits", testRank},
		{"supposes a change", testSuppose},
		{"hits by vectors", testVectorHits},
		{"vectors order hits", testVectorOrder},
		{"compared vectors change no hits", testVectorCompare},
		{"vectors of a replaced document", testVectorReplaced},
		{"invalid vectors are rejected", testVectorErrors},
		{"indexes keep their vector spaces", testVectorSpaces},
		{"an empty index can be searched", testEmpty},
		{"canceled contexts end operations", testCanceled},
		{"searches succeed while the alias moves", testSwaps},
		{"random queries agree with brute force", testBruteForce},
		{"update in place", testUpdate},
		{"update errors", testUpdateErrors},
		{"changes of single documents", testApply},
		{"conditions of changes", testApplyConditions},
		{"batches of changes", testApplyBatch},
		{"changes of vectors", testApplyVectors},
		{"errors of changes", testApplyErrors},
		{"changes and earlier snapshots", testApplySnapshot},
		{"concurrent changes are not lost", testApplyConcurrent},
		{"changes are tracked", testTrack},
		{"changes follow the alias", testApplySwap},
		{"random changes agree with brute force", testRandomChanges},
		{"revisions of records", testRevisions},
	} {
		// Each test has storage of its own, so a failure affects no other test.
		t.Run(c.name, func(t *testing.T) { c.test(t, o) })
	}
}
