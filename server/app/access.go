package app

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/redis"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/metrics"
	"github.com/freelancer-matching/service/setup"
	"github.com/freelancer-matching/service/store"
)

// Access holds the services that control who may use the API and the dashboard. The server and its commands share it.
type Access struct {
	*account.Services
	Keys   *apikey.Service
	DB     *store.DB
	Erased *people.List
}

// OpenAccess opens the database that the configuration names: PostgreSQL, or SQLite in the data folder. It creates
// missing tables, files and folders.
func OpenAccess(ctx context.Context, c config.Config, log *slog.Logger) (*Access, error) {
	return openAccess(ctx, c, log, time.Now)
}

func openAccess(ctx context.Context, c config.Config, log *slog.Logger, now func() time.Time) (*Access, error) {
	db, err := setup.CreateDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	db.Sessions.Now = now

	return &Access{
		DB:     db,
		Erased: setup.OpenErased(c, db),
		Keys:   apikey.NewService(db.Keys, now),
		Services: account.New(account.Config{
			Stores: db.AccountStores(), Now: now, SignUp: account.SignUpPolicy(c.SignUp),
			Limits: account.DefaultLimits(), Log: log,
		}),
	}, nil
}

// resealSecrets encrypts the secrets in the database with the first of the configured keys. Without their key, users
// with a second factor can't sign in, and webhooks aren't sent, but everything else works.
func (s *Server) resealSecrets(ctx context.Context) error {
	r, err := s.DB.Reseal(ctx)
	if matching.CodeOf(err).IsDatabaseFault() { // a full disk, which prevents no start; the next one tries again
		s.log.ErrorContext(ctx, "secrets in the database not encrypted", "error", err)
		return nil
	}
	if err != nil {
		return err
	}

	if r.Changed > 0 {
		s.log.InfoContext(ctx, "secrets in the database encrypted", "secrets", r.Changed)
	}
	if r.Unreadable > 0 {
		s.log.ErrorContext(ctx, "secrets in the database can't be decrypted", "secrets", r.Unreadable,
			"next", "add their key to the file of -secrets-key-file, or run server users reset-totp")
	}

	return nil
}

// DraftKey returns the secret from which the IDs of drafts are made. All servers with the same database have the same.
func (a *Access) DraftKey(ctx context.Context) (resume.DraftKey, error) {
	key, err := a.DB.AuditLog.Pseudonym(ctx, "the key of the IDs of drafts")
	return resume.DraftKey(key), err
}

// browserTokens returns the sealer of the tokens that web pages match with. All servers with the same database and the
// same key for secrets accept each other's.
func (a *Access) browserTokens(ctx context.Context) (*browsertoken.Sealer, error) {
	secret, err := a.DB.AuditLog.Secret(ctx, "browser tokens")
	if err != nil {
		return nil, err
	}
	return browsertoken.NewSealer(secret)
}

// Close closes the database.
func (a *Access) Close() error { return a.DB.Close() }

// A counter counts the requests of limited plans.
type counter struct {
	quota.Store
	io.Closer
}

// openCounter opens the counter in the configured Redis, which need not respond yet, or else in the database.
func openCounter(c config.Config, db *store.DB, m *metrics.Metrics) (*counter, error) {
	if c.Quota.RedisURL == "" {
		return &counter{Store: db.Quotas, Closer: io.NopCloser(nil)}, nil
	}
	r, err := redis.Open(redis.Options{URL: c.Quota.RedisURL, Password: c.Quota.RedisPassword.Get})
	if err != nil {
		return nil, err
	}
	return &counter{Store: watchedRedis{r, m}, Closer: r}, nil
}
