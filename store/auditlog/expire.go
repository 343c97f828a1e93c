package auditlog

import (
	"context"
	"database/sql"
	"time"

	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// expireFreelancers deletes entries about changes of freelancers before a time, of which there can be millions. It
// deletes them from the beginning of their chain, which keeps the hash of the last of them as a checkpoint.
func (s Log) expireFreelancers(ctx context.Context, before time.Time) error {
	err := s.db.Exec(ctx, "delete old entries about freelancers",
		"DELETE FROM audit_events WHERE at < $1 AND sequence IS NULL AND "+isAboutFreelancer, column.Time(&before))
	if err != nil {
		return err
	}

	for {
		n, err := s.expireSome(ctx, before)
		if err != nil {
			return err
		}
		if n < readBatch {
			break
		}
	}

	// A clock that was wrong once must not keep older entries that come later in the chain.
	now := time.Now()
	return s.db.Exec(ctx, "erase old entries about freelancers", `
		UPDATE audit_events SET actor = '', subject = '', detail = '', address = '', pseudonymous = 1, salt = NULL,
			erased = $2
		WHERE pseudonymous = 0 AND at < $1 AND chain = '`+string(chain.Freelancers)+"'", column.Time(&before),
		column.Time(&now))
}

// A placed is a record's place in its chain, and its time.
type placed struct {
	chain.Position
	at time.Time
}

// expireSome deletes up to readBatch records before a time from the beginning of the chain and returns their number.
func (s Log) expireSome(ctx context.Context, before time.Time) (n int, err error) {
	err = s.db.Transact(ctx, "delete old entries about freelancers", func(tx *sql.Tx) error {
		records, err := sqldb.SelectAll(ctx, tx,
			func(p *placed) []any { return append(positionColumns(&p.Position), column.Time(&p.at)) },
			"SELECT chain, sequence, hash, at FROM audit_events WHERE chain = $1 ORDER BY sequence LIMIT $2",
			string(chain.Freelancers), readBatch)
		if err != nil {
			return err
		}

		for n < len(records) && records[n].at.Before(before) {
			n++
		}
		if n == 0 {
			return nil
		}
		last := records[n-1]

		// The rows come before the lock on the chain, so that nobody who appends waits for the deletion.
		_, err = tx.ExecContext(ctx, "DELETE FROM audit_events WHERE chain = $1 AND sequence <= $2",
			string(last.Chain), last.Sequence)
		if err != nil {
			return err
		}

		// Another server may have deleted more meanwhile.
		_, err = tx.ExecContext(ctx,
			"UPDATE audit_chains SET expired = $2, expired_hash = $3 WHERE chain = $1 AND expired < $2",
			positionColumns(&last.Position)...)
		return err
	})
	return n, err
}
