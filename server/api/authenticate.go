package api

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
)

// headerKey is the header with the API key. Clients that can only send bearer tokens (RFC 6750) use Authorization.
const headerKey = "X-API-Key"

// Keys looks up API keys. For a key that must not be used, Authenticate returns a matching.Error with a code of package
// apikey, together with the key if it exists.
type Keys interface {
	Authenticate(ctx context.Context, token string) (apikey.Key, error)
	// Find returns the key with an ID, or an error with the code matching.CodeNotFound.
	Find(ctx context.Context, id string) (apikey.Key, error)
}

// signedInKey is the context key of the value passed to ServeAs.
type signedInKey struct{}

// signedIn is a request of the dashboard.
type signedIn struct {
	key  apikey.Key
	user string // ID
}

// signedInOf returns the value passed to ServeAs, if the request comes from there.
func signedInOf(ctx context.Context) (signedIn, bool) {
	s, ok := ctx.Value(signedInKey{}).(signedIn)
	return s, ok
}

// ServeAs handles an API request on behalf of a user who is signed in to the dashboard and does not have to present the
// token of the key. The audit log has the user's ID instead of the key's. The key's state, operations, networks and
// limits apply as usual. Its networks must include the address of the user's browser.
func (s *Server) ServeAs(k apikey.Key, user string, w http.ResponseWriter, r *http.Request) {
	s.engine.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), signedInKey{}, signedIn{k, user})))
}

func (s *Server) authenticate(c *gin.Context) {
	call := callOf(c)
	var key apikey.Key
	var claims *browsertoken.Claims
	var err error

	if token := tokenOf(call.Request.Header); browsertoken.IsToken(token) {
		if key, claims, err = s.findBrowser(c.Request.Context(), call, token); claims != nil {
			allowOrigin(call, claims)
		}
	} else {
		key, err = s.findKey(c.Request.Context(), call)
	}

	if key.Test() {
		c.Header(headerTestMode, "true")
	}
	call.Caller = callerOf(c.Request, call, key)
	call.Caller.Browser = claims
	if err != nil {
		s.refuse(c, err)
		return
	}
	c.Next()
}

// callerOf returns who presents a key. Behind the dashboard's playground, the address belongs to the user's browser.
func callerOf(r *http.Request, call *endpoint.Call, key apikey.Key) endpoint.Caller {
	caller := endpoint.NewCaller(key)
	caller.Address = call.Client
	if signedIn, ok := signedInOf(r.Context()); ok {
		caller.Address = Address(r)
		caller.User = signedIn.user
	}
	return caller
}

// findKey looks up the key of a request. A valid key is accepted even from an address that sent too many invalid keys,
// so that guessing keys from a shared address does not lock out a key's owner.
func (s *Server) findKey(ctx context.Context, call *endpoint.Call) (apikey.Key, error) {
	if signedIn, ok := signedInOf(ctx); ok {
		return signedIn.key, signedIn.key.Refusal(s.deps.Now())
	}

	token := tokenOf(call.Request.Header)
	key, err := s.deps.Keys.Authenticate(ctx, token)
	code := matching.CodeOf(err)
	if s.errors.Status(code) == http.StatusUnauthorized {
		s.deps.Metrics.FailedAuthentication()
	}

	switch {
	case code == apikey.CodeMissing && keyInQuery(call.Request):
		return key, &matching.Error{
			Code: apikey.CodeMissing,
			Message: "The API key must be in the X-API-Key header, not in the URL. URLs appear in logs, so rotate the key " +
				"that you sent.",
		}

	case code == apikey.CodeInvalid:
		// Only an unknown key may be a guess. A revoked or expired one was valid once.
		return key, s.countFailure(call, err)
	default:
		return key, err
	}
}

// tokenOf returns the API key in the headers of a request, or "".
func tokenOf(h http.Header) string {
	if token := h.Get(headerKey); token != "" {
		return token
	}

	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// countFailure counts an invalid key against the client's address. It returns err, or an error with
// quota.CodeTooManyFailures after too many.
func (s *Server) countFailure(call *endpoint.Call, err error) error {
	address := quota.AddressKey(call.Client)
	if wait, blocked := s.deps.Guard.Blocked(address); blocked {
		return &matching.Error{
			Code: quota.CodeTooManyFailures, Message: "Too many invalid API keys came from this address. Send a valid key.",
			RetryAfter: wait, Cause: err,
		}
	}
	s.deps.Guard.Failed(address)
	return err
}

func keyInQuery(r *http.Request) bool {
	for _, values := range r.URL.Query() {
		for _, v := range values {
			if _, err := apikey.Parse(v); err == nil {
				return true
			}
		}
	}
	return false
}

// clientAddress returns the address of the client behind trusted proxies, or the zero address if it is unknown.
func clientAddress(c *gin.Context) netip.Addr {
	address, _ := netip.ParseAddr(c.ClientIP()) // the zero address if the client's is invalid
	return address.Unmap()
}

// addressKey is the context key of the client's address in requests to a mounted handler.
type addressKey struct{}

// Address returns the client's address for a request to a mounted handler, or the zero address if it is unknown. It
// accounts for trusted proxies.
func Address(r *http.Request) netip.Addr {
	address, _ := r.Context().Value(addressKey{}).(netip.Addr)
	return address
}

// permit rejects requests that the key doesn't allow.
func (s *Server) permit(r *route) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := r.allows(&callOf(c).Caller, originOf(c.Request)); err != nil {
			s.refuse(c, err)
			return
		}
		c.Next()
	}
}

// allows returns an error unless the key's operations, networks and permissions allow a request for the route.
func (r *route) allows(caller *endpoint.Caller, origin string) error {
	if caller.Browser != nil {
		return r.allowsBrowser(caller, origin)
	}
	if err := caller.Key.Allows(r.needs(), caller.Address); err != nil {
		return err
	}
	if caller.Key.Test() { // the records that it reads are generated, so it needs no grant
		return r.allowsTest()
	}
	if r.grant != "" {
		return caller.Key.Permits(r.grant)
	}
	return nil
}

// recheck returns an error if the key of a call no longer allows its route.
func (s *Server) recheck(ctx context.Context, call *endpoint.Call, r *route) error {
	key, err := s.findKey(ctx, call)
	if err != nil {
		return err
	}
	caller := callerOf(call.Request, call, key)
	return r.allows(&caller, "")
}

// Guard counts failed attempts by quota.AddressKey.
type Guard interface {
	Blocked(key string) (retryAfter time.Duration, blocked bool)
	Failed(key string)
}
