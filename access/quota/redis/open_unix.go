//go:build unix

package redis

import (
	"errors"
	"net"
	"syscall"
)

// isOpen reports whether the other side has not closed the connection. It doesn't wait, and leaves received bytes
// alone.
func isOpen(c net.Conn) bool {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	var n int
	var failure error
	err = raw.Read(func(fd uintptr) bool {
		n, _, failure = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return true // don't wait for bytes
	})
	nothing := errors.Is(failure, syscall.EAGAIN) || errors.Is(failure, syscall.EINTR)
	return err == nil && (nothing || failure == nil && n > 0)
}
