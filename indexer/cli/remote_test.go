package cli

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An index is loaded from a URL, whose secrets appear nowhere. A file with several rows of a person is read twice, but
// downloaded once.
func TestLoad_URL(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if user, password, _ := r.BasicAuth(); user != "me" || password != "s3cret" || r.FormValue("sig") != "s3cret" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, peopleCSV)
	}))

	defer server.Close()

	t.Setenv("TMPDIR", t.TempDir())
	s := newSession(t)
	at := server.URL + "/people.csv?sig="
	secret := strings.Replace(at, "//", "//me:s3cret@", 1) + "s3cret"
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(peopleCSV)))
	for _, args := range [][]string{
		{"load", "-max-failures", "1", secret},
		{"load", "-max-failures", "1", secret + "#sha256=" + sum},
		{"validate", "-max-failures", "1", secret, "-checksum", "sha256:" + sum},
		{"load", "-json", "-max-failures", "1", secret},
	} {
		requests = 0
		code, stdout, stderr := s.run("", args...)
		s.checkError(args, code, 0, stdout+stderr, at+"…")
		if requests != 1 || strings.Contains(stdout+stderr, "s3cret") {
			t.Errorf("indexer %v: %d requests; output:\n%s%s", args, requests, stdout, stderr)
		}
	}

	for _, args := range [][]string{
		{"load", secret + "1"},
		{"load", secret, "-checksum", "sha256:" + strings.Repeat("0", 64)},
		{"load", secret, "-max-download", "20"},
	} {
		code, stdout, stderr := s.run("", args...)
		s.checkError(args, code, 1, stdout+stderr, at+"…: ")
		if strings.Contains(stdout+stderr, "s3cret") {
			t.Errorf("indexer %v printed a secret:\n%s%s", args, stdout, stderr)
		}
	}

	for _, path := range s.filesWithSecret() {
		t.Errorf("%s has a secret", path)
	}

	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("temporary files left behind: %v, %v", left, err)
	}
}

// filesWithSecret returns the files in the data folder that contain the password of the tests.
func (s *session) filesWithSecret() (paths []string) {
	s.t.Helper()
	err := fs.WalkDir(os.DirFS(s.data), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(s.data, path))
		if bytes.Contains(data, []byte("s3cret")) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return paths
}

func TestLoad_Netrc(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, peopleCSV)
	}))
	defer server.Close()
	s := newSession(t)
	netrc := s.file("netrc", "machine 127.0.0.1 password t0ken\n")
	s.must("validate", "-max-failures", "1", "-netrc", netrc, server.URL)
	s.wantError(1, []string{"load", server.URL},
		"401 Unauthorized: the file needs credentials; name a netrc file with -netrc")
	s.wantError(1, []string{"load", server.URL, "-netrc", s.file("netrc", "t0ken")}, "read the credentials for downloads")
}

func TestLoad_LocalChecksum(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	sum := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(peopleCSV)))
	s.must("validate", "-max-failures", "1", csv, "-checksum", sum)
	args := []string{"validate", "-max-failures", "1", "-", "-checksum", sum}
	code, stdout, stderr := s.run(peopleCSV, args...)
	s.checkError(args, code, 0, stdout+stderr)
	other := s.file("other.csv", peopleCSV+"p3,Ada,,Go,\n")
	s.wantError(1, []string{"load", other, "-checksum", sum}, other+": the SHA-256 checksum is ", "nothing was loaded")
}

// Messages name inputs without the secrets of URLs, and flags can use these names.
func TestLoad_HidesSecretsOfURLs(t *testing.T) {
	s := newSession(t)
	a := "https://u:s3cret@h/a.csv?x=s3cret"
	b := "https://u:s3cret@h/b.csv?x=s3cret"
	code, stdout, stderr := s.run("", "load", a, b, "-id", "row")
	s.checkError(nil, code, 2, stdout+stderr, "of https://h/a.csv?x=… and of https://h/b.csv?x=… from 1",
		"-id-prefix b.csv=a-")
	code, stdout2, stderr2 := s.run("", "load", a, "-id-prefix", b+"=b-")
	s.checkError(nil, code, 2, stdout2+stderr2, `-id-prefix names "https://h/b.csv?x=…"`)

	if strings.Contains(stdout+stderr+stdout2+stderr2, "s3cret") {
		t.Errorf("a message has a secret:\n%s%s", stderr, stderr2)
	}
}

func TestLoad_SQLite(t *testing.T) {
	s := newSession(t)
	path := filepath.Join(s.files, "people.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}

	for _, statement := range []string{
		"CREATE TABLE people (id INTEGER, name TEXT, skills TEXT, hourly_rate REAL, photo BLOB)",
		`INSERT INTO people VALUES (7, 'Mira Talden', '["Go","PostgreSQL"]', 40, x'ff'),
			(8, 'Oren Vask', 'Illustration', NULL, NULL)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	s.checkError(nil, 0, 0, s.must("load", path), "people.db: sqlite", `column "photo": left out 1 binary value`,
		"2 freelancers indexed")
	want := `"id":"7","name":"Mira Talden","job_title":"","skills":["Go","PostgreSQL"]`
	if out := s.must("export"); !strings.Contains(out, want) {
		t.Errorf("export:\n%s", out)
	}

	args := []string{"validate", path, "-query", "SELECT id, name, skills FROM people WHERE id = 8"}
	s.checkError(args, 0, 0, s.must(args...), "1 row read")
	s.wantError(1, []string{"load", path, "-table", "freelancers"},
		`no table "freelancers"; the tables and views are "people"`)
	s.wantError(1, []string{"load", path, "-max-download", "30B"}, "exceeds the limit of 30 B; raise -max-download")
}

// versions is a server with a file that has an ETag.
type versions struct {
	content, etag string
	sent          int // responses with the file
}

// ServeHTTP implements http.Handler.
func (v *versions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", v.etag)
	if r.Header.Get("If-None-Match") == v.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	v.sent++
	_, _ = io.WriteString(w, v.content)
}

// With -if-changed, a load does nothing if the live index has the same files and options.
func TestLoad_IfChanged(t *testing.T) {
	v := &versions{content: peopleCSV, etag: `"1"`}
	server := httptest.NewServer(v)
	defer server.Close()

	s := newSession(t)
	more := s.file("more.csv", "id,name,skills\np7,Ada Rill,Go\n")
	mapping := filepath.Join(s.files, "mapping.yaml")
	args := []string{"load", "-if-changed", "-max-failures=1", "-allow-shrink", server.URL + "/people.csv", more}
	const skipped, loaded = "Nothing was loaded: the files have not changed since they were loaded into", " indexed in "
	steps := []struct {
		name, want string
		sent       int // times that the server sends the file
		change     func()
	}{
		{"the first load", loaded, 1, func() {}},
		{"nothing changed", skipped, 0, func() {}},
		{"the file on the server changed", loaded, 1, func() {
			v.etag, v.content = `"2"`, strings.Replace(peopleCSV, "Oren", "Aren", 1)
		}},
		{"another ETag for the same content", skipped, 1, func() { v.etag = `"3"` }},
		{"the local file changed", loaded, 1, func() { s.file("more.csv", "id,name,skills\np8,Ada Rill,Go\n") }},
		{"then nothing changed", skipped, 0, func() {}},
		{"another option", loaded, 1, func() { args = append(args, "-rate", "EUR=1.1") }},
		{"a mapping file", loaded, 1, func() {
			s.must("validate", "-max-failures=1", "-o", mapping, server.URL+"/people.csv", more)
			args = append(args, "-mapping", mapping)
		}},
		{"another content of the mapping file", loaded, 1, func() {
			text, err := os.ReadFile(mapping)
			if err != nil {
				t.Fatal(err)
			}
			s.file("mapping.yaml", string(text)+"# changed\n")
		}},
		{"the live index was changed", loaded, 1, func() { s.must("delete", "-ids", "p8", "-allow-shrink") }},
		{"an earlier index is live", loaded, 1, func() { s.must("rollback") }},
	}
	for _, step := range steps {
		step.change()
		v.sent = 0
		out := s.must(args...)
		if !strings.Contains(out, step.want) || v.sent != step.sent {
			t.Errorf("%s: the server sent the file %d times, want %d and %q; output:\n%s", step.name, v.sent, step.sent,
				step.want, out)
		}
	}

	if out := s.must(append(args, "-json")...); !strings.Contains(out, `"unchanged": "freelancers-v1-`) {
		t.Errorf("-json printed\n%s", out)
	}
	always := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-if-changed" })
	if out := s.must(always...); !strings.Contains(out, loaded) {
		t.Errorf("without -if-changed:\n%s", out)
	}

	s.wantError(2, append(args, "-dry-run"), "-if-changed can't be used with -dry-run")
	missing := append(slices.Clone(args), filepath.Join(s.files, "none.csv"))
	s.wantError(1, missing, "none.csv")
}

// An index does not remember secrets of the URLs that it was loaded from.
func TestLoad_ProvenanceWithoutSecrets(t *testing.T) {
	server := httptest.NewServer(&versions{content: peopleCSV, etag: `"1"`})
	defer server.Close()
	s := newSession(t)
	secret := strings.Replace(server.URL, "//", "//me:s3cret@", 1) + "/people.csv?sig=s3cret"
	args := []string{"load", "-if-changed", "-max-failures", "1", secret, "-id-prefix", secret + "=a-"}
	s.must(args...)
	// The name of a URL with a query string does not identify a file, so the content decides.
	if out := s.must(args...); !strings.Contains(out, "Nothing was loaded") {
		t.Errorf("output:\n%s", out)
	}
	for _, path := range s.filesWithSecret() {
		t.Errorf("%s has a secret", path)
	}
}
