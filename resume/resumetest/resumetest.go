// Package resumetest checks documents that readers of resumes return.
package resumetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// update is shared by the tests of all readers.
var update = flag.Bool("update", false, "rewrite the golden files")

var partNames = [...]string{"body", "sidebar", "header", "footer"}

// Describe returns a document as text, with the properties of each line.
func Describe(d resume.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "warnings %v\n", d.Warnings)
	for i, l := range d.Lines {
		marks := ""
		if l.Part != resume.Body {
			marks += " " + partNames[l.Part]
		}

		if l.Heading > 0 {
			marks += fmt.Sprintf(" heading %d", l.Heading)
		}

		if l.Bold {
			marks += " bold"
		}

		if l.Bullet {
			marks += " bullet"
		}

		if l.Gap > 0 {
			marks += fmt.Sprintf(" gap %.1f", l.Gap)
		}

		// A tab separates cells and would look like a space.
		fmt.Fprintf(&b, "%4.1f%s: %s\n", l.Size, marks, strings.ReplaceAll(l.Text, "\t", " ⇥ "))

		// Links follow the line that they are on.
		for _, link := range d.Links {
			if link.Line == i {
				fmt.Fprintf(&b, "     link %q: %s\n", link.Text, link.URL)
			}
		}
	}

	for _, link := range d.Links {
		if link.Line == -1 {
			fmt.Fprintf(&b, "link on no line %q: %s\n", link.Text, link.URL)
		}
	}

	return b.String()
}

// Brief returns the lines of a document: the marks that Describe shows, and the text. Sizes are left out.
func Brief(d resume.Document) string {
	var lines []string
	for _, l := range d.Lines {
		marks := ""
		if l.Part != resume.Body {
			marks += partNames[l.Part] + " "
		}

		if l.Heading > 0 {
			marks += fmt.Sprintf("h%d ", l.Heading)
		}

		// Most headings are bold, so the mark would say nothing there.
		if l.Bold && l.Heading == 0 {
			marks += "bold "
		}

		if l.Bullet {
			marks += "* "
		}

		lines = append(lines, marks+strings.ReplaceAll(l.Text, "\t", " | "))
	}

	for _, w := range d.Warnings {
		lines = append(lines, "warning "+string(w))
	}

	return strings.Join(lines, "\n")
}

// ReadBrief reads a file and returns what Brief returns, or the code of the error.
func ReadBrief(t *testing.T, r resume.Reader, file []byte) string {
	t.Helper()
	d, err := r.Read(t.Context(), file)
	if err != nil {
		return string(matching.CodeOf(err))
	}
	return Brief(d)
}

// Golden compares the description of a file with a golden file. With -update, it rewrites the golden file.
func Golden(t *testing.T, r resume.Reader, path, golden string) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	d, err := r.Read(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	GoldenText(t, Describe(d), golden)
}

// GoldenText compares a text with a golden file. With -update, it rewrites the golden file.
func GoldenText(t *testing.T, got, golden string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

// Check reads a file and checks what holds for every result: a documented error, or well-formed lines and links.
func Check(t *testing.T, r resume.Reader, file []byte) {
	t.Helper()
	d, err := r.Read(t.Context(), file)
	if err != nil {
		// Any file may be broken, but the caller must be able to tell the person what is wrong with it.
		documented := []matching.Code{resume.CodeCorrupt, resume.CodeEncrypted, resume.CodeNoText, resume.CodeTooComplex}
		if !slices.Contains(documented, matching.CodeOf(err)) {
			t.Fatalf("undocumented error: %v", err)
		}
		return
	}

	if len(d.Lines) == 0 {
		t.Fatal("neither lines nor an error")
	}

	// Lines come part by part, because a sidebar's lines between those of the body would tear entries apart.
	order := []resume.Part{resume.Header, resume.Body, resume.Sidebar, resume.Footer}
	for i, l := range d.Lines {
		trimmed := strings.TrimSpace(l.Text) == l.Text
		oneSpace := !strings.Contains(l.Text, "  ") && !strings.ContainsAny(l.Text, "\r\n")
		if l.Text == "" || !trimmed || !oneSpace {
			t.Fatalf("malformed line %d: %q", i, l.Text)
		}

		if i > 0 && slices.Index(order, d.Lines[i-1].Part) > slices.Index(order, l.Part) {
			t.Fatalf("line %d is out of the order of parts", i)
		}
	}

	// Line is -1 for a link that belongs to no line.
	for _, l := range d.Links {
		if l.Line < -1 || l.Line >= len(d.Lines) || l.URL == "" {
			t.Fatalf("malformed link: %+v", l)
		}
	}
}

// Canceled checks that a Reader returns the error of a context that has ended, for a file that takes long to read.
func Canceled(t *testing.T, r resume.Reader, file []byte) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, file); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
}
