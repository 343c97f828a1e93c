package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// argsVariable has the command line that this program runs as an indexer for a test that kills it. Its arguments are
// separated by the control character for units.
const argsVariable = "INDEXER_TEST_ARGS"

func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv(argsVariable); ok {
		os.Exit(runAnnouncing(strings.Split(args, "\x1f")))
	}
	os.Exit(m.Run())
}

// runAnnouncing runs the program with an announcer as its standard input.
func runAnnouncing(args []string) int {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute) // in case nobody kills it
	defer stop()
	c := &cli{
		environment: os.LookupEnv, stdin: announcer{os.Stdin}, stdout: os.Stdout, stderr: os.Stderr, now: time.Now,
	}
	return c.run(ctx, args)
}

// announcer prints a line before each read, when everything read earlier has been handled.
type announcer struct{ io.Reader }

// Read implements io.Reader.
func (a announcer) Read(p []byte) (int, error) {
	fmt.Println("reading")
	return a.Reader.Read(p)
}

// A load that is killed while it copies standard input leaves no data in the folder for temporary files.
func TestLoad_KilledWhileReadingStandardInput(t *testing.T) {
	temporary := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0])
	args := strings.Join([]string{"load", "-", "-data", filepath.Join(t.TempDir(), "data")}, "\x1f")
	child.Env = append(os.Environ(), argsVariable+"="+args, "TMPDIR="+temporary)
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}

	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for range 3 { // after the third announcement, two writes have been copied
		if !lines.Scan() || lines.Text() != "reading" {
			t.Fatalf("the indexer printed %q, %v", lines.Text(), lines.Err())
		}
		if _, err := io.WriteString(stdin, peopleCSV); err != nil {
			t.Fatal(err)
		}
	}

	if err := child.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}

	if err := child.Wait(); err == nil {
		t.Fatal("the process ended on its own")
	}

	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("temporary files left behind: %v, %v", left, err)
	}
}
