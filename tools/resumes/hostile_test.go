package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/realdata"
	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
	"freelancer-matching/tools/resumes/hostile"
)

// What a file may cost at most. The time is the promise of the service, with a second for a busy machine; it is looked at
// because a parser that answers after a minute has failed.
const (
	longestAnswer = 6 * time.Second
	mostMemory    = 256 << 20 // bytes above the idle process
)

// documented are the answers to a file that cannot be read.
func documented() []matching.Code {
	return []matching.Code{resume.CodeUnsupported, resume.CodeNoText, resume.CodeEncrypted, resume.CodeCorrupt, resume.CodeTooComplex}
}

// answer is what the victim says of a file.
type answer struct {
	Code    matching.Code // "": it was read
	Failure string        // a failure without a code
	Took    time.Duration
	Memory  int64 // bytes above idle, at most; 0: not measured
}

// TestHostileFiles_GetADocumentedAnswer sends every attack to the whole parser in a process of its own.
func TestHostileFiles_GetADocumentedAnswer(t *testing.T) {
	v := newVictim(t)
	folder := t.TempDir()
	for _, f := range hostile.Files() {
		t.Run(f.Name, func(t *testing.T) {
			content := f.Content()
			if len(content) > 10<<20 {
				t.Fatalf("%d bytes are more than an upload may have", len(content))
			}
			path := filepath.Join(folder, f.Name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			a := v.ask(t, path)
			if !slices.Contains(f.Answers, a.Code) {
				t.Errorf("answered %q, want one of %q", a.Code, f.Answers)
			}
		})
	}
}

// TestMalformedFiles_GetADocumentedAnswer does the same with the broken files of other parsers' test suites.
func TestMalformedFiles_GetADocumentedAnswer(t *testing.T) {
	root := realdata.Path(t, "malformed")
	v := newVictim(t)
	answers := make(map[matching.Code]int)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(root, path)
		t.Run(name, func(t *testing.T) { answers[v.ask(t, path).Code]++ })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("answers (empty: read): %v", answers)
}

// victim is a process that runs the parser, and is started again when it has died.
type victim struct {
	test    *testing.T
	command *exec.Cmd
	input   io.Writer
	output  chan string // lines; closed at the end
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("time and memory are not those of the product under the race detector")
	}
	v := &victim{test: t}
	t.Cleanup(v.end)
	return v
}

func (v *victim) start(t *testing.T) {
	t.Helper()
	v.command = exec.CommandContext(v.test.Context(), os.Args[0], "-test.run=^TestVictim$", "-test.timeout=0")
	v.command.Env = append(os.Environ(), "RESUMES_VICTIM=1")
	input, err := v.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := v.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(output); s.Scan(); {
			lines <- s.Text()
		}
	}()
	v.input, v.output = input, lines
	if line := <-lines; line != "ready" {
		t.Fatalf("the parser did not start: %q", line)
	}
}

func (v *victim) end() {
	if v.command == nil {
		return
	}
	_ = v.command.Process.Kill()
	for range v.output { // what it still had to say
	}
	_ = v.command.Wait()
	v.command = nil
}

// ask lets the victim read a file, and holds it to what a file may cost.
func (v *victim) ask(t *testing.T, path string) answer {
	t.Helper()
	if v.command == nil {
		v.start(t)
	}
	fmt.Fprintln(v.input, path)
	var a answer
	select {
	case line, alive := <-v.output:
		if !alive || json.Unmarshal([]byte(line), &a) != nil {
			v.end()
			t.Fatalf("the process died: %q", line)
		}
	case <-time.After(2 * longestAnswer):
		v.end()
		t.Fatalf("no answer after %v", 2*longestAnswer)
	}
	switch {
	case a.Failure != "":
		t.Errorf("failed without a documented answer: %s", a.Failure)
	case a.Code != "" && !slices.Contains(documented(), a.Code):
		t.Errorf("answered %q, want one of %q", a.Code, documented())
	}
	if a.Took > longestAnswer {
		t.Errorf("answered after %v, want %v at most", a.Took, longestAnswer)
	}
	if a.Memory > mostMemory {
		t.Errorf("took %d MiB above idle, want %d at most", a.Memory>>20, mostMemory>>20)
	}
	t.Logf("%q after %v, %d MiB above idle", a.Code, a.Took.Round(time.Millisecond), a.Memory>>20)
	return a
}

// TestVictim is the process that the tests above attack: it reads files that its input names, one a line.
func TestVictim(t *testing.T) {
	if os.Getenv("RESUMES_VICTIM") == "" {
		t.Skip("the other tests start it")
	}
	p := openForTest(t)
	for _, ordinary := range []string{"en-1.single.pdf", "en-1.plain.docx"} { // what an ordinary file costs is part of idle
		if err := p.readFile(t.Context(), filepath.Join("testdata", ordinary)); err != nil {
			t.Fatal(err)
		}
	}
	debug.FreeOSMemory()
	idle := memory("VmRSS")
	fmt.Println("ready")
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // begin the peak anew; elsewhere than on Linux nothing is measured
		start := time.Now()
		err := p.readFile(t.Context(), s.Text())
		a := answer{Took: time.Since(start), Memory: memory("VmHWM") - idle}
		if e, ok := errors.AsType[*matching.Error](err); ok {
			a.Code = e.Code
		} else if err != nil {
			a.Failure = err.Error()
		}
		line, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s\n", line)
	}
}

func (p *product) readFile(ctx context.Context, path string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, _, err = p.parse(ctx, file)
	return err
}

// memory is a figure of this process in bytes, as Linux tells it: VmRSS is what it has now, VmHWM the most it had.
func memory(name string) int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, name+": %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}

func openForTest(t *testing.T) *product {
	t.Helper()
	known, err := taxonomy.Load()
	if err != nil {
		t.Fatal(err)
	}
	p, err := openProduct(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	return p
}
