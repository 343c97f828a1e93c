package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/interviews"
)

// A slow client delays neither the interview nor, for longer than the limit of one event, the server. With an
// Idempotency-Key, the work is finished anyway.
func TestInterviewStream_SlowClient(t *testing.T) {
	for key, want := range map[string]time.Duration{
		"": endpoint.EventTime,
		interviews.HeaderIdempotencyKey + ": a key\r\n": interviews.InterviewTime,
	} {
		synctest.Test(t, func(t *testing.T) {
			var sent, ended time.Duration
			start := time.Now()
			f := newFixture()
			conducts(func(ctx context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result, error) {
				for range interviews.QueuedEvents {
					q := begun().Questions[0]
					watch(interview.Event{SessionID: testSession, Question: &q})
				}

				sent = time.Since(start)
				<-ctx.Done()
				ended = time.Since(start)
				return interview.Result{}, ctx.Err()
			})(f)

			connection := serveInMemory(t, New(f.Dependencies).Handler()).dial(t)
			if _, err := fmt.Fprintf(connection,
				"POST %s HTTP/1.1\r\nHost: test\r\nX-API-Key: %s\r\nContent-Type: application/json\r\n"+
					"Accept: %s\r\n%sContent-Length: %d\r\n\r\n%s", interviewPath, testKey, endpoint.EventsType, key,
				len(goodInterview),
				goodInterview); err != nil {
				t.Fatal(err)
			}

			synctest.Wait()
			if sent != 0 {
				t.Errorf("%q: the interview waited %s for the client", key, sent)
			}
			<-time.After(interviews.InterviewTime + time.Second)
			synctest.Wait()

			if ended != want {
				t.Errorf("%q: the work ended after %s, want %s", key, ended, want)
			}
		})
	}
}

// A memoryListener accepts connections within the process. They support deadlines and have no buffers.
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
