package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	for _, path := range s.filesWith("s3cret") {
		t.Errorf("%s has a secret", path)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("temporary files left behind: %v, %v", left, err)
	}
}

// filesWith returns the files in the data folder that contain a text.
func (s *session) filesWith(text string) (paths []string) {
	s.t.Helper()
	err := fs.WalkDir(os.DirFS(s.data), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(s.data, path))
		if bytes.Contains(data, []byte(text)) {
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
	s.wantError(1, []string{"load", server.URL}, "401 Unauthorized: the file needs credentials; name a netrc file with -netrc")
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
