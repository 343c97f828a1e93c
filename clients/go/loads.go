package matching

import (
	"context"
	"io"
	"net/http"
	"time"
)

// pollInterval is the time between two looks at a load.
const pollInterval = time.Second

// Loads uploads files with freelancers. Nothing changes before a load is published. The key needs the permission
// data:write.
type Loads struct{ transport *transport }

// Create uploads a file: CSV, NDJSON, JSON, XLSX or Parquet. The service reads it afterward; Wait returns what it
// found. It takes FileName, Upsert and Currency.
func (s *Loads) Create(ctx context.Context, file io.Reader, options ...Option) (Load, error) {
	r := request{
		method: http.MethodPost, path: "/api/v1/loads",
		header: http.Header{"Content-Type": {"application/octet-stream"}},
		stream: io.NopCloser(file), untimed: true, // a large file takes as long as the network needs
	}
	return call[Load](ctx, s.transport, r, options...)
}

// Get returns the state of a load and, once the file was read, what publishing it would change.
func (s *Loads) Get(ctx context.Context, id string) (Load, error) {
	return s.send(ctx, http.MethodGet, id, "", true, nil)
}

// Wait waits until the service has read the file, or published it, and returns the load then.
func (s *Loads) Wait(ctx context.Context, id string) (Load, error) {
	for {
		load, err := s.Get(ctx, id)
		isDone := load.State != "reading" && load.State != "publishing"
		if err != nil || isDone {
			return load, err
		}
		if err := s.transport.pause(ctx, pollInterval); err != nil {
			return load, err
		}
	}
}

// ChangeMapping changes how the file is read, such as which column is which field, and has it read again.
func (s *Loads) ChangeMapping(ctx context.Context, id string, o LoadOptions) (Load, error) {
	path, err := pathOf("loads", id)
	if err != nil {
		return Load{}, err
	}
	r, err := withJSON(http.MethodPut, path+"/mapping", o)
	if err != nil {
		return Load{}, err
	}
	return call[Load](ctx, s.transport, r)
}

// Publish starts to make the freelancers of the file live; Wait returns the outcome. It takes AllowShrink.
func (s *Loads) Publish(ctx context.Context, id string, options ...Option) (Load, error) {
	return s.send(ctx, http.MethodPost, id, "/publish", false, options)
}

// RollBack makes the freelancers live again that the load replaced.
func (s *Loads) RollBack(ctx context.Context, id string) (Load, error) {
	return s.send(ctx, http.MethodPost, id, "/rollback", false, nil)
}

// Cancel removes a load that isn't published.
func (s *Loads) Cancel(ctx context.Context, id string) error {
	_, err := s.send(ctx, http.MethodDelete, id, "", true, nil)
	return err
}

// send sends a request about a load, without a body.
func (s *Loads) send(
	ctx context.Context, method, id, action string, isRepeatable bool, options []Option,
) (Load, error) {
	path, err := pathOf("loads", id)
	if err != nil {
		return Load{}, err
	}
	r := request{method: method, path: path + action, repeatable: isRepeatable}
	return call[Load](ctx, s.transport, r, options...)
}
