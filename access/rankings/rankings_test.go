package rankings

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

// memory has the rankings of one account.
type memory struct {
	list      []Version // the newest first
	published *matching.Ranking
	events    []audit.Event
}

func (m *memory) List(context.Context, string) ([]Version, *matching.Ranking, error) {
	return m.list, m.published, nil
}

func (m *memory) Published(context.Context, string) (*matching.Ranking, error) {
	return m.published, nil
}

func (m *memory) Update(
	_ context.Context, _ string, change func([]Version, *matching.Ranking) (Change, error),
) error {
	c, err := change(m.list, m.published)
	if err != nil {
		return err
	}
	if c.Add != nil {
		m.list = append([]Version{*c.Add}, m.list...)
	}
	kept := m.list[:0:0]
	for _, v := range m.list {
		dropped := false
		for _, version := range c.Drop {
			dropped = dropped || v.Version == version
		}
		if !dropped {
			kept = append(kept, v)
		}
	}
	m.list = kept
	m.published = c.Published
	m.events = append(m.events, c.Event)
	return nil
}

func newService() (*Service, *memory) {
	m := &memory{}
	return New(m, func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }), m
}

func version(name string) Version {
	return Version{Ranking: matching.Ranking{Name: name, Profile: "default", Weights: map[string]float64{"text": 2}}}
}

func TestService_PublishesRollsBackAndWithdraws(t *testing.T) {
	s, m := newService()
	by := audit.By{Actor: "usr_1", Address: "192.0.2.1"}
	first, err := s.Publish(t.Context(), by, "acc", version(" Senior \n first "))
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Publish(t.Context(), by, "acc", version("Cheap"))
	if err != nil {
		t.Fatal(err)
	}
	if first.Name != "Senior first" || first.Version != 1 || second.Version != 2 || first.MadeBy != "usr_1" {
		t.Errorf("published %+v and %+v", first, second)
	}
	if m.published.Version != 2 {
		t.Errorf("published is %+v, want the second", m.published)
	}

	if _, err := s.RollBack(t.Context(), by, "acc", 1); err != nil || m.published.Version != 1 {
		t.Errorf("after a rollback, published is %+v, %v", m.published, err)
	}
	if _, err := s.RollBack(t.Context(), by, "acc", 9); !errors.Is(err, ErrNotFound) {
		t.Errorf("rollback to a version that doesn't exist: %v", err)
	}
	if err := s.Withdraw(t.Context(), by, "acc"); err != nil || m.published != nil {
		t.Errorf("after a withdrawal, published is %+v, %v", m.published, err)
	}
	if err := s.Withdraw(t.Context(), by, "acc"); !errors.Is(err, ErrNotFound) {
		t.Errorf("withdrawal of nothing: %v", err)
	}

	var actions []string
	for _, e := range m.events {
		actions = append(actions, string(e.Action)+" "+e.Detail)
	}
	want := `ranking.published "Senior first", version 1; ranking.published "Cheap", version 2; ` +
		`ranking.rolled_back "Senior first", version 1; ranking.withdrawn "Senior first", version 1`
	if got := strings.Join(actions, "; "); got != want {
		t.Errorf("audit log: %s\nwant %s", got, want)
	}
}

// The published version stays, however old it is, and no number is given twice.
func TestService_KeepsTheNewestVersions(t *testing.T) {
	s, m := newService()
	for range MaxVersions + 5 {
		if _, err := s.Publish(t.Context(), audit.By{}, "acc", version("v")); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.list) != MaxVersions || m.list[0].Version != MaxVersions+5 || m.list[MaxVersions-1].Version != 6 {
		t.Fatalf("%d versions, %d to %d", len(m.list), m.list[len(m.list)-1].Version, m.list[0].Version)
	}

	if _, err := s.RollBack(t.Context(), audit.By{}, "acc", 6); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Publish(t.Context(), audit.By{}, "acc", version("v")); err != nil {
		t.Fatal(err)
	}
	if oldest := m.list[len(m.list)-1].Version; oldest != 6 {
		t.Errorf("the oldest version is %d, want the one that was published", oldest)
	}
}

// Who learns from what a version has ranked replaces that version, not one that a member has published meanwhile.
func TestService_Replace(t *testing.T) {
	s, m := newService()
	replace := func(published int) error {
		_, err := s.Replace(t.Context(), audit.By{}, "acc", version("Learned"), published)
		return err
	}
	if err := replace(3); !errors.Is(err, ErrChanged) {
		t.Errorf("replaced a version that isn't published: %v", err)
	}
	if err := replace(0); err != nil || m.published.Version != 1 {
		t.Fatalf("published is %+v, %v", m.published, err)
	}
	if err := replace(0); !errors.Is(err, ErrChanged) || m.published.Version != 1 {
		t.Errorf("published is %+v, %v", m.published, err)
	}
	if err := replace(1); err != nil || m.published.Version != 2 {
		t.Errorf("published is %+v, %v", m.published, err)
	}
}

func TestCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		ranking matching.Ranking
		fields  string
	}{
		"usual":             {version("a").Ranking, ""},
		"no name":           {version("").Ranking, "name"},
		"long name":         {version(strings.Repeat("ä", MaxName+1)).Ranking, "name"},
		"control":           {version("a\x00").Ranking, "name"},
		"unknown profile":   {matching.Ranking{Name: "a", Profile: "best"}, "profile"},
		"unknown feature":   {matching.Ranking{Name: "a", Weights: map[string]float64{"luck": 1}}, "weights.luck"},
		"negative":          {matching.Ranking{Name: "a", Weights: map[string]float64{"text": -1}}, "weights.text"},
		"quality dominates": {matching.Ranking{Name: "a", Weights: map[string]float64{"quality": 3}}, "weights.skills"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(&tt.ranking)
			var fields []string
			if e, ok := errors.AsType[*matching.Error](err); ok {
				for _, detail := range e.Details {
					fields = append(fields, detail.Field)
				}
			}
			if got := strings.Join(fields, " "); got != tt.fields {
				t.Errorf("faults in %q, want %q: %v", got, tt.fields, err)
			}
		})
	}
}
