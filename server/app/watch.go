package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/metrics"
	"github.com/freelancer-matching/service/setup"
)

// redisName is the label of Redis in the metrics of databases. The others are named as sqldb.DB.Type names them.
const redisName = "redis"

// watch connects the metrics with the components that they describe.
func (s *Server) watch() {
	database := s.DB.Type()
	s.DB.ObserveFaults(func(code matching.Code) { s.Metrics.DatabaseFailed(database, string(code)) })
	s.SignIns.Observe(func(code matching.Code) { s.Metrics.SignedIn(string(code)) })
	s.Metrics.DatabaseUsed(database, databaseFaults()...)
	if s.config.Quota.RedisURL != "" {
		s.Metrics.DatabaseUsed(redisName, string(quota.CodeUnavailable))
	}
	letters := deadLetterCounter{data: s.config.Data, local: s.Index.EngineName() == "embedded"}
	s.Metrics.Watch(func(ctx context.Context) metrics.State { return s.state(ctx, &letters) })
}

// databaseFaults returns the codes of matching.Code.IsDatabaseFault.
func databaseFaults() []string {
	return []string{
		string(matching.CodeDatabaseUnavailable), string(matching.CodeDatabaseLocked), string(matching.CodeDatabaseCorrupt),
		string(matching.CodeStorageFull), string(matching.CodeStorageReadOnly), string(matching.CodeStorageFailed),
	}
}

// state returns the service's state for the metrics.
func (s *Server) state(ctx context.Context, letters *deadLetterCounter) metrics.State {
	c := s.Check(ctx)
	state := metrics.State{
		Components: map[string]bool{
			"data_source": c.DataSource.Status == wire.StatusHealthy,
			"database":    c.Database.Status == wire.StatusConnected,
		},
		Index: metrics.Index{Freelancers: c.DataSource.FreelancerCount, Created: c.DataSource.IndexedAt},
	}
	if c.ExchangeRates != nil {
		state.Components["exchange_rates"] = c.ExchangeRates.Status == wire.StatusCurrent
	}
	if c.Encoder != nil {
		state.Index.Encoded = c.Encoder.Encoded
		state.Index.HasEncoder = true
	}
	if last, err := lastload.Read(s.config.Data); err == nil {
		state.LastLoad = &last
	}
	if c.DataSource.Index != "" {
		state.Index.DeadLetters, state.Index.HasDeadLetters = letters.count(c.DataSource.Index)
	}
	return state
}

// A deadLetterCounter counts the dead letters of an index. It reads a file again only when it has changed.
type deadLetterCounter struct {
	data  string // the data folder
	local bool   // whether the indexer writes to this data folder, so that an index without a file has no dead letters

	mu    sync.Mutex
	path  string
	size  int64
	at    time.Time
	lines int
}

// count returns the number of dead letters of an index, and whether it is known.
func (d *deadLetterCounter) count(index string) (n int, known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()

	path := setup.DeadLetterFile(d.data, index)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, d.local
	}
	if err != nil {
		return 0, false
	}

	isCounted := path == d.path && info.Size() == d.size && info.ModTime().Equal(d.at)
	if isCounted {
		return d.lines, true
	}

	lines, err := countLines(path)
	if err != nil {
		return 0, false
	}
	d.path, d.size, d.at, d.lines = path, info.Size(), info.ModTime(), lines

	return lines, true
}

func countLines(path string) (n int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	part := make([]byte, 64<<10)
	for {
		read, err := file.Read(part)
		n += bytes.Count(part[:read], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// watchedRedis counts the failures of a quota store on Redis. The store that uses the database has its own count.
type watchedRedis struct {
	quota.Store
	metrics *metrics.Metrics
}

// Take implements quota.Store.
func (w watchedRedis) Take(ctx context.Context, subject string, q quota.Windows) (quota.Windows, bool, error) {
	after, taken, err := w.Store.Take(ctx, subject, q)
	w.note(ctx, err)
	return after, taken, err
}

// Peek implements quota.Store.
func (w watchedRedis) Peek(ctx context.Context, subject string, q quota.Windows) (quota.Windows, error) {
	now, err := w.Store.Peek(ctx, subject, q)
	w.note(ctx, err)
	return now, err
}

// note counts an error, unless it says only that the client left.
func (w watchedRedis) note(ctx context.Context, err error) {
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		w.metrics.DatabaseFailed(redisName, string(quota.CodeUnavailable))
	}
}
