package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/gomodule/redigo/redis"
)

// pool returns a pool of connections that opens none yet.
func (s *settings) pool() *redis.Pool {
	return &redis.Pool{
		DialContext: s.dial,
		TestOnBorrow: func(c redis.Conn, _ time.Time) error {
			return c.(*connection).check() //nolint:forcetypeassert // dial returned it
		},
		MaxActive:   maxConnections,
		MaxIdle:     maxConnections,
		IdleTimeout: idleTimeout,
		Wait:        true, // up to the timeout of the call
	}
}

// A connection is a connection of the client with its socket.
type connection struct {
	redis.ConnWithTimeout
	socket net.Conn // below TLS
}

var errClosed = errors.New("the server has closed the connection")

// check returns an error if the server has closed the connection, so that no request is lost to a restart. It sends
// nothing: a PING would take as long as the request.
func (c *connection) check() error {
	if err := c.socket.SetReadDeadline(time.Time{}); err != nil { // that of the last command may have passed
		return err
	}
	if !isOpen(c.socket) {
		return errClosed
	}
	return nil
}

// dial opens a connection and signs in.
func (s *settings) dial(ctx context.Context) (redis.Conn, error) {
	var socket net.Conn
	connect := func(ctx context.Context, network, address string) (_ net.Conn, err error) {
		if socket, err = new(net.Dialer).DialContext(ctx, network, address); err != nil || s.tls == nil {
			return socket, err
		}

		t := tls.Client(socket, s.tls)
		if err := t.HandshakeContext(ctx); err != nil {
			_ = socket.Close() // the failed handshake is the error
			return nil, err
		}

		return t, nil
	}

	c, err := redis.DialContext(ctx, "tcp", s.address, redis.DialContextFunc(connect), redis.DialUsername(s.username),
		redis.DialPassword(s.password()), redis.DialDatabase(s.database), redis.DialReadTimeout(s.timeout),
		redis.DialWriteTimeout(s.timeout))
	if err != nil {
		return nil, err
	}

	return &connection{c.(redis.ConnWithTimeout), socket}, nil //nolint:forcetypeassert // documented
}
