// Package encoding encodes profiles with a sentence encoder in the background, and compares briefs with them.
//
// An encoder reads whole sentences, but takes milliseconds for each profile. A load of many freelancers therefore goes
// live without its vectors, and a Service encodes them afterwards: first those that matches ask for, then the newest.
// See docs/adr/0076-background-encoding.md.
package encoding

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/textcache"
)

// An Encoder computes vectors of engine.EncodedDimensions dimensions. It must be safe for concurrent use.
type Encoder interface {
	// Encode returns the vector of a text. It fails only if ctx ends.
	Encode(ctx context.Context, text string) (matching.Vector, error)
}

// Limits of texts in bytes. They keep the time for a brief below 20 ms and that for a profile below 10 ms; more text
// doesn't change the order of the judged briefs by more than .002 nDCG@10.
const (
	maxBrief   = 1200
	maxProfile = 900
)

// cachedBriefs is the number of briefs whose vectors are kept. Each takes about 500 bytes.
const cachedBriefs = 1 << 12

// Config holds the dependencies of a Service. All fields but Pause and Relist are required.
type Config struct {
	// Open returns the encoder. It is called once, when the encoder is first needed.
	Open   func() (Encoder, error)
	Model  string // name of the encoder's model, with the version of the texts of profiles
	Prefix string // precedes briefs, as the model was trained to compare them with longer texts
	// Zero is the cosine, below 1, of a brief and a profile that have nothing in common.
	Zero   float64
	Common Common
	Index  engine.Searcher
	Alias  string // of the live index
	// Texts returns the texts of a freelancer: title and skills, and the same with the description.
	Texts func(f *matching.Freelancer) (short, whole string)
	Store Store
	// Pause is called before each profile is encoded in the background. It lets requests go first.
	Pause func(ctx context.Context) error
	// Tick is how often Run looks whether another index is live.
	Tick time.Duration
	// Relist is the least time between two listings of the records of one index, which read all of them on Elasticsearch.
	// What Want asks for, and another index, don't wait. 0 lists whatever has changed at the next look.
	Relist time.Duration
	Log    *slog.Logger
}

// Common is what texts about all kinds of work have in common. The profile of somebody who offers many kinds is close
// to it, and therefore to every brief; that of a specialist isn't. See docs/adr/0079-common-direction.md.
type Common struct {
	Direction matching.Vector
	Mean      float64 // the mean cosine of a profile with it
	Share     float64 // of the cosine above the mean that the profile's similarity to a brief loses
}

// excess returns what a profile's similarity to every brief loses; less than 0 is a gain.
func (c *Common) excess(profile matching.Vector) float64 {
	return c.Share * (matching.Cosine(c.Direction, profile) - c.Mean)
}

// A Service encodes profiles and briefs. It is safe for concurrent use.
type Service struct {
	Config
	briefs *textcache.Cache[matching.Vector]
	wake   chan struct{}

	opening sync.Mutex
	encoder Encoder // nil until it is needed

	running  sync.Mutex  // held while profiles are encoded; guards the next two fields
	listed   engine.Info // the live index when its profiles were listed last
	listedAt time.Time

	mu       sync.Mutex // guards the fields below
	wanted   []string   // IDs to encode first
	isWanted map[string]bool
	progress Progress
}

// Progress says how many profiles of the live index are encoded.
type Progress struct {
	Freelancers int
	Encoded     int
	// Done means that every profile was encoded when the index was last looked at. Damaged records are left out.
	Done bool
}

// New returns a service. Run encodes profiles; Brief and Compare work without it.
func New(c Config) *Service {
	return &Service{
		Config:   c,
		briefs:   textcache.New[matching.Vector](cachedBriefs),
		wake:     make(chan struct{}, 1),
		isWanted: map[string]bool{},
	}
}

// Close closes the store, so that another process can take the lead. Run must have returned.
func (s *Service) Close() error { return s.Store.Close() }

// Erase erases the vectors of freelancers, durably. It needs neither Run nor the encoder.
func (s *Service) Erase(ctx context.Context, ids []string) error { return s.Store.Erase(ctx, ids) }

// open returns the encoder.
func (s *Service) open() (Encoder, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.encoder != nil {
		return s.encoder, nil
	}

	encoder, err := s.Open()
	if err != nil {
		return nil, fmt.Errorf("open the sentence encoder: %w", err)
	}
	s.encoder = encoder

	return encoder, nil
}

// Name returns the name of the model, with the version of the texts of profiles.
func (s *Service) Name() string { return s.Model }

// Floor returns the cosine of a brief and a profile that have nothing in common.
func (s *Service) Floor() float64 { return s.Zero }

// Brief returns the vector of a brief's text. It remembers the vectors of the last briefs.
func (s *Service) Brief(ctx context.Context, text string) (matching.Vector, error) {
	text = s.Prefix + cut(text, maxBrief)
	sum := sha256.Sum256([]byte(text))
	key := string(sum[:])
	if v := s.briefs.Get(key); v != nil {
		return *v, nil
	}

	encoder, err := s.open()
	if err != nil {
		return nil, err
	}
	v, err := encoder.Encode(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("encode the brief: %w", err)
	}

	return *s.briefs.Put(key, v), nil
}

// Compare returns the similarity of a brief with each freelancer, in the same order: the mean of the cosines of its
// vector and both of the freelancer's. It is unknown if the current record was not encoded yet; Run does that next.
func (s *Service) Compare(
	ctx context.Context, snapshot engine.Snapshot, brief matching.Vector, ids []string,
) ([]matching.Optional[float64], error) {
	similarities := make([]matching.Optional[float64], len(ids))
	reviser, ok := snapshot.(engine.Revisions)
	if !ok {
		return similarities, nil
	}

	revisions, entries, err := s.read(ctx, reviser, ids)
	isReplaced := errors.Is(err, engine.ErrNotFound) || engine.Unusable(err)
	if ctx.Err() != nil || isReplaced {
		return nil, err
	}
	if err != nil { // the match does without, and says so
		s.Log.WarnContext(ctx, "profiles not compared", "error", err)
		return similarities, nil
	}

	var missing []string
	for i, id := range ids {
		e := &entries[i]
		if e.Revision == 0 || e.Revision != revisions[i] {
			missing = append(missing, id)
			continue
		}
		similarities[i] = matching.Some(s.similarity(brief, e))
	}
	s.Want(missing)

	return similarities, nil
}

// similarity returns the similarity of a brief with an encoded profile.
func (s *Service) similarity(brief matching.Vector, e *engine.Encoded) float64 {
	short := matching.Cosine(brief, e.Short) - s.Common.excess(e.Short)
	whole := matching.Cosine(brief, e.Whole) - s.Common.excess(e.Whole)
	return (short + whole) / 2
}

// CompareRecord returns the similarity of a brief with a profile that the index doesn't have. It encodes the profile,
// and stores nothing.
func (s *Service) CompareRecord(
	ctx context.Context, brief matching.Vector, f *matching.Freelancer,
) (float64, error) {
	encoder, err := s.open()
	if err != nil {
		return 0, err
	}

	short, whole := s.profileTexts(f)
	var e engine.Encoded
	if err := setVectors(ctx, encoder, &e, short, whole); err != nil {
		return 0, fmt.Errorf("encode the profile: %w", err)
	}
	return s.similarity(brief, &e), nil
}

// profileTexts returns the texts of a freelancer that are encoded.
func (s *Service) profileTexts(f *matching.Freelancer) (short, whole string) {
	short, whole = s.Texts(f)
	return cut(short, maxProfile), cut(whole, maxProfile)
}

// maxRead is how long a match waits for vectors. It is several times what Elasticsearch takes.
const maxRead = 500 * time.Millisecond

// read returns the revisions of records, and the vectors of their profiles. On Elasticsearch, these are two requests,
// which a client waits for.
func (s *Service) read(
	ctx context.Context, reviser engine.Revisions, ids []string,
) (revisions []uint64, entries []engine.Encoded, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxRead)
	defer cancel()

	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		if revisions, err = reviser.Revisions(ctx, ids); err != nil {
			return fmt.Errorf("read the revisions of the records: %w", err)
		}
		return nil
	})
	reading.Go(func() (err error) {
		entries, err = s.Store.Get(ctx, ids)
		return err
	})

	return revisions, entries, reading.Wait()
}

// maxWanted limits the profiles that are encoded before others.
const maxWanted = 2000

// Want asks for profiles to be encoded next, because a match needs them or their records have changed.
func (s *Service) Want(ids []string) {
	if len(ids) == 0 {
		return
	}

	s.mu.Lock()
	for _, id := range ids {
		if len(s.wanted) < maxWanted && !s.isWanted[id] {
			s.isWanted[id] = true
			s.wanted = append(s.wanted, id)
		}
	}
	s.mu.Unlock()

	select {
	case s.wake <- struct{}{}:
	default: // Run is going to wake up
	}
}

// takeWanted returns up to n of the wanted IDs and forgets them.
func (s *Service) takeWanted(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.wanted[:min(n, len(s.wanted))]
	s.wanted = s.wanted[len(ids):]
	for _, id := range ids {
		delete(s.isWanted, id)
	}
	return ids
}

// Progress returns how far the encoding of the live index is.
func (s *Service) Progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.progress
}

// cut returns the beginning of a text, at most n bytes.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
