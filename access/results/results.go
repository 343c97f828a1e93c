// Package results keeps what users of the dashboard's playground sent and received, so that each result has a page that
// can be reloaded, returned to, and shown to colleagues. A result belongs to an account and expires.
package results

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Limits of what is kept.
const (
	MaxPerAccount = 200     // results of an account; a new one replaces the oldest
	MaxSize       = 2 << 20 // bytes of a result
	Lifetime      = 30 * 24 * time.Hour
	// ResumeLifetime is shorter, because a resume says more about somebody than any other response.
	ResumeLifetime = 24 * time.Hour
)

// idLength is the number of characters of an ID. They have 5 random bits each.
const idLength = 20

var (
	// ErrNotFound is returned for a result that does not exist, has expired, or belongs to another account.
	ErrNotFound = errors.New("result not found")
	// ErrTooLarge is returned for a result that exceeds MaxSize.
	ErrTooLarge = errors.New("result too large")
)

// A Kind is the page of the playground that a result belongs to.
type Kind string

// The pages of the playground.
const (
	Match     Kind = "match"
	Skill     Kind = "skill"
	Resume    Kind = "resume"
	Interview Kind = "interview"
	Explain   Kind = "explain" // the rank of one freelancer, a page below Match
	Team      Kind = "team"
)

// A Summary is what lists show of a result.
type Summary struct {
	ID        string
	Account   string // ID
	User      string // ID
	Kind      Kind
	Title     string // what was asked for, in a few words
	Status    int    // of the response
	CreatedAt time.Time
	Expires   time.Time
}

// A Result is one request to the API and its response.
type Result struct {
	Summary
	Content
}

// Content is the part of a Result that is stored as JSON.
type Content struct {
	Key      string          `json:"key"`               // ID
	Form     url.Values      `json:"form,omitempty"`    // as it was submitted
	Path     string          `json:"path"`              // of the request, with its query
	Headers  []string        `json:"headers,omitempty"` // "Name: value", besides the key and the content type
	Request  json.RawMessage `json:"request,omitempty"` // body; nil if it was not JSON
	Response json.RawMessage `json:"response"`
	Limit    RateLimit       `json:"limit,omitzero"`
	File     string          `json:"file,omitempty"` // name of the uploaded file
	// Overview has the counts that a page shows beside the response; nil if there are none.
	Overview json.RawMessage `json:"overview,omitempty"`
}

// RateLimit holds the rate limit headers of a response. They are empty if the plan is unlimited or the request was not
// counted.
type RateLimit struct {
	Limit     string `json:"limit"`
	Remaining string `json:"remaining"`
	Reset     string `json:"reset"` // seconds
}

// Encode returns the content as JSON. Texts in it appear as in the request and the response.
func (c *Content) Encode() ([]byte, error) {
	var data strings.Builder
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(c)
	return []byte(data.String()), err
}

// Decode reads what Encode has returned.
func (c *Content) Decode(data []byte) error { return json.Unmarshal(data, c) }

// A Stored is a result with its encoded content.
type Stored struct {
	Summary
	Data []byte
}

// A Store stores results.
type Store interface {
	// Insert adds a result with its encoded content, and deletes the account's oldest results beyond the number to keep.
	Insert(ctx context.Context, s Summary, content []byte, keep int) error
	// Find returns a result of an account with its encoded content, or ErrNotFound if it has none with this ID that
	// expires after a time.
	Find(ctx context.Context, account, id string, at time.Time) (Summary, []byte, error)
	// Recent returns the newest results of a user that expire after a time, newest first. An empty kind means all.
	Recent(ctx context.Context, account, user string, kind Kind, at time.Time, n int) ([]Summary, error)
	// Newest returns the newest results of a kind that an account has, that expire after a time, and whose content has at
	// most maxSize bytes, with their encoded content.
	Newest(ctx context.Context, account string, kind Kind, at time.Time, n, maxSize int) ([]Stored, error)
	// DeleteOf deletes all results of an account.
	DeleteOf(ctx context.Context, account string) error
	// DeleteExpired deletes results that expire at or before a time.
	DeleteExpired(ctx context.Context, at time.Time) error
}

// A Service keeps results. It is safe for concurrent use.
type Service struct {
	store Store
	now   func() time.Time
}

// New returns a Service.
func New(store Store, now func() time.Time) *Service { return &Service{store, now} }

// Save stores a result and returns it with its ID, its time and its expiry. It returns ErrTooLarge if the result
// exceeds MaxSize.
func (s *Service) Save(ctx context.Context, r Result) (Result, error) {
	data, err := r.Encode()
	if err != nil {
		return r, fmt.Errorf("encode result: %w", err)
	}
	if len(data) > MaxSize {
		return r, ErrTooLarge
	}
	lifetime := Lifetime
	if r.Kind == Resume {
		lifetime = ResumeLifetime
	}
	r.ID = strings.ToLower(rand.Text()[:idLength])
	r.CreatedAt = s.now().UTC().Truncate(time.Microsecond)
	r.Expires = r.CreatedAt.Add(lifetime)
	return r, s.store.Insert(ctx, r.Summary, data, MaxPerAccount)
}

// Get returns a result of an account, or ErrNotFound.
func (s *Service) Get(ctx context.Context, account, id string) (r Result, err error) {
	if len(id) != idLength || account == "" {
		return Result{}, ErrNotFound
	}
	var data []byte
	if r.Summary, data, err = s.store.Find(ctx, account, id, s.now()); err != nil {
		return Result{}, err
	}
	if err := r.Decode(data); err != nil {
		return Result{}, fmt.Errorf("decode result %s: %w", id, err)
	}
	return r, nil
}

// Recent returns the newest results of a user, newest first. An empty kind means all.
func (s *Service) Recent(ctx context.Context, account, user string, kind Kind, n int) ([]Summary, error) {
	return s.store.Recent(ctx, account, user, kind, s.now(), n)
}

// Newest returns the newest results of a kind that an account has, newest first, without those whose content has more
// than maxSize bytes.
func (s *Service) Newest(ctx context.Context, account string, kind Kind, n, maxSize int) ([]Result, error) {
	stored, err := s.store.Newest(ctx, account, kind, s.now(), n, maxSize)
	list := make([]Result, len(stored))
	for i := range stored {
		list[i].Summary = stored[i].Summary
		if err := list[i].Decode(stored[i].Data); err != nil {
			return nil, fmt.Errorf("decode result %s: %w", list[i].ID, err)
		}
	}
	return list, err
}

// DeleteOf deletes all results of an account.
func (s *Service) DeleteOf(ctx context.Context, account string) error {
	return s.store.DeleteOf(ctx, account)
}

// Prune deletes expired results.
func (s *Service) Prune(ctx context.Context) error { return s.store.DeleteExpired(ctx, s.now()) }
