package resumes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/resumes"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

type parserFunc func(ctx context.Context, file []byte) (resume.Resume, error)

func (f parserFunc) Parse(ctx context.Context, file []byte) (resume.Resume, error) {
	return f(ctx, file)
}

// title returns a freelancer whose ID and job title are the text of the file.
func title(_ context.Context, file []byte) (resume.Resume, error) {
	text := string(file)
	r := resume.Resume{Freelancer: matching.Freelancer{ID: text, JobTitle: text}}
	switch {
	case strings.HasPrefix(text, "refuse"):
		return resume.Resume{}, &matching.Error{Code: resume.CodeNoText, Message: "the document has pictures only"}
	case strings.HasPrefix(text, "nothing"):
		r.Freelancer.JobTitle = ""
	case strings.HasPrefix(text, "hidden"):
		r.Warnings = []resume.Warning{resume.WarnHiddenText}
	case strings.Contains(text, "@"):
		r.Contact.Email = text
	}
	return r, nil
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		path = filepath.Join(dir, path)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string, o resumes.Options) *resumes.Folder {
	t.Helper()
	f, err := resumes.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestRows(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.pdf": "painter", "deep/er/b.docx": "builder", "c.txt": "refuse", "d.pdf": "nothing", "e.pdf": "hidden",
		"f.pdf": strings.Repeat("x", 101), "g.pdf": "a@b.example", ".DS_Store": "x", ".git/g.pdf": "x",
	})
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link.pdf")); err != nil {
		t.Fatal(err)
	}

	f := open(t, dir, resumes.Options{Parser: parserFunc(title), Parallel: 3, MaxBytes: 100})
	person := func(id string) matching.Freelancer { return matching.Freelancer{ID: id, JobTitle: id} }
	fault := func(reason string) []source.Fault { return []source.Fault{{Reason: reason}} }
	want := []source.Row{
		{File: "a.pdf", Freelancer: person("painter")},
		{File: "c.txt", Faults: fault("the document has pictures only")},
		{
			File: "d.pdf", Freelancer: matching.Freelancer{ID: "nothing"},
			Faults: fault("the resume has no job title, skills or text"),
		},
		{File: "deep/er/b.docx", Freelancer: person("builder")},
		{File: "e.pdf", Freelancer: person("hidden"), Warnings: fault("hidden_text")},
		{File: "f.pdf", Faults: fault("the file is larger than 100 bytes")},
		{File: "g.pdf", Freelancer: matching.Freelancer{ID: resume.EmailID("a@b.example"), JobTitle: "a@b.example"}},
	}
	for range 2 { // Rows can be called again
		var got []source.Row
		for row, err := range f.Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, row)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		if f.Len() != len(want) || f.Offset() != f.Size() || f.Size() != 7+7+6+7+6+101+11 {
			t.Errorf("%d files, %d of %d bytes", f.Len(), f.Offset(), f.Size())
		}
	}
}

func TestOpen_Failures(t *testing.T) {
	if _, err := resumes.Open(t.TempDir(), resumes.Options{}); !errors.Is(err, resumes.ErrEmpty) {
		t.Error(err)
	}
	dir := folder(t, map[string]string{"a.pdf": "x"})
	for _, path := range []string{filepath.Join(dir, "a.pdf"), filepath.Join(dir, "no")} {
		if _, err := resumes.Open(path, resumes.Options{}); err == nil {
			t.Errorf("Open(%s) succeeded, want an error", path)
		}
	}
}

// A failure of the parser ends the rows, after the files before it.
func TestRows_ParserFails(t *testing.T) {
	broken := errors.New("broken")
	parser := parserFunc(func(ctx context.Context, file []byte) (resume.Resume, error) {
		if string(file) == "b" {
			return resume.Resume{}, broken
		}
		return title(ctx, file)
	})
	dir := folder(t, map[string]string{"1": "a", "2": "b", "3": "c"})
	f := open(t, dir, resumes.Options{Parser: parser, Parallel: 2, MaxBytes: 10})
	var got []string
	for row, err := range f.Rows(t.Context()) {
		got = append(got, fmt.Sprint(row.Freelancer.ID, err))
	}
	if diff := cmp.Diff([]string{"a<nil>", "2: broken"}, got); diff != "" {
		t.Error(diff)
	}
}

// Rows parses as many files at the same time as allowed, and none after the consumer stops or the context is canceled.
func TestRows_Parallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := map[string]string{}
		for i := range 20 {
			files[fmt.Sprintf("%02d.pdf", i)] = fmt.Sprint(i)
		}
		var now, most atomic.Int32
		parser := parserFunc(func(ctx context.Context, file []byte) (resume.Resume, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer now.Add(-1)

			select {
			case <-time.After(time.Second): // in the bubble's time
			case <-ctx.Done():
			}

			return title(ctx, file)
		})

		f := open(t, folder(t, files), resumes.Options{Parser: parser, Parallel: 4, MaxBytes: 10})
		start := time.Now()
		rows := 0
		for row, err := range f.Rows(t.Context()) {
			if err != nil || row.Freelancer.ID != fmt.Sprint(rows) {
				t.Fatal(row, err)
			}
			rows++
		}

		if took := time.Since(start); rows != 20 || took != 5*time.Second || most.Load() != 4 {
			t.Errorf("%d rows in %s, %d at the same time", rows, took, most.Load())
		}

		for range f.Rows(t.Context()) {
			break
		}

		if now.Load() != 0 {
			t.Errorf("%d files are still being parsed", now.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()

		var err error
		for _, err = range f.Rows(ctx) {
			cancel()
		}

		if !errors.Is(err, context.Canceled) || now.Load() != 0 {
			t.Errorf("after cancellation: error %v, %d files are still being parsed", err, now.Load())
		}
	})
}
