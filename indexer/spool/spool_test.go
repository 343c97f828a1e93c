package spool_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/spool"
)

func newSpool(t *testing.T, limit int64) *spool.Spool {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	s, err := spool.New(limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSpool_HasNoName(t *testing.T) {
	s := newSpool(t, 10)
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("the folder for temporary files has %v, %v", left, err)
	}
	if n, err := io.WriteString(s, "0123456789"); n != 10 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	for range 2 {
		data, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
		if string(data) != "0123456789" || err != nil {
			t.Errorf("read %q, %v", data, err)
		}
	}
}

func TestSpool_Limit(t *testing.T) {
	s := newSpool(t, 10)
	_, err := io.Copy(s, io.MultiReader(strings.NewReader("01234"), strings.NewReader("56789x")))
	if limit, ok := errors.AsType[*spool.LimitError](err); !ok || limit.Limit != 10 || s.Size() != 5 {
		t.Errorf("error %v with %d bytes; want a LimitError with the limit of 10", err, s.Size())
	}
	if err := s.Truncate(); err != nil || s.Size() != 0 {
		t.Errorf("Truncate: %v, %d bytes left", err, s.Size())
	}
	if n, err := io.WriteString(s, "abc"); n != 3 || err != nil {
		t.Errorf("Write after Truncate = %d, %v", n, err)
	}
	data := make([]byte, 3)
	if _, err := s.ReadAt(data, 0); err != nil || string(data) != "abc" {
		t.Errorf("read %q, %v", data, err)
	}
}
