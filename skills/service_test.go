package skills_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/engine/enginetest"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/match"
	"freelancer-matching/skills"
	"freelancer-matching/taxonomy"
)

var loadTaxonomy = sync.OnceValues(taxonomy.Load)

func load(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	tax, err := loadTaxonomy()
	if err != nil {
		t.Fatal(err)
	}
	return tax
}

// people are the freelancers of the golden file. One of them misspells a skill.
func people() []matching.Freelancer {
	var all []matching.Freelancer
	add := func(n int, title string, skills ...string) {
		for range n {
			all = append(all, matching.Freelancer{ID: fmt.Sprintf("f%d", len(all)+1), JobTitle: title, Skills: skills})
		}
	}
	add(8, "Senior React Developer | Node.js, AWS", "ReactJS", "Node", "Amazon Web Services")
	add(3, "Kintsugi Restorer", "Kintsugi", "Ceramics")
	add(1, "Kintsugi restorer & teacher", "kintsugi", "Reactt")
	add(4, "C++ Developer – Embedded", "C++", "C", "Q&A Zorbing")
	add(2, "Feng Shui Adviser", "Feng-Shui Reading", "R&D")
	add(5, "Traductora (EN-ES)", "Traducción", "EN-ES translation")
	return all
}

// searcher is an engine with one index, which may be changed, or be out of order.
type searcher struct {
	mu       sync.Mutex
	snapshot *snapshot
	err      error
}

func (s *searcher) Open(context.Context, string) (engine.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return nil, s.err
	case s.snapshot == nil:
		return nil, engine.ErrNotFound
	}
	return s.snapshot, nil
}

func (s *searcher) set(snapshot *snapshot, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshot, s.err = snapshot, err
}

// snapshot is an index that knows its words.
type snapshot struct {
	engine.Snapshot
	info  engine.Info
	words *engine.Vocabulary
	err   error
	gate  chan struct{} // unless nil, to be closed before words are told
}

func (s *snapshot) Info() engine.Info { return s.info }

func (s *snapshot) Vocabulary(ctx context.Context) (*engine.Vocabulary, error) {
	if s.gate != nil {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return s.words, s.err
}

// index is one of these freelancers.
func index(t testing.TB, name string, freelancers []matching.Freelancer) *snapshot {
	t.Helper()
	documents, err := match.NewPreparer(load(t), analysis.New()).Prepare(context.Background(), freelancers)
	if err != nil {
		t.Fatal(err)
	}
	return &snapshot{info: engine.Info{Name: name}, words: enginetest.Vocabulary(documents)}
}

func newServiceOn(t testing.TB, e engine.Searcher, verdicts *skills.Verdicts) *skills.Service {
	t.Helper()
	return skills.New(skills.Config{
		Engine: e, Alias: match.Alias, Taxonomy: load(t), Verdicts: verdicts, Log: slog.New(slog.DiscardHandler),
	})
}

// newService is one on an index of these freelancers; nil: nothing was loaded yet.
func newService(t testing.TB, freelancers []matching.Freelancer) *skills.Service {
	t.Helper()
	e := &searcher{}
	if freelancers != nil {
		e.snapshot = index(t, "first", freelancers)
	}
	return newServiceOn(t, e, nil)
}

func verify(t testing.TB, s *skills.Service, keyword string) *matching.Verification {
	t.Helper()
	v, err := s.Verify(context.Background(), "acc_1", keyword)
	if err != nil {
		t.Fatal(err)
	}
	check(t, keyword, v)
	return v
}

// check holds an answer to what is true of every one.
func check(t testing.TB, keyword string, v *matching.Verification) {
	t.Helper()
	for name, l := range map[string][]string{
		"matches": v.Matches, "skills": v.Skills, "job_titles": v.JobTitles, "similar_terms": v.SimilarTerms,
	} {
		if l == nil {
			t.Errorf("%q: %s is nil", keyword, name)
		}
		if slices.Contains(l, "") || len(slices.Compact(slices.Sorted(slices.Values(l)))) != len(l) {
			t.Errorf("%q: %s is %q: something is blank or there twice", keyword, name, l)
		}
	}
	matches, kind := v.Skills, matching.Some(matching.TypeSkill)
	if len(matches) == 0 {
		matches, kind = v.JobTitles, matching.Some(matching.TypeJobTitle)
	}
	if len(matches) == 0 {
		kind = matching.Optional[string]{}
	}
	switch {
	case v.Exists != (len(matches) > 0), v.Exists != v.Source.Known, v.Exists != (v.Confidence > 0), v.Type != kind,
		!slices.Equal(v.Matches, matches), v.Confidence < 0 || v.Confidence > 1, !v.Exists && (v.Skill != nil || v.FreelancerCount > 0),
		v.Exists && v.NoVerdict.Known:
		t.Errorf("%q: the parts of the answer do not fit together: %+v", keyword, v)
	case len(v.SimilarTerms) > 5 || v.Source.Value == matching.SourceTaxonomy && len(v.SimilarTerms) > 0:
		t.Errorf("%q (%s): similar to %q", keyword, v.Source, v.SimilarTerms)
	}
}

func TestVerify_TellsOfTheSkill(t *testing.T) {
	v := verify(t, newService(t, people()), "reactjs")
	if !slices.Contains(v.Skill.Synonyms, "ReactJS") || !slices.Contains(v.Skill.Related, "Next.js") {
		t.Errorf("the skill is %+v", v.Skill)
	}
	v.Skill.Synonyms, v.Skill.Related, v.Skill.Broader = nil, nil, nil
	want := &matching.SkillFacts{ID: "react", Name: "React", Category: "Web development", FreelancerCount: 8}
	if diff := cmp.Diff(want, v.Skill); diff != "" {
		t.Error(diff)
	}
	if v.FreelancerCount != 8 {
		t.Errorf("%d freelancers", v.FreelancerCount)
	}
	abap := verify(t, newService(t, nil), "ABAP").Skill
	if len(abap.Broader) == 0 || slices.ContainsFunc(abap.Broader, func(name string) bool { _, ok := load(t).Named(name); return !ok }) {
		t.Errorf("the skill is %+v", abap)
	}
}

// Every name that the taxonomy has is known under itself, and every answer keeps to the rules.
func TestVerify_KnowsTheTaxonomy(t *testing.T) {
	tax, s := load(t), newService(t, nil)
	for skill := range tax.Skills() {
		v := verify(t, s, skill.Name)
		if named, ok := tax.Named(skill.Name); ok && named.ID == skill.ID && !slices.Equal(v.Skills, []string{skill.Name}) {
			t.Errorf("%q: %+v", skill.Name, v)
		}
		for _, synonym := range skill.Synonyms {
			if v := verify(t, s, synonym); !v.Exists && taxonomy.Key(synonym) != "" {
				t.Errorf("%q, a synonym of %q, does not exist", synonym, skill.Name)
			}
		}
	}
	n := 0
	for title := range tax.JobTitles() {
		if n++; n%50 == 0 && !slices.Contains(verify(t, s, title).JobTitles, title) {
			t.Errorf("%q is no job title: %+v", title, verify(t, s, title))
		}
	}
}

// One letter left out, doubled or swapped with its neighbour: the usual skills are suggested all the same, and first where
// no other word is as near.
func TestVerify_SuggestsWhatWasMeant(t *testing.T) {
	s := newService(t, people())
	names := []string{
		"JavaScript", "TypeScript", "Kubernetes", "PostgreSQL", "WordPress", "Photoshop", "Bookkeeping", "Copywriting", "Photography",
		"Animation", "Illustration", "Accounting", "Translation", "Proofreading", "Transcription", "Cybersecurity",
	}
	wrong, all := 0, 0
	for _, name := range names {
		meant := verify(t, s, name).Skills[0]
		for i := 1; i < len(name)-1; i++ {
			for _, misspelt := range []string{
				name[:i] + name[i+1:], name[:i] + name[i:i+1] + name[i:], name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:],
			} {
				v := verify(t, s, misspelt)
				if v.Exists {
					continue // the misspelling is a word, or the letter was one of two
				}
				all++
				if !slices.Contains(v.SimilarTerms, meant) {
					t.Errorf("%q: %q, want %q among them", misspelt, v.SimilarTerms, meant)
				} else if v.SimilarTerms[0] != meant {
					wrong++
				}
			}
		}
	}
	if all < 300 || wrong*20 > all {
		t.Errorf("of %d misspellings %d have another suggestion first", all, wrong)
	}
}

func TestVerify_CountsAnotherIndexBesideTheRequests(t *testing.T) {
	first := index(t, "index", people())
	second := index(t, "index", append(people(), matching.Freelancer{ID: "new", Skills: []string{"React"}}))
	second.info.Updated = time.Unix(1, 0)
	second.gate = make(chan struct{})
	e := &searcher{snapshot: first}
	s := newServiceOn(t, e, nil)
	if err := s.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.set(second, nil)
	for range 3 {
		if n := verify(t, s, "React").FreelancerCount; n != 8 {
			t.Errorf("while the other index is counted: %d, want 8", n)
		}
	}
	close(second.gate)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for verify(t, s, "React").FreelancerCount != 9 {
		if ctx.Err() != nil {
			t.Fatal("the other index is never counted")
		}
	}
}

// An index that was prepared with other skills is told of once, whenever it goes live.
func TestVerify_WarnsOfAnotherTaxonomy(t *testing.T) {
	same, other := index(t, "same", people()), index(t, "other", people())
	same.info.Taxonomy, other.info.Taxonomy = load(t).Version(), load(t).Version()+"+own"
	for _, tt := range []struct {
		index *snapshot
		want  int
	}{{same, 0}, {other, 1}} {
		var log strings.Builder
		s := skills.New(skills.Config{
			Engine: &searcher{snapshot: tt.index}, Alias: match.Alias, Taxonomy: load(t), Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		verify(t, s, "React")
		verify(t, s, "React")
		if n := strings.Count(log.String(), "indexer reindex"); n != tt.want {
			t.Errorf("%s: told %d times, want %d\n%s", tt.index.info.Name, n, tt.want, &log)
		}
	}
}

func TestVerify_Failures(t *testing.T) {
	down := errors.New("connection refused")
	broken := index(t, "broken", nil)
	broken.err = down
	slow := index(t, "slow", nil)
	slow.gate = make(chan struct{})
	defer close(slow.gate)
	late, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		engine *searcher
		want   matching.Code
	}{
		{"the engine does not answer", t.Context(), &searcher{err: down}, matching.CodeEngineUnavailable},
		{"the words cannot be counted", t.Context(), &searcher{snapshot: broken}, matching.CodeEngineUnavailable},
		{"the time is over", late, &searcher{snapshot: slow}, matching.CodeEngineTimeout},
		{"the engine says that the time is over", t.Context(), &searcher{err: context.DeadlineExceeded}, matching.CodeEngineTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newServiceOn(t, tt.engine, nil).Verify(tt.ctx, "acc_1", "React")
			if matching.CodeOf(err) != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// A failure to count is forgotten with the next request.
func TestVerify_TriesAgain(t *testing.T) {
	x := index(t, "index", people())
	e := &searcher{err: errors.New("connection refused")}
	s := newServiceOn(t, e, nil)
	if err := s.Warm(t.Context()); err == nil {
		t.Error("warm without an engine: no error")
	}
	e.set(x, nil)
	if n := verify(t, s, "React").FreelancerCount; n != 8 {
		t.Errorf("%d freelancers", n)
	}
}

func FuzzVerify(f *testing.F) {
	for _, seed := range []string{"", "React", "c++", "R&D", "\x00\xff", "ＨＴＭＬ/CSS", strings.Repeat("é", 100), "🎨 (", "EN-PT", "a&b"} {
		f.Add(seed)
	}
	s := newService(f, people())
	f.Fuzz(func(t *testing.T, keyword string) {
		v := verify(t, s, keyword)
		if diff := cmp.Diff(v, verify(t, s, keyword)); diff != "" {
			t.Errorf("the same word again:\n%s", diff)
		}
	})
}
