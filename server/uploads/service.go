package uploads

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// Lifetime is how long an upload is kept.
	Lifetime = 24 * time.Hour
	// maxFiles is the number of uploads with a file, of all accounts. It bounds the space on the disk, and how long one
	// waits for its turn.
	maxFiles = 8
	// readTime limits the reading of a file, and publishTime its publishing.
	readTime    = 15 * time.Minute
	publishTime = 2 * time.Hour
	// expireEvery is the interval at which expired uploads are removed. They are ignored as soon as they expire.
	expireEvery = 10 * time.Minute
)

// A Loader reads and publishes files.
type Loader interface {
	// Preview reads a file and compares it with the live index. Its error is a *RefusedError if the file is at fault. The
	// preview has what could be read until then.
	Preview(ctx context.Context, file *Upload, path string, observe func(Progress)) (*Preview, error)
	// Publish makes the content of a file live. Its error is a *RefusedError if the data is at fault.
	Publish(ctx context.Context, file *Upload, path string, observe func(Progress)) (index, previous string, err error)
	// Published returns the index that an upload made live, if that is still the live one, and the one before.
	Published(ctx context.Context, id string) (index, previous string, err error)
	// Rollback makes another index live again, if index is live.
	Rollback(ctx context.Context, index, previous string) error
}

// A RefusedError reports that a file can't be published as it is.
type RefusedError struct {
	Code string // of a Failure
	Err  error
}

// Error returns the text of the reason.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// Log stores entries of the audit log.
type Log interface {
	Record(ctx context.Context, events ...audit.Event) error
}

// Config holds what a Service depends on. All fields are required.
type Config struct {
	Folder   string // for the files
	Server   string // ID of this server
	MaxBytes int64  // of a file
	Loader   Loader
	// Reaches returns an error if a load would not reach all servers that share the database.
	Reaches func(ctx context.Context) error
	Log     Log
	// Refused is called with each upload whose file was refused.
	Refused func(u *Upload)
	Logger  *slog.Logger
	Now     func() time.Time
}

// A Service stores uploads and has them read and published. It is safe for concurrent use.
type Service struct {
	Config
	staging staging

	mu        sync.Mutex
	uploads   map[string]*entry
	receiving map[string]int // files that are arriving, by account
	queue     []string       // IDs of uploads to read or publish, in order
	queued    chan struct{}  // has a value when something was added to the queue
}

// An entry is an upload in memory.
type entry struct {
	Upload
	cancel context.CancelFunc // of the work that runs; nil if none does
}

// Open returns a service with the uploads that an earlier run of the server left in the folder. Run must be called for
// files to be read.
func Open(c Config) (*Service, error) {
	s := &Service{
		Config: c, staging: staging(c.Folder), uploads: make(map[string]*entry), receiving: make(map[string]int),
		queued: make(chan struct{}, 1),
	}
	found, err := s.staging.open(c.Logger)
	if err != nil {
		return nil, fmt.Errorf("open the folder for uploads: %w", err)
	}

	for _, u := range found {
		s.uploads[u.ID] = &entry{Upload: u}
	}
	s.expire()

	return s, nil
}

// Limit returns the size of the largest file, in bytes.
func (s *Service) Limit() int64 { return s.MaxBytes }

// New describes an upload that arrives.
type New struct {
	Account string
	By      audit.By
	File    string // name, as the client sends it
	Options Options
}

// Create stores a file and has it read. It returns what reading the body returns if that fails, and ErrTooLarge for a
// file over the limit. The account may have no other upload with a file.
func (s *Service) Create(ctx context.Context, n New, body io.Reader) (Upload, error) {
	if err := s.Reaches(ctx); err != nil {
		return Upload{}, err
	}
	release, err := s.reserve(n.Account)
	if err != nil {
		return Upload{}, err
	}
	defer release()

	now := s.Now().UTC()
	u := Upload{
		ID: s.newID(), Account: n.Account, Actor: n.By.Actor, Server: s.Server, File: displayName(n.File),
		Created: now, Expires: now.Add(Lifetime), Options: n.Options, State: Reading,
	}
	if u.Bytes, err = s.staging.create(&u, body, s.MaxBytes); err != nil {
		return Upload{}, err
	}

	// A file that nobody can account for must not stay.
	if err := s.record(ctx, &u, n.By, audit.LoadUploaded, u.File); err != nil {
		return Upload{}, errors.Join(err, s.staging.remove(u.ID))
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	e := &entry{Upload: u}
	e.Progress.Stage = StageWaiting
	s.uploads[u.ID] = e
	s.enqueue(u.ID)

	return e.Upload, nil
}

// enqueue has an upload worked on when its turn comes. Call it with the lock held.
func (s *Service) enqueue(id string) {
	s.queue = append(s.queue, id)
	select {
	case s.queued <- struct{}{}:
	default: // the worker knows already
	}
}

// ErrTooLarge reports a file over the limit.
var ErrTooLarge = errors.New("the file is too large")

// reserve makes room for a file that an account sends.
func (s *Service) reserve(account string) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
	files := 0
	for _, n := range s.receiving {
		files += n
	}

	for _, e := range s.uploads {
		if !e.State.HasFile() {
			continue
		}
		files++
		if e.Account == account {
			return nil, &matching.Error{
				Code: CodePending,
				Message: fmt.Sprintf("Your account already has the load %s, in the state %s. Publish or cancel it first.", e.ID,
					e.State),
			}
		}
	}

	if s.receiving[account] > 0 {
		return nil, &matching.Error{
			Code: CodePending, Message: "Your account is already uploading a file. Wait for it, and publish or cancel it first.",
		}
	}
	if files >= maxFiles {
		return nil, &matching.Error{
			Code: CodeTooMany, RetryAfter: time.Minute,
			Message: fmt.Sprintf("%d uploads are waiting on this server, which is the limit. Try again when some of them are "+
				"published or canceled.", files),
		}
	}

	s.receiving[account]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.receiving, account)
	}, nil
}

// newID returns an ID that names this server, so that others can say which one has the file.
func (s *Service) newID() string { return idPrefix(s.Server) + strings.ToLower(rand.Text()[:16]) }

func idPrefix(server string) string { return "load_" + strings.TrimPrefix(server, "srv_") + "_" }

// find returns an upload of an account; "" finds those of all accounts. Call it with the lock held.
func (s *Service) find(account, id string) (*entry, error) {
	s.expireLocked()
	e := s.uploads[id]
	if e != nil && (account == "" || e.Account == account) {
		return e, nil
	}

	// Behind a load balancer, a request may reach a server that doesn't have the file.
	server, rest, isID := strings.Cut(strings.TrimPrefix(id, "load_"), "_")
	isElsewhere := isID && rest != "" && strings.HasPrefix(id, "load_") && !strings.HasPrefix(id, idPrefix(s.Server))
	if isElsewhere {
		return nil, &matching.Error{
			Code: CodeElsewhere,
			Message: fmt.Sprintf("The file of this load is on the server srv_%s, and this is %s. Send the request to that "+
				"server, or upload the file again.", server, s.Server),
		}
	}
	return nil, errNotFound()
}

// Get returns an upload of an account; "" finds those of all accounts.
func (s *Service) Get(account, id string) (Upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(account, id)
	if err != nil {
		return Upload{}, err
	}
	return e.Upload, nil
}

// List returns up to limit uploads of an account, or of all accounts for "", the newest first. It begins after the one
// with an ID, or with the newest for "".
func (s *Service) List(account, after string, limit int) (list []Upload, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
	for _, e := range s.uploads {
		if account == "" || e.Account == account {
			list = append(list, e.Upload)
		}
	}

	slices.SortFunc(list, func(a, b Upload) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
	if i := slices.IndexFunc(list, func(u Upload) bool { return u.ID == after }); i >= 0 {
		list = list[i+1:]
	}

	more = len(list) > limit
	return list[:min(len(list), limit)], more
}

// Choose has a file read again with changed options. An error of change becomes its own, and nothing is changed then.
func (s *Service) Choose(account, id string, change func(*Options) error) (Upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(account, id)
	if err != nil {
		return Upload{}, err
	}
	if e.State.isBusy() || !e.State.HasFile() {
		return Upload{}, errState(&e.Upload, "The mapping can be changed once the file was read, and until it is published.")
	}

	changed := e.Upload
	if err := change(&changed.Options); err != nil {
		return Upload{}, err
	}
	changed.State = Reading
	changed.Failure = nil
	return s.start(e, changed)
}

// start stores a new state of an upload and has it worked on. Call it with the lock held.
func (s *Service) start(e *entry, changed Upload) (Upload, error) {
	changed.Progress = Progress{Stage: StageWaiting}
	if err := s.staging.describe(&changed); err != nil {
		return Upload{}, err
	}
	e.Upload = changed
	s.enqueue(e.ID)
	return e.Upload, nil
}

// Publish has the content of a file made live. If that would lose much of the live data, allowShrink must be set.
func (s *Service) Publish(
	ctx context.Context, by audit.By, account, id string, allowShrink bool,
) (Upload, error) {
	if err := s.Reaches(ctx); err != nil {
		return Upload{}, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(account, id)
	if err != nil {
		return Upload{}, err
	}

	mayPublish := e.MayPublish()
	switch {
	case !mayPublish && e.State.isBusy():
		return Upload{}, errState(&e.Upload, "Wait until it is ready.")
	case !mayPublish && e.State.HasFile():
		return Upload{}, errState(&e.Upload, "Change the mapping, or cancel it and upload a corrected file.")
	case !mayPublish:
		return Upload{}, errState(&e.Upload, "Upload the file again to load it once more.")
	case len(e.Preview.Losses) > 0 && !allowShrink:
		return Upload{}, errShrink(e.Preview.Losses)
	}

	detail := fmt.Sprintf("%s, %s", e.File, e.Options.Mode)
	if err := s.record(ctx, &e.Upload, by, audit.LoadPublished, detail); err != nil {
		return Upload{}, err
	}

	changed := e.Upload
	changed.State = Publishing
	changed.Failure = nil
	changed.AllowShrink = allowShrink
	return s.start(e, changed)
}

// Cancel forgets an upload and removes its file. While it is published, it can't be canceled.
func (s *Service) Cancel(ctx context.Context, by audit.By, account, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(account, id)
	if err != nil {
		return err
	}
	if e.State == Publishing {
		return errState(&e.Upload, "Wait until it is live, and roll it back then.")
	}

	if err := s.record(ctx, &e.Upload, by, audit.LoadCanceled, e.File); err != nil {
		return err
	}
	return s.removeLocked(e)
}

// Rollback makes the index live again that was live before an upload was published. It does nothing else if another
// load has come after.
func (s *Service) Rollback(ctx context.Context, by audit.By, account, id string) (Upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(account, id)
	switch {
	case err != nil:
		return Upload{}, err
	case e.State != Live:
		return Upload{}, errState(&e.Upload, "Only a load that is live can be rolled back.")
	case e.Previous == "":
		return Upload{}, errState(&e.Upload, "No index was live before it. Load another file instead.")
	}

	if err := s.record(ctx, &e.Upload, by, audit.LoadRolledBack, e.Index+" → "+e.Previous); err != nil {
		return Upload{}, err
	}
	if err := s.Loader.Rollback(ctx, e.Index, e.Previous); err != nil {
		return Upload{}, err
	}

	changed := e.Upload
	changed.State = RolledBack
	if err := s.staging.describe(&changed); err != nil {
		s.Logger.WarnContext(ctx, "state of an upload not stored", "load", id, "error", err)
	}
	e.Upload = changed
	return e.Upload, nil
}

// record adds an entry about an upload to the audit log.
func (s *Service) record(ctx context.Context, u *Upload, by audit.By, action audit.Action, detail string) error {
	return s.Log.Record(ctx, audit.Event{
		At: s.Now().UTC(), Actor: by.Actor, Address: by.Address, Account: u.Account, Action: action, Subject: u.ID,
		Detail: detail,
	})
}

// expire removes expired uploads.
func (s *Service) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expireLocked()
}

func (s *Service) expireLocked() {
	for _, e := range s.uploads {
		if e.State == Publishing || s.Now().Before(e.Expires) {
			continue
		}
		if err := s.removeLocked(e); err != nil {
			s.Logger.Warn("expired upload not removed", "load", e.ID, "error", err)
		}
	}
}

// removeLocked stops the work on an upload, and removes it. Call it with the lock held.
func (s *Service) removeLocked(e *entry) error {
	if e.cancel != nil {
		e.cancel()
	}
	delete(s.uploads, e.ID)
	s.queue = slices.DeleteFunc(s.queue, func(id string) bool { return id == e.ID })
	return s.staging.remove(e.ID)
}

// maxName is the number of characters of a file's name that are kept.
const maxName = 120

// displayName returns the name of a file without folders and control characters, and shortened.
func displayName(name string) string {
	name = filepath.Base(strings.ReplaceAll(strings.ToValidUTF8(name, "\ufffd"), `\`, "/"))
	name = strings.TrimSpace(strings.Map(printable, name))
	if letters := []rune(name); len(letters) > maxName {
		name = string(letters[:maxName-1]) + "…"
	}
	if strings.Trim(name, "./") == "" {
		return "file"
	}
	return name
}
