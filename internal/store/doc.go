// Package store is the parent of the databases: sqlite, the default, which needs nothing installed. storetest holds the
// suites that every database passes. The interfaces are where they are used, such as apikey.Store.
package store
