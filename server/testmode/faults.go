package testmode

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/limits"
)

const (
	// headerFault is the header with which one request asks for a fault.
	headerFault = "X-Test-Fault"
	// maxSlow is the longest delay of a response.
	maxSlow = 5 * time.Minute
	// maxFaults is the number of faults that can wait.
	maxFaults = 1000
	// defaultPerMinute is the limit that a 429 describes to a key whose plan has none.
	defaultPerMinute = 100
)

// A fault is what happens to a request in place of its handling, or before it.
type fault struct {
	kind string        // 429, 503, 500, slow or drop
	span time.Duration // until a retry may succeed, or of the delay
}

// faultForms describes the forms of faults.
const faultForms = "429, 503, 500, slow=DURATION or drop; 429=DURATION and 503=DURATION set Retry-After"

var errFault = errors.New("not a fault")

// parseFault parses a fault: a kind, and for some kinds a duration after an equals sign.
func parseFault(text string) (f fault, err error) {
	kind, span, hasSpan := strings.Cut(text, "=")
	f.kind = kind
	if hasSpan {
		if f.span, err = parseSpan(span); err != nil || f.span <= 0 {
			return fault{}, errFault
		}
	}

	switch {
	case kind == "slow" && hasSpan && f.span <= maxSlow:
	case kind == "429" || kind == "503":
	case (kind == "500" || kind == "drop") && !hasSpan:
	default:
		return fault{}, errFault
	}

	return f, nil
}

// A rule applies a fault to the next calls, or to all.
type rule struct {
	Fault string `json:"fault"`
	Times int    `json:"times"` // calls to come; 0 for all until the faults are cleared
	Path  string `json:"path"`  // start of the paths of these calls; "" for all
	fault fault
}

// faults has the rules in the order in which they came. The first one that fits a call applies.
type faults struct {
	mu    sync.Mutex
	rules []rule
}

func (f *faults) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = nil
}

// add appends a rule. It returns false if too many are waiting.
func (f *faults) add(r rule) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rules) == maxFaults {
		return false
	}
	f.rules = append(f.rules, r)
	return true
}

// list returns the rules that are left.
func (f *faults) list() []rule {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]rule{}, f.rules...)
}

// next returns the fault of a call to a path, and counts it.
func (f *faults) next(path string) (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.rules {
		r := &f.rules[i]
		if !strings.HasPrefix(path, r.Path) {
			continue
		}

		found := r.fault
		if r.Times == 1 {
			f.rules = append(f.rules[:i], f.rules[i+1:]...)
		} else if r.Times > 1 {
			r.Times--
		}
		return found, true
	}
	return fault{}, false
}

// fail applies the fault of a request. It reports whether the request has its response.
func (s *Server) fail(w http.ResponseWriter, r *http.Request) bool {
	f, ok := s.faults.next(r.URL.Path)
	if text := r.Header.Get(headerFault); text != "" {
		var err error
		if f, err = parseFault(text); err != nil {
			s.respondWith(w, r, matching.Invalid([]matching.FieldError{{
				Field: headerFault, Code: "invalid", Message: fmt.Sprintf("%s must be %s; got %q", headerFault, faultForms, text),
			}}))
			return true
		}
		ok = true
	}

	if !ok {
		return false
	}
	switch f.kind {
	case "drop":
		panic(http.ErrAbortHandler) // cuts the connection without a response
	case "slow":
		timer := time.NewTimer(f.span)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
		return false
	case "429":
		s.respondWith(w, r, s.rateLimit(w, r, f.span))
	case "503":
		s.respondWith(w, r, &matching.Error{
			Code: matching.CodeOverloaded, Message: "The server has too many requests. Retry in a moment.", RetryAfter: f.span,
		})
	default:
		s.respondWith(w, r, errors.New("a test asked for an internal error"))
	}

	return true
}

// rateLimit returns the error of a key that has used up its minute, and sets the headers that go with it.
func (s *Server) rateLimit(w http.ResponseWriter, r *http.Request, wait time.Duration) error {
	limit := defaultPerMinute
	if plan, err := apikey.Parse(r.Header.Get("X-API-Key")); err == nil && plan.PerMinute > 0 {
		limit = plan.PerMinute
	}
	if wait == 0 {
		wait = quota.Minute
	}

	seconds := strconv.Itoa(int((wait + time.Second - 1) / time.Second))
	w.Header().Set(limits.HeaderLimit, strconv.Itoa(limit))
	w.Header().Set(limits.HeaderRemaining, "0")
	w.Header().Set(limits.HeaderReset, seconds)
	w.Header().Set(limits.HeaderWindow, quota.NameMinute)

	return &matching.Error{
		Code: quota.CodeRateLimit, RetryAfter: wait,
		Message: fmt.Sprintf("This key has used all of its plan's %d requests per minute. The next minute begins in %s s.",
			limit, seconds),
	}
}

type failureKey struct{}

// respondWith responds with an error, as the API does.
func (s *Server) respondWith(w http.ResponseWriter, r *http.Request, err error) {
	s.failing.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), failureKey{}, err)))
}
