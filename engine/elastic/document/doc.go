// Package document encodes documents as Elasticsearch stores them, and decodes what it returns of them: records of
// freelancers, and the columns that scoring needs.
package document
