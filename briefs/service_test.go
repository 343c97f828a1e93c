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
	_, ofNotify := s.Create(t.Context(), audit.By{}, "a", "", briefs.Settings{Name: "x", Top: 1, Notify: true}, 0)
	for _, err := range []error{ofList, ofNotify} {
		if matching.CodeOf(err) != briefs.CodeUnsupported {
			t.Errorf("error %v, want the code %s", err, briefs.CodeUnsupported)
		}
	}

	if _, err := briefs.New(oneBrief{}, time.Now, true, func() {}).Watched(t.Context(), "a", "b"); err != nil {
		t.Error(err)
	}
}

// People are new to a user who has looked before, unless they all came when the list was begun.
func TestSeen_New(t *testing.T) {
	at := func(minutes ...int) (people []briefs.Person) {
		for _, m := range minutes {
			people = append(people, briefs.Person{Since: time.Unix(int64(m)*60, 0)})
		}
		return people
	}
	for _, test := range []struct {
		name   string
		people []briefs.Person
		looked int // in minutes; 0 for never
		want   int
	}{
		{"nobody", nil, 5, 0},
		{"never looked", at(1, 2, 3), 0, 0},
		{"one came since", at(1, 1, 7), 5, 1},
		{"two came since", at(1, 6, 7), 5, 2},
		{"the list was begun since", at(7, 7), 5, 0},
	} {
		s := briefs.Seen{Brief: briefs.Brief{People: test.people}}
		if test.looked > 0 {
			s.Looked = time.Unix(int64(test.looked)*60, 0)
		}
		if got := s.New(); got != test.want {
			t.Errorf("%s: %d are new, want %d", test.name, got, test.want)
		}
	}
}
