package resume_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// readerFunc is a Reader by one function.
type readerFunc func(context.Context, []byte) (resume.Document, error)

func (f readerFunc) Read(ctx context.Context, file []byte) (resume.Document, error) {
	return f(ctx, file)
}

// says is a Reader that finds one line.
func says(text string) readerFunc {
	return func(context.Context, []byte) (resume.Document, error) {
		return resume.Document{Lines: []resume.Line{{Text: text}}}, nil
	}
}

// config is one with which everything goes well: the first line becomes the name.
func config() resume.Config {
	return resume.Config{
		PDF: says("pdf"), DOCX: says("docx"),
		Extract:  func(d resume.Document) resume.Resume { return resume.Resume{Name: d.Lines[0].Text} },
		MaxBytes: 1 << 20, Concurrent: 1, Wait: time.Second, Timeout: 5 * time.Second, Log: slog.New(slog.DiscardHandler),
	}
}

var aPDF = []byte("%PDF-1.7")

func TestParser_AsksTheReaderOfTheKind(t *testing.T) {
	parser := resume.New(config())
	for want, file := range map[string]string{
		"pdf": "%PDF-1.7", "docx": archive(t, "[Content_Types].xml", "", "word/document.xml", ""),
	} {
		if got, err := parser.Parse(t.Context(), []byte(file)); got.Name != want || err != nil {
			t.Errorf("%q, %v, want %q", got.Name, err, want)
		}
	}
	if _, err := parser.Parse(t.Context(), []byte("text")); matching.CodeOf(err) != resume.CodeUnsupported {
		t.Errorf("%v, want the code %s", err, resume.CodeUnsupported)
	}
}

func TestParser_PassesOnWhatReadersSay(t *testing.T) {
	c := config()
	want := &matching.Error{Code: resume.CodeNoText, Message: "pictures only"}
	c.PDF = readerFunc(func(context.Context, []byte) (resume.Document, error) { return resume.Document{}, want })
	if _, err := resume.New(c).Parse(t.Context(), aPDF); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

func TestParser_RefusesLargeFiles(t *testing.T) {
	c := config()
	c.MaxBytes = len(aPDF)
	parser := resume.New(c)
	if _, err := parser.Parse(t.Context(), aPDF); err != nil {
		t.Error(err)
	}
	if _, err := parser.Parse(t.Context(), append([]byte(" "), aPDF...)); matching.CodeOf(err) != resume.CodeTooComplex {
		t.Errorf("%v, want the code %s", err, resume.CodeTooComplex)
	}
}

// untilDone is a Reader that never comes to an end by itself.
func untilDone(ctx context.Context, _ []byte) (resume.Document, error) {
	<-ctx.Done()
	return resume.Document{}, ctx.Err()
}

func TestParser_EndsReadersThatTakeTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		c.PDF = readerFunc(untilDone)
		start := time.Now()
		if _, err := resume.New(c).Parse(t.Context(), aPDF); matching.CodeOf(err) != resume.CodeTooComplex {
			t.Errorf("%v, want the code %s", err, resume.CodeTooComplex)
		}
		if took := time.Since(start); took != c.Timeout {
			t.Errorf("it took %s, want %s", took, c.Timeout)
		}
	})
}

func TestParser_TellsTheDeadlineOfItsCallerFromItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		c.PDF = readerFunc(untilDone)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := resume.New(c).Parse(ctx, aPDF); !errors.Is(err, context.DeadlineExceeded) || matching.CodeOf(err) != matching.CodeInternal {
			t.Errorf("%v, want the error of the context", err)
		}
	})
}

func TestParser_RefusesWhatIsBeyondItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		var atOnce atomic.Bool // readers end
		c.Concurrent = 2
		c.PDF = readerFunc(func(ctx context.Context, file []byte) (resume.Document, error) {
			if atOnce.Load() {
				return says("pdf")(ctx, file)
			}
			return untilDone(ctx, file)
		})
		parser := resume.New(c)
		ctx, cancel := context.WithCancel(t.Context())
		var busy sync.WaitGroup
		for range c.Concurrent {
			busy.Go(func() { _, _ = parser.Parse(ctx, aPDF) })
		}
		synctest.Wait()

		start := time.Now()
		_, err := parser.Parse(t.Context(), aPDF)
		var overloaded *matching.Error
		if !errors.As(err, &overloaded) || overloaded.Code != matching.CodeOverloaded || overloaded.RetryAfter < time.Second {
			t.Errorf("%v, want the code %s", err, matching.CodeOverloaded)
		}
		if waited := time.Since(start); waited != c.Wait {
			t.Errorf("it waited %s, want %s", waited, c.Wait)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := parser.Parse(gone, aPDF); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that the client has gone", err)
		}

		cancel() // the two end, and leave their places
		busy.Wait()
		atOnce.Store(true)
		for range 2 * c.Concurrent {
			if _, err := parser.Parse(t.Context(), aPDF); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestParser_LetsTheNextInAfterEveryEnd(t *testing.T) {
	c := config()
	calls := 0
	c.PDF = readerFunc(func(context.Context, []byte) (resume.Document, error) {
		calls++
		switch calls {
		case 1:
			panic("an index out of range")
		case 2:
			return resume.Document{}, errors.New("broken")
		}
		return says("pdf")(t.Context(), nil)
	})
	parser := resume.New(c)
	for call, want := range []matching.Code{resume.CodeCorrupt, matching.CodeInternal, ""} {
		if _, err := parser.Parse(t.Context(), aPDF); matching.CodeOf(err) != want {
			t.Errorf("call %d: %v, want the code %q", call, err, want)
		}
	}
}

func TestParser_LogsPanicsWithoutTheDocument(t *testing.T) {
	for name, breakIt := range map[string]func(*resume.Config){
		"in a reader": func(c *resume.Config) {
			c.PDF = readerFunc(func(context.Context, []byte) (resume.Document, error) { panic("an index out of range") })
		},
		"in the extraction": func(c *resume.Config) {
			c.Extract = func(resume.Document) resume.Resume { panic("an index out of range") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := config()
			breakIt(&c)
			var log bytes.Buffer
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			_, err := resume.New(c).Parse(t.Context(), append(aPDF, " secret"...))
			if matching.CodeOf(err) != resume.CodeCorrupt || strings.Contains(err.Error(), "index") {
				t.Errorf("%v, want the code %s without the cause", err, resume.CodeCorrupt)
			}
			if line := log.String(); !strings.Contains(line, "an index out of range") || !strings.Contains(line, "stack") || strings.Contains(line, "secret") {
				t.Errorf("logged: %s", line)
			}
		})
	}
}
