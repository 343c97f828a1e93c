// Package records has the handlers of the operations that read and change single freelancers.
package records

import (
	"context"
	"net/http"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Freelancers reads and changes single freelancers. Errors that clients can fix are a matching.Error with a code of
// package freelancers, CodeInvalid or CodeFreelancerUnknown.
type Freelancers interface {
	Get(ctx context.Context, id string) (freelancers.Stored, error)
	// List returns up to limit freelancers who pass the filters, in the byte order of their IDs, after the given one.
	List(ctx context.Context, f *matching.Filters, after string, limit int) (freelancers.Page, error)
	// Parse parses a valid JSON text with amounts in a currency, or in that of the data set if it is "", and returns the
	// faults in its fields.
	Parse(ctx context.Context, object []byte, currency string) (freelancers.Record, []matching.FieldError, error)
	// AmountsIn returns the currency of the amounts in records: that of the data set, or of the one that the first record
	// would create. The error has matching.CodeInvalid if that isn't the given one, unless it is "".
	AmountsIn(ctx context.Context, currency string) (string, error)
	// Apply makes changes in order and returns a result for each.
	Apply(
		ctx context.Context, by audit.By, account string, changes []freelancers.Change,
	) ([]freelancers.Result, error)
}

// Metrics counts changes for operators.
type Metrics interface {
	// Changed counts a change of a freelancer: created, replaced, patched, unchanged, deleted or failed.
	Changed(outcome string)
}

// Handlers handles the operations.
type Handlers struct {
	Service  Freelancers
	Mappings Mappings
	Views    *limits.Views
	Limit    *limits.Changes
	Metrics  Metrics
	// Recheck returns an error if the key of a call no longer allows its operation.
	Recheck func(ctx context.Context, call *endpoint.Call) error
	// Draining reports whether the server shuts down.
	Draining  func() bool
	WriteTime time.Duration // for a client to receive a part of a stream
}

const (
	// MergePatchType is the media type of a patch.
	MergePatchType = "application/merge-patch+json"

	// EraseTime limits an erasure, which looks through dead letters and stored interviews.
	EraseTime = 30 * time.Second

	parameterReadmit = "readmit" // the freelancer agrees to be stored again
	parameterLenient = "lenient" // values may be as files have them
	parameterMapping = "mapping" // the name of a mapping file for the lines of a stream
)

// Get handles GET /freelancers/{id}. It responds with a complete record. Clients that have the version get 304, which
// shows them nothing new.
func (h *Handlers) Get(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}

	var faults validate.Faults
	form := wire.ReadUnknown(call.Query(&faults, wire.ParameterUnknown), &faults)
	known := readETags(call.Request.Header, headerIfNoneMatch, &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	found, err := h.Service.Get(ctx, id)
	if err != nil {
		return err
	}

	// Counted after this: a client that has the version sees nothing that it hasn't seen.
	if known.contains(found.Version) {
		call.SetHeader(HeaderETag, etag(found.Version))
		call.Response.WriteHeader(http.StatusNotModified)
		call.Response.WriteHeaderNow()
		return nil
	}

	if err := h.Views.Show(ctx, call, id); err != nil {
		return err
	}
	call.SetHeader(HeaderETag, etag(found.Version))

	return endpoint.WriteAnswer(call, wire.NewStoredFreelancer(found, form))
}

// Put handles PUT /freelancers/{id}. It stores a whole record.
func (h *Handlers) Put(ctx context.Context, call *endpoint.Call) error {
	return h.store(ctx, call, freelancers.Put)
}

// Patch handles PATCH /freelancers/{id}. It applies a JSON merge patch (RFC 7396).
func (h *Handlers) Patch(ctx context.Context, call *endpoint.Call) error {
	return h.store(ctx, call, freelancers.Patch)
}

func (h *Handlers) store(ctx context.Context, call *endpoint.Call, kind freelancers.Kind) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}

	// A patch changes somebody who is stored, so nobody can be admitted again by one.
	var faults validate.Faults
	known := []string{parameterLenient}
	if kind == freelancers.Put {
		known = append(known, parameterReadmit, wire.ParameterCurrency)
	}

	parameters := call.Query(&faults, known...)
	readmit := validate.Boolean(&faults, parameterReadmit, parameters)
	lenient := validate.Boolean(&faults, parameterLenient, parameters)
	currency := wire.ReadCurrency(parameters, &faults)
	condition := readCondition(call.Request.Header, &faults)

	record, err := h.readRecord(ctx, call, id, reading{lenient, currency}, &faults)
	if err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}

	return h.change(ctx, call, freelancers.Change{Kind: kind, ID: id, Record: record, If: condition, Readmit: readmit})
}

// A reading says how values are read.
type reading struct {
	lenient  bool   // as those of files
	currency string // of amounts; "" for that of the data set
}

// readRecord parses the body. Errors in its fields are added to faults.
func (h *Handlers) readRecord(
	ctx context.Context, call *endpoint.Call, id string, how reading, faults *validate.Faults,
) (freelancers.Record, error) {
	body := call.Body
	if body.Err != nil {
		return freelancers.Record{}, body.Err
	}

	// Service.Parse expects valid JSON, and its errors have no position.
	if _, err := strictjson.Parse(body.Data); err != nil {
		return freelancers.Record{}, err
	}

	record, err := h.parse(ctx, body.Data, how, faults)
	if err != nil {
		return freelancers.Record{}, err
	}

	switch {
	case !freelancers.ValidID(id):
		faults.Add("id", "invalid_value", "%s", freelancers.InvalidID(id))
	case record.ID != "" && record.ID != id:
		faults.Add("id", "mismatch", "id must be the ID in the path, %s, or absent; got %s.", validate.Quote(id),
			validate.Quote(record.ID))
	}

	if record.Deleted {
		faults.Add("deleted", "unknown_value", "deleted must not be true here; send DELETE to erase the freelancer.")
	}

	return record, nil
}

// parse parses a valid JSON text as a record. Errors in its fields are added to faults.
func (h *Handlers) parse(
	ctx context.Context, object []byte, how reading, faults *validate.Faults,
) (freelancers.Record, error) {
	record, invalid, err := h.Service.Parse(ctx, object, how.currency)
	if err != nil {
		return freelancers.Record{}, err
	}

	// A value of the wrong type needs no second error.
	if !how.lenient {
		faults.AddAll(freelancers.WrongTypes(object))
	}
	faults.Merge(matching.Invalid(invalid))
	return record, nil
}

// Delete handles DELETE /freelancers/{id}. It erases a freelancer.
func (h *Handlers) Delete(ctx context.Context, call *endpoint.Call) error {
	id, err := call.PathID()
	if err != nil {
		return err
	}
	var faults validate.Faults
	call.Query(&faults)
	condition := readCondition(call.Request.Header, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	return h.change(ctx, call, freelancers.Change{Kind: freelancers.Delete, ID: id, If: condition})
}

// change makes a single change and responds with its result.
func (h *Handlers) change(ctx context.Context, call *endpoint.Call, change freelancers.Change) error {
	if _, err := h.Limit.Take(ctx, call, 1); err != nil {
		return err
	}

	results, err := h.Service.Apply(ctx, call.RequestedBy(), call.Caller.Key.Account, []freelancers.Change{change})
	if err != nil {
		return err
	}

	// A failed condition responds with the current version, too.
	r := &results[0]
	h.count(r)
	if r.Version != "" {
		call.SetHeader(HeaderETag, etag(r.Version))
	}

	if r.Err != nil {
		return r.Err
	}

	status := http.StatusOK
	if r.Status == freelancers.Created {
		status = http.StatusCreated
	}

	return call.WriteJSON(status, endpoint.JSONType, endpoint.NewAnswer(call, wire.NewFreelancerChange(change.ID, r)))
}

// count counts the result of a change for operators.
func (h *Handlers) count(r *freelancers.Result) {
	outcome := string(r.Status)
	if r.Err != nil {
		outcome = changeFailed
	}
	h.Metrics.Changed(outcome)
}

// changeFailed is the outcome of changes that were not made, in metrics.
const changeFailed = "failed"
