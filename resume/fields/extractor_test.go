package fields

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/resumetest"
)

func TestExtract_IsDeterministic(t *testing.T) {
	x := newExtractor(t)
	doc := resumetest.ParseDocument("{18 bold} Marlow Quillfeather\nmarlow@example.com\n\n{12 bold} Skills\nGo, Python")
	first := extract(t, x, doc)
	for range 20 {
		if diff := cmp.Diff(first, extract(t, x, doc)); diff != "" {
			t.Fatalf("the same document gives other fields (-first +this):\n%s", diff)
		}
	}
}

func TestExtract_EmptyDocument(t *testing.T) {
	r := extract(t, newExtractor(t), resume.Document{Pages: 1, Warnings: []resume.Warning{resume.WarnImagePage}})
	want := []resume.Warning{resume.WarnImagePage, resume.WarnNoSections}
	if r.Quality.Score != 0 || !slices.Equal(r.Warnings, want) {
		t.Errorf("an empty document has the quality %v and the warnings %q, want 0 and %q", r.Quality, r.Warnings, want)
	}
}

// Documents of the size that readers let through must take linear time. Otherwise this test exceeds the timeout of go
// test.
func TestExtract_HostileDocumentsTakeLinearTime(t *testing.T) {
	x := newExtractor(t)
	for unit, times := range map[string]int{
		"@": 100_000, "a.": 50_000, "1 ": 50_000, "2019 - 2020 ": 9_000, "((((": 25_000, "a\t": 50_000, "ignore ": 15_000,
		"a@b.cd ": 15_000, "e\u0301": 30_000,
	} {
		text := strings.Repeat(unit, times)
		for _, lines := range []int{1, 500} {
			doc := resume.Document{}
			for i := range lines {
				doc.Lines = append(doc.Lines, resume.Line{Text: text[i*len(text)/lines : (i+1)*len(text)/lines]})
			}

			if r := extract(t, x, doc); r.Name != "" {
				t.Errorf("%q %d times in %d lines has the name %q, want none", unit, times, lines, r.Name)
			}
		}
	}

	doc := resume.Document{}
	for i := range 30_000 {
		l := resume.Line{Text: fmt.Sprintf("EXPERIENCE %d", i%3), Size: float64(i % 7), Bold: i%2 == 0}
		doc.Lines = append(doc.Lines, l)
	}

	extract(t, x, doc)
}

// extract extracts the fields of a document without a deadline.
func extract(t testing.TB, x *Extractor, doc resume.Document) resume.Resume {
	t.Helper()
	r, err := x.Extract(context.Background(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A budget is a context that ends after its error has been asked for a number of times.
type budget struct {
	context.Context
	left int
}

func (b *budget) Err() error {
	if b.left--; b.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// hostile returns documents that cost much time: many lines, huge lines, and many links.
func hostile() map[string]resume.Document {
	documents := map[string]resume.Document{}
	for name, shape := range map[string]struct{ lines, bytes int }{
		"short lines": {200_000, 20}, "long lines": {500, 10_000}, "a huge line": {1, 10 << 20},
	} {
		var doc resume.Document
		for i := range shape.lines {
			text := strings.Repeat("2019 - 2020 EXPERIENCE a@b.cd Go, Java 日本語 https://x.io/a ", shape.bytes/60+1)
			doc.Lines = append(doc.Lines, resume.Line{Text: text[:shape.bytes], Bold: i%2 == 0})
			doc.Links = append(doc.Links, resume.Link{URL: "https://example.com/" + text[:10], Line: i})
		}
		documents[name] = doc
	}
	return documents
}

// Extraction stops at whichever step its deadline falls into, and no step sees more text than the limit.
func TestExtract_StopsAtTheDeadline(t *testing.T) {
	x := newExtractor(t)
	for name, doc := range hostile() {
		t.Run(name, func(t *testing.T) {
			begin, cut := page.Bounded(doc)
			size := 0
			for _, l := range begin.Lines {
				size += len(l.Text)
			}

			if !cut || size > page.MaxBytes || len(begin.Lines) > page.MaxLines {
				t.Fatalf("%d bytes in %d lines, cut: %v", size, len(begin.Lines), cut)
			}

			complete := &budget{t.Context(), 1 << 30}
			r, err := x.Extract(complete, doc)
			if err != nil || !slices.Contains(r.Warnings, resume.WarnTruncated) {
				t.Fatalf("warnings %q, %v; want %q", r.Warnings, err, resume.WarnTruncated)
			}

			checks := 1<<30 - complete.left
			if checks < 10 {
				t.Errorf("the deadline was checked %d times, want at least once for each step", checks)
			}

			for _, allowed := range []int{0, 1, checks / 2, checks - 1} {
				b := &budget{t.Context(), allowed}
				if r, err := x.Extract(b, doc); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %d of %d checks: %+v, %v; want the error of the context", allowed, checks, r, err)
				}

				if b.left != -1 {
					t.Errorf("the deadline was checked %d more times after it had passed", -1-b.left)
				}
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	x := newExtractor(f)
	f.Add("{18 bold} Ada Quill\nada@example.org\n\n{12 bold} Experience\nEngineer at Acme    Jan 2019 – now\n- Go")
	f.Add("{} 工作经历\n2021年3月至今    某某公司\nLanguages: English (C1)\n(+86) 1")
	f.Add("EDUCATION    BSc in (\n2016—18\n== sidebar\nPhone    (")
	f.Fuzz(func(t *testing.T, text string) {
		r := extract(t, x, anyDocument(text))
		if r.Quality.Score < 0 || r.Quality.Score > 1 {
			t.Errorf("the quality is %v, want a number from 0 to 1", r.Quality.Score)
		}

		for _, p := range r.Experience {
			if p.Title == "" && p.Company == "" || p.Current && p.End != "" {
				t.Errorf("a position has neither title nor company, or ends although it is current: %+v", p)
			}
		}

		for _, s := range r.Skills {
			if s.ID == "" || s.Section == "" {
				t.Errorf("a skill lacks its ID or its section: %+v", s)
			}
		}
	})
}

// anyDocument makes a document of any text, with sizes and parts that follow from the lengths of its lines.
func anyDocument(text string) resume.Document {
	doc := resume.Document{}
	for i, row := range strings.Split(text, "\n") {
		l := resume.Line{
			Text: strings.ReplaceAll(row, "    ", "\t"),
			Page: 1 + i%2,
			Part: resume.Part(len(row) % 4),
			Size: float64(len(row) % 4),
			Bold: len(row)%3 == 0,
		}
		if i%2 == 0 {
			l.Part = resume.Body
		}
		doc.Lines = append(doc.Lines, l)
	}
	return doc
}

func BenchmarkExtract(b *testing.B) {
	x := newExtractor(b)
	var text strings.Builder
	text.WriteString("{20 bold} Marlow Quillfeather\nmarlow@example.com | London, UK | +44 20 7946 0991\n\n")
	text.WriteString("{13 bold} Experience\n")
	for i := range 8 {
		fmt.Fprintf(&text, "{10 bold} Backend Engineer, Company %d Ltd    Mar %d – Feb %d\n", i, 2018-2*i, 2020-2*i)
		for range 5 {
			text.WriteString("- Moved the ledger from PHP to Go and PostgreSQL, with tests, on Kubernetes, for 14 teams\n")
		}
	}
	text.WriteString("\n{13 bold} Education\nUniversity of Eastmere    2013 – 2016\nBSc in Computer Science\n\n")
	text.WriteString("{13 bold} Skills\nGo, Python, SQL, Docker, Kubernetes, Terraform, PostgreSQL, Redis, Kafka, React\n")
	doc := resumetest.ParseDocument(text.String())
	b.ReportAllocs()
	for b.Loop() {
		extract(b, x, doc)
	}
}
