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

// renamedMeanwhile is a store with one brief, which somebody else renames during the first change.
type renamedMeanwhile struct {
	briefs.Store
	brief briefs.Brief
}

func (s *renamedMeanwhile) Find(context.Context, string, string) (briefs.Brief, error) {
	return s.brief, nil
}

func (s *renamedMeanwhile) Update(_ context.Context, b *briefs.Brief, _ bool, _ audit.Event) error {
	if s.brief.Revision == 1 {
		s.brief.Revision = 2
		s.brief.Settings.Name = "Theirs"
	}
	if b.Revision != s.brief.Revision {
		return briefs.ErrNotFound
	}
	s.brief = *b
	return nil
}

// A change of one setting doesn't undo what somebody else changes at the same time.
func TestService_ChangesAtTheSameTime(t *testing.T) {
	store := &renamedMeanwhile{brief: briefs.Brief{Revision: 1, Settings: briefs.Settings{Name: "Mine", Top: 1}}}
	s := briefs.New(store, time.Now, true, func() {})
	got, err := s.Change(t.Context(), audit.By{}, "a", "b", func(n *briefs.Settings) error {
		n.Top = 7
		return nil
	})
	if err != nil || got.Settings.Name != "Theirs" || got.Settings.Top != 7 {
		t.Errorf("settings %+v, error %v", got.Settings, err)
	}
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
