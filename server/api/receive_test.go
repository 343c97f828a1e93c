package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/receive"
)

func TestPace_TimeFor(t *testing.T) {
	for _, tt := range []struct {
		pace     receive.Pace
		received int64
		want     time.Duration
	}{
		{receive.JSONPace(), 0, 5 * time.Second},
		{receive.JSONPace(), 1, 5*time.Second + time.Second/(16<<10)},
		{receive.JSONPace(), 16 << 10, 6 * time.Second},
		{receive.JSONPace(), receive.MaxJSON, 15 * time.Second},
		{receive.UploadPace(), 16 << 10, 6 * time.Second},
		{receive.UploadPace(), receive.MaxUpload, 30 * time.Second},
	} {
		if got := tt.pace.TimeFor(tt.received); got.Round(time.Microsecond) != tt.want.Round(time.Microsecond) {
			t.Errorf("%d bytes: %s, want %s", tt.received, got, tt.want)
		}
	}
}

// A clientConnection is a client's connection whose requests are written piece by piece.
type clientConnection struct {
	t          *testing.T
	connection net.Conn
	response   *bufio.Reader
}

func dialServer(t *testing.T, l *memoryListener) *clientConnection {
	t.Helper()
	c := l.dial(t)
	return &clientConnection{t, c, bufio.NewReader(c)}
}

func (w *clientConnection) write(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.connection, text); err != nil {
		w.t.Fatal(err)
	}
}

// closed waits until the server closed the connection: after a response to a body that it didn't read completely,
// net/http waits for a moment.
func (w *clientConnection) closed() {
	w.t.Helper()
	if _, err := w.response.ReadByte(); err != io.EOF {
		w.t.Errorf("the connection remains open: %v", err)
	}
	<-time.After(time.Second)
}

// begin sends the head of a request with this key and Content-Length.
func (w *clientConnection) begin(path, key, contentType string, length int) {
	w.t.Helper()
	w.write(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: test\r\nX-API-Key: %s\r\nContent-Type: %s\r\n"+
		"Content-Length: %d\r\n\r\n", path, key, contentType, length))
}

// read reads a response, checks it against the specification, and returns its status and code.
func (w *clientConnection) read(path string) (int, matching.Code) {
	w.t.Helper()
	response, err := http.ReadResponse(w.response, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()

	recorded := httptest.NewRecorder()
	for name, values := range response.Header {
		recorded.Header()[name] = values
	}
	recorded.WriteHeader(response.StatusCode)

	if _, err := recorded.Body.ReadFrom(response.Body); err != nil {
		w.t.Fatal(err)
	}
	checkAgainstSpecification(w.t, httptest.NewRequestWithContext(w.t.Context(), http.MethodPost, path, nil), recorded)

	if recorded.Code == http.StatusOK {
		return recorded.Code, ""
	}

	return recorded.Code, codeOf(w.t, recorded)
}

// Whatever number of bodies one account sends slowly, another account's request is answered without a wait. The slow
// ones are cut off and charged.
func TestReceive_SlowBodiesDelayNobodyElse(t *testing.T) {
	for path, of := range map[string]string{matchPath: "match", interviewPath: "interview"} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture()
			withAccounts(f)
			f.MaxMatches = 16
			f.MaxInterviews = 256
			f.AdmissionWait = 500 * time.Millisecond
			h := New(f.Dependencies).Handler()
			server := serveInMemory(t, h)
			var slow []*clientConnection
			for range 256 {
				w := dialServer(t, server)
				w.begin(path, "slow", "application/json", 1000)
				slow = append(slow, w)
			}

			synctest.Wait()
			start := time.Now()
			w := dialServer(t, server)
			w.begin(path, "other", "application/json", len(goodInterview))
			w.write(goodInterview)

			if status, code := w.read(path); path == interviewPath && status != 200 || path == matchPath && status != 422 {
				t.Errorf("%s: the other account got %d %s", of, status, code)
			}

			if waited := time.Since(start); waited != 0 {
				t.Errorf("%s: the other account waited %s", of, waited)
			}
			got := map[string]int{}
			for _, w := range slow {
				status, code := w.read(path)
				got[fmt.Sprint(status, code)]++
			}

			cut := got["408incomplete_body"]
			rejected := got["429too_many_concurrent_requests"]
			if cut != maxAccountSmallBodies || rejected != 256-maxAccountSmallBodies {
				t.Errorf("%s: the slow requests got %v", of, got)
			}

			if took := time.Since(start); took != receive.JSONPace().Grace {
				t.Errorf("%s: the slow requests ended after %s", of, took)
			}

			check := call{
				path: path, body: "{}", status: 422, header: http.Header{headerKey: {"slow"}},
			}
			if left, want := remaining(t, check.sendTo(t, h)), 1000-maxAccountSmallBodies-1; left != want {
				t.Errorf("%s: the slow account has %d requests remaining, want %d", of, left, want)
			}
		})
	}
}

// Slow large bodies of many accounts don't delay small ones, because they could take more memory.
func TestReceive_SlowLargeBodiesDontDelaySmallOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		withAccounts(f)
		f.AdmissionWait = 500 * time.Millisecond
		h := New(f.Dependencies).Handler()
		server := serveInMemory(t, h)
		var slow []*clientConnection
		for i := range maxLargeBodies {
			w := dialServer(t, server)
			w.begin(matchPath, fmt.Sprint("account", i/maxAccountLargeBodies), "application/json", smallBody+1)
			slow = append(slow, w)
		}

		synctest.Wait()
		small := call{status: 200, header: http.Header{headerKey: {"other"}}}
		small.sendTo(t, h)
		large := call{
			path: matchPath, body: goodBrief + strings.Repeat(" ", smallBody), status: 503, code: matching.CodeOverloaded,
			header: small.header,
		}

		large.sendTo(t, h)
		for _, w := range slow {
			if status, code := w.read(matchPath); status != 408 {
				t.Errorf("a slow body got %d %s", status, code)
			}
		}

		large.status = 200
		large.code = ""
		large.sendTo(t, h)
	})
}

// A body that arrives byte by byte doesn't extend its time by more than those bytes are worth.
func TestReceive_TricklingBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		w := dialServer(t, serveInMemory(t, New(f.Dependencies).Handler()))
		w.begin(matchPath, testKey, "application/json", receive.MaxJSON)
		start := time.Now()
		stop := make(chan struct{})
		go func() {
			for {
				select {
				case <-time.After(time.Second / 10):
					_, _ = io.WriteString(w.connection, " ")
				case <-stop:
					return
				}
			}
		}()

		if status, code := w.read(matchPath); status != 408 || code != receive.CodeIncompleteBody {
			t.Errorf("got %d %s", status, code)
		}
		close(stop)
		took := time.Since(start)
		if took < receive.JSONPace().Grace || took > receive.JSONPace().Grace+time.Second {
			t.Errorf("cut off after %s", took)
		}

		w.closed()
	})
}

// A body that takes longer than a request may is served if it keeps the pace: its own time limit begins afterwards.
func TestReceive_SteadyBodyIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.RequestTimeout = 3 * time.Second
		var left time.Duration
		f.Matcher = matcherFunc(func(ctx context.Context, _ *matching.Brief) (*matching.Answer, error) {
			deadline, _ := ctx.Deadline()
			left = time.Until(deadline)
			return fullAnswer(), nil
		})

		w := dialServer(t, serveInMemory(t, New(f.Dependencies).Handler()))
		const pieces = 8
		piece := strings.Repeat(" ", 20<<10)
		w.begin(matchPath, testKey, "application/json", pieces*len(piece)+len(goodBrief))

		for range pieces {
			<-time.After(time.Second)
			w.write(piece)
		}

		w.write(goodBrief)
		if status, code := w.read(matchPath); status != 200 || left != f.RequestTimeout {
			t.Errorf("got %d %s with %s left", status, code, left)
		}
	})
}

// Stalled uploads of one account leave room for others, whose files are parsed. They are charged.
func TestReceive_StalledUploads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		withAccounts(f)
		f.AdmissionWait = 500 * time.Millisecond
		h := New(f.Dependencies).Handler()
		server := serveInMemory(t, h)
		var stalled []*clientConnection
		for i := range maxUploads - 1 {
			w := dialServer(t, server)
			w.begin(parsePath, fmt.Sprint("account", i/maxAccountUploads), asForm.Get("Content-Type"), 100_000)
			w.write(goodForm[:20])
			stalled = append(stalled, w)
		}

		synctest.Wait()
		good := call{path: parsePath, header: asForm.Clone(), body: goodForm, status: 200}
		good.header.Set(headerKey, "other")
		start := time.Now()
		good.sendTo(t, h)

		if waited := time.Since(start); waited != 0 {
			t.Errorf("the other account waited %s", waited)
		}
		third := call{path: parsePath, header: asForm.Clone(), body: goodForm, status: 429}
		third.code = admission.CodeTooManyConcurrent
		third.header.Set(headerKey, "account0")
		third.sendTo(t, h)

		for _, w := range stalled {
			if status, code := w.read(parsePath); status != 408 || code != receive.CodeIncompleteBody {
				t.Errorf("a stalled upload got %d %s", status, code)
			}
		}

		if took := time.Since(start); took < receive.UploadPace().Grace || took > receive.UploadPace().Grace+time.Second {
			t.Errorf("the stalled uploads ended after %s", took)
		}
		after := call{path: parsePath, header: third.header, body: goodForm, status: 200}
		if left := remaining(t, after.sendTo(t, h)); left != 1000-maxAccountUploads-1 {
			t.Errorf("%d requests remaining: stalled uploads must be charged, the rejected one not", left)
		}
	})
}

// unread fails the test if the server reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// A key without requests left is refused before its body is received. synctest stops the clock, so that no new minute
// begins.
func TestReceive_ChecksTheQuotaFirst(t *testing.T) {
	for _, path := range []string{
		matchPath, batchPath, documentPath, eventsPath, parsePath, interviewPath, "/api/v1/verify-skill",
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture()
			withKey(func(k *apikey.Key) { k.Plan = "freelancer" })(f)
			h := New(f.Dependencies).Handler()
			use := call{method: http.MethodGet, path: dataPath + "?num_freelancers=1", status: 200}
			for range 100 {
				use.sendTo(t, h)
			}
			over := call{path: path, reader: unread{t}, status: 429, code: quota.CodeRateLimit}
			if w := over.sendTo(t, h); remaining(t, w) != 0 {
				t.Errorf("%s: headers %v", path, w.Header())
			}
		})
	}
}

// Over TCP: a half-sent body gets an error in the usual form, and a complete one its response.
func TestReceive_HalfClosedConnection(t *testing.T) {
	f := newFixture()
	server := httptest.NewServer(New(f.Dependencies).Handler())
	t.Cleanup(server.Close)

	for _, tt := range []struct {
		name, path, contentType, body string
		missing                       int
		status                        int
		code                          matching.Code
	}{
		{"complete brief", matchPath, "application/json", goodBrief, 0, 200, ""},
		{"half a brief", matchPath, "application/json", goodBrief, 100, 408, receive.CodeIncompleteBody},
		{"no brief", matchPath, "application/json", "", 100, 408, receive.CodeIncompleteBody},
		{"complete interview", interviewPath, "application/json", goodInterview, 0, 200, ""},
		{"half an interview", interviewPath, "application/json", goodInterview, 1, 408, receive.CodeIncompleteBody},
		{"complete file", parsePath, asForm.Get("Content-Type"), goodForm, 0, 200, ""},
		{"half a document", documentPath, asForm.Get("Content-Type"), goodForm[:60], 100, 408, receive.CodeIncompleteBody},
		{"a complete batch", batchPath, "application/json", batchOf(goodBrief), 0, 200, ""},
		{"half a batch", batchPath, "application/json", batchOf(goodBrief), 9, 408, receive.CodeIncompleteBody},
		{"half a list of events", eventsPath, "application/json", eventsOf(goodEvent), 9, 408, receive.CodeIncompleteBody},
		{"half a file", parsePath, asForm.Get("Content-Type"), goodForm[:60], 100, 408, receive.CodeIncompleteBody},
		{
			"a truncated form in a complete body", parsePath, asForm.Get("Content-Type"), goodForm[:len(goodForm)-9], 0, 400,
			receive.CodeMalformedMultipart,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dialed, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer dialed.Close()

			w := &clientConnection{t, dialed, bufio.NewReader(dialed)}
			w.begin(tt.path, testKey, tt.contentType, len(tt.body)+tt.missing)
			w.write(tt.body)

			if err := dialed.(*net.TCPConn).CloseWrite(); err != nil { //nolint:forcetypeassert // dialed with tcp
				t.Fatal(err)
			}

			if status, code := w.read(tt.path); status != tt.status || code != tt.code {
				t.Errorf("got %d %s, want %d %s", status, code, tt.status, tt.code)
			}
		})
	}
}

// An invalid chunked encoding is the client's fault, whether or not the body is complete.
func TestReceive_Chunked(t *testing.T) {
	for body, want := range map[string]int{
		fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(goodBrief), goodBrief): 200,
		"zz\r\n": 400,
	} {
		synctest.Test(t, func(t *testing.T) {
			w := dialServer(t, serveInMemory(t, New(newFixture().Dependencies).Handler()))
			w.write("POST " + matchPath + " HTTP/1.1\r\nHost: test\r\nX-API-Key: " + testKey +
				"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
			if status, code := w.read(matchPath); status != want {
				t.Errorf("%q: got %d %s, want %d", body, status, code, want)
			}
		})
	}
}

// The playground's requests pass the same gates: their account's share applies.
func TestReceive_ServeAsPassesTheGates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		// one for each account
		f.MaxMatches = 2
		f.AdmissionWait = 500 * time.Millisecond
		release := make(chan struct{})
		f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
			<-release
			return fullAnswer(), nil
		})

		s := New(f.Dependencies)
		good := call{status: 200}
		first := httptest.NewRecorder()
		second := httptest.NewRecorder()
		go s.Handler().ServeHTTP(first, good.request(t))
		synctest.Wait()
		s.ServeAs(goodKey(), "usr_1", second, good.request(t))

		if second.Code != 429 || codeOf(t, second) != admission.CodeTooManyConcurrent {
			t.Errorf("status %d: %s", second.Code, second.Body)
		}
		close(release)
		synctest.Wait()

		if first.Code != http.StatusOK {
			t.Errorf("status %d: %s", first.Code, first.Body)
		}
	})
}
