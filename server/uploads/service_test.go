package uploads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/matching"
)

// fakeLoader is a loader whose work the test ends.
type fakeLoader struct {
	mu        sync.Mutex
	running   int
	most      int // at the same time
	release   chan error
	panics    bool
	published string
}

func (l *fakeLoader) work(ctx context.Context) error {
	l.mu.Lock()
	l.running++
	l.most = max(l.most, l.running)
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running--
	}()
	if l.panics {
		panic("a reader's fault")
	}
	if l.release == nil {
		return ctx.Err()
	}
	select {
	case err := <-l.release:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *fakeLoader) Preview(ctx context.Context, _ *Upload, _ string, observe func(Progress)) (*Preview, error) {
	observe(Progress{Stage: "loading", Rows: 5})
	return &Preview{}, l.work(ctx)
}

func (l *fakeLoader) Publish(
	ctx context.Context, _ *Upload, _ string, observe func(Progress),
) (index, previous string, err error) {
	observe(Progress{Stage: "loading", Rows: 7})
	if err := l.work(ctx); err != nil {
		return "", "", err
	}
	return "new", "old", nil
}

func (l *fakeLoader) Published(context.Context, string) (index, previous string, err error) {
	return l.published, "old", nil
}

func (l *fakeLoader) Rollback(context.Context, string, string) error { return nil }

// fakeLog keeps the actions of the audit log.
type fakeLog struct{ err error }

func (l *fakeLog) Record(context.Context, ...audit.Event) error { return l.err }

// open returns a service in a folder. Its worker must be started with Run.
func open(t *testing.T, folder string, l Loader, log Log) *Service {
	t.Helper()
	s, err := Open(Config{
		Folder: folder, Server: "srv_0123456789ab", MaxBytes: 100, Loader: l, Log: log,
		Reaches: func(context.Context) error { return nil }, Refused: func(*Upload) {},
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t *testing.T, s *Service, account string) Upload {
	t.Helper()
	u, err := s.Create(t.Context(), New{Account: account, File: "a.csv", Options: Options{Mode: loading.Replace}},
		strings.NewReader("id\n1\n"))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func wantState(t *testing.T, s *Service, id string, want State) Upload {
	t.Helper()
	u, err := s.Get("", id)
	if err != nil || u.State != want {
		t.Fatalf("upload %+v, %v, want the state %s", u, err, want)
	}
	return u
}

// One file is read at a time; the others wait for their turn, in their order. There is a limit for all accounts.
func TestService_ReadsOneFileAtATime(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{release: make(chan error)}
		s := open(t, folder, l, &fakeLog{})
		go s.Run(t.Context())

		var ids []string
		for i := range maxFiles {
			ids = append(ids, create(t, s, fmt.Sprint("acc", i)).ID)
		}
		_, err := s.Create(t.Context(), New{Account: "other"}, strings.NewReader("x"))
		if matching.CodeOf(err) != CodeTooMany {
			t.Errorf("error %v, want %s", err, CodeTooMany)
		}

		for _, id := range ids {
			synctest.Wait()
			if u := wantState(t, s, id, Reading); u.Progress.Stage != "loading" {
				t.Errorf("the stage is %q, want the one of the first in the queue", u.Progress.Stage)
			}
			l.release <- nil
			synctest.Wait()
			wantState(t, s, id, Ready)
		}
		if l.most != 1 {
			t.Errorf("%d files were read at the same time", l.most)
		}
	})
}

// What an upload may do depends on its state.
func TestService_States(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{release: make(chan error)}
		s := open(t, folder, l, &fakeLog{})
		go s.Run(t.Context())
		u := create(t, s, "acc")

		refused := func(state State, operations ...string) {
			t.Helper()
			synctest.Wait()
			wantState(t, s, u.ID, state)
			for _, operation := range operations {
				var err error
				switch operation {
				case "publish":
					_, err = s.Publish(t.Context(), audit.By{}, "acc", u.ID, false)
				case "choose":
					_, err = s.Choose("acc", u.ID, func(*Options) error { return nil })
				case "roll back":
					_, err = s.Rollback(t.Context(), audit.By{}, "acc", u.ID)
				case "cancel":
					err = s.Cancel(t.Context(), audit.By{}, "acc", u.ID)
				}
				if matching.CodeOf(err) != CodeState {
					t.Errorf("%s while %s: error %v, want %s", operation, state, err, CodeState)
				}
			}
		}

		refused(Reading, "publish", "choose", "roll back")
		l.release <- &RefusedError{Code: "no_usable_rows", Err: errors.New("no rows")}
		refused(Refused, "publish", "roll back")
		if _, err := s.Choose("acc", u.ID, func(*Options) error { return nil }); err != nil {
			t.Fatal(err)
		}
		l.release <- nil
		refused(Ready, "roll back")

		if _, err := s.Publish(t.Context(), audit.By{}, "acc", u.ID, false); err != nil {
			t.Fatal(err)
		}
		refused(Publishing, "publish", "choose", "roll back", "cancel")
		l.release <- &RefusedError{Code: "conflict", Err: errors.New("another load is running")}
		refused(Refused, "roll back")

		// A load that had to wait for another one can be published again.
		if _, err := s.Publish(t.Context(), audit.By{}, "acc", u.ID, false); err != nil {
			t.Fatal(err)
		}
		l.release <- nil
		refused(Live, "publish", "choose")
		if _, err := s.Rollback(t.Context(), audit.By{}, "acc", u.ID); err != nil {
			t.Fatal(err)
		}
		refused(RolledBack, "publish", "choose", "roll back")
	})
}

// A canceled upload ends its work and leaves nothing.
func TestService_Cancel(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{release: make(chan error)}
		s := open(t, folder, l, &fakeLog{})
		go s.Run(t.Context())
		running, waiting := create(t, s, "a"), create(t, s, "b")
		synctest.Wait()
		for _, u := range []Upload{waiting, running} {
			if err := s.Cancel(t.Context(), audit.By{}, u.Account, u.ID); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 || l.running > 0 {
			t.Errorf("left %v, %v; %d files are being read", left, err, l.running)
		}
		create(t, s, "a") // the worker goes on
		synctest.Wait()
		l.release <- nil
	})
}

// Uploads end after a day, and so does work that takes too long.
func TestService_Time(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, folder, &fakeLoader{release: make(chan error)}, &fakeLog{})
		go s.Run(t.Context())
		u := create(t, s, "acc")
		time.Sleep(readTime + time.Second) // of the test's clock
		if got := wantState(t, s, u.ID, Failed); got.Failure.Code != CodeTooSlow {
			t.Errorf("failure %+v, want %s", got.Failure, CodeTooSlow)
		}

		time.Sleep(Lifetime)
		if _, err := s.Get("acc", u.ID); matching.CodeOf(err) != CodeNotFound {
			t.Errorf("error %v, want %s", err, CodeNotFound)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left %v, %v", left, err)
		}
	})
}

// A reader that panics fails the upload, not the server.
func TestService_Panic(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLoader{panics: true}
		s := open(t, folder, l, &fakeLog{})
		go s.Run(t.Context())
		u := create(t, s, "acc")
		synctest.Wait()
		wantState(t, s, u.ID, Failed)
	})
}

// A file that can't be stored or accounted for leaves nothing.
func TestService_FailedUploads(t *testing.T) {
	folder := t.TempDir()
	log := &fakeLog{}
	s := open(t, folder, &fakeLoader{}, log)
	broken := errors.New("the connection broke")
	for name, c := range map[string]struct {
		body io.Reader
		log  error
		want error
	}{
		"a broken connection": {io.MultiReader(strings.NewReader("id\n"), failing{broken}), nil, broken},
		"too large":           {strings.NewReader(strings.Repeat("x", 101)), nil, ErrTooLarge},
		"no audit log":        {strings.NewReader("id\n1\n"), broken, broken},
	} {
		log.err = c.log
		if _, err := s.Create(t.Context(), New{Account: "acc"}, c.body); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
	log.err = nil
	create(t, s, "acc")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// After a restart, files are read again, and a load that was being published is live or can be published again.
func TestService_Restart(t *testing.T) {
	for _, published := range []string{"", "new"} {
		folder := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			l := &fakeLoader{release: make(chan error)}
			s := open(t, folder, l, &fakeLog{})
			go s.Run(ctx)
			publishing, reading := create(t, s, "a"), create(t, s, "b")
			synctest.Wait()
			l.release <- nil
			synctest.Wait()
			if _, err := s.Publish(t.Context(), audit.By{}, "a", publishing.ID, false); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			stop()
			synctest.Wait()

			s = open(t, folder, &fakeLoader{published: published}, &fakeLog{})
			go s.Run(t.Context())
			synctest.Wait()
			wantState(t, s, reading.ID, Ready)
			if published != "" {
				if u := wantState(t, s, publishing.ID, Live); u.Index != published || u.Previous != "old" {
					t.Errorf("upload %+v", u)
				}
				return
			}
			if u := wantState(t, s, publishing.ID, Refused); u.Failure.Code != CodeInterrupted {
				t.Errorf("failure %+v", u.Failure)
			}
			if _, err := s.Publish(t.Context(), audit.By{}, "a", publishing.ID, false); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			wantState(t, s, publishing.ID, Live)
		})
	}
}

// A damaged description is removed with its file, and the server starts.
func TestService_DamagedFolder(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder, &fakeLoader{}, &fakeLog{})
	u := create(t, s, "acc")
	if err := os.WriteFile(filepath.Join(folder, u.ID, descriptionFile), []byte(`{"id":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, folder, &fakeLoader{}, &fakeLog{})
	if _, err := s.Get("", u.ID); matching.CodeOf(err) != CodeNotFound {
		t.Errorf("error %v, want %s", err, CodeNotFound)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestDisplayName(t *testing.T) {
	for name, want := range map[string]string{
		"": "file", "/": "file", "..": "file", "a.csv": "a.csv", `C:\x\a.csv`: "a.csv", "../../etc/passwd": "passwd",
		"a\x00b\n.csv": "ab.csv", "a\u202eb.csv": "ab.csv", "\xff.csv": "\ufffd.csv",
		strings.Repeat("é", 200): strings.Repeat("é", maxName-1) + "…",
	} {
		if got := displayName(name); got != want {
			t.Errorf("the name of %q is %q, want %q", name, got, want)
		}
	}
}
