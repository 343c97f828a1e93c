package connections_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/server/connections"
)

// A queue is a listener that accepts the given clients' connections, one after another.
type queue struct{ waiting []*fakeConnection }

func (q *queue) Accept() (net.Conn, error) {
	if len(q.waiting) == 0 {
		return nil, net.ErrClosed
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	return next, nil
}

func (*queue) Close() error   { return nil }
func (*queue) Addr() net.Addr { return &net.TCPAddr{} }

type fakeConnection struct {
	net.Conn
	address string
	closed  bool
}

func (c *fakeConnection) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(c.address), 40000))
}

func (c *fakeConnection) Close() error {
	c.closed = true
	return nil
}

func TestListener_EnforcesLimits(t *testing.T) {
	var log bytes.Buffer
	var rejected []string
	q := &queue{}
	l := connections.Limit(q, connections.Limits{
		Total: 6, PerClient: 2, Shared: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	}, func(reason string) { rejected = append(rejected, reason) }, slog.New(slog.NewTextHandler(&log, nil)))
	// accept returns the accepted ones of connections from these addresses.
	accept := func(addresses ...string) (accepted []net.Conn, from []string) {
		t.Helper()
		for _, a := range addresses {
			q.waiting = append(q.waiting, &fakeConnection{address: a})
		}

		for {
			c, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return accepted, from
			}

			if err != nil {
				t.Fatal(err)
			}
			accepted = append(accepted, c)
			from = append(from, c.RemoteAddr().(*net.TCPAddr).IP.String()) //nolint:forcetypeassert // see RemoteAddr
		}
	}

	want := func(got []string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}

	first, from := accept("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2")
	want(from, "192.0.2.1", "192.0.2.1", "192.0.2.2")
	want(rejected, "client")
	_ = first[0].Close()
	_ = first[0].Close() // counts once
	_, from = accept("192.0.2.1", "::ffff:192.0.2.1")
	want(from, "192.0.2.1")
	networks, from := accept("2001:db8::1", "2001:db8::2", "2001:db8::3")
	want(from, "2001:db8::1", "2001:db8::2") // one network

	for _, c := range networks {
		_ = c.Close()
	}
	rejected = nil
	_, from = accept("10.0.0.1", "10.0.0.1", "10.0.0.1", "192.0.2.3", "127.0.0.1")
	want(from, "10.0.0.1", "10.0.0.1", "10.0.0.1")
	want(rejected, "total", "total")

	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "client=192.0.2.1") {
		t.Errorf("log: %s, want one warning per minute", text)
	}
}

// A real connection over the limit is closed, and those within it work.
func TestListener_OverTCP(t *testing.T) {
	inner, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	rejected := make(chan string, 1)
	l := connections.Limit(inner, connections.Limits{Total: 1}, func(reason string) { rejected <- reason },
		slog.New(slog.DiscardHandler))
	defer l.Close()

	var accepted net.Conn
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted = c
			go func() { _, _ = io.Copy(c, c) }()
		}
	}()

	dial := func() net.Conn {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}

	echo := make([]byte, 1)
	first := dial()
	if _, err := first.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}

	if _, err := io.ReadFull(first, echo); err != nil {
		t.Fatal(err)
	}

	if err := accepted.(interface{ CloseWrite() error }).CloseWrite(); err != nil { //nolint:forcetypeassert // tested
		t.Error(err)
	}

	if _, err := dial().Read(echo); err == nil || <-rejected != "total" {
		t.Errorf("the second connection got %q, %v", echo, err)
	}
}
