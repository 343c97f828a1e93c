// Package catalog knows which indexes and aliases under a prefix belong to this program, and what each index was made
// from. Elasticsearch stores that description in the mapping of the index, under _meta.matching.
package catalog
