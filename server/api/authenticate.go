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

// Keys tells whom a key belongs to. A refusal is a matching.Error with one of the codes of apikey; the key comes with it
// where it is known.
type Keys interface {
	Authenticate(ctx context.Context, token string) (apikey.Key, error)
}

// signedIn is where the context of a request holds the key that ServeAs was given.
type signedIn struct{}

// ServeAs answers a request to the interface as if it had come with a key: for the owner of the key, who is signed in to the
// dashboard and need not have its token at hand. The key's state, operations and limits hold as always; its networks do not,
// since they bind who holds the token.
func (s *Server) ServeAs(k apikey.Key, w http.ResponseWriter, r *http.Request) {
	s.engine.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), signedIn{}, k)))
}

// keyOf is the key of a request, once it is known; otherwise one without id.
func keyOf(c *gin.Context) apikey.Key {
	value, _ := c.Get(contextKey)
	k, _ := value.(apikey.Key)
	return k
}

func (s *Server) authenticate(c *gin.Context) {
	key, err := s.knownKey(c)
	c.Set(contextKey, key)
	if err != nil {
		s.refuse(c, err)
		return
	}
	c.Next()
}

// knownKey looks the key up. A key that is accepted passes wherever it comes from: who guesses keys from its owner's address
// does not lock the owner out.
func (s *Server) knownKey(c *gin.Context) (apikey.Key, error) {
	ctx := c.Request.Context()
	if key, ok := ctx.Value(signedIn{}).(apikey.Key); ok {
		return key, key.Refusal(time.Now())
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
			Code: apikey.CodeMissing, Message: "a key is taken from the header X-API-Key only; the one in the address is in logs " +
				"by now, so rotate it",
		}
	case code == apikey.CodeInvalid:
		return key, s.countFailure(c, err)
	default:
		return key, err
	}
}

// countFailure is the answer to a key that is none: err, until too many have come from one address.
func (s *Server) countFailure(c *gin.Context, err error) error {
	address := quota.AddressKey(clientAddress(c))
	if wait, blocked := s.deps.Guard.Blocked(address); blocked {
		return &matching.Error{
			Code: quota.CodeTooManyFailures, Message: "too many keys that are not valid came from this address; a valid one is accepted",
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

// clientAddress is where a request comes from, through trusted proxies. The zero address where that cannot be told.
func clientAddress(c *gin.Context) netip.Addr {
	address, _ := netip.ParseAddr(c.ClientIP()) // the zero address is one of its own, for those without one
	return address.Unmap()
}

// addressOf is where the context of a mounted handler's request holds its Address.
type addressOf struct{}

// Address is where a request to a mounted handler comes from, through trusted proxies. The zero address where that cannot be
// told.
func Address(r *http.Request) netip.Addr {
	address, _ := r.Context().Value(addressOf{}).(netip.Addr)
	return address
}

// permit holds a key to its operations and networks.
func (s *Server) permit(c *gin.Context) {
	key := keyOf(c)
	if _, ok := c.Request.Context().Value(signedIn{}).(apikey.Key); ok {
		key.Networks = nil
	}
	if err := key.Allows(operationOf(c), clientAddress(c)); err != nil {
		s.refuse(c, err)
		return
	}
	c.Next()
}
