package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"freelancer-matching/interview"
)

// A client that does not read holds up neither the interview nor the server for longer than it has for one event. What
// it can come again for is made all the same.
func TestInterviewStream_IsNotHeldUpBySlowClients(t *testing.T) {
	for key, want := range map[string]time.Duration{"": eventTime, headerIdempotencyKey + ": a key\r\n": InterviewTime} {
		synctest.Test(t, func(t *testing.T) {
			var made, ended time.Duration
			start := time.Now()
			f := newFixture()
			conducts(func(ctx context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result, error) {
				for range queuedEvents {
					q := begun().Questions[0]
					watch(interview.Event{SessionID: testSession, Question: &q})
				}
				made = time.Since(start)
				<-ctx.Done()
				ended = time.Since(start)
				return interview.Result{}, ctx.Err()
			})(f)
			connection := serveInMemory(t, New(f.Dependencies).Handler()).dial(t)
			if _, err := fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: test\r\nX-API-Key: %s\r\nContent-Type: application/json\r\n"+
				"Accept: %s\r\n%sContent-Length: %d\r\n\r\n%s", interviewPath, testKey, eventsType, key, len(goodInterview), goodInterview); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if made != 0 {
				t.Errorf("%q: the interview waited %s", key, made)
			}
			<-time.After(InterviewTime + time.Second)
			synctest.Wait()
			if ended != want {
				t.Errorf("%q: the work ended after %s, want %s", key, ended, want)
			}
		})
	}
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
