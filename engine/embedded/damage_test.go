package embedded

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// An observation is what an engine returns about the index of the alias "all".
type observation struct {
	Info       engine.Info
	Page       *engine.Page
	Vocabulary *engine.Vocabulary
	Fetched    map[string]matching.Freelancer
	Scanned    map[string]matching.Freelancer
}

const damagedDocuments = 6

// observe reads everything about the index of the alias "all" with a new engine, as a process that starts would. errs
// are the errors that it met, and damaged the ids of records that the engine reported as damaged.
func observe(t *testing.T, dir string) (o observation, damaged []string, errs []error) {
	t.Helper()
	e, err := Open(dir, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	o.Fetched = map[string]matching.Freelancer{}
	o.Scanned = map[string]matching.Freelancer{}
	for f, err := range e.Scan(t.Context(), "index") {
		if _, ok := errors.AsType[*engine.DamagedError](err); err != nil && !ok {
			errs = append(errs, err)
		} else if err == nil {
			o.Scanned[f.ID] = f
		}
	}

	snapshot, err := e.Open(t.Context(), "all")
	if err != nil {
		return o, nil, append(errs, err)
	}

	q := &engine.Query{
		Terms:  []engine.Term{{Text: "term-1", Weight: 1, Reference: true}, {Text: "every", Weight: .5}},
		Skills: []engine.SkillClause{{ID: "skill-1", Family: "family", Weight: 1}},
		Credit: [6]float64{matching.Sibling: .3, matching.Listed: 1},
		Semantic: &engine.SemanticClause{
			Vector: matching.Vector{1, 2, 3}, Weight: 1, Floor: -1, Ceiling: 1,
		},
		Quality: func(s matching.Signals) float64 { return s.Rating.Or(0) / 10 },
		Size:    10, TextWeight: 1,
	}
	if o.Page, err = snapshot.Search(t.Context(), q); err != nil {
		t.Errorf("search of an index that opened: %v", err)
	}

	if o.Vocabulary, err = snapshot.Vocabulary(t.Context()); err != nil {
		t.Errorf("vocabulary of an index that opened: %v", err)
	}

	for i := range damagedDocuments {
		fetched, err := snapshot.Fetch(t.Context(), []string{embeddedtest.Document(i).Freelancer.ID})
		record, ok := errors.AsType[*engine.DamagedError](err)
		switch {
		case err == nil:
			o.Fetched[fetched[0].ID] = fetched[0]
		case ok:
			damaged = append(damaged, record.IDs...)
		default:
			errs = append(errs, err)
		}
	}

	o.Info = snapshot.Info()
	if o.Info.DamagedRecords != len(damaged) {
		t.Errorf("info counts %d damaged records, want %d", o.Info.DamagedRecords, len(damaged))
	}
	o.Info.DamagedRecords = 0

	return o, damaged, errs
}

// Whatever byte of whatever file changes, the engine reports damage, or returns exactly what it returned before. Damage
// in a record leaves the other freelancers available.
func TestDamage_EveryByte(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	fill(t, e, "index", damagedDocuments)

	if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
		t.Fatal(err)
	}
	want, _, errs := observe(t, dir)
	if len(errs) > 0 || len(want.Fetched) != damagedDocuments || len(want.Page.Hits) == 0 {
		t.Fatalf("intact index: %+v, errors %v", want, errs)
	}

	if err := engine.Verify(t.Context(), e, "index"); err != nil {
		t.Fatal(err)
	}
	step := 7

	if testing.Short() {
		step = 97
	}

	for _, file := range []string{
		"all.alias", "index/manifest.json", "index/spec.json", "index/records.ndjson", "index/index.bin",
	} {
		path := filepath.Join(dir, file)
		intact, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		for at := 0; at < len(intact); at += step {
			b := bytes.Clone(intact)
			b[at] ^= []byte{1, 0x20, 0x80}[at/step%3]
			broken := checkDamage(t, dir, path, b, want, file != "index/spec.json")
			if isRecord := strings.HasSuffix(file, datadir.RecordsFile); isRecord && broken != 1 || !isRecord && broken != 0 {
				t.Errorf("%d records damaged", broken)
			}

			if t.Failed() {
				t.Fatalf("%s, byte %d: %#x instead of %#x", file, at, b[at], intact[at])
			}
		}

		for size := 0; size < len(intact); size += 1 + len(intact)/20 {
			checkDamage(t, dir, path, intact[:size], want, file != "index/spec.json")
			if t.Failed() {
				t.Fatalf("%s, truncated to %d bytes", file, size)
			}
		}

		if err := os.WriteFile(path, intact, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if got, _, errs := observe(t, dir); len(errs) > 0 || !cmp.Equal(want, got) {
		t.Errorf("after all files were restored: errors %v, %s", errs, cmp.Diff(want, got))
	}
}

// checkDamage writes a file and checks what the engine then returns: if the file matters, errors about damage or what
// it returned before. It returns the number of records reported as damaged.
func checkDamage(
	t *testing.T, dir, path string, content []byte, want observation, matters bool,
) (damagedRecords int) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	got, broken, errs := observe(t, dir)
	for _, err := range errs {
		if !engine.Unusable(err) || engine.Remedy(err) == "" {
			t.Errorf("error %v, want one about damage, with a remedy", err)
		}
	}

	for id, f := range got.Fetched {
		if diff := cmp.Diff(want.Fetched[id], f); diff != "" {
			t.Errorf("fetched (-want +got):\n%s", diff)
		}
	}

	for id, f := range got.Scanned {
		if diff := cmp.Diff(want.Scanned[id], f); diff != "" {
			t.Errorf("scanned (-want +got):\n%s", diff)
		}
	}

	if len(errs) > 0 && !matters {
		t.Errorf("errors %v, want none", errs)
	}

	if got.Page == nil {
		return 0 // it did not open
	}

	if diff := cmp.Diff(want.Info, got.Info) + cmp.Diff(want.Page, got.Page) +
		cmp.Diff(want.Vocabulary, got.Vocabulary); diff != "" {
		t.Errorf("an index that opened (-want +got):\n%s", diff)
	}

	if len(got.Fetched)+len(broken) != damagedDocuments {
		t.Errorf("%d freelancers fetched and %d reported as damaged, want %d together",
			len(got.Fetched), len(broken), damagedDocuments)
	}

	return len(broken)
}

// A damaged record concerns its freelancer only; the snapshot counts it until it can be read again.
func TestFetch_DamagedRecord(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	fill(t, e, "index", 5)

	if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "index", datadir.RecordsFile)
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	broken := bytes.Clone(intact)
	broken[bytes.Index(broken, []byte("id-2"))+3] = '9'
	write := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	write(broken)
	s, err := e.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}

	for range 2 {
		fetched, err := s.Fetch(t.Context(), []string{"id-1", "id-2", "id-3"})
		damage, ok := errors.AsType[*engine.DamagedError](err)
		if !ok || !slices.Equal(damage.IDs, []string{"id-2"}) || !strings.Contains(err.Error(), datadir.RecordsFile) {
			t.Fatalf("error %v, want a DamagedError about id-2 that names the file", err)
		}

		if ids := []string{fetched[0].ID, fetched[1].ID, fetched[2].ID}; !slices.Equal(ids, []string{"id-1", "", "id-3"}) {
			t.Errorf("fetched %q, want id-1 and id-3", ids)
		}

		if n := s.Info().DamagedRecords; n != 1 {
			t.Errorf("%d damaged records, want 1", n)
		}
	}

	err = engine.Verify(t.Context(), e, "index")
	if damage, ok := errors.AsType[*engine.DamagedError](err); !ok || !slices.Equal(damage.IDs, []string{"id-2"}) {
		t.Errorf("verify: %v, want a DamagedError about id-2", err)
	}
	write(intact)

	if _, err := s.Fetch(t.Context(), []string{"id-2"}); err != nil {
		t.Error(err)
	}

	if n := s.Info().DamagedRecords; n != 0 {
		t.Errorf("%d damaged records after the repair, want 0", n)
	}
}

// When the search structures are gone, Scan reads the records, unless they are damaged, too.
func TestScan_Salvage(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	bulk := begin(t, e, "index")
	for _, i := range []int{0, 1, 2, 1} { // the second document is replaced by the last one
		if err := bulk.Add(t.Context(), embeddedtest.Document(i)); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	scan := func() (ids []string, err error) {
		for f, err := range e.Scan(t.Context(), "index") {
			if err != nil {
				return ids, err
			}
			ids = append(ids, f.ID)
		}

		return ids, nil
	}

	want, err := scan()
	if err != nil || !slices.Equal(want, []string{"id-0", "id-2", "id-1"}) {
		t.Fatalf("%q, %v", want, err)
	}
	index := filepath.Join(dir, "index", datadir.IndexFile)
	for _, test := range []struct {
		name   string
		damage func() error
	}{
		{"flipped", func() error { return flip(index, 100) }},
		{"empty", func() error { return os.Truncate(index, 0) }},
		{"missing", func() error { return os.Remove(index) }},
	} {
		if err := test.damage(); err != nil {
			t.Fatal(err)
		}
		if got, err := scan(); err != nil || !slices.Equal(got, want) {
			t.Errorf("index.bin %s: %q, %v; want %q", test.name, got, err, want)
		}
	}

	if err := flip(filepath.Join(dir, "index", datadir.RecordsFile), 3); err != nil {
		t.Fatal(err)
	}

	if got, err := scan(); len(got) > 0 || !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("with damaged records: %q, %v; want an error about damage", got, err)
	}
}

// flip changes one byte of a file.
func flip(path string, at int) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b[at] ^= 0x11
	return os.WriteFile(path, b, 0o600)
}

// An index of an earlier format can be read by Scan but not searched. One of a later format can't be read at all.
func TestFormat(t *testing.T) {
	for _, test := range []struct {
		version byte
		scans   bool
		remedy  string
	}{
		{firstWithChanges - 1, true, "indexer reindex -from index"},
		{sectionfile.OldestFormat - 1, true, "indexer reindex -from index"},
		{sectionfile.FormatVersion + 1, false, "install the later version"},
	} {
		dir := t.TempDir()
		e := open(t, dir)
		fill(t, e, "index", 3)

		if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "index", datadir.IndexFile)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		b[8] = test.version // after the magic number
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		manifest := filepath.Join(dir, "index", datadir.ManifestFile)
		d, err := datadir.ReadJSON[datadir.Description](manifest)
		if err != nil {
			t.Fatal(err)
		}

		d.Format = int(test.version)
		records, err := os.ReadFile(filepath.Join(dir, "index", datadir.RecordsFile))
		if err != nil {
			t.Fatal(err)
		}

		if test.version < firstWithChanges {
			d.RecordsSum = datadir.Checksum(records) // as earlier formats had it
		}

		if err := datadir.WriteJSON(manifest, d); err != nil {
			t.Fatal(err)
		}
		_, err = open(t, dir).Open(t.Context(), "all")
		format, ok := errors.AsType[*engine.FormatError](err)
		if !ok || format.Has != int(test.version) || !strings.Contains(engine.Remedy(err), test.remedy) {
			t.Errorf("version %d: error %v with remedy %q, want %q", test.version, err, engine.Remedy(err), test.remedy)
		}

		infos, err := e.Indexes(t.Context())
		if err != nil || !strings.Contains(infos[0].Fault, "format") {
			t.Errorf("version %d: %+v, %v; want a fault about the format", test.version, infos, err)
		}
		scanned := 0
		for _, err := range e.Scan(t.Context(), "index") {
			if err == nil {
				scanned++
			}
		}

		if test.scans != (scanned == 3) {
			t.Errorf("version %d: scanned %d freelancers", test.version, scanned)
		}
	}
}

// Every damage to an alias file is reported as such, doesn't hinder an indexer, and is repaired by PointAlias. A server
// that has the index open keeps serving it.
func TestAlias_Damaged(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"garbage": func(path string) error { return os.WriteFile(path, []byte("\x00\x01garbage"), 0o600) },
		"flipped": func(path string) error { return flip(path, 14) },
		"dangling": func(path string) error {
			return datadir.WriteJSON(path, datadir.Target{Index: "gone", Previous: "old"})
		},
		"nameless": func(path string) error { return datadir.WriteJSON(path, datadir.Target{}) },
		"missing":  os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			indexer := open(t, dir)
			fill(t, indexer, "old", 5)
			fill(t, indexer, "new", 10)

			for _, index := range []string{"old", "new"} {
				if _, err := indexer.PointAlias(t.Context(), "all", index); err != nil {
					t.Fatal(err)
				}
			}

			running, _ := quiet(t, dir)
			if _, err := running.Open(t.Context(), "all"); err != nil {
				t.Fatal(err)
			}

			if err := damage(filepath.Join(dir, "all.alias")); err != nil {
				t.Fatal(err)
			}

			running.follow(t.Context(), running.watched["all"])
			if s, err := running.Open(t.Context(), "all"); err != nil || s.Info().Name != "new" {
				t.Errorf("running engine: %v, %v; want the index that it has open", s, err)
			}
			started := open(t, dir)
			_, openErr := started.Open(t.Context(), "all")
			for what, err := range map[string]error{
				"running": running.CheckAlias(t.Context(), "all"), "started": started.CheckAlias(t.Context(), "all"),
				"open": openErr,
			} {
				if _, ok := errors.AsType[*engine.AliasError](err); !ok || errors.Is(err, engine.ErrNotFound) {
					t.Errorf("%s: %v, want an AliasError", what, err)
				}
			}

			index, _, err := indexer.Alias(t.Context(), "all")
			if index != "" || err != nil {
				t.Errorf("alias = %q, %v; want none", index, err)
			}

			if name != "missing" && name != "dangling" { // those point to no complete index for certain
				if err := indexer.Drop(t.Context(), "old"); !errors.Is(err, engine.ErrConflict) {
					t.Errorf("drop a complete index: %v, want a conflict", err)
				}
			}

			if _, err := indexer.PointAlias(t.Context(), "all", "old"); err != nil {
				t.Fatal(err)
			}
			running.follow(t.Context(), running.watched["all"])

			for what, e := range map[string]*Engine{"running": running, "started": started} {
				if s, err := e.Open(t.Context(), "all"); err != nil || s.Info().Name != "old" {
					t.Errorf("%s engine after the repair: %v, %v; want old", what, s, err)
				}
				if err := e.CheckAlias(t.Context(), "all"); err != nil {
					t.Errorf("%s engine after the repair: %v", what, err)
				}
			}
		})
	}
}

// A folder in the place of an alias is beyond repair, and says so before anything is read or written.
func TestAlias_Directory(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	if err := os.Mkdir(filepath.Join(dir, "all.alias"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Alias(t.Context(), "all"); err == nil || errors.Is(err, engine.ErrDamaged) {
		t.Errorf("error %v, want one that isn't about damage", err)
	}
}

// An index stays pending until an alias points to it, even if PointAlias is interrupted after the move.
func TestPending(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	fill(t, e, "a", 3)
	fill(t, e, "b", 3)
	pending := func() (names []string) {
		infos, err := e.Indexes(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		for _, info := range infos {
			if info.Pending {
				names = append(names, info.Name)
			}
		}

		slices.Sort(names)
		return names
	}

	point := func(index string) {
		t.Helper()
		if _, err := e.PointAlias(context.Background(), "all", index); err != nil {
			t.Fatal(err)
		}
	}

	if got := pending(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("pending %q, want both", got)
	}
	point("a")

	if got := pending(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("pending %q, want b", got)
	}

	// As if PointAlias had been killed between its two steps.
	if err := os.WriteFile(filepath.Join(dir, "a", datadir.PendingFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	point("b")

	if got := pending(); len(got) > 0 {
		t.Errorf("pending %q, want none", got)
	}
}

// A damaged provenance is ignored and logged, because searches don't need it.
func TestDamage_Provenance(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	fill(t, e, "index", damagedDocuments)
	want := &engine.Provenance{
		Run: engine.Run{Command: "load", Mapping: "name: Full name\n"}, Coverage: map[string]int{"name": 6},
	}
	if err := e.SetProvenance(t.Context(), "index", want); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(dir, "index", datadir.ProvenanceFile)
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	for at := range intact {
		b := bytes.Clone(intact)
		b[at] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}

		var log bytes.Buffer
		e, err := Open(dir, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}

		infos, err := e.Indexes(t.Context())
		if err != nil || len(infos) != 1 || infos[0].Fault != "" {
			t.Fatalf("byte %d: indexes %+v, %v", at, infos, err)
		}
		got := infos[0].Provenance
		if got == nil && strings.Contains(log.String(), datadir.ProvenanceFile) || cmp.Equal(want, got) {
			continue
		}

		t.Errorf("byte %d: provenance %+v, log %q", at, got, &log)
	}
}
