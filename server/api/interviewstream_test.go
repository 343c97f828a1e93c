package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/interviews"
	"github.com/freelancer-matching/service/server/api/limits"
)

// A sent event is an event as the client receives it.
type sent struct{ name, id, data string }

// readEvents parses a stream that must consist of complete events and comments.
func readEvents(t *testing.T, body string) (events []sent, comments int) {
	t.Helper()
	if body != "" && !strings.HasSuffix(body, "\n\n") {
		t.Errorf("the stream ends inside an event: %q", body)
	}

	for block := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		if strings.HasPrefix(block, ":") {
			comments++
			continue
		}

		var e sent
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				e.data = value
			default:
				t.Errorf("line without a known field: %q", line)
			}
		}

		events = append(events, e)
	}

	return events, comments
}

func names(events []sent) string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = e.name
	}
	return strings.Join(list, " ")
}

func ids(events []sent) []string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = e.id
	}
	return list
}

// tells returns an interview that reports every step of a result.
func tells(r interview.Result) func(context.Context, interview.Request, func(interview.Event)) (interview.Result,
	error) {
	return func(_ context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result, error) {
		for i := range r.Questions {
			watch(interview.Event{SessionID: r.SessionID, Question: &r.Questions[i]})
		}
		for i := range r.Remarks {
			watch(interview.Event{SessionID: r.SessionID, Notice: &r.Remarks[i]})
		}
		if r.Evaluation != nil {
			for i := range r.Evaluation.Scores {
				watch(interview.Event{SessionID: r.SessionID, Score: &r.Evaluation.Scores[i]})
			}
		}
		return r, nil
	}
}

func streamed(change func(*fixture), header ...string) call {
	c := call{
		path: interviewPath, body: goodInterview, status: 200, change: change,
		header: http.Header{"Accept": {endpoint.EventsType}},
	}
	for i := 0; i < len(header); i += 2 {
		c.header.Set(header[i], header[i+1])
	}
	return c
}

func TestInterviewStream_AllEvents(t *testing.T) {
	c := streamed(conducts(tells(evaluated())))
	w, _ := c.send(t)
	for name, want := range map[string]string{
		"Content-Type": endpoint.EventsType, "Cache-Control": "no-store", "X-Accel-Buffering": "no",
		"X-Ratelimit-Remaining": "999",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}

	events, _ := readEvents(t, w.Body.String())
	if got := names(events); got != "session question question judgement judgement result" {
		t.Fatalf("events %s", got)
	}

	if distinct := slices.Compact(slices.Sorted(slices.Values(ids(events)))); len(distinct) != len(events) ||
		distinct[0] == "" {
		t.Errorf("ids %q", ids(events))
	}

	for i, want := range []string{
		`{"session_id":"` + testSession + `","mode":"ai_questions"}`, `"text":"What is a <channel>?"`,
		`"text":"When can you begin?"`,
		`"score":74`, `"answered":false`, `{"status":"success","data":{"freelancer":{"id":"f1"`,
	} {
		if !strings.Contains(events[i].data, want) {
			t.Errorf("event %d lacks %s: %s", i, want, events[i].data)
		}
	}
}

func TestInterviewStream_StartsWithTheSession(t *testing.T) {
	c := streamed(conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
		return begun(), nil
	}))
	w, _ := c.send(t)
	if events, _ := readEvents(t, w.Body.String()); names(events) != "session result" {
		t.Errorf("events %s", names(events))
	}
}

func TestInterviewStream_ManyEvents(t *testing.T) {
	const many = 5 * interviews.QueuedEvents
	c := streamed(conducts(func(_ context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result,
		error,
	) {
		for i := range many {
			q := interview.Question{ID: fmt.Sprintf("q%d", i+1)}
			watch(interview.Event{SessionID: testSession, Question: &q})
			q.ID = "changed after the event"
		}
		return begun(), nil
	}))

	w, _ := c.send(t)
	events, _ := readEvents(t, w.Body.String())
	if len(events) != many+2 {
		t.Fatalf("%d events, want %d", len(events), many+2)
	}

	for i := range many {
		if want := fmt.Sprintf(`{"id":"q%d",`, i+1); !strings.HasPrefix(events[i+1].data, want) {
			t.Fatalf("question %d is %s", i+1, events[i+1].data)
		}
	}
}

func TestInterviewStream_Errors(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want []string
	}{
		"client error": {
			&matching.Error{Code: interview.CodeSessionChanged, Message: "changed"},
			[]string{`"status":"error"`, `"code":"session_changed"`, `"detail":"changed"`},
		},
		"deadline":       {context.DeadlineExceeded, []string{`"code":"engine_timeout"`}},
		"internal error": {errors.New("secret cause"), []string{`"code":"internal"`, `"request_id":"`}},
	} {
		t.Run(name, func(t *testing.T) {
			c := streamed(conducts(func(ctx context.Context, r interview.Request, watch func(interview.Event)) (interview.Result,
				error,
			) {
				_, _ = tells(begun())(ctx, r, watch)
				return interview.Result{}, test.err
			}))

			w, f := c.send(t)
			events, _ := readEvents(t, w.Body.String())
			if got := names(events); got != "session question question error" {
				t.Fatalf("events %s", got)
			}

			for _, want := range test.want {
				if !strings.Contains(events[3].data, want) {
					t.Errorf("the error lacks %s: %s", want, events[3].data)
				}
			}

			if events[3].id != events[2].id {
				t.Errorf("the error has the ID %s, want that of the previous event, %s, from which the client can resume",
					events[3].id, events[2].id)
			}

			if code := f.usage.requests[0].Code; code == "" || !strings.Contains(events[3].data, code) {
				t.Errorf("recorded code %q", code)
			}

			if logged := strings.Contains(f.log.String(), "secret cause"); logged != (name == "internal error") {
				t.Errorf("log: %s", f.log)
			}
		})
	}
}

func TestInterviewStream_Heartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(d time.Duration) { <-time.After(d) }
		c := streamed(conducts(func(_ context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result,
			error,
		) {
			r := begun()
			wait(12 * time.Second) // one heartbeat, after 10 seconds
			watch(interview.Event{SessionID: testSession, Question: &r.Questions[0]})
			wait(9 * time.Second)
			watch(interview.Event{SessionID: testSession, Question: &r.Questions[1]})
			wait(6 * time.Second)
			return r, nil
		}))

		w, _ := c.send(t)
		events, comments := readEvents(t, w.Body.String())
		if !strings.HasPrefix(w.Body.String(), ":") || comments != 1 || names(events) != "session question question result" {
			t.Errorf("%d heartbeats: %s", comments, w.Body)
		}
	})
}

// After a heartbeat, the status is already sent, so an error becomes an event.
func TestInterviewStream_ErrorAfterHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := streamed(conducts(func(ctx context.Context, _ interview.Request, _ func(interview.Event)) (interview.Result,
			error,
		) {
			<-ctx.Done()
			return interview.Result{}, ctx.Err()
		}))
		start := time.Now()
		w, _ := c.send(t)
		events, comments := readEvents(t, w.Body.String())
		if took := time.Since(start); took != interviews.InterviewTime || comments != 2 || names(events) != "error" ||
			events[0].id != "" {
			t.Errorf("after %s: %s", took, w.Body)
		}
	})
}

// Whether a client left is certain only once a stream can't be written. Then the work ends, unless an Idempotency-Key
// lets the client retrieve the result later. A client that only closed its sending side receives the complete response.
func TestInterview_ClientLeaves(t *testing.T) {
	for _, tt := range []struct {
		name, accept, key string
		left              bool // the client left; otherwise it only closed its sending side
		finished          bool
	}{
		{"a response without events", "application/json", "", true, true},
		{"a half-closed connection", "application/json", "", false, true},
		{"a stream", endpoint.EventsType, "", true, false},
		{"a half-closed stream", endpoint.EventsType, "", false, true},
		{"a stream with an Idempotency-Key", endpoint.EventsType, "a key", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				w := &fragileRecorder{ResponseRecorder: httptest.NewRecorder()}
				finished := false
				start := time.Now()
				f := newFixture()
				conducts(func(ctx context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result, error) {
					if watch != nil {
						watch(interview.Event{SessionID: testSession, Question: &begun().Questions[0]})
					}
					cancel()
					w.broken.Store(tt.left)

					select {
					case <-ctx.Done():
						return interview.Result{}, ctx.Err()
					case <-time.After(interviews.InterviewTime / 2):
						finished = true
						return begun(), nil
					}
				})(f)

				c := call{path: interviewPath, body: goodInterview, header: http.Header{"Accept": {tt.accept}}}
				if tt.key != "" {
					c.header.Set(interviews.HeaderIdempotencyKey, tt.key)
				}
				New(f.Dependencies).Handler().ServeHTTP(w, c.request(t).WithContext(ctx))

				if finished != tt.finished {
					t.Errorf("finished: %t, want %t", finished, tt.finished)
				}

				if took := time.Since(start); !tt.finished && took > 2*endpoint.ProbeEvery {
					t.Errorf("the work ended after %s", took)
				}

				if got := f.usage.requests[0]; got.Code != "" || tt.left && tt.accept == endpoint.EventsType && got.Status != 499 {
					t.Errorf("recorded status %d and code %q", got.Status, got.Code)
				}

				if !tt.left && !strings.Contains(w.Body.String(), testSession) {
					t.Errorf("the client received %s", w.Body)
				}
			})
		})
	}
}

// A fragileRecorder fails to write after the client left.
type fragileRecorder struct {
	*httptest.ResponseRecorder
	broken atomic.Bool
}

func (r *fragileRecorder) Write(p []byte) (int, error) {
	if r.broken.Load() {
		return 0, syscall.EPIPE
	}
	return r.ResponseRecorder.Write(p)
}

func TestInterview_TimeLimitWithIdempotencyKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := call{
			path: interviewPath, body: goodInterview, status: 504, code: matching.CodeEngineTimeout,
			header: http.Header{interviews.HeaderIdempotencyKey: {"a key"}},
			change: conducts(func(ctx context.Context, _ interview.Request, _ func(interview.Event)) (interview.Result, error) {
				<-ctx.Done()
				return interview.Result{}, ctx.Err()
			}),
		}
		if c.send(t); time.Since(start) != interviews.InterviewTime {
			t.Errorf("took %s, want %s", time.Since(start), interviews.InterviewTime)
		}
	})
}

func TestInterviewStream_Panic(t *testing.T) {
	early := streamed(conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
		panic("secret cause")
	}))
	early.status = 500
	early.code = matching.CodeInternal
	early.send(t)

	late := streamed(nil)
	f := newFixture()
	conducts(func(_ context.Context, _ interview.Request, watch func(interview.Event)) (interview.Result, error) {
		q := begun().Questions[0]
		watch(interview.Event{SessionID: testSession, Question: &q})
		panic("secret cause")
	})(f)

	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler { //nolint:errorlint // net/http compares it with ==
			t.Errorf("panic %v, want http.ErrAbortHandler to cut the connection", cause)
		}
	}()

	New(f.Dependencies).Handler().ServeHTTP(httptest.NewRecorder(), late.request(t))
}

func TestInterviewStream_Resume(t *testing.T) {
	c := streamed(conducts(tells(evaluated())))
	w, _ := c.send(t)
	all, _ := readEvents(t, w.Body.String())
	resume := func(t *testing.T, id string, r interview.Result) []sent {
		t.Helper()
		c := streamed(conducts(tells(r)), interviews.HeaderLastEventID, id)
		w, _ := c.send(t)
		events, _ := readEvents(t, w.Body.String())
		return events
	}
	for i, e := range all[:len(all)-1] {
		if diff := cmp.Diff(ids(all[i+1:]), ids(resume(t, e.id, evaluated()))); diff != "" {
			t.Errorf("after %s %d (-want +got):\n%s", e.name, i, diff)
		}
	}

	other := evaluated()
	other.SessionID = strings.Repeat("0", 32)
	differs := evaluated()
	differs.Evaluation.Scores[0].Feedback = "by another judge"
	for name, test := range map[string]struct {
		id string
		r  interview.Result
	}{
		"the result":          {all[5].id, evaluated()},
		"another session":     {all[3].id, other},
		"different judgment":  {all[3].id, differs},
		"foreign ID":          {"17", evaluated()},
		"malformed ID":        {testSession + ":q:1", evaluated()},
		"place after the end": {testSession + ":j9:00000000", evaluated()},
	} {
		if got := names(resume(t, test.id, test.r)); got != names(all) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Interviews have their own limit of concurrent requests. A rejected one does not count against the plan.
func TestInterview_OwnAdmissionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.MaxInterviews = 1
		f.AdmissionWait = 300 * time.Millisecond
		release := make(chan struct{})
		conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
			<-release
			return begun(), nil
		})(f)

		h := New(f.Dependencies).Handler()
		first := httptest.NewRecorder()
		good := streamed(nil)
		go h.ServeHTTP(first, good.request(t))
		synctest.Wait()
		full := streamed(nil)
		full.status = 429
		full.code = admission.CodeTooManyConcurrent
		w := full.sendTo(t, h)
		other := call{status: 200}
		after := other.sendTo(t, h)
		if before, now := w.Header().Get(limits.HeaderRemaining),
			after.Header().Get(limits.HeaderRemaining); before != "999" || now != "998" {
			t.Errorf("%s requests remaining after the rejection, %s after the next request; want 999 and 998", before, now)
		}

		close(release)
		synctest.Wait()
		good.sendTo(t, h)
	})
}
