package encoding_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match/encoding"
)

const alias = "people"

// A fake encoder counts letters, so that texts with the same letters are close.
type fake struct {
	mu    sync.Mutex
	texts []string                // in the order of the calls
	on    func(text string) error // called for each text, if not nil
}

func (f *fake) Encode(ctx context.Context, text string) (matching.Vector, error) {
	f.mu.Lock()
	f.texts = append(f.texts, text)
	on := f.on
	f.mu.Unlock()
	if on != nil {
		if err := on(text); err != nil {
			return nil, err
		}
	}

	v := make(matching.Vector, engine.EncodedDimensions)
	for _, letter := range text {
		v[letter%engine.EncodedDimensions]++
	}

	return v, ctx.Err()
}

// asked returns the texts since the last call.
func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	texts := f.texts
	f.texts = nil
	return texts
}

// A world is an index with a service.
type world struct {
	t       *testing.T
	engine  *embedded.Engine
	encoder *fake
	path    string
	service *encoding.Service
	set     func(*encoding.Config) // changes the settings of the next service, if not nil
	loads   int
}

func newWorld(t *testing.T, freelancers ...matching.Freelancer) *world {
	t.Helper()
	e, err := embedded.Open(t.TempDir(), embedded.Options{Log: slog.New(slog.DiscardHandler), Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })

	w := &world{t: t, engine: e, encoder: &fake{}, path: filepath.Join(t.TempDir(), "vectors.bin")}
	w.restart()
	t.Cleanup(func() { w.service.Close() })
	w.load(freelancers...)

	return w
}

// restart replaces the service by a new one.
func (w *world) restart() {
	w.t.Helper()
	if w.service != nil {
		if err := w.service.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	w.service = w.newService()
}

// newService returns a service with the vectors of this world, as another process opens it.
func (w *world) newService() *encoding.Service {
	config := encoding.Config{
		Open:   func() (encoding.Encoder, error) { return w.encoder, nil },
		Prefix: "find: ",
		Zero:   .5,
		Index:  w.engine,
		Alias:  alias,
		Texts: func(f *matching.Freelancer) (short, whole string) {
			return f.JobTitle, strings.TrimSpace(f.JobTitle + " " + f.Description)
		},
		Store: encoding.InFile(w.path, "fake, texts 1"),
		Tick:  time.Hour,
		Log:   slog.New(slog.DiscardHandler),
	}
	if w.set != nil {
		w.set(&config)
	}
	return encoding.New(config)
}

// load makes a new index live.
func (w *world) load(freelancers ...matching.Freelancer) {
	w.t.Helper()
	w.point(w.build(freelancers...))
}

// point makes an index live.
func (w *world) point(index string) {
	w.t.Helper()
	if _, err := w.engine.PointAlias(w.t.Context(), alias, index); err != nil {
		w.t.Fatal(err)
	}
}

// build creates an index and returns its name.
func (w *world) build(freelancers ...matching.Freelancer) string {
	w.t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		w.t.Fatal(err)
	}
	w.loads++
	name := fmt.Sprintf("people-%d", w.loads)
	ctx := w.t.Context()
	if err := w.engine.Create(ctx, engine.Spec{Name: name, Mapping: mapping}); err != nil {
		w.t.Fatal(err)
	}
	bulk, err := w.engine.Bulk(ctx, name, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range freelancers {
		if err := bulk.Add(ctx, &engine.Document{Freelancer: f}); err != nil {
			w.t.Fatal(err)
		}
	}
	if _, err := bulk.Close(ctx); err != nil {
		w.t.Fatal(err)
	}
	return name
}

// change puts a freelancer into the live index, or deletes the one with the ID if there is no title.
func (w *world) change(f matching.Freelancer) {
	w.t.Helper()
	change := engine.Change{ID: f.ID}
	if f.JobTitle != "" {
		change.Document = &engine.Document{Freelancer: f}
	}
	outcomes, err := w.engine.Apply(w.t.Context(), alias, []engine.Change{change})
	if err = errors.Join(err, outcomes[0].Err); err != nil {
		w.t.Fatal(err)
	}
}

// complete encodes everything and checks which texts that takes.
func (w *world) complete(want ...string) {
	w.t.Helper()
	if err := w.service.Complete(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.check(want...)
}

// check checks which texts were encoded since the last check.
func (w *world) check(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.encoder.asked()); diff != "" {
		w.t.Errorf("encoded texts (-want +got):\n%s", diff)
	}
}

// compare returns the similarities of a brief with freelancers.
func (w *world) compare(brief string, ids ...string) []matching.Optional[float64] {
	w.t.Helper()
	snapshot, err := w.engine.Open(w.t.Context(), alias)
	if err != nil {
		w.t.Fatal(err)
	}
	v, err := w.service.Brief(w.t.Context(), brief)
	if err != nil {
		w.t.Fatal(err)
	}
	similarities, err := w.service.Compare(w.t.Context(), snapshot, v, ids)
	if err != nil {
		w.t.Fatal(err)
	}
	w.encoder.asked()
	return similarities
}

// encoded returns those of the freelancers that have vectors.
func (w *world) encoded(ids ...string) (known []string) {
	w.t.Helper()
	for i, similarity := range w.compare("x", ids...) {
		if similarity.Known {
			known = append(known, ids[i])
		}
	}
	return known
}

func person(id, title, description string) matching.Freelancer {
	f := matching.Freelancer{ID: id, JobTitle: title}
	f.Description = description
	return f
}

// The newest profiles come first, equal texts are encoded once, and nothing is encoded again: not after a restart, and
// not in another index.
func TestComplete_EncodesWhatIsMissing(t *testing.T) {
	a, b, c := person("a", "Baker", ""), person("b", "Boxer", "of fruit"), person("c", "Clown", "")
	w := newWorld(t, a, b, c)
	w.complete("Clown", "Boxer", "Boxer of fruit", "Baker")
	w.complete()
	want := encoding.Progress{Freelancers: 3, Encoded: 3, Done: true}
	if got := w.service.Progress(); got != want {
		t.Errorf("progress %+v, want %+v", got, want)
	}

	w.restart()
	if got := w.service.Progress(); got != (encoding.Progress{}) {
		t.Errorf("progress %+v before the index was looked at", got)
	}
	w.complete()

	// Another rating is another record, but the texts are the same.
	b.JobTitle = "Boxer of"
	b.Description = "fruit"
	c.Rating = matching.Some(4.)
	w.load(b, c, person("d", "Diver", ""))
	w.complete("Diver", "Boxer of", "Boxer of fruit")
	if diff := cmp.Diff([]string{"b", "c", "d"}, w.encoded("a", "b", "c", "d")); diff != "" {
		t.Errorf("encoded (-want +got):\n%s", diff)
	}
}

// Stored reads the file, whether a service writes it or not, and creates none.
func TestStored(t *testing.T) {
	w := newWorld(t, person("a", "Baker", ""), person("b", "Boxer", ""))
	check := func(want encoding.Progress, wantSize int64) {
		t.Helper()
		got, size, err := w.service.Stored(t.Context())
		if err != nil || got != want || size != wantSize {
			t.Errorf("stored %+v, %d bytes, %v; want %+v, %d bytes", got, size, err, want, wantSize)
		}
	}
	check(encoding.Progress{}, 0)
	if files, err := os.ReadDir(filepath.Dir(w.path)); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v, want none", files, err)
	}

	w.complete("Boxer", "Baker")
	check(encoding.Progress{Freelancers: 2, Encoded: 2, Done: true}, 64+2*800)
	w.restart()
	w.change(person("b", "Diver", ""))
	check(encoding.Progress{Freelancers: 2, Encoded: 1}, 64+2*800)
}

// A failure keeps what was encoded before.
func TestComplete_Resumes(t *testing.T) {
	w := newWorld(t, person("a", "Baker", ""), person("b", "Boxer", ""), person("c", "Clown", ""))
	full := errors.New("interrupted")
	w.encoder.on = func(text string) error {
		if text == "Boxer" {
			return full
		}
		return nil
	}
	if err := w.service.Complete(t.Context()); !errors.Is(err, full) {
		t.Fatalf("error %v, want %v", err, full)
	}
	w.check("Clown", "Boxer")
	if w.service.Progress().Done {
		t.Error("done after a failure")
	}

	w.encoder.on = nil
	w.restart()
	w.complete("Boxer", "Baker")
}

func TestCompare(t *testing.T) {
	w := newWorld(t, person("a", "aaaa", "bbbb"), person("b", "cccc", ""))
	unknown := matching.Optional[float64]{}
	if diff := cmp.Diff([]matching.Optional[float64]{unknown, unknown}, w.compare("aaaa", "a", "b")); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}

	w.complete("aaaa", "aaaa bbbb", "cccc") // in the order of the match
	brief := matching.Vector{'a': 1, 'b': 0, 383: 0}
	snapshot, err := w.engine.Open(t.Context(), alias)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.service.Compare(t.Context(), snapshot, brief, []string{"b", "a", "missing"})
	if err != nil {
		t.Fatal(err)
	}

	// The second vector has four of each letter and a space.
	whole := matching.Cosine(brief, matching.Vector{' ': 1, 'a': 4, 'b': 4, 383: 0})
	want := []matching.Optional[float64]{matching.Some(0.), matching.Some((1 + whole) / 2), unknown}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}

	// The vectors of an earlier record are out of date, but for a record with the same texts they are kept.
	w.change(person("b", "dddd", ""))
	changed := person("a", "aaaa", "bbbb")
	changed.Rating = matching.Some(3.)
	w.change(changed)
	if got := w.encoded("a", "b"); got != nil {
		t.Errorf("%v are known after a change", got)
	}
	w.complete("dddd")
	if diff := cmp.Diff([]string{"a", "b"}, w.encoded("a", "b")); diff != "" {
		t.Errorf("encoded (-want +got):\n%s", diff)
	}
}

// A profile that is close to the common direction loses similarity to every brief, and one that is far from it gains.
func TestCompare_Common(t *testing.T) {
	w := newWorld(t, person("generalist", "ab", ""), person("specialist", "a", ""))
	w.complete("a", "ab")
	w.service.Common = encoding.Common{Direction: matching.Vector{'b': 1, 383: 0}, Mean: .5, Share: .4}
	snapshot, err := w.engine.Open(t.Context(), alias)
	if err != nil {
		t.Fatal(err)
	}
	brief := matching.Vector{'a': 1, 383: 0}
	got, err := w.service.Compare(t.Context(), snapshot, brief, []string{"generalist", "specialist"})
	if err != nil {
		t.Fatal(err)
	}

	half := math.Sqrt(.5) // the cosine of "ab" with each of its letters
	want := []float64{half - .4*(half-.5), 1 - .4*(0-.5)}
	for i, similarity := range got {
		if math.Abs(similarity.Value-want[i]) > 1e-9 {
			t.Errorf("similarity %v, want %v", similarity, want[i])
		}
	}
}

// A failingStore returns no vectors.
type failingStore struct{ encoding.Store }

func (failingStore) Get(context.Context, []string) ([]engine.Encoded, error) {
	return nil, errors.New("unreachable")
}

// A match does without vectors that can't be read.
func TestCompare_Unreachable(t *testing.T) {
	w := newWorld(t, person("a", "Baker", ""))
	w.complete("Baker")
	w.set = func(c *encoding.Config) { c.Store = failingStore{c.Store} }
	w.restart()
	if got := w.encoded("a"); got != nil {
		t.Errorf("%v are known", got)
	}
}

// An index is not listed again within Relist. What somebody asks for doesn't wait.
func TestComplete_Relist(t *testing.T) {
	w := newWorld(t, person("a", "Baker", ""))
	w.set = func(c *encoding.Config) { c.Relist = time.Hour }
	w.restart()
	w.complete("Baker")
	w.change(person("b", "Boxer", ""))
	w.change(person("c", "Clown", ""))
	w.service.Want([]string{"c"})
	w.complete("Clown")
	want := encoding.Progress{Freelancers: 3, Encoded: 2, Done: true}
	if got := w.service.Progress(); got != want {
		t.Errorf("progress %+v, want %+v", got, want)
	}

	w.load(person("b", "Boxer", ""))
	w.complete("Boxer")
}

// A service that doesn't lead says how many profiles the other one has encoded.
func TestComplete_Assists(t *testing.T) {
	w := newWorld(t, person("a", "Baker", ""), person("b", "Boxer", ""))
	w.complete("Boxer", "Baker")
	first := w.service
	w.service = nil
	w.restart()
	w.load(person("a", "Baker", ""), person("b", "Boxer", ""), person("c", "Clown", ""))
	w.complete()
	want := encoding.Progress{Freelancers: 3, Encoded: 2}
	if got := w.service.Progress(); got != want {
		t.Errorf("progress %+v, want %+v", got, want)
	}

	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	w.complete("Clown")
}

// A brief is encoded once, with the prefix, and only its beginning.
func TestBrief(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("é", 1000)
	for range 2 {
		for _, text := range []string{"Baker", long, long + "e"} {
			if _, err := w.service.Brief(t.Context(), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.check("find: Baker", "find: "+long[:1200])

	w.encoder.on = func(string) error { return context.Canceled }
	if _, err := w.service.Brief(t.Context(), "Boxer"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the encoder's", err)
	}
}

// Nothing is left of a freelancer who was erased, also if that happened while the profile was being encoded.
func TestErase(t *testing.T) {
	for name, opened := range map[string]bool{"running": true, "after a restart": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, person("a", "Baker", ""), person("b", "Boxer", ""))
			w.complete("Boxer", "Baker")
			if !opened {
				w.restart()
			}
			if err := w.service.Erase(t.Context(), []string{"a", "unknown"}); err != nil {
				t.Fatal(err)
			}
			w.restart()
			w.complete("Baker") // the index still has the freelancer
		})
	}

	w := newWorld(t, person("a", "Baker", ""), person("b", "Boxer", ""))
	w.encoder.on = func(text string) error {
		if text != "Baker" {
			return nil
		}
		w.change(matching.Freelancer{ID: "a"})
		return w.service.Erase(t.Context(), []string{"a"})
	}
	w.complete("Boxer", "Baker")
	w.encoder.on = nil
	w.change(person("a", "Baker", ""))
	if got := w.encoded("a", "b"); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%v have vectors, want b alone", got)
	}
}

// Run encodes what a match needs first, what has changed, and the freelancers of another index.
func TestRun(t *testing.T) {
	w := newWorld(t, person("a", "Baker", ""), person("b", "Boxer", ""))
	texts := make(chan string)
	proceed := make(chan struct{})
	w.encoder.on = func(text string) error {
		texts <- text
		<-proceed
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.service.Run(ctx) })
	expect := func(want string) {
		t.Helper()
		if got := <-texts; got != want {
			t.Errorf("encoded %q, want %q", got, want)
		}
	}
	next := func() { proceed <- struct{}{} }

	expect("Boxer")
	next()
	expect("Baker")
	w.change(person("c", "Clown", ""))
	w.service.Want([]string{"c", "unknown"})
	next()
	expect("Clown")
	next()

	// Want wakes Run up, which then notices that another index is live.
	w.load(person("d", "Diver", ""))
	w.service.Want([]string{"d"})
	expect("Diver")
	cancel()
	next()
	running.Wait()
}

func TestGate(t *testing.T) {
	var g encoding.Gate
	if err := g.Wait(t.Context(), nil); err != nil {
		t.Errorf("without requests: %v", err)
	}

	first, second := g.Enter(), g.Enter()
	limit := make(chan time.Time, 1)
	limit <- time.Time{}
	if err := g.Wait(t.Context(), limit); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Wait(canceled, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}

	waited := make(chan error)
	go func() { waited <- g.Wait(t.Context(), nil) }()
	first()
	second()
	if err := <-waited; err != nil {
		t.Errorf("after the last request: %v", err)
	}
}
