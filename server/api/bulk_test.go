package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/records"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

const (
	bulkPath = listPath + "/bulk"
	goodLine = `{"id":"f2","name":"Bo Cask","job_title":"Cook"}` + "\n"
)

func bulkCall(body string) call {
	return call{
		method: http.MethodPost, path: bulkPath, body: body, header: http.Header{"Content-Type": {endpoint.LinesType}},
		status: 200,
	}
}

// A resultLine is a line of a response, of any kind.
type resultLine struct {
	Line    int
	ID      string
	Outcome string
	Version string
	Erased  *freelancers.Erasure
	Error   *wire.FailureError

	Status                            string
	Lines, Changed, Unchanged, Failed int
	RequestID                         string `json:"request_id"`
}

// String returns "line id outcome code", or "status lines/changed/unchanged/failed code" for the last line.
func (r resultLine) String() string {
	code := ""
	if r.Error != nil {
		code = string(r.Error.Code)
	}
	if r.Status != "" {
		return strings.TrimSpace(fmt.Sprintf("%s %d/%d/%d/%d %s", r.Status, r.Lines, r.Changed, r.Unchanged, r.Failed, code))
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s", r.Line, r.ID, r.Outcome, code))
}

func readResults(t *testing.T, body string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(body) {
		var r resultLine
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, r.String())
	}
	return lines
}

func TestBulk(t *testing.T) {
	long := `{"id":"f9","description":"` + strings.Repeat("x", receive.MaxJSON) + `"}`
	for _, test := range []struct {
		name, query, body string
		want              []string
	}{
		{
			"all kinds of lines", "",
			"\ufeff" + goodLine + "\r\n  \n" + goodLine + `{"id":"f1","deleted":true}` + "\n" +
				`{"id":"f9","deleted":true}` + "\n" + `{"name":"Zoe"}` + "\n" + `{"id":"f3","hourly_rat":1}` + "\nnull\n{\n" +
				"{\"id\":\"\xff\"}\n" + long + "\n" +
				`{"id":"f4","deleted":false,"job_title":"Smith"}`,
			[]string{
				"1 f2 created", "4 f2 unchanged", "5 f1 deleted", "6 f9 failed freelancer_not_found", "7  failed validation_failed",
				"8 f3 failed unknown_field", "9  failed wrong_type", "10  failed malformed_json", "11  failed malformed_json",
				"12  failed body_too_large", "13 f4 created", "success 11/3/1/7",
			},
		},
		{
			"patch", "?patch=true",
			`{"id":"f1","hourly_rate":70}` + "\n" + `{"id":"f2","hourly_rate":70}` + "\n" + `{"id":"f1","name":"Zoe"}` + "\n",
			[]string{"1 f1 patched", "2 f2 failed freelancer_not_found", "3 f1 patched", "success 3/2/0/1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := bulkCall(test.body)
			c.path += test.query
			w, f := c.send(t)
			if diff := cmp.Diff(test.want, readResults(t, w.Body.String())); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}

			if w.Header().Get("Content-Type") != endpoint.LinesType {
				t.Errorf("Content-Type %s", w.Header().Get("Content-Type"))
			}

			if test.query != "" {
				if got := f.world.Engine.Records()["f1"]; got.Name != "Zoe" || got.HourlyRate.Value != 70 {
					t.Errorf("stored %+v", got)
				}
			}
		})
	}
}

// Errors that concern the whole request are ordinary responses.
func TestBulk_Errors(t *testing.T) {
	change := func(c call, status int, code matching.Code) call {
		c.status = status
		c.code = code
		return c
	}

	failing := func(c call, set func(*fixture)) call {
		c.change = set
		return c
	}

	run(t, []call{
		change(bulkCall(""), 400, strictjson.CodeMalformedJSON),
		change(bulkCall("\n \n"), 400, strictjson.CodeMalformedJSON),
		change(bulkCall(goodLine).with("Content-Type", "application/json"), 415, receive.CodeUnsupportedMediaType),
		change(bulkCall(goodLine).with("Content-Type", "application/octet-stream"), 200, ""),
		change(bulkCall(goodLine).with("Content-Encoding", "gzip"), 415, receive.CodeUnsupportedMediaType),
		change(call{
			method: http.MethodPost, path: bulkPath + "?patch=1&x=y", body: goodLine,
			header: http.Header{"Content-Type": {endpoint.LinesType}},
		}, 422, validate.CodeUnknownField),
		change(call{
			method: http.MethodPost, path: bulkPath + "?patch=true&readmit=true", body: goodLine,
			header: http.Header{"Content-Type": {endpoint.LinesType}},
		}, 422, matching.CodeInvalid),
		failing(change(bulkCall(goodLine), 409, freelancers.CodeNoData), func(f *fixture) { f.world.Engine.Empty = true }),
		failing(change(bulkCall(goodLine), 503, freelancers.CodeReindex), func(f *fixture) {
			f.world.Engine.Info.Taxonomy = "t0"
		}),
		failing(change(bulkCall(goodLine), 502, freelancers.CodeEmbeddings), func(f *fixture) {
			f.world.Preparer.Err = io.ErrUnexpectedEOF
		}),
		failing(change(bulkCall(goodLine), 500, matching.CodeInternal), func(f *fixture) {
			f.world.Log.Err = io.ErrUnexpectedEOF
		}),
	})
}

// A stream that ends early says so in its last line. Lines without a result were not processed.
func TestBulk_EndsAtTheLimitOfChanges(t *testing.T) {
	c := bulkCall(strings.Repeat(goodLine, 3) + `{"id":"f3"}` + "\n" + strings.Repeat(goodLine, 500))
	c.change = func(f *fixture) {
		k := goodKey()
		k.Plan = "freelancer"
		f.Keys = keyed(k)
		f.Changes = changes.New(&changeCounts{used: 96}, time.Now)
	}

	w, f := c.send(t)
	want := []string{
		"1 f2 created", "2 f2 unchanged", "3 f2 unchanged", "4 f3 failed validation_failed",
		"error 0/0/0/0 change_limit_exceeded",
	}

	got := readResults(t, w.Body.String())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	if !strings.Contains(f.log.String(), "limit of changes reached") {
		t.Error("nothing is logged")
	}
}

// duplex is a client that writes lines and reads results over a connection.
type duplex struct {
	t       *testing.T
	lines   *io.PipeWriter
	results *bufio.Reader
}

// openBulk starts a request. Its response arrives with the first result.
func openBulk(t *testing.T, f *fixture) (d *duplex, server *Server) {
	t.Helper()
	server = New(f.Dependencies)
	listening := httptest.NewServer(server.Handler())
	t.Cleanup(listening.Close)
	body, lines := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listening.URL+bulkPath, body)
	if err != nil {
		t.Fatal(err)
	}

	r.Header.Set("X-API-Key", testKey)
	r.Header.Set("Content-Type", endpoint.LinesType)
	d = &duplex{t: t, lines: lines}
	responses := make(chan *http.Response, 1)
	go func() {
		w, err := listening.Client().Do(r) //nolint:bodyclose // closed by the caller
		if err != nil {
			t.Error(err)
			close(responses)
			return
		}

		responses <- w
	}()

	d.send(goodLine)
	w, ok := <-responses
	if !ok {
		t.FailNow()
	}

	t.Cleanup(func() { w.Body.Close() })
	d.results = bufio.NewReader(w.Body)
	if got := d.read(); got != "1 f2 created" {
		t.Fatalf("got %s", got)
	}

	return d, server
}

func (d *duplex) send(line string) {
	if _, err := io.WriteString(d.lines, line); err != nil {
		d.t.Error(err)
	}
}

func (d *duplex) read() string {
	d.t.Helper()
	line, err := d.results.ReadString('\n')
	if err != nil {
		d.t.Fatalf("%v: %q", err, line)
	}
	return readResults(d.t, line)[0]
}

// A client can wait for each result before it sends the next line.
func TestBulk_StreamsBothWays(t *testing.T) {
	d, _ := openBulk(t, newFixture())
	for i := range 5 {
		d.send(goodLine)
		if want, got := fmt.Sprintf("%d f2 unchanged", i+2), d.read(); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	d.lines.Close()
	if got := d.read(); got != "success 6/1/5/0" {
		t.Errorf("got %s", got)
	}
}

func TestBulk_EndsAtShutdown(t *testing.T) {
	d, server := openBulk(t, newFixture())
	server.Drain()
	go d.send(goodLine)
	if got := d.read(); got != "2 f2 unchanged" && got != "error 0/0/0/0 overloaded" {
		t.Errorf("got %s", got)
	} else if got == "2 f2 unchanged" {
		if got := d.read(); got != "error 0/0/0/0 overloaded" {
			t.Errorf("got %s", got)
		}
	}
}

// A revoked key, and one that lost its permission, ends a stream within records.CheckKeyEvery.
func TestBulk_EndsWithItsKey(t *testing.T) {
	for name, test := range map[string]struct {
		refusal error
		revoke  func(*apikey.Key)
		want    matching.Code
	}{
		"revoked":    {&matching.Error{Code: apikey.CodeRevoked, Message: "revoked"}, nil, apikey.CodeRevoked},
		"permission": {nil, func(k *apikey.Key) { k.Permissions = nil }, apikey.CodePermission},
		"operation":  {nil, func(k *apikey.Key) { k.Operations = []string{"match"} }, apikey.CodeOperation},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var looked atomic.Int32
				keys := keysFunc(func(context.Context, string) (apikey.Key, error) {
					k := goodKey()
					if looked.Add(1) == 1 {
						return k, nil
					}

					if test.revoke != nil {
						test.revoke(&k)
					}
					return k, test.refusal
				})

				c := bulkCall("")
				c.change = func(f *fixture) { f.Keys = keys }
				c.reader = &slowLines{lines: 10, every: records.CheckKeyEvery / 4}
				w, _ := c.send(t)
				got := readResults(t, w.Body.String())
				if last := got[len(got)-1]; last != "error 0/0/0/0 "+string(test.want) || len(got) < 4 || len(got) > 6 {
					t.Errorf("got %v", got)
				}
			})
		})
	}
}

// slowLines yields a line at a time.
type slowLines struct {
	lines int
	every time.Duration
}

func (s *slowLines) Read(p []byte) (int, error) {
	if s.lines--; s.lines < 0 {
		return 0, io.EOF
	}
	time.Sleep(s.every)
	return copy(p, goodLine), nil
}

// endlessLines yields lines without keeping them.
type endlessLines struct{ left int }

func (e *endlessLines) Read(p []byte) (n int, err error) {
	for e.left > 0 && len(p)-n >= len(goodLine) {
		n += copy(p[n:], goodLine)
		e.left--
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A stream of any length needs the memory of a batch.
func TestBulk_BoundedMemory(t *testing.T) {
	lines := 100_000
	if testing.Short() {
		lines = 10_000
	}
	f := newFixture()
	f.Keys = keyed(func() apikey.Key {
		k := goodKey()
		k.Plan = "enterprise"
		return k
	}())

	c := bulkCall("")
	c.reader = &endlessLines{left: lines}
	r := c.request(t)
	w := &countingWriter{header: http.Header{}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w.every = func() {
		runtime.ReadMemStats(&after)
		if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 64<<20 {
			t.Fatalf("%d MiB in use", used>>20)
		}
	}

	New(f.Dependencies).Handler().ServeHTTP(w, r)
	if w.lines != lines+1 {
		t.Errorf("%d lines, want %d", w.lines, lines+1)
	}
}

// countingWriter counts the lines of a response.
type countingWriter struct {
	header http.Header
	lines  int
	writes int
	every  func() // called at every hundredth write
}

func (w *countingWriter) Header() http.Header { return w.header }
func (w *countingWriter) WriteHeader(int)     {}
func (w *countingWriter) Flush()              {}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.lines += strings.Count(string(p), "\n")
	if w.writes++; w.writes%100 == 0 {
		w.every()
	}
	return len(p), nil
}
