package ocr

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// script returns an Engine whose program is a shell script, which runs after the picture has arrived.
func script(t *testing.T, o Options, body string) *Engine {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the limits of processes are only enforced on Linux")
	}
	o.Command = filepath.Join(t.TempDir(), "tesseract")
	program := "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then echo 'List (2):'; echo eng; echo deu; exit; fi\n" + body
	if err := os.WriteFile(o.Command, []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute // a busy machine is slow
	}
	e, _, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func picture() Picture { return Picture{Width: 40, Height: 20, DPI: 300, Gray: make([]byte, 800)} }

const table = "level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num" +
	"\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n" +
	"1\\t1\\t0\\t0\\t0\\t0\\t0\\t0\\t40\\t20\\t-1\\t\\n" +
	"5\\t1\\t1\\t1\\t1\\t1\\t1\\t2\\t3\\t4\\t96.5\\tAda\\n" +
	"5\\t1\\t1\\t1\\t1\\t2\\t5\\t2\\t3\\t4\\t91\\tExample\\n" +
	"5\\t1\\t1\\t1\\t2\\t1\\t1\\t8\\t3\\t4\\t80\\tMüller\\n" +
	"5\\t1\\t1\\t1\\t2\\t2\\t1\\t8\\t3\\t4\\t10\\tstain\\n" +
	"5\\t1\\t1\\t1\\t2\\t3\\t-1\\t8\\t3\\t4\\t90\\toutside\\n"

func TestRecognize(t *testing.T) {
	e := script(t, Options{Languages: []string{"deu", "fra", "eng"}}, `
		[ "$*" = "stdin stdout -l deu+eng --dpi 300 --psm 3 -c tessedit_create_tsv=1" ] || exit 2
		[ "$OMP_THREAD_LIMIT" = 1 ] || exit 3
		[ -z "$HOME" ] || exit 4
		[ "$(wc -c)" = 813 ] || exit 5 # 13 bytes of header and 800 pixels
		printf '`+table+`'`)
	if got := e.Languages(); !slices.Equal(got, []string{"deu", "eng"}) {
		t.Errorf("languages %v", got)
	}
	got, err := e.Recognize(t.Context(), picture())
	want := []Word{
		{Text: "Ada", Left: 1, Top: 2, Right: 4, Bottom: 6, Line: 1, Confidence: .965},
		{Text: "Example", Left: 5, Top: 2, Right: 8, Bottom: 6, Line: 1, Confidence: .91},
		{Text: "Müller", Left: 1, Top: 8, Right: 4, Bottom: 12, Line: 2, Confidence: .8},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v and %v, want %+v", got, err, want)
	}
}

// The process and everything it started ends, and the error says why.
func TestRecognize_BadProcesses(t *testing.T) {
	for _, test := range []struct {
		name, body, want string
		options          Options
	}{
		{"crash", "cat >/dev/null; kill -SEGV $$", "signal", Options{}},
		{"failure", "echo 'no data' >&2; exit 1", "no data", Options{}},
		{"flood", "cat >/dev/null; yes", "printed too much", Options{MaxOutput: 1000}},
		{"flood of complaints", "yes >&2", "longer than", Options{Timeout: 300 * time.Millisecond}},
		{"hang", "sleep 600", "longer than", Options{Timeout: 300 * time.Millisecond}},
		{"hang of a child that holds the pipe", "sleep 600 & exit 0", "", Options{Timeout: 300 * time.Millisecond}},
		{"picture not read", "exit 3", "exit status 3", Options{}},
		{
			"limits", `cat >/dev/null; [ "$(ulimit -v) $(ulimit -c) $(ulimit -f)" = "102400 0 0" ] || exit 7; exit 9`,
			"exit status 9",
			Options{MaxMemory: 100 << 20},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			// One after the other: a process that another test starts would have this script open for writing, and Linux
			// runs no program that is ("text file busy").
			e := script(t, test.options, test.body)
			words, err := e.Recognize(t.Context(), picture())
			if len(words) > 0 {
				t.Errorf("words %v", words)
			}

			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestRecognize_ReturnsTheErrorOfTheContext(t *testing.T) {
	e := script(t, Options{}, "echo >started; sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := e.Recognize(ctx, picture()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if _, err := e.Recognize(t.Context(), Picture{Width: 9, Height: 9}); err == nil {
		t.Error("a picture without pixels was accepted")
	}
}

func TestOpen_NotInstalled(t *testing.T) {
	if _, _, err := Open(t.Context(), Options{Command: "no-such-program"}); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("got %v, want %v", err, ErrNotInstalled)
	}
	e := script(t, Options{}, "exit 1")
	_, missing, err := Open(t.Context(), Options{Command: e.Path(), Languages: []string{"fra"}})
	if !errors.Is(err, ErrNotInstalled) || !slices.Equal(missing, []string{"fra"}) {
		t.Errorf("got %v and %v, want %v", missing, err, ErrNotInstalled)
	}
}

func FuzzParseTSV(f *testing.F) {
	f.Add([]byte(strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(table)))
	f.Fuzz(func(t *testing.T, output []byte) {
		for _, w := range parseTSV(output) {
			if w.Text == "" || w.Left < 0 || w.Right < w.Left || w.Bottom < w.Top || w.Confidence > 1 {
				t.Errorf("malformed word %+v", w)
			}
		}
	})
}
