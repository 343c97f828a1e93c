package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freelancer-matching/service/interview"
)

// 200 open streams must fit into the memory of a small server.
func TestInterviewStream_Memory(t *testing.T) {
	const streams, most = 200, 150 << 20
	f := newFixture()
	withAccounts(f)
	f.MaxInterviews = streams
	release := make(chan struct{})
	var waiting atomic.Int32
	all := make(chan struct{})
	conducts(func(ctx context.Context, r interview.Request, watch func(interview.Event)) (interview.Result, error) {
		_, _ = tells(begun())(ctx, r, watch)
		if waiting.Add(1) == streams {
			close(all)
		}
		<-release
		return begun(), nil
	})(f)

	server := httptest.NewServer(New(f.Dependencies).Handler())
	t.Cleanup(server.Close)
	before := memory()
	bodies := make([]io.ReadCloser, streams)
	for i := range bodies {
		bodies[i] = openStream(t, server.URL, fmt.Sprint(i%20))
	}

	<-all
	used := memory() - before
	t.Logf("%d streams take %.1f MB, clients included: %.0f KB each", streams, float64(used)/(1<<20),
		float64(used)/streams/1024)

	if used > most {
		t.Errorf("%d streams take %d bytes, want at most %d", streams, used, most)
	}
	close(release)

	for _, body := range bodies {
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}

		if events, _ := readEvents(t, string(text)); names(events) != "question question result" {
			t.Fatalf("events %s", names(events))
		}
		_ = body.Close()
	}
}

// openStream requests a stream and reads its first event.
func openStream(t *testing.T, address, key string) io.ReadCloser {
	t.Helper()
	c := streamed(nil)
	r := c.request(t)
	request, err := http.NewRequestWithContext(t.Context(), r.Method, address+interviewPath,
		strings.NewReader(goodInterview))
	if err != nil {
		t.Fatal(err)
	}

	request.Header = r.Header
	request.Header.Set(headerKey, key)
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(request) //nolint:bodyclose // the caller closes it
	if err != nil {
		t.Fatal(err)
	}

	body := bufio.NewReader(response.Body)
	for line := ""; line != "\n"; {
		if line, err = body.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}

	return struct {
		io.Reader
		io.Closer
	}{body, response.Body}
}

// memory returns the bytes of live objects and stacks.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
