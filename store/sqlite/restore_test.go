package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store"
)

var restoredAt = time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)

// filesIn returns the names of the files in a folder.
func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// create opens a new database with a key, and closes it.
func createWith(t *testing.T, path string, keys ...apikey.Key) {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	insert(t, db, keys...)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func wantKeys(t *testing.T, db *store.DB, want ...string) {
	t.Helper()
	keys, err := db.Keys.List(t.Context())
	var got []string
	for _, k := range keys {
		got = append(got, k.ID)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("keys %v (%v), want %v", got, err, want)
	}
}

// A database that was created once is not created again, whatever is left of it.
func TestOpen_MissingDatabase(t *testing.T) {
	for _, left := range []string{".created", "-wal", "-shm"} {
		t.Run(left, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "service.db")
			createWith(t, path, key("1"))

			if err := os.Rename(path+".created", path+left); err != nil {
				t.Fatal(err)
			}

			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}

			if _, err := Open(t.Context(), path); !errors.Is(err, ErrMissing) {
				t.Fatalf("Open: %v, want ErrMissing", err)
			}

			if found, err := exists(path); err != nil || found {
				t.Errorf("the database was created anyway (%v)", err)
			}

			if err := Forget(path, restoredAt); err != nil {
				t.Fatal(err)
			}

			wantKeys(t, openFile(t, path))

			if err := Forget(path, restoredAt); !errors.Is(err, fs.ErrExist) {
				t.Errorf("Forget with a database: %v, want fs.ErrExist", err)
			}
		})
	}
}

// A file that lost its content, in a crash of the machine or on a full disk, is a lost database, too.
func TestOpen_EmptiedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	createWith(t, path, key("1"))
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Check(t.Context(), path); !errors.Is(err, ErrMissing) {
		t.Errorf("Check: %v, want ErrMissing", err)
	}
	if _, err := Open(t.Context(), path); !errors.Is(err, ErrMissing) {
		t.Fatalf("Open: %v, want ErrMissing", err)
	}
	if err := Forget(path, restoredAt); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, openFile(t, path))
}

// A program that was killed before it created the tables leaves a database that can be created still.
func TestOpen_KilledDuringCreation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	for _, name := range []string{path, path + markerSuffix} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantKeys(t, openFile(t, path))
}

// The first start after an upgrade, whose database has no marker yet, creates one.
func TestOpen_MarksAnExistingDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	firstVersion(t, path)
	openFile(t, path)
	if info, err := os.Stat(path + markerSuffix); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("marker %v (%v), want one with a text that only its owner can read", info, err)
	}
}

func TestRestore(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "service.db")
	backup := filepath.Join(t.TempDir(), "backup.db")
	createWith(t, path, key("1"))

	if err := Backup(t.Context(), path, backup); err != nil {
		t.Fatal(err)
	}

	db := openFile(t, path)
	insert(t, db, key("2"))

	if _, err := Restore(t.Context(), backup, path, restoredAt); !errors.Is(err, ErrInUse) {
		t.Fatalf("Restore while the database is open: %v, want ErrInUse", err)
	}

	wantKeys(t, db, "key_1", "key_2")

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	// A write-ahead log that a killed server left belongs to the replaced database.
	if err := os.WriteFile(path+"-wal", []byte("log"), 0o600); err != nil {
		t.Fatal(err)
	}

	replaced, err := Restore(t.Context(), backup, path, restoredAt)
	if err != nil || replaced != path+".replaced-20310517t093000z" {
		t.Fatalf("Restore = %q, %v", replaced, err)
	}

	if log, err := os.ReadFile(replaced + "-wal"); string(log) != "log" {
		t.Errorf("the log beside the replaced database is %q (%v)", log, err)
	}

	if err := os.Remove(replaced + "-wal"); err != nil {
		t.Fatal(err)
	}

	wantKeys(t, openFile(t, path), "key_1")
	wantKeys(t, openFile(t, replaced), "key_1", "key_2")
}

// A backup restores into an empty folder, and the restored database has an old schema until it is opened.
func TestRestore_OlderSchemaIntoEmptyFolder(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "old.db")
	firstVersion(t, backup)
	path := filepath.Join(t.TempDir(), "service.db")
	if replaced, err := Restore(t.Context(), backup, path, restoredAt); err != nil || replaced != "" {
		t.Fatalf("Restore = %q, %v", replaced, err)
	}
	report, err := Check(t.Context(), path)
	if err != nil || report.Version != 1 || report.Latest < 5 || len(report.Problems) > 0 {
		t.Errorf("Check = %+v, %v; want version 1 without problems", report, err)
	}
	if err := openFile(t, path).Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// A file that cannot be restored changes nothing, neither in an empty folder nor beside a database.
func TestRestore_Refusals(t *testing.T) {
	folder := t.TempDir()
	file := func(name string, prepare func(path string)) string {
		path := filepath.Join(folder, name)
		prepare(path)
		return path
	}

	change := func(statement string) func(path string) {
		return func(path string) {
			createWith(t, path, key("1"))
			pool := connectRaw(t, path)
			if _, err := pool.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}

			if err := pool.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct{ name, backup, want string }{
		{"missing file", filepath.Join(folder, "none.db"), "no such file"},
		{"folder", folder, "not a regular file"},
		{"text", file("text.db", func(path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("text\n", 2000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}), "not a database"},
		{"damaged", file("damaged.db", func(path string) {
			createWith(t, path, key("1"))
			overwriteTables(t, path)
		}), "malformed"},
		{"truncated", file("truncated.db", func(path string) {
			createWith(t, path, key("1"))
			if err := os.Truncate(path, 64<<10); err != nil {
				t.Fatal(err)
			}
		}), "malformed"},
		{"broken reference", file("reference.db", change(
			"PRAGMA foreign_keys = OFF; UPDATE api_keys SET account = 'acc_9'")), "missing row of accounts"},
		{"newer", file("newer.db", change("UPDATE schema_version SET version = 999")), "schema version 999"},
		{"other database", file("other.db", func(path string) {
			if _, err := connectRaw(t, path).ExecContext(t.Context(), "CREATE TABLE x (y)"); err != nil {
				t.Fatal(err)
			}
		}), "not a database of this service"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			empty := t.TempDir()
			used := t.TempDir()
			createWith(t, filepath.Join(used, "service.db"), key("7"))
			before := filesIn(t, used)

			for _, into := range []string{empty, used} {
				_, err := Restore(t.Context(), tt.backup, filepath.Join(into, "service.db"), restoredAt)
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("Restore: %v, want %q", err, tt.want)
				}

				if _, ok := errors.AsType[*matching.Error](err); ok {
					t.Errorf("Restore: %v has a message about the service's database, which is not the one at fault", err)
				}
			}

			if files := filesIn(t, empty); len(files) > 0 {
				t.Errorf("files left in an empty folder: %v", files)
			}

			if files := filesIn(t, used); !slices.Equal(files, before) {
				t.Errorf("files beside a database: %v, want %v", files, before)
			}

			wantKeys(t, openFile(t, filepath.Join(used, "service.db")), "key_7")
		})
	}
}

// A backup of a database that is being written is consistent: it has the keys that were acknowledged before it began,
// and none twice or in part.
func TestBackup_UnderLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	db := openFile(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	var writers sync.WaitGroup
	enough := make(chan struct{})
	for w := range 4 {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				k := key(string(rune('a'+w)) + time.Duration(n).String())
				err := db.Keys.Update(ctx, "", func([]apikey.Key) (apikey.Changes, error) {
					return apikey.Changes{Keys: []apikey.Key{k}}, nil
				})
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}

				if n == 20 && w == 0 {
					close(enough)
				}
			}
		})
	}

	<-enough
	acknowledged, err := db.Keys.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := Backup(t.Context(), path, backup); err != nil {
		t.Fatal(err)
	}

	cancel()
	writers.Wait()
	report, err := Check(t.Context(), backup)
	if err != nil || len(report.Problems) > 0 || report.Version != report.Latest {
		t.Errorf("Check of the backup = %+v, %v", report, err)
	}

	restored := filepath.Join(t.TempDir(), "service.db")
	if _, err := Restore(t.Context(), backup, restored, restoredAt); err != nil {
		t.Fatal(err)
	}

	copied := openFile(t, restored)
	for _, k := range acknowledged {
		if _, err := copied.Keys.Find(t.Context(), k.ID); err != nil {
			t.Fatalf("key %s, created before the backup: %v", k.ID, err)
		}
	}
}
