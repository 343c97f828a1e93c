package resumes

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

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/tools/resumes/hostile"
)

// Limits on the cost of a file. The parser gives up after five seconds. The limit here is far above that, so that it
// finds a parser that hangs, and not a slow machine.
const (
	maxAnswerTime = 30 * time.Second
	maxMemory     = 256 << 20 // bytes above the idle process
)

// documentedCodes returns the error codes of files that cannot be read.
func documentedCodes() []matching.Code {
	return []matching.Code{
		resume.CodeUnsupported, resume.CodeNoText, resume.CodeEncrypted, resume.CodeCorrupt, resume.CodeTooComplex,
	}
}

// An answer is what the victim reports about a file.
type answer struct {
	Code    matching.Code // "" if the file was read
	Failure string        // an error without a code
	Took    time.Duration
	Memory  int64 // peak in bytes above idle; 0: not measured
}

// TestHostileFiles_GetADocumentedAnswer sends every attack to the whole parser in a process of its own.
func TestHostileFiles_GetADocumentedAnswer(t *testing.T) {
	v := newVictim(t)
	folder := t.TempDir()
	for _, f := range hostile.Files() {
		t.Run(f.Name, func(t *testing.T) {
			content := f.Content()
			if len(content) > 10<<20 {
				t.Fatalf("the file has %d bytes, more than an upload may have", len(content))
			}
			path := filepath.Join(folder, f.Name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			a := v.ask(t, path)
			if !slices.Contains(f.Answers, a.Code) {
				t.Errorf("the answer is %q, want one of %q", a.Code, f.Answers)
			}
		})
	}
}

// TestMalformedFiles_GetADocumentedAnswer does the same with the broken files in the test suites of other parsers.
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
	t.Logf("files by answer (an empty answer means that the file was read): %v", answers)
}

// A victim is a process that runs the parser. It is restarted when it dies.
type victim struct {
	test    *testing.T
	command *exec.Cmd
	input   io.Writer
	output  chan string // lines; closed at the end of the process
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	race := debug.BuildSetting{Key: "-race", Value: "true"}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, race) {
		t.Skip("the race detector changes time and memory")
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

	v.input = input
	v.output = lines

	if line := <-lines; line != "ready" {
		t.Fatalf("the parser did not start: it printed %q", line)
	}
}

func (v *victim) end() {
	if v.command == nil {
		return
	}
	_ = v.command.Process.Kill()
	for range v.output { // read to the end, so that the goroutine ends
	}
	_ = v.command.Wait()
	v.command = nil
}

// ask lets the victim parse a file, and checks the cost.
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
			t.Fatalf("the process died, and printed %q", line)
		}

	case <-time.After(maxAnswerTime):
		v.end()
		t.Fatalf("no answer within %v", maxAnswerTime)
	}

	switch {
	case a.Failure != "":
		t.Errorf("the file failed without a documented code: %s", a.Failure)
	case a.Code != "" && !slices.Contains(documentedCodes(), a.Code):
		t.Errorf("the answer is %q, want one of %q", a.Code, documentedCodes())
	}

	if a.Memory > maxMemory {
		t.Errorf("the process used %d MiB above idle, want at most %d", a.Memory>>20, maxMemory>>20)
	}

	t.Logf("%q after %v, %d MiB above idle", a.Code, a.Took.Round(time.Millisecond), a.Memory>>20)

	return a
}

// TestVictim is the process that the tests above attack. It parses the files that its input names, one in each line.
func TestVictim(t *testing.T) {
	if os.Getenv("RESUMES_VICTIM") == "" {
		t.Skip("only for the tests of hostile files, which start it")
	}

	p := openForTest(t)
	for _, ordinary := range []string{"en-1.single.pdf", "en-1.plain.docx"} { // their cost is part of idle
		if err := p.readFile(t.Context(), filepath.Join("testdata", ordinary)); err != nil {
			t.Fatal(err)
		}
	}

	debug.FreeOSMemory()
	idle := memory("VmRSS")
	fmt.Println("ready")

	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // reset the peak; fails outside Linux
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

// memory returns a figure about this process in bytes: VmRSS is its memory now, VmHWM the peak. Outside Linux it is 0.
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
	p, err := openProduct(t.Context(), loadTaxonomy(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	return p
}
