// Package ocr recognizes the text in pictures of pages. Each picture is read by a Tesseract process of its own, which
// gets it on standard input, has no shell, limited memory and a deadline, and is killed with everything it started.
package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Options are the settings of an Engine. A zero value selects the default.
type Options struct {
	Command   string        // name or path of the program; default tesseract
	Languages []string      // of the texts, by the names of Tesseract's data files; default eng
	Timeout   time.Duration // for one picture; default 10 s
	MaxMemory int           // address space of a process, in bytes; default 1 GiB; only enforced on Linux
	MaxOutput int           // bytes that a process may print; default 4 MiB
}

func (o Options) withDefaults() Options {
	if o.Command == "" {
		o.Command = "tesseract"
	}
	if len(o.Languages) == 0 {
		o.Languages = []string{"eng"}
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = 1 << 30
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = 4 << 20
	}
	return o
}

// An Engine starts processes of an installed Tesseract. It is safe for concurrent use, and limits no concurrency: the
// caller decides how many pictures are read at once.
type Engine struct {
	options Options
	path    string
}

// ErrNotInstalled is returned if the program is not installed, or lacks all of the languages.
var ErrNotInstalled = errors.New("text recognition is not installed")

// Open finds the program and the languages it knows. It returns the languages that are not installed, which are left
// out, and an error wrapping ErrNotInstalled if none is left.
func Open(ctx context.Context, o Options) (e *Engine, missing []string, err error) {
	e = &Engine{options: o.withDefaults()}
	if e.path, err = exec.LookPath(e.options.Command); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}

	output, err := e.run(ctx, nil, "--list-langs")
	if err != nil {
		return nil, nil, fmt.Errorf("list the languages of %s: %w", e.path, err)
	}

	installed := strings.Fields(string(output))
	var known []string
	for _, language := range e.options.Languages {
		if slices.Contains(installed, language) {
			known = append(known, language)
		} else {
			missing = append(missing, language)
		}
	}

	if len(known) == 0 {
		return nil, missing, fmt.Errorf("%w: %s has no data for the languages %s", ErrNotInstalled, e.path,
			strings.Join(missing, ", "))
	}

	e.options.Languages = known
	return e, missing, nil
}

// Path returns the path of the program.
func (e *Engine) Path() string { return e.path }

// Languages returns the languages that are recognized.
func (e *Engine) Languages() []string { return slices.Clone(e.options.Languages) }

// A Picture is a page in shades of gray.
type Picture struct {
	Width, Height int    // in pixels
	DPI           int    // pixels per inch
	Gray          []byte // one byte for each pixel, row by row from the top; 0 is black
}

// Recognize returns the words of a picture, in the order of Tesseract's blocks and lines. If ctx ends first, it returns
// the error of ctx.
func (e *Engine) Recognize(ctx context.Context, p Picture) ([]Word, error) {
	if p.Width <= 0 || p.Height <= 0 || len(p.Gray) != p.Width*p.Height {
		return nil, fmt.Errorf("picture of %d×%d pixels with %d bytes", p.Width, p.Height, len(p.Gray))
	}
	header := fmt.Sprintf("P5\n%d %d\n255\n", p.Width, p.Height) // PGM, which needs no compression
	const fullPage = "3"                                         // page segmentation without detection of direction
	output, err := e.run(ctx, io.MultiReader(strings.NewReader(header), bytes.NewReader(p.Gray)),
		"stdin", "stdout", "-l", strings.Join(e.options.Languages, "+"), "--dpi", fmt.Sprint(p.DPI), "--psm", fullPage,
		"-c", "tessedit_create_tsv=1")
	if err != nil {
		return nil, err
	}
	return parseTSV(output), nil
}

// errFlood is returned for a process that prints too much.
var errFlood = errors.New("the process printed too much")

// run runs the program and returns what it printed.
func (e *Engine) run(ctx context.Context, input io.Reader, arguments ...string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, e.options.Timeout)
	defer cancel()

	command := exec.CommandContext(limited, e.path, arguments...) //nolint:gosec // the program that the operator installed
	command.Env = environment()
	command.Dir = os.TempDir()
	isolate(command)
	command.Cancel = func() error { return killGroup(command) }
	command.WaitDelay = time.Second // then the pipes are closed, even if a child still holds them
	complaints := &tail{}
	command.Stderr = complaints
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}

	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The system kills the process when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := command.Start(); err != nil {
		return nil, err
	}
	defer killGroup(command) //nolint:errcheck // usually nothing is left

	if err := limit(command.Process.Pid, e.options); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("limit the memory of %s: %w", e.path, err), command.Wait())
	}

	written := make(chan struct{})
	go func() { // only now, so that the limits apply before the process sees the picture
		defer close(written)
		defer stdin.Close()
		if input != nil {
			_, _ = io.Copy(stdin, input) // it fails if the process ends first, whose exit code says why
		}
	}()

	output, err := io.ReadAll(io.LimitReader(stdout, int64(e.options.MaxOutput)+1))
	if err == nil && len(output) > e.options.MaxOutput {
		err = errFlood
	}

	if err != nil {
		cancel()
	}

	waitErr := command.Wait()
	<-written

	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errFlood):
		return nil, fmt.Errorf("%s: %w: more than %d bytes", e.path, err, e.options.MaxOutput)
	case limited.Err() != nil:
		return nil, fmt.Errorf("%s took longer than %s", e.path, e.options.Timeout)
	case err != nil || waitErr != nil:
		return nil, fmt.Errorf("%s: %w: %s", e.path, errors.Join(waitErr, err), complaints)
	}

	return output, nil
}

// environment returns the few variables that the process gets: where its data is, and one thread.
func environment() []string {
	env := []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C", "PATH=" + os.Getenv("PATH")}
	if data, ok := os.LookupEnv("TESSDATA_PREFIX"); ok {
		env = append(env, "TESSDATA_PREFIX="+data)
	}
	return env
}

// A tail keeps the start of what a process complains about. It may contain words of the document, so it is short.
type tail struct{ text []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const most = 300 // bytes
	t.text = append(t.text, p[:min(len(p), most-len(t.text))]...)
	return len(p), nil
}

func (t *tail) String() string { return strings.ToValidUTF8(strings.TrimSpace(string(t.text)), "?") }
