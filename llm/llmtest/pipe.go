package llmtest

import (
	"context"
	"net"
	"sync"
)

// pipeListener is a listener with connections in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipeListener() *pipeListener {
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close rejects further connections.
func (l *pipeListener) Close() error {
	l.close()
	return nil
}

// Addr returns the same address for every listener: the Transport that dials decides which one it reaches.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

// pipeAddr is a host name for URLs that no name server resolves (RFC 6761).
type pipeAddr struct{}

// Network returns "pipe".
func (pipeAddr) Network() string { return "pipe" }

func (pipeAddr) String() string { return "in-memory.test" }
