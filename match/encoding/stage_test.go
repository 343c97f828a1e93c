package encoding_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/encoding"
)

// nobodyErased returns the list of erased people without anybody.
func nobodyErased(context.Context) (func(*matching.Freelancer) bool, error) { return nil, nil }

// stage encodes the profiles of an index that isn't live, as another process does, and returns the progress that it
// reports.
func (w *world) stage(index string, erased func(context.Context) (func(*matching.Freelancer) bool, error)) (
	progress [][2]int, err error,
) {
	w.t.Helper()
	snapshot, err := w.engine.OpenIndex(w.t.Context(), index)
	if err != nil {
		w.t.Fatal(err)
	}
	loader := w.newService()
	err = loader.Stage(w.t.Context(), snapshot, encoding.Staging{
		Erased:  erased,
		Observe: func(done, total int) { progress = append(progress, [2]int{done, total}) },
	})
	if err := loader.Close(); err != nil {
		w.t.Fatal(err)
	}
	return progress, err
}

// stagedTexts stages an index and returns the texts that were encoded, in alphabetical order.
func (w *world) stagedTexts(index string) []string {
	w.t.Helper()
	if _, err := w.stage(index, nobodyErased); err != nil {
		w.t.Fatal(err)
	}
	texts := w.encoder.asked()
	slices.Sort(texts)
	return texts
}

// files returns the names of the files with vectors.
func (w *world) files() (names []string) {
	w.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(w.path))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".bin" {
			names = append(names, entry.Name())
		}
	}
	return names
}

// A load encodes what is new in its index while a server has the file, and changes nothing for the live index. When the
// new index is live, the server has all vectors and encodes nothing.
func TestStage_BesideAServer(t *testing.T) {
	a, b := person("a", "Baker", ""), person("b", "Boxer", "")
	w := newWorld(t, a, b)
	w.complete("Boxer", "Baker")

	index := w.build(person("a", "Barber", ""), b, person("c", "Clown", "of fun"))
	progress, err := w.stage(index, nobodyErased)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]int{{2, 2}}, progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	texts := w.encoder.asked()
	slices.Sort(texts)
	if diff := cmp.Diff([]string{"Barber", "Clown", "Clown of fun"}, texts); diff != "" {
		t.Errorf("encoded texts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, w.encoded("a", "b", "c")); diff != "" {
		t.Errorf("encoded in the live index (-want +got):\n%s", diff)
	}

	w.point(index)
	w.complete()
	if diff := cmp.Diff([]string{"a", "b", "c"}, w.encoded("a", "b", "c")); diff != "" {
		t.Errorf("encoded in the new index (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{filepath.Base(w.path)}, w.files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// A load that was interrupted, and one whose index never went live, leave their vectors to the next one, but only of
// people whom that has, too.
func TestStage_Resumes(t *testing.T) {
	w := newWorld(t)
	interrupted := errors.New("interrupted")
	w.encoder.on = func(text string) error {
		if text == "Clown" {
			return interrupted
		}
		return nil
	}
	a, b, c := person("a", "Baker", ""), person("b", "Boxer", ""), person("c", "Clown", "")
	if _, err := w.stage(w.build(a, c), nobodyErased); !errors.Is(err, interrupted) {
		t.Fatalf("error %v, want %v", err, interrupted)
	}
	if diff := cmp.Diff([]string{"pending.bin"}, w.files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	w.encoder.on = nil
	w.encoder.asked()

	if texts := w.stagedTexts(w.build(b, c)); !slices.Contains(texts, "Clown") || slices.Contains(texts, "Baker") {
		t.Errorf("encoded %q", texts)
	}
	index := w.build(a, b, c)
	if diff := cmp.Diff([]string{"Baker"}, w.stagedTexts(index)); diff != "" {
		t.Errorf("encoded texts (-want +got):\n%s", diff)
	}
	w.point(index)
	w.complete()
}

// Nothing is left of people who were erased before, while or after a load encodes their profiles.
func TestStage_Erased(t *testing.T) {
	w := newWorld(t)
	erased := map[string]bool{"a": true}
	list := func(context.Context) (func(*matching.Freelancer) bool, error) {
		return func(f *matching.Freelancer) bool { return erased[f.ID] }, nil
	}
	a, b, c := person("a", "Baker", ""), person("b", "Boxer", ""), person("c", "Clown", "")
	index := w.build(a, b, c)
	if _, err := w.stage(index, list); err != nil {
		t.Fatal(err)
	}
	if err := w.service.Erase(t.Context(), []string{"b"}); err != nil {
		t.Fatal(err)
	}
	w.encoder.asked()
	w.point(index) // which has them all

	w.complete("Boxer", "Baker")
	if err := w.service.Erase(t.Context(), []string{"c"}); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.complete("Clown")
}
