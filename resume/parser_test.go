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

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// A readerFunc is a function that implements resume.Reader.
type readerFunc func(context.Context, []byte) (resume.Document, error)

func (f readerFunc) Read(ctx context.Context, file []byte) (resume.Document, error) {
	return f(ctx, file)
}

// reads returns a Reader whose documents have one line.
func reads(text string) readerFunc {
	return func(context.Context, []byte) (resume.Document, error) {
		return resume.Document{Lines: []resume.Line{{Text: text}}}, nil
	}
}

// config returns settings with which every file is read. Its first line becomes the name.
func config() resume.Config {
	return resume.Config{
		Readers: map[resume.Format]resume.Reader{
			resume.PDF: reads("pdf"), resume.DOCX: reads("docx"), resume.ODT: reads("odt"), resume.RTF: reads("rtf"),
			resume.HTML: reads("html"), resume.Plain: reads("txt"),
		},
		Extract: func(_ context.Context, d resume.Document) (resume.Resume, error) {
			return resume.Resume{Name: d.Lines[0].Text}, nil
		},
		Text: func(d resume.Document, limit int) resume.Text {
			return resume.Text{Text: d.Lines[0].Text[:min(limit, len(d.Lines[0].Text))]}
		},
		MaxBytes: 1 << 20, Concurrent: 1, Wait: time.Second, Timeout: 5 * time.Second,
		Log: slog.New(slog.DiscardHandler),
	}
}

var aPDF = []byte("%PDF-1.7")

func TestParser_PicksTheReaderByContent(t *testing.T) {
	parser := resume.New(config())
	for want, file := range map[string]string{
		"pdf": "%PDF-1.7", "docx": archive(t, "[Content_Types].xml", "", "word/document.xml", ""),
		"odt": archive(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", ""),
		"rtf": `{\rtf1 Ada}`, "html": "<html><p>Ada", "txt": "Ada Example",
	} {
		if got, err := parser.Parse(t.Context(), []byte(file)); got.Name != want || err != nil {
			t.Errorf("got %q and error %v, want %q", got.Name, err, want)
		}
	}
	if _, err := parser.Parse(t.Context(), []byte("GIF89a")); matching.CodeOf(err) != resume.CodeUnsupported {
		t.Errorf("got %v, want code %s", err, resume.CodeUnsupported)
	}
}

func TestParser_ReturnsErrorsOfReaders(t *testing.T) {
	c := config()
	want := &matching.Error{Code: resume.CodeNoText, Message: "pictures only"}
	c.Readers[resume.PDF] = readerFunc(func(context.Context, []byte) (resume.Document, error) {
		return resume.Document{}, want
	})
	if _, err := resume.New(c).Parse(t.Context(), aPDF); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

func TestParser_RejectsLargeFiles(t *testing.T) {
	c := config()
	c.MaxBytes = len(aPDF)
	parser := resume.New(c)
	if _, err := parser.Parse(t.Context(), aPDF); err != nil {
		t.Error(err)
	}
	if _, err := parser.Parse(t.Context(), append([]byte(" "), aPDF...)); matching.CodeOf(err) != resume.CodeTooComplex {
		t.Errorf("got %v, want code %s", err, resume.CodeTooComplex)
	}
}

// untilDone reads until ctx ends.
func untilDone(ctx context.Context, _ []byte) (resume.Document, error) {
	<-ctx.Done()
	return resume.Document{}, ctx.Err()
}

func TestParser_StopsSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		c.Readers[resume.PDF] = readerFunc(untilDone)
		start := time.Now()
		if _, err := resume.New(c).Parse(t.Context(), aPDF); matching.CodeOf(err) != resume.CodeTooComplex {
			t.Errorf("got %v, want code %s", err, resume.CodeTooComplex)
		}
		if took := time.Since(start); took != c.Timeout {
			t.Errorf("took %s, want %s", took, c.Timeout)
		}
	})
}

// The deadline covers the extraction of fields, too, and what reading has used of it is gone.
func TestParser_StopsSlowExtraction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		c.Readers[resume.PDF] = readerFunc(func(context.Context, []byte) (resume.Document, error) {
			time.Sleep(c.Timeout - time.Second)
			return resume.Document{}, nil
		})

		c.Extract = func(ctx context.Context, _ resume.Document) (resume.Resume, error) {
			<-ctx.Done()
			return resume.Resume{Name: "half"}, ctx.Err()
		}

		start := time.Now()
		r, err := resume.New(c).Parse(t.Context(), aPDF)
		if matching.CodeOf(err) != resume.CodeTooComplex || r.Name != "" {
			t.Errorf("got %+v and %v, want code %s", r, err, resume.CodeTooComplex)
		}

		if took := time.Since(start); took != c.Timeout {
			t.Errorf("took %s, want %s", took, c.Timeout)
		}
	})
}

func TestParser_ReturnsTheDeadlineOfItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		c.Readers[resume.PDF] = readerFunc(untilDone)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := resume.New(c).Parse(ctx, aPDF)
		if !errors.Is(err, context.DeadlineExceeded) || matching.CodeOf(err) != matching.CodeInternal {
			t.Errorf("got %v, want the error of the context", err)
		}
	})
}

func TestParser_RejectsFilesWhenOverloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		var quick atomic.Bool // readers return at once
		c.Concurrent = 2
		c.Readers[resume.PDF] = readerFunc(func(ctx context.Context, file []byte) (resume.Document, error) {
			if quick.Load() {
				return reads("pdf")(ctx, file)
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
		if !errors.As(err, &overloaded) || overloaded.Code != matching.CodeOverloaded ||
			overloaded.RetryAfter < time.Second {
			t.Errorf("got %v, want code %s and a time to retry", err, matching.CodeOverloaded)
		}

		if waited := time.Since(start); waited != c.Wait {
			t.Errorf("waited %s, want %s", waited, c.Wait)
		}

		gone, leave := context.WithCancel(t.Context())
		leave()

		if _, err := parser.Parse(gone, aPDF); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}

		cancel() // releases both workers
		busy.Wait()
		quick.Store(true)

		for range 2 * c.Concurrent {
			if _, err := parser.Parse(t.Context(), aPDF); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestParser_ReleasesTheWorkerAfterFailures(t *testing.T) {
	c := config()
	calls := 0
	c.Readers[resume.PDF] = readerFunc(func(context.Context, []byte) (resume.Document, error) {
		calls++
		switch calls {
		case 1:
			panic("an index out of range")
		case 2:
			return resume.Document{}, errors.New("broken")
		}
		return reads("pdf")(t.Context(), nil)
	})
	parser := resume.New(c)
	for call, want := range []matching.Code{resume.CodeCorrupt, matching.CodeInternal, ""} {
		if _, err := parser.Parse(t.Context(), aPDF); matching.CodeOf(err) != want {
			t.Errorf("call %d: got %v, want code %q", call, err, want)
		}
	}
}

func TestParser_LogsPanicsWithoutTheDocument(t *testing.T) {
	for name, sabotage := range map[string]func(*resume.Config){
		"in a reader": func(c *resume.Config) {
			c.Readers[resume.PDF] = readerFunc(func(context.Context, []byte) (resume.Document, error) {
				panic("an index out of range")
			})
		},
		"in the extraction": func(c *resume.Config) {
			c.Extract = func(context.Context, resume.Document) (resume.Resume, error) { panic("an index out of range") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := config()
			sabotage(&c)
			var log bytes.Buffer
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			_, err := resume.New(c).Parse(t.Context(), append(aPDF, " secret"...))
			if matching.CodeOf(err) != resume.CodeCorrupt || strings.Contains(err.Error(), "index") {
				t.Errorf("got %v, want code %s without the cause", err, resume.CodeCorrupt)
			}

			line := log.String()
			if !strings.Contains(line, "an index out of range") || !strings.Contains(line, "stack") {
				t.Errorf("the log lacks the cause or the stack: %s", line)
			}

			if strings.Contains(line, "secret") {
				t.Errorf("the log contains the document: %s", line)
			}
		})
	}
}

func TestParser_Text(t *testing.T) {
	c := config()
	for want, file := range map[string]string{
		"pdf": "%PDF-1.7", "docx": archive(t, "[Content_Types].xml", "", "word/document.xml", ""),
	} {
		got, err := resume.New(c).Text(t.Context(), []byte(file), 100)
		if err != nil || got.Text != want || got.Format.String() != want {
			t.Errorf("got %+v and error %v, want %q", got, err, want)
		}
	}

	if got, err := resume.New(c).Text(t.Context(), aPDF, 2); err != nil || got.Text != "pd" {
		t.Errorf("got %q and error %v, want the limit of 2 characters to apply", got.Text, err)
	}

	for text, want := range map[string]matching.Code{"- – •": resume.CodeNoText, "": resume.CodeCorrupt} {
		c := config()
		c.Readers[resume.PDF] = reads(text)

		if text == "" {
			c.Text = func(resume.Document, int) resume.Text { panic("a fault") }
		}

		if _, err := resume.New(c).Text(t.Context(), aPDF, 100); matching.CodeOf(err) != want {
			t.Errorf("%q: got %v, want code %s", text, err, want)
		}
	}
}

// A recognizer is a function that implements resume.Recognizer.
type recognizer func(context.Context, []byte) (resume.Document, error)

func (f recognizer) Recognize(ctx context.Context, file []byte) (resume.Document, error) {
	return f(ctx, file)
}

func TestParser_RecognizesPictures(t *testing.T) {
	noText := &matching.Error{Code: resume.CodeNoText, Message: "pictures only"}
	overloaded := &matching.Error{Code: matching.CodeOverloaded, Message: "later"}
	mixed := resume.Document{Lines: []resume.Line{{Text: "page 2"}}, Warnings: []resume.Warning{resume.WarnImagePage}}
	for name, test := range map[string]struct {
		first    resume.Document
		firstErr error
		scanErr  error
		want     string
		code     matching.Code
	}{
		"pictures only": {firstErr: noText, want: "recognized"},
		"some pictures": {first: mixed, want: "recognized"},
		"text":          {first: resume.Document{Lines: []resume.Line{{Text: "text"}}}, want: "text"},
		"damaged": {
			firstErr: &matching.Error{Code: resume.CodeCorrupt}, code: resume.CodeCorrupt,
		},
		"recognition fails":                     {firstErr: noText, scanErr: errors.New("killed"), code: resume.CodeNoText},
		"recognition fails, but there is text":  {first: mixed, scanErr: errors.New("killed"), want: "page 2"},
		"no slot for recognition":               {firstErr: noText, scanErr: overloaded, code: matching.CodeOverloaded},
		"no slot for recognition of some pages": {first: mixed, scanErr: overloaded, want: "page 2"},
	} {
		t.Run(name, func(t *testing.T) {
			c := config()
			var log bytes.Buffer
			c.Log = slog.New(slog.NewTextHandler(&log, nil))
			c.Scan = time.Second
			c.Readers[resume.PDF] = readerFunc(func(context.Context, []byte) (resume.Document, error) {
				return test.first, test.firstErr
			})
			var p *resume.Parser
			c.Recognizer = recognizer(func(context.Context, []byte) (resume.Document, error) {
				// The only worker is free meanwhile.
				if _, err := p.Parse(t.Context(), []byte("Ada Example")); err != nil {
					t.Error(err)
				}
				return resume.Document{Lines: []resume.Line{{Text: "recognized"}}}, test.scanErr
			})

			p = resume.New(c)
			r, err := p.Parse(t.Context(), aPDF)
			if r.Name != test.want || matching.CodeOf(err) != test.code {
				t.Errorf("got %q and %v, want %q and code %q", r.Name, err, test.want, test.code)
			}

			failed := test.scanErr != nil && !errors.Is(test.scanErr, overloaded)
			if strings.Contains(log.String(), "killed") != failed {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

func TestParser_StopsSlowRecognition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := config()
		c.Scan = 20 * time.Second
		c.Readers[resume.PDF] = readerFunc(func(context.Context, []byte) (resume.Document, error) {
			return resume.Document{}, &matching.Error{Code: resume.CodeNoText}
		})
		c.Recognizer = recognizer(untilDone)
		start := time.Now()
		if _, err := resume.New(c).Parse(t.Context(), aPDF); matching.CodeOf(err) != resume.CodeNoText {
			t.Errorf("got %v, want code %s", err, resume.CodeNoText)
		}
		if took := time.Since(start); took != c.Scan {
			t.Errorf("took %s, want %s", took, c.Scan)
		}
	})
}
