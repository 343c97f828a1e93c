// Package bulk loads freelancers from files into an engine: it rejects and counts rows, merges the rows of one person,
// prepares documents on all cores, and puts a finished and checked index in the place of the one before. Reading the
// files is the business of package source, the shape of documents that of the Preparer.
//
// It also changes what is live: Upsert takes some freelancers from files, Delete removes some, Reindex prepares all of them
// anew. Where the engine can, the first two change the index in place, which cannot be taken back; everything else makes a
// new index, as a load does, of freelancers whom another index yields.
//
// A load either changes over completely or leaves everything as it was:
//
//	loader := bulk.Loader{Indexer: engine, Preparer: preparer, Log: log, Now: time.Now}
//	report, err := loader.Load(ctx, inputs, bulk.Options{Alias: "freelancers", Mapping: mapping, Currency: "USD"})
package bulk
