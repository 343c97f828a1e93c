package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// VisitorPrefix begins the subjects under which the requests of visitors of web pages are counted.
const VisitorPrefix = "visitor:"

// preflightTime is how long browsers may remember that web pages may match; they limit it themselves.
const preflightTime = 2 * time.Hour

// browserTokens handles the operation that creates tokens for web pages.
type browserTokens struct {
	sealer *browsertoken.Sealer
}

// create handles POST /browser-tokens. A token is not stored, and using it counts, so creating one counts nothing.
func (h *browserTokens) create(_ context.Context, call *endpoint.Call) error {
	var request wire.BrowserTokenRequest
	var faults validate.Faults
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}
	claims := request.Claims(call.Caller.Key.ID, call.Start, &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	// A token never outlives its key.
	if end := call.Caller.Key.End(); !end.IsZero() && end.Before(claims.Expires) {
		claims.Expires = end.UTC()
	}

	token, err := h.sealer.Seal(claims)
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.BrowserToken{Token: token, ExpiresAt: claims.Expires})
}

// findBrowser returns the API key that a browser token was created with, and the claims of the token. The claims are
// there if the token was valid once, so that the page learns that it has expired.
func (s *Server) findBrowser(
	ctx context.Context, call *endpoint.Call, token string,
) (key apikey.Key, claims *browsertoken.Claims, err error) {
	claims, err = s.deps.BrowserTokens.Open(token, call.Start)
	if matching.CodeOf(err) == browsertoken.CodeInvalid {
		s.deps.Metrics.FailedAuthentication()
		return key, nil, s.countFailure(call, err)
	}
	if err != nil {
		return key, claims, err
	}

	key, err = s.deps.Keys.Find(ctx, claims.Key)
	if matching.CodeOf(err) == matching.CodeNotFound { // the account was deleted
		return apikey.Key{}, claims, &matching.Error{
			Code: browsertoken.CodeInvalid, Message: "The API key of this browser token no longer exists.",
		}
	}
	if err != nil {
		return apikey.Key{}, claims, err
	}
	return key, claims, key.Refusal(s.deps.Now())
}

// allowOrigin lets a web page of one of the token's origins read the response, even if that is an error.
func allowOrigin(call *endpoint.Call, claims *browsertoken.Claims) {
	header := call.Response.Header()
	header.Add("Vary", "Origin")
	if origin := originOf(call.Request); claims.Allows(origin) == nil {
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Expose-Headers", strings.Join([]string{
			"Retry-After", headerRequestID, limits.HeaderLimit, limits.HeaderRemaining, limits.HeaderReset,
			limits.HeaderWindow,
		}, ", "))
	}
}

// originOf returns the origin of the page that sends a request, or "" without exactly one.
func originOf(r *http.Request) string {
	if values := r.Header.Values("Origin"); len(values) == 1 {
		return values[0]
	}
	return ""
}

// allowsBrowser returns an error unless a browser token may be used for a request for the route. The key's networks
// belong to backends, so they don't apply to visitors.
func (r *route) allowsBrowser(caller *endpoint.Caller, origin string) error {
	if !r.browser {
		return &matching.Error{
			Code:    apikey.CodeOperation,
			Message: "A browser token allows POST /api/v1/match only. Call this operation from your backend, with an API key.",
		}
	}
	if err := caller.Browser.Allows(origin); err != nil {
		return err
	}

	key := caller.Key
	key.Networks = nil
	return key.Allows(r.needs(), caller.Address)
}

// limitVisitor counts a request of a web page against the limit of its visitor. It does nothing for other requests.
func (s *Server) limitVisitor(c *gin.Context) {
	call := callOf(c)
	claims := call.Caller.Browser
	if claims == nil {
		c.Next()
		return
	}

	decision, err := s.deps.Visitors.Take(c.Request.Context(), quota.Allowance{
		Subject: visitorOf(&call.Caller), Since: time.Unix(0, 0), PerMinute: claims.PerMinute, PerMonth: math.MaxInt32,
	})
	if err != nil {
		fail(c, err)
		return
	}

	minute := &decision.Minute
	reset := strconv.Itoa(int(math.Ceil(minute.Reset.Seconds())))
	call.SetHeader(limits.HeaderLimit, strconv.Itoa(minute.Limit))
	call.SetHeader(limits.HeaderRemaining, strconv.Itoa(minute.Left()))
	call.SetHeader(limits.HeaderReset, reset)
	call.SetHeader(limits.HeaderWindow, minute.Name)

	if !decision.Allowed {
		fail(c, &matching.Error{
			Code: browsertoken.CodeVisitor, RetryAfter: minute.Reset,
			Message: fmt.Sprintf("You have used all of your %d requests per minute. Retry in %s s.", minute.Limit, reset),
		})
		return
	}
	c.Next()
}

// visitorOf returns the subject under which the requests of a visitor are counted: the ID in the token, or else the
// network address. It is a hash, so that the store has no addresses.
func visitorOf(caller *endpoint.Caller) string {
	who := "address " + quota.AddressKey(caller.Address)
	if caller.Browser.Visitor != "" {
		who = "visitor " + caller.Browser.Visitor
	}
	sum := sha256.Sum256([]byte(caller.Key.Counter + "\n" + who))
	return VisitorPrefix + hex.EncodeToString(sum[:16])
}

// preflight answers a browser that asks whether a web page may match. The request has no token, so any page may ask;
// which pages may read the response to a match is decided by the token. X-API-Key is not among the headers, because
// secret keys don't belong into pages.
func preflight(c *gin.Context) {
	if c.GetHeader("Origin") == "" || c.GetHeader("Access-Control-Request-Method") == "" {
		c.Header("Allow", http.MethodPost)
		serve(methodNotAllowed)(c)
		return
	}
	c.Header("Access-Control-Allow-Origin", "*")
	c.Header("Access-Control-Allow-Methods", http.MethodPost)
	c.Header("Access-Control-Allow-Headers", "Authorization, Content-Type")
	c.Header("Access-Control-Max-Age", strconv.Itoa(int(preflightTime.Seconds())))
	c.Status(http.StatusNoContent)
}
