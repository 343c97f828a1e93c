package api

import (
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
)

const (
	// strictTransport makes browsers use https for this host, for a year after their last request.
	strictTransport = "max-age=31536000"
	// warnInterval limits warnings about headers, because anyone can send them at any rate.
	warnInterval = 10 * time.Minute
)

// secure sets the headers that protect responses in browsers and caches. The dashboard and its files override some of
// them. While the server drains, it asks clients to close their connections, so that none is cut at the end.
func (s *Server) secure(c *gin.Context) {
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Cache-Control", "no-store")
	if s.deps.HTTPSOnly != nil && s.deps.HTTPSOnly(c.Request.Host) {
		c.Header("Strict-Transport-Security", strictTransport)
	}
	if s.draining.Load() {
		c.Header("Connection", "close")
	}
	c.Next()
}

// checkHost rejects requests for hosts that the server does not serve. Probes are exempt: load balancers send various
// names, and the responses hold nothing to protect.
func (s *Server) checkHost(c *gin.Context) {
	host := c.Request.Host
	if s.deps.ServesHost == nil || s.deps.ServesHost(host) || c.FullPath() == livePath || c.FullPath() == readyPath {
		c.Next()
		return
	}
	if s.unknownHost.due(time.Now()) {
		s.deps.Log.WarnContext(c.Request.Context(),
			"request for an unknown host rejected; if clients may use this name, add it to the setting hosts",
			slog.String("host", host), slog.String("request_id", callOf(c).ID))
	}
	fail(c, &matching.Error{
		Code: endpoint.CodeUnknownHost,
		Message: fmt.Sprintf("This server does not serve the host %s. Use the server's public URL, or ask its operator to "+
			"add the name to the setting hosts (-hosts, MATCHING_HOSTS).", validate.Quote(host)),
	})
}

// checkProxy warns about an X-Forwarded-For header that is ignored because its sender is not a trusted proxy. Behind
// such a proxy, all clients seem to share one address.
func (s *Server) checkProxy(c *gin.Context) {
	if c.GetHeader("X-Forwarded-For") != "" && !s.trusts(c.RemoteIP()) && s.untrustedProxy.due(time.Now()) {
		s.deps.Log.WarnContext(c.Request.Context(),
			"X-Forwarded-For ignored; if the peer is your proxy, add its address to the setting trusted-proxies",
			slog.String("peer", c.RemoteIP()), slog.String("request_id", callOf(c).ID))
	}
	c.Next()
}

// trusts reports whether an address belongs to a trusted proxy.
func (s *Server) trusts(ip string) bool {
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return true // a request that the dashboard makes itself has no peer
	}
	for _, p := range s.deps.TrustedProxies {
		if p.Contains(address.Unmap()) {
			return true
		}
	}
	return false
}

// A rareWarning is due at most once per warnInterval.
type rareWarning struct {
	last atomic.Int64 // Unix nanoseconds; 0 before the first
}

func (w *rareWarning) due(now time.Time) bool {
	last := w.last.Load()
	return (last == 0 || now.Sub(time.Unix(0, last)) >= warnInterval) && w.last.CompareAndSwap(last, now.UnixNano())
}
