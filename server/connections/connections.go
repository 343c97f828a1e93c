// Package connections limits how many connections a listener keeps open, in total and from one client, so that clients
// can't use up the memory and the file descriptors of the server.
package connections

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/quota"
)

// warnInterval is the shortest time between two warnings about rejected connections.
const warnInterval = time.Minute

// Limits are the limits of a listener.
type Limits struct {
	Total     int // open connections
	PerClient int // open connections from one IPv4 address or one IPv6 network of 64 bits
	// Shared contains addresses of many clients, such as proxies, which have no limit of their own. So does loopback.
	Shared []netip.Prefix
}

// The reasons for rejecting a connection are values of a metric's label.
const (
	reasonTotal  = "total"
	reasonClient = "client"
)

// A Listener closes connections over its limits as soon as it has accepted them. It does not wait for others to end, as
// netutil.LimitListener does, because one client could then keep all others waiting.
type Listener struct {
	net.Listener
	limits   Limits
	rejected func(reason string)
	log      *slog.Logger

	mu      sync.Mutex
	open    int
	clients map[string]int // open connections
	warned  time.Time
}

// Limit returns a listener that enforces limits on the connections that l accepts. It calls rejected for each
// connection that it closes.
func Limit(l net.Listener, limits Limits, rejected func(reason string), log *slog.Logger) *Listener {
	return &Listener{Listener: l, limits: limits, rejected: rejected, log: log, clients: map[string]int{}}
}

// Accept returns the next connection within the limits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client, shared := l.clientOf(c)
		reason := l.add(client, shared)
		if reason == "" {
			return &connection{Conn: c, closed: sync.OnceFunc(func() { l.remove(client) })}, nil
		}
		_ = c.Close()
		l.reject(client, reason)
	}
}

// clientOf returns the client of a connection, and whether other clients have the same address.
func (l *Listener) clientOf(c net.Conn) (client string, shared bool) {
	var address netip.Addr
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		address = tcp.AddrPort().Addr().Unmap()
	}
	shared = address.IsLoopback() ||
		slices.ContainsFunc(l.limits.Shared, func(p netip.Prefix) bool { return p.Contains(address) })
	return quota.AddressKey(address), shared
}

// add counts a connection, or says why there are too many.
func (l *Listener) add(client string, shared bool) (reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.open >= l.limits.Total:
		return reasonTotal
	case !shared && l.clients[client] >= l.limits.PerClient:
		return reasonClient
	}
	l.open++
	l.clients[client]++
	return ""
}

func (l *Listener) remove(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.clients[client]--; l.clients[client] == 0 {
		delete(l.clients, client)
	}
}

func (l *Listener) reject(client, reason string) {
	l.rejected(reason)
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.warned.IsZero() || now.Sub(l.warned) >= warnInterval {
		l.warned = now
		l.log.Warn("connections rejected; if the client is a proxy, add it to trusted-proxies",
			"limit", reason, "client", client, "open", l.open, "open_from_client", l.clients[client])
	}
}

// A connection is counted until it is closed.
type connection struct {
	net.Conn
	closed func()
}

// Close closes the connection and stops counting it. It may be called repeatedly.
func (c *connection) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

// CloseWrite closes the sending side. net/http calls it after a response to a body that it didn't read, because closing
// both sides at once could destroy the response on its way.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
