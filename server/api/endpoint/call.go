// Package endpoint has what the handlers of all operations share: the call that they handle, its responses, streams and
// errors.
package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// A Handler handles the calls of an operation. The context has the operation's time limit. An error that it returns
// becomes the response.
type Handler func(ctx context.Context, call *Call) error

// A Call is a request and the response to it. Its methods must not be called concurrently.
type Call struct {
	ID        string // request_id
	Start     time.Time
	Now       func() time.Time // the clock
	Operation string           // name in metrics and usage
	Client    netip.Addr       // of the connection, behind trusted proxies; the zero address if unknown
	Caller    Caller           // zero until the call is authenticated

	Request  *http.Request
	Response gin.ResponseWriter
	Params   gin.Params   // of the path
	Body     receive.Body // empty for a route that receives none
	// Closed is closed when the client closes its side of the connection: it left, or has nothing more to send.
	Closed <-chan struct{}

	Errors *Errors

	// What the access log, the metrics and the usage of the key say about the response.

	Code       matching.Code // of its error; "" without one
	ClientGone bool          // the client left before the end
	PerPart    bool          // usage is recorded for each part of the request, such as a brief, and not for the whole
}

// Part returns the call of one part of a batch. It has an ID and a start of its own.
func (c *Call) Part(number int) *Call {
	part := *c
	part.ID = c.ID + "." + strconv.Itoa(number)
	part.Start = c.Now()
	return &part
}

// Took returns the time since the call started.
func (c *Call) Took() time.Duration { return c.Now().Sub(c.Start) }

// TookMS returns the time since the call started, in milliseconds with two decimals.
func (c *Call) TookMS() float64 {
	return math.Round(float64(c.Took().Microseconds())/10) / 100
}

// Usage returns the record of the call for the owner of its key.
func (c *Call) Usage(status int, code matching.Code) usage.Request {
	// The owner of the key learns where the key is used, but not who visits the page.
	address := c.Caller.AddressText()
	if c.Caller.Browser != nil {
		address = ""
	}
	return usage.Request{
		Key: c.Caller.Key.ID, At: c.Start, Address: address, RequestID: c.ID, Operation: c.Operation,
		Status: status, Code: string(code), Took: c.Took(), Refused: status == http.StatusUnauthorized,
	}
}

// RequestedBy returns who sends the request, for the audit log: the user of the dashboard, or else the key.
func (c *Call) RequestedBy() audit.By {
	actor := c.Caller.Key.ID
	if c.Caller.User != "" {
		actor = c.Caller.User
	}
	return audit.By{Actor: actor, Address: c.Caller.AddressText()}
}

// PathID returns the ID in the path. It may contain slashes that the client encoded.
func (c *Call) PathID() (string, error) {
	id := c.Params.ByName("id")
	if c.Request.URL.RawPath == "" { // gin has used the decoded path
		return id, nil
	}
	decoded, err := url.PathUnescape(id)
	if err != nil {
		return "", c.NotFound()
	}
	return decoded, nil
}

// NotFound returns the error for a path that does not exist.
func (c *Call) NotFound() error {
	return &matching.Error{
		Code: matching.CodeNotFound,
		Message: fmt.Sprintf("The path %s does not exist. See /openapi.yaml for all paths.",
			validate.Quote(c.Request.URL.Path)),
	}
}

// Query returns the parameters of the query. Malformed, unknown and repeated parameters are added to faults.
func (c *Call) Query(faults *validate.Faults, known ...string) map[string]string {
	return validate.Query(c.Request.URL.RawQuery, faults, known...)
}

// SetHeader sets a header of the response.
func (c *Call) SetHeader(name, value string) { c.Response.Header().Set(name, value) }

// LinkNext sets the header Link to the next page of a list: the path and query of the request, with another value of a
// parameter.
func (c *Call) LinkNext(parameter, value string) {
	query := c.Request.URL.Query()
	query.Set(parameter, value)
	next := url.URL{Path: c.Request.URL.Path, RawPath: c.Request.URL.RawPath, RawQuery: query.Encode()}
	c.SetHeader("Link", fmt.Sprintf(`<%s>; rel="next"`, next.String()))
}

// WriteJSON sends v as the response. It encodes v first, so that a failure can still change the status.
func (c *Call) WriteJSON(status int, contentType string, v any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	c.SetHeader("Content-Type", contentType)
	c.SetHeader("Content-Length", strconv.Itoa(body.Len()))
	c.Response.WriteHeader(status)
	_, _ = c.Response.Write(body.Bytes()) // fails if the client left; the access log has the bytes sent
	return nil
}

// NewAnswer returns a successful response to a call.
func NewAnswer[T any](call *Call, data T) wire.Answer[T] {
	return wire.Answer[T]{Status: "success", Data: data, RequestID: call.ID, TookMS: call.TookMS()}
}

// WriteAnswer sends a successful response to a call.
func WriteAnswer[T any](call *Call, data T) error {
	return call.WriteJSON(http.StatusOK, JSONType, NewAnswer(call, data))
}

// Decode decodes the JSON body. Errors in single fields are added to faults.
func (c *Call) Decode(into any, faults *validate.Faults) error {
	if c.Body.Err != nil {
		return c.Body.Err
	}
	return strictjson.Decode(c.Body.Data, into, faults)
}
