package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"freelancer-matching/access/quota"
)

// countingFile names the database on which this program, begun by the test below, takes until it is killed.
const countingFile = "SQLITE_TEST_COUNTING_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(countingFile); path != "" {
		os.Exit(count(path))
	}
	os.Exit(m.Run())
}

// count prints what is used after each request that was let through.
func count(path string) int {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute) // where nobody kills it
	defer stop()
	db, err := Open(ctx, path)
	for err == nil {
		var after quota.Windows
		after, _, err = db.Take(ctx, "key_1", windows(1<<40))
		fmt.Println(after.Month.Used)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// What a process was told to have taken stays taken when it is killed, whatever it was doing.
func TestTake_SurvivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	told := 0
	for range 3 {
		process := exec.CommandContext(t.Context(), os.Args[0])
		process.Env = append(os.Environ(), countingFile+"="+path)
		process.Stderr = os.Stderr
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for read := 0; lines.Scan(); read++ {
			if read == 500 {
				if err := process.Process.Kill(); err != nil { // SIGKILL; what it printed before is still read
					t.Fatal(err)
				}
			}
			var used int
			if _, err := fmt.Sscan(lines.Text(), &used); err == nil && used > told {
				told = used
			}
		}
		if err := process.Wait(); err == nil {
			t.Fatal("the process ended before it was killed")
		}
	}
	w, err := openFile(t, path).Peek(t.Context(), "key_1", windows(1<<40))
	if err != nil {
		t.Fatal(err)
	}
	// The last take of each process may have been written without being told.
	if w.Minute.Used != w.Month.Used || w.Month.Used < told || w.Month.Used > told+1 || told < 1500 {
		t.Errorf("%d and %d are used, the processes were told %d", w.Minute.Used, w.Month.Used, told)
	}
}
