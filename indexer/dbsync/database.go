package dbsync

import (
	"context"
	"iter"
	"time"

	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/indexer/query/mysql"
)

// A Session reads the result of a query several times, and always finds the same rows. IDs come in the order of their
// bytes.
type Session interface {
	// Digests yields the digests of all IDs, or one final error.
	Digests(ctx context.Context) iter.Seq2[query.KeyedDigest, error]
	// All yields all rows with an ID, or one final error.
	All(ctx context.Context) iter.Seq2[query.Row, error]
	// With yields the rows that have one of these IDs, or one final error.
	With(ctx context.Context, ids []string) iter.Seq2[query.Row, error]
	// ChangedSince returns the distinct IDs of the rows whose value in a column of times is at or after a time.
	ChangedSince(ctx context.Context, column string, since time.Time) ([]string, error)
	// Began returns the time before which every transaction is visible; zero if it is unknown.
	Began() time.Time
	// Notes returns what the operator should know about the session.
	Notes() []string
	Close(ctx context.Context) error
}

// A Database has the rows that the index follows. It may have a password, which String leaves out.
type Database interface {
	// Begin starts a session. isWatched sets Began.
	Begin(ctx context.Context, s query.Statement, id string, isWatched bool) (Session, error)
	// Format is how reports name rows of the database.
	Format() string
	String() string
}

// A Follower is a Database that sends changes.
type Follower interface {
	Database
	// BeginAfter starts a session that has everything that a batch is about.
	BeginAfter(ctx context.Context, s query.Statement, id string, batch *query.Batch) (Session, error)
}

// NewPostgreSQL returns a PostgreSQL database.
func NewPostgreSQL(d *query.Database) Follower { return postgreSQL{d} }

type postgreSQL struct{ *query.Database }

// Format implements Database.
func (p postgreSQL) Format() string { return "postgresql" }

// Begin implements Database.
func (p postgreSQL) Begin(ctx context.Context, s query.Statement, id string, isWatched bool) (Session, error) {
	begin := p.Database.Begin
	if isWatched {
		begin = p.BeginWatched
	}
	return open(begin(ctx, s, id))
}

// BeginAfter implements Follower.
func (p postgreSQL) BeginAfter(
	ctx context.Context, s query.Statement, id string, batch *query.Batch,
) (Session, error) {
	return open(p.Database.BeginAfter(ctx, s, id, batch))
}

// NewMySQL returns a MySQL or MariaDB database.
func NewMySQL(d *mysql.Database) Database { return mySQL{d} }

type mySQL struct{ *mysql.Database }

// Format implements Database.
func (m mySQL) Format() string { return "mysql" }

// Begin implements Database.
func (m mySQL) Begin(ctx context.Context, s query.Statement, id string, isWatched bool) (Session, error) {
	return open(m.Database.Begin(ctx, s, id, isWatched))
}

// open returns a session, or a nil interface with an error.
func open[S Session](session S, err error) (Session, error) {
	if err != nil {
		return nil, err
	}
	return session, nil
}
