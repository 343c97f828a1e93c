// Package bulk loads freelancers from files into a search engine. It rejects and counts bad rows, merges the rows of
// one person, prepares documents on all cores, and makes a finished, checked index live. Package source reads the
// files; a [Preparer] turns freelancers into documents.
//
// It also changes the live index: [Loader.Upsert] adds and replaces freelancers from files, [Loader.Delete] removes
// freelancers, and [Loader.Reindex] prepares all of them again. Upsert and Delete change the index in place if the
// engine is an engine.Updater; such a change can't be rolled back. Every other change builds a new index.
//
// Building a new index either succeeds completely or leaves everything as it was:
//
//	loader := bulk.Loader{Indexer: engine, Preparer: preparer, Log: log, Now: time.Now}
//	report, err := loader.Load(ctx, inputs, bulk.Options{Alias: "freelancers", Mapping: mapping, Currency: "USD"})
package bulk
