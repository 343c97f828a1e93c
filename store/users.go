package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Users stores the users of accounts.
type Users struct {
	db      *sqldb.DB
	notices Notices
}

var _ account.UserStore = Users{}

const selectUsers = `
	SELECT u.id, u.account, u.email, u.role, u.password, u.created, u.last_sign_in, u.sessions,
		u.totp_secret, u.totp_since, u.totp_step, u.recovery FROM users u`

func (s Users) columns(u *account.User) []any {
	return []any{
		&u.ID, &u.Account, &u.Email, (*string)(&u.Role), &u.Password,
		column.Time(&u.Created),
		column.Time(&u.LastSignIn),
		&u.Sessions,
		s.db.Secrets.Column(&u.TwoFactor.Secret, func() string { return totpPurpose(u.ID) }),
		column.Time(&u.TwoFactor.Since),
		&u.TwoFactor.LastStep,
		column.Words(&u.TwoFactor.Recovery),
	}
}

// totpPurpose returns for what the secret of a user's second factor is encrypted.
func totpPurpose(user string) string { return "totp " + user }

// Register implements account.UserStore.
func (s Users) Register(ctx context.Context, r account.Registration, at time.Time) error {
	return s.db.Transact(ctx, "register user", func(tx *sql.Tx) error {
		if r.First {
			if err := s.checkNone(ctx, tx); err != nil {
				return err
			}
		}

		// The lock keeps an existing account from being deleted meanwhile.
		if r.Account == nil {
			if _, err := lockAccount(ctx, s.db, tx, r.User.Account); err != nil {
				return err
			}
		} else if err := insertAccount(ctx, tx, *r.Account); err != nil {
			return err
		}

		if r.Link != nil {
			if err := spendLink(ctx, tx, *r.Link, at); err != nil {
				return err
			}
		}

		if err := s.insert(ctx, tx, r.User); err != nil {
			return err
		}

		return auditlog.New(s.db).Insert(ctx, tx, r.Events)
	})
}

// checkNone returns account.ErrNotFirst if there are users. Otherwise, it prevents other transactions from adding
// any.
func (s Users) checkNone(ctx context.Context, tx *sql.Tx) error {
	if err := sqldb.Lock(ctx, tx, s.db.Dialect.LockUsers); err != nil {
		return err
	}
	exist, err := usersExist(ctx, tx)
	if err != nil {
		return err
	}
	if exist {
		return account.ErrNotFirst
	}
	return nil
}

func (s Users) insert(ctx context.Context, tx *sql.Tx, u account.User) error {
	u.Email = strings.ToLower(u.Email)
	return sqldb.ChangeOne(ctx, tx, account.ErrEmailTaken, `
		INSERT INTO users (id, account, email, role, password, created, last_sign_in, sessions,
			totp_secret, totp_since, totp_step, recovery)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (email) DO NOTHING`, s.columns(&u)...)
}

// Exist implements account.UserStore.
func (s Users) Exist(ctx context.Context) (bool, error) { return usersExist(ctx, s.db.Pools.Read) }

func usersExist(ctx context.Context, d sqldb.Database) (exist bool, err error) {
	if err := d.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM users)").Scan(&exist); err != nil {
		return false, fmt.Errorf("look for users: %w", fault.Mark(err))
	}
	return exist, nil
}

// Find implements account.UserStore.
func (s Users) Find(ctx context.Context, id string) (account.User, error) {
	return s.findWhere(ctx, "u.id = $1", id)
}

// FindByEmail implements account.UserStore.
func (s Users) FindByEmail(ctx context.Context, email string) (account.User, error) {
	return s.findWhere(ctx, "u.email = $1", strings.ToLower(email))
}

func (s Users) findWhere(ctx context.Context, condition, arg string) (account.User, error) {
	row := s.db.Pools.Read.QueryRowContext(ctx, selectUsers+" WHERE "+condition, arg)
	u, err := sqldb.ScanOne(row, s.columns, account.ErrNotFound)
	if err != nil {
		return account.User{}, fmt.Errorf("read user: %w", s.db.Note(err))
	}
	return u, nil
}

// List implements account.UserStore.
func (s Users) List(ctx context.Context, owner string) ([]account.User, error) {
	return s.listIn(ctx, s.db.Pools.Read, owner)
}

func (s Users) listIn(ctx context.Context, d sqldb.Database, owner string) ([]account.User, error) {
	const query = selectUsers + " WHERE u.account = $1 ORDER BY u.created, u.id"
	users, err := sqldb.SelectAll(ctx, d, s.columns, query, owner)
	if err != nil {
		return nil, fmt.Errorf("read users of account %q: %w", owner, err)
	}
	return users, nil
}

// Update implements account.UserStore.
func (s Users) Update(
	ctx context.Context, owner string, spend *account.Token, at time.Time,
	change func([]account.User, []apikey.Key) (account.UserChanges, error),
) error {
	return s.db.Transact(ctx, fmt.Sprintf("update users of account %q", owner), func(tx *sql.Tx) error {
		if _, err := lockAccount(ctx, s.db, tx, owner); err != nil {
			return err
		}

		if spend != nil {
			if err := spendLink(ctx, tx, *spend, at); err != nil {
				return err
			}
		}

		// The lock on the account makes the users and keys read here the ones that the change is decided on.
		users, err := s.listIn(ctx, tx, owner)
		if err != nil {
			return err
		}

		keys, err := keysOf(ctx, tx, owner)
		if err != nil {
			return err
		}

		changes, err := change(users, keys)
		if err != nil {
			return err
		}

		return s.save(ctx, tx, owner, changes)
	})
}

func (s Users) save(ctx context.Context, tx *sql.Tx, owner string, changes account.UserChanges) error {
	// The old address of a user, which is still stored here, gets the notice that there is a new one.
	if err := s.notices.insert(ctx, tx, emailChanges(changes.Events)); err != nil {
		return err
	}

	for _, u := range changes.Changed {
		err := sqldb.ChangeOne(ctx, tx, account.ErrNotFound, `
			UPDATE users SET email = $1, role = $2, password = $3, last_sign_in = $4, sessions = $5,
				totp_secret = $6, totp_since = $7, totp_step = $8, recovery = $9
			WHERE id = $10 AND account = $11`,
			strings.ToLower(u.Email), string(u.Role), u.Password, column.Time(&u.LastSignIn), u.Sessions,
			s.db.Secrets.Seal(u.TwoFactor.Secret, totpPurpose(u.ID)), column.Time(&u.TwoFactor.Since), u.TwoFactor.LastStep,
			column.Words(&u.TwoFactor.Recovery),
			u.ID, owner)
		if err != nil {
			return fmt.Errorf("change user %q: %w", u.ID, err)
		}
	}

	for _, id := range changes.Removed {
		err := sqldb.ChangeOne(ctx, tx, account.ErrNotFound, "DELETE FROM users WHERE id = $1 AND account = $2", id, owner)
		if err != nil {
			return fmt.Errorf("remove user %q: %w", id, err)
		}
		if err := s.notices.deleteOf(ctx, tx, id); err != nil {
			return err
		}
	}

	for _, id := range slices.Concat(changes.Removed, changes.DeleteResets) {
		_, err := tx.ExecContext(ctx, "DELETE FROM links WHERE purpose = $1 AND user_id = $2", string(account.Reset), id)
		if err != nil {
			return fmt.Errorf("delete reset links of user %q: %w", id, err)
		}
	}

	for _, id := range changes.ForgetBrowsers {
		if _, err := tx.ExecContext(ctx, "DELETE FROM browsers WHERE user_id = $1", id); err != nil {
			return fmt.Errorf("forget browsers of user %q: %w", id, err)
		}
	}

	for _, id := range slices.Concat(changes.Removed, changes.DeleteCreated) {
		if _, err := tx.ExecContext(ctx, "DELETE FROM links WHERE made_by = $1", id); err != nil {
			return fmt.Errorf("delete links created by user %q: %w", id, err)
		}
	}

	for _, l := range changes.NewLinks {
		if err := insertLink(ctx, tx, l); err != nil {
			return fmt.Errorf("insert link %s: %w", l.ID, err)
		}
	}

	if err := s.notices.insert(ctx, tx, changes.Events); err != nil {
		return err
	}

	return auditlog.New(s.db).Insert(ctx, tx, changes.Events)
}

// emailChanges returns the events that are changes of email addresses.
func emailChanges(events []audit.Event) []audit.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e audit.Event) bool { return e.Action != audit.EmailChanged })
}
