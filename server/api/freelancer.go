package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/audit"
	"freelancer-matching/freelancers"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/strictjson"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Freelancers reads and changes single freelancers. Errors that clients can fix are a matching.Error with a code of
// package freelancers, CodeInvalid or CodeFreelancerUnknown.
type Freelancers interface {
	Get(ctx context.Context, id string) (freelancers.Stored, error)
	// List returns up to limit freelancers who pass the filters, in the byte order of their IDs, after the given one.
	List(ctx context.Context, f *matching.Filters, after string, limit int) (freelancers.Page, error)
	// Parse parses a valid JSON text, and returns the faults in its fields.
	Parse(ctx context.Context, object []byte) (freelancers.Record, []matching.FieldError, error)
	// Apply makes changes in order and returns a result for each.
	Apply(
		ctx context.Context, by audit.By, account string, changes []freelancers.Change,
	) ([]freelancers.Result, error)
}

const (
	mergePatchType = "application/merge-patch+json"

	// eraseTime limits an erasure, which looks through dead letters and stored interviews.
	eraseTime = 30 * time.Second

	parameterReadmit = "readmit" // the freelancer agrees to be stored again
)

// idOf returns the freelancer's ID in the path. It may contain slashes that the client encoded.
func idOf(c *gin.Context) (string, error) {
	id := c.Param("id")
	if c.Request.URL.RawPath == "" { // gin has used the decoded path
		return id, nil
	}
	decoded, err := url.PathUnescape(id)
	if err != nil {
		return "", notFound(c)
	}
	return decoded, nil
}

// getFreelancer responds with a complete record. Clients that have the version get 304, which shows them nothing new.
func (s *Server) getFreelancer(c *gin.Context) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	var faults validate.Faults
	validate.Query(c.Request.URL.RawQuery, &faults)
	has := readETags(c.Request.Header, headerIfNoneMatch, &faults)

	if err := faults.Err(); err != nil {
		return err
	}
	found, err := s.deps.Freelancers.Get(c.Request.Context(), id)
	if err != nil {
		return err
	}

	if has.contains(found.Version) {
		c.Header(headerETag, etag(found.Version))
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()
		return nil
	}

	if err := s.show(c, id); err != nil {
		return err
	}
	c.Header(headerETag, etag(found.Version))

	return writeAnswer(c, wire.StoredFreelancer(found))
}

// putFreelancer stores a whole record.
func (s *Server) putFreelancer(c *gin.Context) error { return s.storeFreelancer(c, freelancers.Put) }

// patchFreelancer applies a JSON merge patch (RFC 7396).
func (s *Server) patchFreelancer(c *gin.Context) error {
	return s.storeFreelancer(c, freelancers.Patch)
}

func (s *Server) storeFreelancer(c *gin.Context, kind freelancers.Kind) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	var faults validate.Faults
	known := []string{}

	if kind == freelancers.Put {
		known = append(known, parameterReadmit)
	}
	readmit := validate.Boolean(&faults, parameterReadmit, validate.Query(c.Request.URL.RawQuery, &faults, known...))
	condition := readCondition(c.Request.Header, &faults)
	record, err := s.readRecord(c, id, &faults)
	if err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}

	return s.change(c, freelancers.Change{Kind: kind, ID: id, Record: record, If: condition, Readmit: readmit})
}

// readRecord parses the body. Errors in its fields are added to faults.
func (s *Server) readRecord(c *gin.Context, id string, faults *validate.Faults) (freelancers.Record, error) {
	body := bodyOf(c)
	if body.err != nil {
		return freelancers.Record{}, body.err
	}
	if _, err := strictjson.Parse(body.data); err != nil {
		return freelancers.Record{}, err
	}

	record, invalid, err := s.deps.Freelancers.Parse(c.Request.Context(), body.data)
	if err != nil {
		return freelancers.Record{}, err
	}
	faults.AddAll(invalid)

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

// deleteFreelancer erases a freelancer.
func (s *Server) deleteFreelancer(c *gin.Context) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	var faults validate.Faults
	validate.Query(c.Request.URL.RawQuery, &faults)
	condition := readCondition(c.Request.Header, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	return s.change(c, freelancers.Change{Kind: freelancers.Delete, ID: id, If: condition})
}

// change makes a single change and responds with its result.
func (s *Server) change(c *gin.Context, change freelancers.Change) error {
	if _, err := s.takeChanges(c, 1); err != nil {
		return err
	}

	results, err := s.deps.Freelancers.Apply(c.Request.Context(), requestedBy(c), keyOf(c).Account,
		[]freelancers.Change{change})
	if err != nil {
		return err
	}

	r := &results[0]
	s.countChange(r)
	if r.Version != "" {
		c.Header(headerETag, etag(r.Version))
	}

	if r.Err != nil {
		return r.Err
	}
	status := http.StatusOK

	if r.Status == freelancers.Created {
		status = http.StatusCreated
	}

	return writeJSON(c, status, jsonType, newAnswer(c, wire.NewFreelancerChange(change.ID, r)))
}

// countChange counts the result of a change for operators.
func (s *Server) countChange(r *freelancers.Result) {
	outcome := string(r.Status)
	if r.Err != nil {
		outcome = changeFailed
	}
	s.deps.Metrics.Changed(outcome)
}

// changeFailed is the outcome of changes that were not made, in metrics.
const changeFailed = "failed"

// requestedBy returns who sends a request, for the audit log: the user of the dashboard, or else the key.
func requestedBy(c *gin.Context) audit.By {
	actor := keyOf(c).ID
	if s, ok := signedInOf(c.Request.Context()); ok && s.user != "" {
		actor = s.user
	}
	return audit.By{Actor: actor, Address: requester(c)}
}
