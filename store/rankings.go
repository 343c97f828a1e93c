package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/rankings"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Rankings stores the ranking profiles of accounts.
type Rankings struct {
	db       *sqldb.DB
	auditLog auditlog.Log
}

var _ rankings.Store = Rankings{}

const rankingNames = "version, name, profile, weights, note, made_by, created"

func rankingColumns(v *rankings.Version) []any {
	return []any{
		&v.Version, &v.Name, &v.Profile, column.JSON(&v.Weights), &v.Note, &v.MadeBy, column.Time(&v.Created),
	}
}

// List implements rankings.Store.
func (s Rankings) List(
	ctx context.Context, account string,
) (list []rankings.Version, published *matching.Ranking, err error) {
	err = s.db.ReadSnapshot(ctx, "list rankings", func(tx *sql.Tx) error {
		list, published, err = selectRankings(ctx, tx, account)
		return err
	})
	return list, published, err
}

// selectRankings returns the versions of an account, the newest first, and the published one.
func selectRankings(
	ctx context.Context, tx *sql.Tx, account string,
) (list []rankings.Version, published *matching.Ranking, err error) {
	published, err = selectPublished(ctx, tx, account)
	if err != nil {
		return nil, nil, err
	}

	list, err = sqldb.SelectAll(ctx, tx, rankingColumns,
		"SELECT "+rankingNames+" FROM rankings WHERE account = $1 ORDER BY version DESC", account)
	return list, published, err
}

// Published implements rankings.Store.
func (s Rankings) Published(ctx context.Context, account string) (*matching.Ranking, error) {
	published, err := selectPublished(ctx, s.db.Pools.Read, account)
	if err != nil {
		return nil, fmt.Errorf("find published ranking: %w", s.db.Note(err))
	}
	return published, nil
}

func selectPublished(ctx context.Context, d sqldb.Database, account string) (*matching.Ranking, error) {
	row := d.QueryRowContext(ctx, "SELECT ranking FROM accounts WHERE id = $1", account)
	return sqldb.ScanOne(row, func(r **matching.Ranking) []any { return []any{column.JSON(r)} }, rankings.ErrNotFound)
}

// Update implements rankings.Store.
func (s Rankings) Update(
	ctx context.Context, id string,
	change func(list []rankings.Version, published *matching.Ranking) (rankings.Change, error),
) error {
	return s.db.Transact(ctx, "update rankings", func(tx *sql.Tx) error {
		if _, err := lockAccount(ctx, s.db, tx, id); err != nil {
			if errors.Is(err, account.ErrNotFound) {
				return rankings.ErrNotFound
			}
			return err
		}

		list, published, err := selectRankings(ctx, tx, id)
		if err != nil {
			return err
		}
		c, err := change(list, published)
		if err != nil {
			return err
		}

		if c.Add != nil {
			_, err := tx.ExecContext(ctx, "INSERT INTO rankings ("+rankingNames+`, account)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, append(rankingColumns(c.Add), id)...)
			if err != nil {
				return err
			}
		}
		for _, version := range c.Drop {
			_, err := tx.ExecContext(ctx, "DELETE FROM rankings WHERE account = $1 AND version = $2", id, version)
			if err != nil {
				return err
			}
		}

		var copied any // NULL
		if c.Published != nil {
			copied = column.JSON(c.Published)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE accounts SET ranking = $1 WHERE id = $2", copied, id); err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{c.Event})
	})
}
