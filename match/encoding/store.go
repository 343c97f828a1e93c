package encoding

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/match/encoding/vectorfile"
)

// A Store keeps the vectors of profiles by the IDs of freelancers, for one model. Several processes may share it, of
// which one leads: it encodes all profiles. A Store is safe for concurrent use, but for Follow and Read.
type Store interface {
	// Follow brings Has up to date, and lets this process lead if no other one does.
	Follow(ctx context.Context) error
	// Read brings Has up to date, but never leads and stores nothing. It returns the size of the store in bytes; 0 if it
	// is empty.
	Read(ctx context.Context) (size int64, err error)
	// Leads reports whether this process leads.
	Leads() bool
	// Writes reports whether this process may put vectors. One that leads may.
	Writes() bool

	// Has reports whether a freelancer has vectors of a revision, as of the last Follow or Read and what this process has
	// done since.
	Has(id string, revision uint64) bool
	// Count returns the number of freelancers with vectors, of whatever revision, as of the last Follow or later.
	Count(ctx context.Context) (int, error)
	// Get returns the vectors of freelancers, in the same order. The revision is 0 if there are none.
	Get(ctx context.Context, ids []string) ([]engine.Encoded, error)
	// Put stores the vectors of freelancers in the place of earlier ones.
	Put(ctx context.Context, ids []string, encoded []engine.Encoded) error
	// Retain erases the vectors of everybody else.
	Retain(ctx context.Context, ids map[engine.HashedID]bool) error
	// Erase erases the vectors of freelancers, durably, whether or not this process leads.
	Erase(ctx context.Context, ids []string) error

	// Close ends the lead of this process.
	Close() error
}

// A Stager is a Store that takes the vectors of an index before it goes live, although another process leads.
type Stager interface {
	Store
	// Stage returns a store for these vectors, for one load at a time. It has those that earlier loads have left whose
	// index never went live. live names the live index.
	Stage(live string) (Store, error)
	// Publish keeps the vectors of a closed stage for Adopt.
	Publish(index string) error
	// Adopt moves the vectors that were published for an index, if there are any, to this store, as the index is live now.
	// Only the process that leads may call it.
	Adopt(index string) error
}

// fileStore is a Store in a file. The process that leads is the only one that writes.
type fileStore struct {
	file  *vectorfile.File
	path  string
	space string
}

// InFile returns a store in a file, which only processes of one machine can share. A space names everything that
// vectors depend on besides the record.
func InFile(path, space string) Store {
	return &fileStore{vectorfile.New(path, space), path, space}
}

// Follow implements Store.
func (s *fileStore) Follow(context.Context) error { return s.file.Follow() }

// Read implements Store.
func (s *fileStore) Read(context.Context) (size int64, err error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the vectors: %w", err)
	}
	return info.Size(), s.file.Read()
}

// Leads implements Store.
func (s *fileStore) Leads() bool { return s.file.Writes() }

// Writes implements Store.
func (s *fileStore) Writes() bool { return s.file.Writes() }

// Has implements Store.
func (s *fileStore) Has(id string, revision uint64) bool { return s.file.Has(id, revision) }

// Count implements Store.
func (s *fileStore) Count(context.Context) (int, error) { return s.file.Len(), nil }

// Get implements Store.
func (s *fileStore) Get(_ context.Context, ids []string) ([]engine.Encoded, error) {
	encoded := make([]engine.Encoded, len(ids))
	for i, id := range ids {
		encoded[i], _ = s.file.Get(id)
	}
	return encoded, nil
}

// Put implements Store.
func (s *fileStore) Put(_ context.Context, ids []string, encoded []engine.Encoded) error {
	for i, id := range ids {
		if err := s.file.Put(id, &encoded[i]); err != nil {
			return err
		}
	}
	return nil
}

// Retain implements Store.
func (s *fileStore) Retain(_ context.Context, ids map[engine.HashedID]bool) error {
	return s.file.Retain(ids)
}

// Erase implements Store.
func (s *fileStore) Erase(_ context.Context, ids []string) error {
	staged := s.eraseStaged(ids)
	if s.file.Writes() { // it knows where they are
		return errors.Join(s.file.Delete(ids), staged)
	}
	return errors.Join(vectorfile.Erase(s.path, ids), staged)
}

// Close implements Store.
func (s *fileStore) Close() error { return s.file.Close() }
