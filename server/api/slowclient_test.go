package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"freelancer-matching/internal/interview"
)

// A client that does not read holds up neither the interview nor the server for longer than it has for one event.
func TestInterviewStream_IsNotHeldUpBySlowClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made, left time.Duration
		start := time.Now()
		f := newFixture()
		conducts(func(ctx context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result, error) {
			for range queuedEvents {
				q := begun().Questions[0]
				watch(interview.Event{SessionID: testSession, Question: &q})
			}
			made = time.Since(start)
			<-ctx.Done()
			left = time.Since(start)
			return interview.Result{}, ctx.Err()
		})(f)
		server := serveInMemory(t, New(f.Dependencies).Handler())
		connection := server.dial(t)
		if _, err := fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: test\r\nX-API-Key: %s\r\nContent-Type: application/json\r\n"+
			"Accept: %s\r\nContent-Length: %d\r\n\r\n%s", interviewPath, testKey, eventsType, len(goodInterview), goodInterview); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if made != 0 {
			t.Errorf("the interview waited %s", made)
		}
		<-time.After(eventTime + time.Second)
		synctest.Wait()
		if left != eventTime {
			t.Errorf("the work ended after %s, want %s", left, eventTime)
		}
	})
}

// memoryListener is a server's side of connections within the process, which know deadlines and no buffers.
type memoryListener struct {
	connections chan net.Conn
	closed      chan struct{}
}

func serveInMemory(t *testing.T, h http.Handler) *memoryListener {
	t.Helper()
	l := &memoryListener{connections: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l
}

func (l *memoryListener) dial(t *testing.T) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	l.connections <- server
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	close(l.closed)
	return nil
}

func (l *memoryListener) Addr() net.Addr { return &net.TCPAddr{} }
