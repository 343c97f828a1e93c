// Package requestlog keeps requests to the API and their responses for a day, so that developers see what their
// programs sent and received. It is off until an owner of an account turns it on, keeps no contact details and no
// secrets, and belongs to one account.
package requestlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Limits of what is kept.
const (
	MaxPerAccount = 200            // entries of an account; a new one replaces the oldest
	MaxBody       = 64 << 10       // bytes of a stored body
	Lifetime      = 24 * time.Hour // of an entry
	// RecordingTime is how long requests are recorded after an owner has turned the log on.
	RecordingTime = 7 * 24 * time.Hour
)

// ErrNotFound is returned for an entry that does not exist, has expired, or belongs to another account.
var ErrNotFound = errors.New("entry of the request log not found")

// A Summary is what lists show of a request.
type Summary struct {
	ID        string
	Account   string // ID
	Key       string // ID
	RequestID string
	Operation string
	Status    int
	Code      string // error.code of the response, if any
	At        time.Time
	Took      time.Duration
	Expires   time.Time
}

// An Entry is a request with its response.
type Entry struct {
	Summary
	Content
}

// Content is the part of an entry that is stored as JSON.
type Content struct {
	Method string `json:"method"`
	Route  string `json:"route"` // the path, with names in place of its parameters
	// Params and Query have the values in the path and in the query. Each is a text of its own, so that those about a
	// person are found.
	Params   map[string]string `json:"params,omitempty"`
	Query    url.Values        `json:"query,omitempty"`
	Request  Body              `json:"request,omitzero"`
	Response Body              `json:"response,omitzero"`
}

// A Body is a body as it is kept.
type Body struct {
	JSON json.RawMessage `json:"json,omitempty"` // nil if there was none, or it isn't kept
	Note string          `json:"note,omitempty"` // what isn't kept, as a sentence
}

// Encode returns the content as JSON. Texts in it appear as in the request and the response.
func (c *Content) Encode() ([]byte, error) {
	var data strings.Builder
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(c)
	return []byte(data.String()), err
}

// A Stored is an entry with its encoded content.
type Stored struct {
	Summary
	Data []byte
}

// A Store stores entries.
type Store interface {
	// Insert adds entries, and deletes the oldest entries of their accounts beyond the number to keep.
	Insert(ctx context.Context, entries []Stored, keep int) error
	// List returns the entries of an account that expire after a time, newest first.
	List(ctx context.Context, account string, at time.Time) ([]Summary, error)
	// Find returns an entry of an account, or ErrNotFound if it has none with this ID that expires after a time.
	Find(ctx context.Context, account, id string, at time.Time) (Stored, error)
	// DeleteOf deletes all entries of an account.
	DeleteOf(ctx context.Context, account string) error
}

// A Log reads and deletes entries. It is safe for concurrent use.
type Log struct {
	store Store
	now   func() time.Time
}

// New returns a Log.
func New(store Store, now func() time.Time) *Log { return &Log{store, now} }

// List returns the entries of an account, newest first.
func (l *Log) List(ctx context.Context, account string) ([]Summary, error) {
	return l.store.List(ctx, account, l.now())
}

// Get returns an entry of an account, or ErrNotFound.
func (l *Log) Get(ctx context.Context, account, id string) (Entry, error) {
	if account == "" || id == "" {
		return Entry{}, ErrNotFound
	}
	stored, err := l.store.Find(ctx, account, id, l.now())
	if err != nil {
		return Entry{}, err
	}
	entry := Entry{Summary: stored.Summary}
	if err := json.Unmarshal(stored.Data, &entry.Content); err != nil {
		return Entry{}, fmt.Errorf("decode entry %s of the request log: %w", id, err)
	}
	return entry, nil
}

// DeleteOf deletes all entries of an account.
func (l *Log) DeleteOf(ctx context.Context, account string) error {
	return l.store.DeleteOf(ctx, account)
}
