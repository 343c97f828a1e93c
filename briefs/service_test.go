package briefs_test

import (
	"context"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/internal/matching"
)

// oneBrief is a store with one brief, which has nobody on its list.
type oneBrief struct{ briefs.Store }

func (oneBrief) Find(context.Context, string, string) (briefs.Brief, error) {
	return briefs.Brief{}, nil
}

// Where briefs can't be watched, an empty list would say that nobody fits.
func TestService_RefusesToWatch(t *testing.T) {
	s := briefs.New(oneBrief{}, time.Now, false, func() {})
	_, ofList := s.Watched(t.Context(), "a", "b")
	_, ofNotify := s.Create(t.Context(), audit.By{}, "a", briefs.Settings{Name: "x", Top: 1, Notify: true}, 0)
	for _, err := range []error{ofList, ofNotify} {
		if matching.CodeOf(err) != briefs.CodeUnsupported {
			t.Errorf("error %v, want the code %s", err, briefs.CodeUnsupported)
		}
	}

	if _, err := briefs.New(oneBrief{}, time.Now, true, func() {}).Watched(t.Context(), "a", "b"); err != nil {
		t.Error(err)
	}
}
