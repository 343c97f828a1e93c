package rest

import (
	"bytes"
	"net/http"
)

// WriteSuffix is the suffix of the alias that an index is written through. A write that requires an alias fails after
// the index was dropped. A write to the index itself would create it again, without our mapping.
const WriteSuffix = ".write"

const (
	// MaxBatch is the maximum number of changes in a bulk request, which is sent before it would exceed it.
	MaxBatch = 1000
	// MaxBatchBytes is the size in bytes that a bulk request is sent before it would exceed.
	MaxBatchBytes = 4 << 20
	// MaxChange is the maximum size of one change in bytes. Elasticsearch accepts requests of up to 100 MB
	// (http.max_content_length).
	MaxChange = 64 << 20
)

// BulkRequest returns a request that makes the changes in body, which has lines of JSON, in an index.
func BulkRequest(index string, body []byte) Request {
	return Request{
		Method: http.MethodPost, Path: index + WriteSuffix + "/_bulk", Body: bytes.NewReader(body),
		Query: Params{
			"require_alias": "true",
			"filter_path":   "items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by.reason",
		},
	}
}

// A BulkAnswer is the answer to a bulkRequest.
type BulkAnswer struct{ Items []map[string]ItemResult }

// An ItemResult is the result of one change of a bulk request.
type ItemResult struct {
	Status int
	Error  *ItemError
}

// An ItemError says why Elasticsearch did not make a change.
type ItemError struct {
	Type, Reason string
	CausedBy     struct{ Reason string } `json:"caused_by"`
}

// Failure returns nil if Elasticsearch has the change. A version conflict means that it already has this change, from
// an attempt whose answer was lost, or a later one. Deleting a missing document is not a failure.
func (o *ItemResult) Failure() *Failure {
	if o.Error == nil || o.Status == http.StatusConflict {
		return nil
	}
	f := &Failure{Status: o.Status, Type: o.Error.Type, Reason: o.Error.Reason}
	if o.Error.CausedBy.Reason != "" {
		f.Reason += ": " + o.Error.CausedBy.Reason
	}
	return f
}
