package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// indexName matches the name of an index in the output of a command.
var indexName = regexp.MustCompile(`freelancers-v1-\w+(-\d+)?`)

// twoLoads loads people twice and returns the names of the previous and the live index.
func (s *session) twoLoads() (previous, live string) {
	s.t.Helper()
	s.loadPeople()
	previous = indexName.FindString(s.must("status"))
	s.loadPeople()
	return previous, indexName.FindString(s.must("status"))
}

func (s *session) alias() string { return filepath.Join(s.data, "indexes", "freelancers.alias") }

// write replaces a file.
func (s *session) write(path, content string) {
	s.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// Every command works, or says what to do, when the alias is damaged. rollback and load repair it.
func TestDamagedAlias(t *testing.T) {
	for name, damage := range map[string]func(s *session){
		"empty":    func(s *session) { s.write(s.alias(), "") },
		"garbage":  func(s *session) { s.write(s.alias(), "\x00garbage") },
		"dangling": func(s *session) { s.write(s.alias(), `{"index": "freelancers-v1-gone"}`) },
		"missing": func(s *session) {
			if err := os.Remove(s.alias()); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			previous, live := s.twoLoads()
			csv := filepath.Join(s.files, "people.csv")
			damage(s)

			if out := s.must("status"); !strings.Contains(out, "indexer rollback") || strings.Contains(out, "live  ") {
				t.Errorf("status:\n%s", out)
			}

			if out := s.must("prune", "-keep", "0"); !strings.Contains(out, "2 indexes kept") ||
				!strings.Contains(out, "indexer rollback") {
				t.Errorf("prune:\n%s", out)
			}

			s.wantError(1, []string{"export"}, "indexer rollback", "-index")
			if out := s.must("export", "-index", live); strings.Count(out, "\n") != 2 {
				t.Errorf("export:\n%s", out)
			}

			// These change the live index, and must not mistake a damaged alias for an empty data folder.
			for _, args := range [][]string{
				{"load", "-upsert", csv, "-max-failures", "1"}, {"delete", "-ids", "p1"}, {"reindex"},
			} {
				s.wantError(1, args, "run indexer rollback first")
			}

			if out := s.must("rollback"); !strings.Contains(out, "live      "+live) {
				t.Errorf("rollback:\n%s", out)
			}
			damage(s)

			if out := s.must("rollback", "-to", previous); !strings.Contains(out, "live      "+previous) {
				t.Errorf("rollback -to:\n%s", out)
			}
			damage(s)
			s.loadPeople()

			if got := s.states(); len(got["live"]) != 1 || len(got["kept"]) < 1 {
				t.Errorf("status after a load: %v", got)
			}
			s.must("export")
		})
	}
}

// A load that can't move the alias in the end fails before it reads its input.
func TestLoad_ChecksTheAliasFirst(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	if err := os.Remove(s.alias()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.alias(), 0o700); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := s.run("", "load", filepath.Join(s.files, "people.csv"), "-max-failures", "1")
	if code != 1 || strings.Contains(stdout, "rows read") || !strings.Contains(stderr, "freelancers.alias") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// rollback refuses an index that can't be read, and without a live index it skips damaged ones.
func TestRollback_DamagedIndex(t *testing.T) {
	s := newSession(t)
	previous, live := s.twoLoads()
	file := func(index string) string { return filepath.Join(s.data, "indexes", index, "index.bin") }
	intact, err := os.ReadFile(file(previous))
	if err != nil {
		t.Fatal(err)
	}

	broken := bytes.Clone(intact)
	broken[len(broken)/2] ^= 1
	s.write(file(previous), string(broken))

	for _, args := range [][]string{{"rollback"}, {"rollback", "-to", previous}} {
		s.wantError(1, args, previous, "damaged", "To repair this, run")
	}

	if out := s.must("status"); !regexp.MustCompile(live + ` +live `).MatchString(out) {
		t.Errorf("status:\n%s", out)
	}
	s.write(file(previous), string(intact))
	s.write(file(live), string(broken))
	s.write(s.alias(), "")

	if out := s.must("rollback"); !strings.Contains(out, "live      "+previous) {
		t.Errorf("rollback:\n%s", out)
	}

	// The damaged index is rebuilt from its records.
	if out := s.must("reindex", "-from", live); !strings.Contains(out, "2 freelancers indexed") {
		t.Errorf("reindex:\n%s", out)
	}
}

// Damage to files of the live index is shown, keeps no command from working that can, and is repaired.
func TestDamagedIndex(t *testing.T) {
	for file, damage := range map[string]func(s *session, path string){
		"index.bin":      func(s *session, path string) { s.write(path, "short") },
		"records.ndjson": func(s *session, path string) { s.write(path, "") },
		"manifest.json":  func(s *session, path string) { s.write(path, "{") },
		"manifest.json ": func(s *session, path string) { _ = os.Remove(path) }, // removed
		"index.bin ":     func(s *session, path string) { _ = os.Remove(path) },
	} {
		t.Run(file, func(t *testing.T) {
			s := newSession(t)
			previous, live := s.twoLoads()
			damage(s, filepath.Join(s.data, "indexes", live, strings.TrimSpace(file)))

			if out := s.must("status"); !regexp.MustCompile(live + ` +live, damaged`).MatchString(out) {
				t.Errorf("status:\n%s", out)
			}

			if out := s.must("prune"); !strings.Contains(out, "2 indexes kept") {
				t.Errorf("prune:\n%s", out)
			}

			if strings.HasPrefix(file, "index.bin") {
				if out := s.must("export"); strings.Count(out, "\n") != 2 {
					t.Errorf("export from the records:\n%s", out)
				}
			} else {
				s.wantError(1, []string{"export"}, live)
			}

			if out := s.must("rollback"); !strings.Contains(out, "live      "+previous) {
				t.Errorf("rollback:\n%s", out)
			}
			s.loadPeople()
		})
	}
}

// A damaged record concerns one freelancer: the others are exported, and a new index can be built once the damaged
// record is replaced or deleted.
func TestDamagedRecord(t *testing.T) {
	damaged := func() *session {
		s := newSession(t)
		_, live := s.twoLoads()
		path := filepath.Join(s.data, "indexes", live, "records.ndjson")
		records, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		s.write(path, strings.Replace(string(records), "Oren Vask", "Oren Vusk", 1))
		return s
	}

	s := damaged()
	code, stdout, stderr := s.run("", "export")
	s.checkError([]string{"export"}, code, 1, stderr, "p2", "damaged", "indexer load -upsert FILE")

	if !strings.Contains(stdout, "Mira Talden") || strings.Contains(stdout, "Oren") {
		t.Errorf("export:\n%s", stdout)
	}
	file := filepath.Join(s.files, "out.ndjson")
	s.wantError(1, []string{"export", "-o", file}, "p2")

	if out, err := os.ReadFile(file); err != nil || !strings.Contains(string(out), "Mira Talden") {
		t.Errorf("export -o: %s, %v", out, err)
	}
	s.wantError(1, []string{"reindex"}, "p2", "indexer delete", "Nothing was changed")

	if out := s.must("delete", "-ids", "p2", "-allow-shrink"); !strings.Contains(out, "1 freelancer deleted") {
		t.Errorf("delete:\n%s", out)
	}
	s.must("export")

	s = damaged()
	s.must("load", "-upsert", "-allow-shrink", s.file("oren.csv", "id,name,skills\np2,Oren Vask,Illustration\n"))
	if out := s.must("export"); !strings.Contains(out, "Oren Vask") || !strings.Contains(out, "Mira Talden") {
		t.Errorf("export after the upsert:\n%s", out)
	}
}

// A load that was killed after its index was finished, and before it went live, leaves an index that the next load
// removes.
func TestLoad_RemovesWhatNeverWentLive(t *testing.T) {
	s := newSession(t)
	previous, live := s.twoLoads()
	pending := filepath.Join(s.data, "indexes", "freelancers-v1-pending")
	if err := os.CopyFS(pending, os.DirFS(filepath.Join(s.data, "indexes", live))); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"manifest.json", "spec.json"} {
		path := filepath.Join(pending, name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		text, _, _ := strings.Cut(strings.Replace(string(content), live, "freelancers-v1-pending", 1), ",\n  \"checksum\"")
		s.write(path, text+"\n}\n")
	}

	s.write(filepath.Join(pending, "pending"), "")
	if out := s.must("status"); !regexp.MustCompile(`freelancers-v1-pending +unfinished`).MatchString(out) {
		t.Errorf("status:\n%s", out)
	}
	s.loadPeople("-keep-indexes", "all")
	out := s.must("status")
	if strings.Contains(out, "-pending") || !strings.Contains(out, previous) || !strings.Contains(out, live) {
		t.Errorf("status, want every index but the pending one:\n%s", out)
	}
}

// reindex converts the indexes of earlier releases, which can't be searched any more.
func TestReindex_EarlierFormat(t *testing.T) {
	for release, format := range map[string]string{"80d0c0b": "index format 4", "b7666d8": "index format 5"} {
		t.Run(release, func(t *testing.T) {
			folder := filepath.Join("..", "..", "testdata", "backcompat", release, "builtin", "indexes")
			s := newSession(t)
			if err := os.CopyFS(filepath.Join(s.data, "indexes"), os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}

			if out := s.must("status"); !strings.Contains(out, format) {
				t.Errorf("status:\n%s", out)
			}
			before := s.must("export")
			s.must("reindex")

			if got := s.states(); len(got["live"]) != 1 {
				t.Errorf("status: %v, want one live index without damage", got)
			}

			if after := s.must("export"); after != before || strings.Count(after, "\n") < 10 {
				t.Errorf("export before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}
