package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/access/quota"
)

// databaseVariable names the database in which this program counts requests and records each in the audit log, until
// the test below kills it.
const databaseVariable = "SQLITE_TEST_DATABASE"

func TestMain(m *testing.M) {
	if path := os.Getenv(databaseVariable); path != "" {
		os.Exit(count(path))
	}
	os.Exit(m.Run())
}

// count counts requests, and prints the number of requests used after each.
func count(path string) int {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute) // in case nobody kills it
	defer stop()
	db, err := Open(ctx, path)
	for err == nil {
		var after quota.Windows
		after, _, err = db.Quotas.Take(ctx, "key_1", windows(1<<40))
		recordErr := db.AuditLog.Record(ctx, audit.Event{At: time.Now(), Action: audit.KeyChanged})
		err = errors.Join(err, recordErr)
		fmt.Println(after.Month.Used)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// No acknowledged count and no acknowledged entry of the audit log is lost when the process is killed, and the chain of
// the entries still holds.
func TestTake_SurvivesKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	acknowledged := 0
	const kills = 3
	for range kills {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), databaseVariable+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}

		if err := child.Start(); err != nil {
			t.Fatal(err)
		}

		lines := bufio.NewScanner(out)
		for read := 0; lines.Scan(); read++ {
			if read == 500 {
				if err := child.Process.Kill(); err != nil { // SIGKILL; its output so far is still read
					t.Fatal(err)
				}
			}

			var used int
			if _, err := fmt.Sscan(lines.Text(), &used); err == nil {
				acknowledged = max(acknowledged, used)
			}
		}

		if err := child.Wait(); err == nil {
			t.Fatal("the process ended on its own")
		}
	}

	db := openFile(t, path)
	w, err := db.Quotas.Peek(t.Context(), "key_1", windows(1<<40))
	if err != nil {
		t.Fatal(err)
	}
	// The last count of a process may be stored without an acknowledgment.
	used := w.Month.Used
	if w.Minute.Used != used || used < acknowledged || used > acknowledged+1 || acknowledged < 1500 {
		t.Errorf("%d requests of the minute and %d of the month are used, and %d were acknowledged",
			w.Minute.Used, used, acknowledged)
	}

	report, err := db.AuditLog.Verify(t.Context(), chain.Main, nil)
	// A process may be killed after it has counted a request and before it has recorded it.
	if err != nil || report.Records < int64(acknowledged-kills) || report.Records > int64(used) {
		t.Errorf("%d entries are in the chain (%v), and %d were acknowledged", report.Records, err, acknowledged)
	}
}
