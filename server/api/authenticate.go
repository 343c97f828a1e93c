package api

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
	"freelancer-matching/internal/matching"
)

const headerKey = "X-API-Key"

// Keys looks up API keys. For a key that must not be used, Authenticate returns a matching.Error with a code of package
// apikey, together with the key if it exists.
type Keys interface {
	Authenticate(ctx context.Context, token string) (apikey.Key, error)
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

// keyOf returns the key of a request, or a key without an ID if authentication found none.
func keyOf(c *gin.Context) apikey.Key {
	value, _ := c.Get(contextKey)
	k, _ := value.(apikey.Key)
	return k
}

func (s *Server) authenticate(c *gin.Context) {
	key, err := s.findKey(c)
	c.Set(contextKey, key)
	if err != nil {
		s.refuse(c, err)
		return
	}
	c.Next()
}

// findKey looks up the key of a request. A valid key is accepted even from an address that sent too many invalid keys,
// so that guessing keys from a shared address does not lock out a key's owner.
func (s *Server) findKey(c *gin.Context) (apikey.Key, error) {
	ctx := c.Request.Context()
	if s, ok := signedInOf(ctx); ok {
		return s.key, s.key.Refusal(time.Now())
	}
	token := c.GetHeader(headerKey)
	key, err := s.deps.Keys.Authenticate(ctx, token)
	code := matching.CodeOf(err)
	if s.statuses[code] == http.StatusUnauthorized {
		s.deps.Metrics.FailedAuthentication()
	}

	switch {
	case code == apikey.CodeMissing && keyInQuery(c.Request):
		return key, &matching.Error{
			Code: apikey.CodeMissing,
			Message: "The API key must be in the X-API-Key header, not in the URL. URLs appear in logs, so rotate the key " +
				"that you sent.",
		}

	case code == apikey.CodeInvalid:
		return key, s.countFailure(c, err)
	default:
		return key, err
	}
}

// countFailure counts an invalid key against the client's address. It returns err, or an error with
// quota.CodeTooManyFailures after too many.
func (s *Server) countFailure(c *gin.Context, err error) error {
	address := quota.AddressKey(clientAddress(c))
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

// clientText returns the client's address as text, or "" if it is unknown.
func clientText(c *gin.Context) string {
	if address := clientAddress(c); address.IsValid() {
		return address.String()
	}
	return ""
}

// addressKey is the context key of the client's address in requests to a mounted handler.
type addressKey struct{}

// Address returns the client's address for a request to a mounted handler, or the zero address if it is unknown. It
// accounts for trusted proxies.
func Address(r *http.Request) netip.Addr {
	address, _ := r.Context().Value(addressKey{}).(netip.Addr)
	return address
}

// requester returns the address that a request was sent from, or "" if it is unknown. Behind the dashboard's
// playground, that is the browser.
func requester(c *gin.Context) string {
	if _, ok := signedInOf(c.Request.Context()); !ok {
		return clientText(c)
	}
	if address := Address(c.Request); address.IsValid() {
		return address.String()
	}
	return ""
}

// permit rejects requests that the key doesn't allow.
func (s *Server) permit(r *route) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := r.allows(c, keyOf(c)); err != nil {
			s.refuse(c, err)
			return
		}
		c.Next()
	}
}

// allows returns an error unless the key's operations, networks and permissions allow a request for the route.
func (r *route) allows(c *gin.Context, key apikey.Key) error {
	address := clientAddress(c)
	if _, ok := signedInOf(c.Request.Context()); ok {
		address = Address(c.Request)
	}
	if err := key.Allows(r.needs(), address); err != nil {
		return err
	}
	if r.grant != "" {
		return key.Permits(r.grant)
	}
	return nil
}
