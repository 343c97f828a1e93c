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
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/taxonomy"
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

// people returns the freelancers of the golden file. One of them misspells a skill.
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

// A searcher is an engine with at most one index, which can be replaced or fail.
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

// set makes an index live and ends a failure.
func (s *searcher) set(snapshot *snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshot = snapshot
	s.err = nil
}

// A snapshot is an index that only knows its vocabulary.
type snapshot struct {
	engine.Snapshot
	info  engine.Info
	words *engine.Vocabulary
	err   error
	gate  chan struct{} // if not nil, Vocabulary blocks until it is closed
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

// index returns an index of the given freelancers.
func index(t testing.TB, name string, freelancers []matching.Freelancer) *snapshot {
	t.Helper()
	documents, err := documents.NewPreparer(load(t), analysis.New()).Prepare(context.Background(), freelancers)
	if err != nil {
		t.Fatal(err)
	}
	return &snapshot{info: engine.Info{Name: name}, words: bruteforce.Vocabulary(documents)}
}

func newServiceOn(t testing.TB, e engine.Searcher, verdicts *skills.Verdicts) *skills.Service {
	t.Helper()
	return skills.New(skills.Config{
		Engine: e, Alias: match.Alias, Taxonomy: load(t), Verdicts: verdicts, Log: slog.New(slog.DiscardHandler),
	})
}

// newService returns a service on an index of the given freelancers, or on none if freelancers is nil.
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

// check verifies what must be true of every answer.
func check(t testing.TB, keyword string, v *matching.Verification) {
	t.Helper()
	for name, l := range map[string][]string{
		"matches": v.Matches, "skills": v.Skills, "job_titles": v.JobTitles, "similar_terms": v.SimilarTerms,
	} {
		if l == nil {
			t.Errorf("%q: %s is nil", keyword, name)
		}
		if slices.Contains(l, "") || len(slices.Compact(slices.Sorted(slices.Values(l)))) != len(l) {
			t.Errorf("%q: %s is %q: it has a blank or duplicate entry", keyword, name, l)
		}
	}

	matches := v.Skills
	kind := matching.Some(matching.TypeSkill)
	if len(matches) == 0 {
		matches = v.JobTitles
		kind = matching.Some(matching.TypeJobTitle)
	}

	if len(matches) == 0 {
		kind = matching.Optional[string]{}
	}

	switch {
	case v.Exists != (len(matches) > 0), v.Exists != v.Source.Known, v.Exists != (v.Confidence > 0), v.Type != kind,
		!slices.Equal(v.Matches, matches), v.Confidence < 0 || v.Confidence > 1,
		!v.Exists && (v.Skill != nil || v.FreelancerCount > 0),
		v.Exists && v.NoVerdict.Known:
		t.Errorf("%q: the answer contradicts itself: %+v", keyword, v)

	case len(v.SimilarTerms) > 5 || v.Source.Value == matching.SourceTaxonomy && len(v.SimilarTerms) > 0:
		t.Errorf("%q (%s): unexpected similar terms %q", keyword, v.Source, v.SimilarTerms)
	}
}

func TestVerify_DescribesTheSkill(t *testing.T) {
	v := verify(t, newService(t, people()), "reactjs")
	if !slices.Contains(v.Skill.Synonyms, "ReactJS") || !slices.Contains(v.Skill.Related, "Next.js") {
		t.Errorf("Skill = %+v", v.Skill)
	}

	v.Skill.Synonyms = nil
	v.Skill.Related = nil
	v.Skill.Broader = nil
	want := &matching.SkillFacts{ID: "react", Name: "React", Category: "Web development", FreelancerCount: 8}
	if diff := cmp.Diff(want, v.Skill); diff != "" {
		t.Error(diff)
	}

	if v.FreelancerCount != 8 {
		t.Errorf("FreelancerCount = %d, want 8", v.FreelancerCount)
	}

	abap := verify(t, newService(t, nil), "ABAP").Skill
	isUnknown := func(name string) bool {
		_, ok := load(t).Named(name)
		return !ok
	}
	if len(abap.Broader) == 0 || slices.ContainsFunc(abap.Broader, isUnknown) {
		t.Errorf("Skill = %+v", abap)
	}
}

// Every name of the taxonomy is found under its own skill, and every answer is consistent.
func TestVerify_KnowsTheTaxonomy(t *testing.T) {
	tax := load(t)
	s := newService(t, nil)
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
			t.Errorf("%q is not a job title: %+v", title, verify(t, s, title))
		}
	}
}

// Common skills with one letter omitted, doubled or swapped with its neighbor are suggested, and nearly always first.
func TestVerify_SuggestsWhatWasMeant(t *testing.T) {
	s := newService(t, people())
	names := []string{
		"JavaScript", "TypeScript", "Kubernetes", "PostgreSQL", "WordPress", "Photoshop", "Bookkeeping", "Copywriting",
		"Photography", "Animation", "Illustration", "Accounting", "Translation", "Proofreading", "Transcription",
		"Cybersecurity",
	}

	misordered, all := 0, 0
	for _, name := range names {
		meant := verify(t, s, name).Skills[0]
		for i := 1; i < len(name)-1; i++ {
			for _, misspelled := range []string{
				name[:i] + name[i+1:],
				name[:i] + name[i:i+1] + name[i:],
				name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:],
			} {
				v := verify(t, s, misspelled)
				if v.Exists {
					continue // the misspelling is a word, or the letter was one of two
				}

				all++

				if !slices.Contains(v.SimilarTerms, meant) {
					t.Errorf("%q: similar terms %q, want %q among them", misspelled, v.SimilarTerms, meant)
				} else if v.SimilarTerms[0] != meant {
					misordered++
				}
			}
		}
	}

	if all < 300 || misordered*20 > all {
		t.Errorf("%d misspellings, %d of them with another suggestion first", all, misordered)
	}
}

func TestVerify_CountsNewIndexInTheBackground(t *testing.T) {
	first := index(t, "index", people())
	second := index(t, "index", append(people(), matching.Freelancer{ID: "new", Skills: []string{"React"}}))
	second.info.Created = time.Unix(1, 0)
	second.gate = make(chan struct{})
	e := &searcher{snapshot: first}
	s := newServiceOn(t, e, nil)
	if err := s.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}

	e.set(second)
	for range 3 {
		if n := verify(t, s, "React").FreelancerCount; n != 8 {
			t.Errorf("FreelancerCount = %d while the new index is being counted, want 8", n)
		}
	}

	close(second.gate)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()

	for verify(t, s, "React").FreelancerCount != 9 {
		if ctx.Err() != nil {
			t.Fatal("the new index was never counted")
		}
	}
}

// An index that changes all the time is counted once a minute.
func TestVerify_CountsChangedIndexOnceAMinute(t *testing.T) {
	first := index(t, "index", people()) // outside the bubble
	synctest.Test(t, func(t *testing.T) {
		e := &searcher{snapshot: first}
		s := newServiceOn(t, e, nil)
		words := *first.words
		counts := 0
		for last := verify(t, s, "React").FreelancerCount; counts < 3; time.Sleep(time.Second) {
			words.Skills = slices.Clone(words.Skills)
			react := slices.IndexFunc(words.Skills, func(c engine.WordCount) bool { return c.Word == "react" })
			words.Skills[react].Documents++
			info := first.info
			info.Updated = time.Now()
			e.set(&snapshot{info: info, words: new(words)})
			verify(t, s, "React") // starts a count if one is due
			synctest.Wait()

			if n := verify(t, s, "React").FreelancerCount; n != last {
				if counts++; n-last < 59 || n-last > 61 {
					t.Errorf("the count followed after %d changes, of which there is one a second; want a minute", n-last)
				}
				last = n
			}
		}
	})
}

// An index prepared with another taxonomy is reported once when it goes live.
func TestVerify_WarnsOfAnotherTaxonomy(t *testing.T) {
	same := index(t, "same", people())
	other := index(t, "other", people())
	same.info.Taxonomy, other.info.Taxonomy = load(t).Version(), load(t).Version()+"+own"
	for _, tt := range []struct {
		index *snapshot
		want  int
	}{{same, 0}, {other, 1}} {
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			e := &searcher{snapshot: tt.index}
			s := skills.New(skills.Config{
				Engine:   e,
				Alias:    match.Alias,
				Taxonomy: load(t),
				Log:      slog.New(slog.NewTextHandler(&log, nil)),
			})

			verify(t, s, "React")
			verify(t, s, "React")
			time.Sleep(2 * time.Minute) // a changed index is counted again
			changed := index(t, tt.index.info.Name, people()[1:])
			changed.info = tt.index.info
			changed.info.Updated = time.Now()
			e.set(changed)
			before := verify(t, s, "React").FreelancerCount
			synctest.Wait()

			if verify(t, s, "React").FreelancerCount == before {
				t.Error("the changed index was not counted")
			}

			if n := strings.Count(log.String(), "indexer reindex"); n != tt.want {
				t.Errorf("%s: logged %d warnings, want %d\n%s", tt.index.info.Name, n, tt.want, &log)
			}
		})
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
		{"the deadline has passed", late, &searcher{snapshot: slow}, matching.CodeEngineTimeout},
		{"the engine reports a timeout", t.Context(), &searcher{err: context.DeadlineExceeded}, matching.CodeEngineTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newServiceOn(t, tt.engine, nil).Verify(tt.ctx, "acc_1", "React")
			if matching.CodeOf(err) != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// A request counts the index again if the previous count failed.
func TestVerify_RetriesCounting(t *testing.T) {
	x := index(t, "index", people())
	e := &searcher{err: errors.New("connection refused")}
	s := newServiceOn(t, e, nil)
	if err := s.Warm(t.Context()); err == nil {
		t.Error("Warm without an engine returned no error")
	}
	e.set(x)
	if n := verify(t, s, "React").FreelancerCount; n != 8 {
		t.Errorf("FreelancerCount = %d, want 8", n)
	}
}

func FuzzVerify(f *testing.F) {
	for _, seed := range []string{
		"", "React", "c++", "R&D", "\x00\xff", "ＨＴＭＬ/CSS", strings.Repeat("é", 100), "🎨 (", "EN-PT", "a&b",
	} {
		f.Add(seed)
	}
	s := newService(f, people())
	f.Fuzz(func(t *testing.T, keyword string) {
		v := verify(t, s, keyword)
		if diff := cmp.Diff(v, verify(t, s, keyword)); diff != "" {
			t.Errorf("verifying the word again (-first +second):\n%s", diff)
		}
	})
}
