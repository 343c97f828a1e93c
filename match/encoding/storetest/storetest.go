// Package storetest is the contract suite of encoding.Store.
package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/encoding"
)

// Run runs the suite. newPlace makes an empty place, and returns a function that opens a store of a space there, each
// time as a separate process would.
func Run(t *testing.T, newPlace func(t *testing.T) (open func(space string) encoding.Store)) {
	t.Helper()
	for name, test := range map[string]func(*place){
		"nothing is stored":                testEmpty,
		"what was put outlasts a restart":  testRestart,
		"one process leads":                testLead,
		"other spaces count as absent":     testSpaces,
		"nothing is left of erased people": testErase,
	} {
		t.Run(name, func(t *testing.T) { test(&place{t, newPlace(t)}) })
	}
}

// A place is where stores of several processes are.
type place struct {
	t    *testing.T
	open func(space string) encoding.Store
}

// follow opens a store and follows it.
func (p *place) follow(space string) encoding.Store {
	p.t.Helper()
	s := p.open(space)
	p.followAgain(s)
	return s
}

func (p *place) followAgain(s encoding.Store) {
	p.t.Helper()
	if err := s.Follow(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

const blankRevision = 1<<64 - 1

// vectors returns vectors of a revision. Odd ones have no description, and those of blankRevision no text at all.
func vectors(revision uint64) engine.Encoded {
	e := engine.Encoded{Revision: revision, Text: revision << 60, Short: make(matching.Vector, engine.EncodedDimensions)}
	if revision != blankRevision {
		for i := range e.Short {
			e.Short[i] = int8(int(revision)*i%255 - 127)
		}
	}
	e.Whole = e.Short
	if revision%2 == 0 {
		e.Whole = slices.Clone(e.Short)
		slices.Reverse(e.Whole)
	}
	return e
}

// put stores vectors of a revision.
func (p *place) put(s encoding.Store, revision uint64, ids ...string) {
	p.t.Helper()
	encoded := slices.Repeat([]engine.Encoded{vectors(revision)}, len(ids))
	if err := s.Put(p.t.Context(), ids, encoded); err != nil {
		p.t.Fatal(err)
	}
}

// check checks the revisions of what is stored; 0 for nothing.
func (p *place) check(s encoding.Store, want map[string]uint64) {
	p.t.Helper()
	var ids []string
	var encoded []engine.Encoded
	for id, revision := range want {
		ids = append(ids, id)
		e := engine.Encoded{}
		if revision != 0 {
			e = vectors(revision)
		}
		encoded = append(encoded, e)
	}

	got, err := s.Get(p.t.Context(), ids)
	if diff := cmp.Diff(encoded, got); err != nil || diff != "" {
		p.t.Errorf("%v; vectors of %v (-want +got):\n%s", err, ids, diff)
	}
}

// checkHas checks which revision of a freelancer a store has listed.
func (p *place) checkHas(s encoding.Store, id string, revision uint64) {
	p.t.Helper()
	for other := uint64(1); other < 5; other++ {
		if got, want := s.Has(id, other), other == revision; got != want {
			p.t.Errorf("has revision %d of %s: %t, want %t", other, id, got, want)
		}
	}
}

func testEmpty(p *place) {
	s := p.open("model")
	p.check(s, map[string]uint64{"a": 0})
	p.checkHas(s, "a", 0)
	size, err := s.Read(p.t.Context())
	if err != nil || size != 0 {
		p.t.Errorf("size %d, %v, want 0", size, err)
	}
	if err := s.Erase(p.t.Context(), []string{"a"}); err != nil {
		p.t.Error(err)
	}
	if got, err := s.Get(p.t.Context(), nil); err != nil || len(got) > 0 {
		p.t.Errorf("vectors of nobody: %v, %v", got, err)
	}
}

func testRestart(p *place) {
	s := p.follow("model")
	p.put(s, 1, "a", "b")
	p.put(s, 2, "a")
	long := fmt.Sprintf("%0600d", 7) // longer than Elasticsearch allows
	p.put(s, 3, long)
	p.put(s, blankRevision, "blank")
	p.check(s, map[string]uint64{"a": 2, "b": 1, long: 3, "blank": blankRevision, "c": 0})
	p.checkHas(s, "a", 2)
	if err := s.Close(); err != nil {
		p.t.Fatal(err)
	}

	s = p.follow("model")
	p.check(s, map[string]uint64{"a": 2, "b": 1, long: 3, "blank": blankRevision, "c": 0})
	p.checkHas(s, "a", 2)
	p.checkHas(s, "c", 0)
	count, err := s.Count(p.t.Context())
	if err != nil || count != 4 {
		p.t.Errorf("%d freelancers, %v, want 4", count, err)
	}
	size, err := s.Read(p.t.Context())
	if err != nil || size < 3*2*engine.EncodedDimensions/2 {
		p.t.Errorf("size %d, %v", size, err)
	}
	if err := s.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func testLead(p *place) {
	first := p.follow("model")
	p.put(first, 1, "a")
	second := p.follow("model")
	if !first.Leads() || !first.Writes() || second.Leads() {
		p.t.Fatal("not exactly the first one leads")
	}
	p.check(second, map[string]uint64{"a": 1})
	if second.Writes() {
		p.put(second, 2, "b")
		p.check(first, map[string]uint64{"a": 1, "b": 2})
		p.put(first, 3, "b")
		p.put(second, 2, "b")
	} else {
		p.put(first, 2, "b")
	}

	// The next leader lists everything.
	if err := first.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.followAgain(second)
	if !second.Leads() {
		p.t.Error("nobody leads")
	}
	p.check(second, map[string]uint64{"a": 1, "b": 2})
	p.checkHas(second, "a", 1)
	p.checkHas(second, "b", 2)
	if err := second.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func testSpaces(p *place) {
	s := p.follow("model")
	p.put(s, 1, "a", "b")
	if err := s.Close(); err != nil {
		p.t.Fatal(err)
	}

	other := p.follow("other")
	p.check(other, map[string]uint64{"a": 0, "b": 0})
	p.checkHas(other, "a", 0)
	p.put(other, 2, "b")
	p.check(other, map[string]uint64{"a": 0, "b": 2})
	if err := other.Retain(p.t.Context(), map[engine.HashedID]bool{engine.HashID("b"): true}); err != nil {
		p.t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		p.t.Fatal(err)
	}

	s = p.follow("model")
	p.check(s, map[string]uint64{"a": 0, "b": 0})
	if err := s.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func testErase(p *place) {
	s := p.follow("model")
	p.put(s, 1, "a", "b", "c", "d")
	if err := s.Erase(p.t.Context(), []string{"a", "unknown"}); err != nil {
		p.t.Fatal(err)
	}

	// Another process needn't follow.
	if err := p.open("model").Erase(p.t.Context(), []string{"b"}); err != nil {
		p.t.Fatal(err)
	}
	p.check(s, map[string]uint64{"a": 0, "b": 0, "c": 1, "d": 1})
	p.checkHas(s, "a", 0)

	if err := s.Retain(p.t.Context(), map[engine.HashedID]bool{engine.HashID("d"): true}); err != nil {
		p.t.Fatal(err)
	}
	p.check(s, map[string]uint64{"c": 0, "d": 1})
	if err := s.Close(); err != nil {
		p.t.Fatal(err)
	}
}
