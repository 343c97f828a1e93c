package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// status counts the encoded profiles of the live index, but writes no vectors itself.
func TestStatus_CountsEncodedProfiles(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	if got := s.must("status"); strings.Contains(got, "encoder") {
		t.Errorf("status before a server has encoded profiles:\n%s", got)
	}
	if _, err := os.Stat(filepath.Dir(setup.VectorFile(s.data))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("status created the folder of the vectors: %v", err)
	}

	s.encode()
	s.checkEncoded("has encoded 2 of 2 profiles of the live index (1.7 kB)", encodedProfiles{2, 2, 64 + 2*800})

	changed := s.file("changed.csv", "id,job_title\np2,Painter\n")
	s.must("load", "-patch", changed)
	s.checkEncoded("has encoded 1 of 2 profiles of the live index (1.7 kB)", encodedProfiles{1, 2, 64 + 2*800})
}

// encode encodes the profiles of the live index as a server does.
func (s *session) encode() {
	s.t.Helper()
	settings := config.Default()
	settings.Data = s.data
	x, err := setup.OpenIndex(settings, slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Fatal(err)
	}
	defer x.Close()
	service := x.Encoding(nil)
	if err := errors.Join(service.Complete(s.t.Context()), service.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// checkEncoded checks what status says about encoded profiles.
func (s *session) checkEncoded(text string, want encodedProfiles) {
	s.t.Helper()
	if got := s.must("status"); !strings.Contains(got, text) {
		s.t.Errorf("want %q in\n%s", text, got)
	}
	var d struct{ Result indexList }
	if err := json.Unmarshal([]byte(s.must("status", "-json")), &d); err != nil {
		s.t.Fatal(err)
	}
	if d.Result.Encoder == nil || *d.Result.Encoder != want {
		s.t.Errorf("encoder %+v, want %+v", d.Result.Encoder, want)
	}
}

// load -encode encodes the new profiles before the index goes live, and those of a change in place afterward.
func TestLoad_Encode(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", "id,job_title\np1,Baker\np2,Boxer\n")
	load := []string{"load", "-encode", "-encoder", "on"}
	if got := s.must(append(load, file)...); !strings.Contains(got, "2 profiles encoded in") {
		t.Errorf("want the number of encoded profiles in\n%s", got)
	}
	s.checkEncoded("has encoded 2 of 2 profiles", encodedProfiles{2, 2, 64 + 2*800})

	file = s.file("people.csv", "id,job_title\np1,Baker\np2,Boxer\np3,Clown\n")
	var d struct {
		Result struct{ Change struct{ Encoded int } }
	}
	if err := json.Unmarshal([]byte(s.must(append(load, "-json", file)...)), &d); err != nil {
		t.Fatal(err)
	}
	if d.Result.Change.Encoded != 1 {
		t.Errorf("%d profiles encoded, want the new one", d.Result.Change.Encoded)
	}

	file = s.file("people.csv", "id,job_title\np3,Diver\n")
	s.must(append(load, "-upsert", file)...)
	s.checkEncoded("has encoded 3 of 3 profiles", encodedProfiles{3, 3, 64 + 3*800})

	s.must("reindex", "-encode", "-encoder", "on")
	s.checkEncoded("has encoded 3 of 3 profiles", encodedProfiles{3, 3, 64 + 3*800})
}

func TestLoad_EncodeNeedsTheEncoder(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	s.wantError(2, []string{"load", "-encode", "-encoder", "off", "missing.csv"}, "-encode needs the sentence encoder")
	s.wantError(2, []string{"reindex", "-encode", "-encoder", "off"}, "-encode needs the sentence encoder")
}
