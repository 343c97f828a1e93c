package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
)

const selectUsers = "SELECT u.id, u.account, u.email, u.role, u.password, u.created, u.last_sign_in, u.sessions FROM users u"

// userFields is the fields of a user in the order of their columns.
func userFields(u *account.User) []any {
	return []any{
		&u.ID, &u.Account, &u.Email, (*string)(&u.Role), &u.Password, moment{&u.Created}, moment{&u.LastSignIn}, &u.Sessions,
	}
}

func scanUser(r row) (u account.User, err error) { return u, r.Scan(userFields(&u)...) }

// Register adds a user, with an account of its own or in one that is there. Nothing is added where it fails:
// account.ErrNotFirst, account.ErrNotFound, account.ErrLinkSpent, account.ErrEmailTaken, in this order.
func (db *DB) Register(ctx context.Context, r account.Registration, at time.Time) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		if r.First {
			if err := db.noUsers(ctx, tx); err != nil {
				return err
			}
		}
		if r.Account == nil {
			if _, err := db.lockAccount(ctx, tx, r.User.Account); err != nil {
				return err
			}
		} else if err := insertAccount(ctx, tx, *r.Account); err != nil {
			return err
		}
		if r.Link != nil {
			if err := spend(ctx, tx, *r.Link, at); err != nil {
				return err
			}
		}
		if err := insertUser(ctx, tx, r.User); err != nil {
			return err
		}
		return record(ctx, tx, r.Events)
	})
	if err != nil {
		return fmt.Errorf("register a user: %w", err)
	}
	return nil
}

// noUsers makes sure that there is no user, and that none is added by others until the transaction ends.
func (db *DB) noUsers(ctx context.Context, tx *sql.Tx) error {
	if err := lock(ctx, tx, db.dialect.LockUsers); err != nil {
		return err
	}
	any, err := hasUsers(ctx, tx)
	if err != nil {
		return err
	}
	if any {
		return account.ErrNotFirst
	}
	return nil
}

func insertUser(ctx context.Context, tx *sql.Tx, u account.User) error {
	u.Email = fold(u.Email)
	result, err := tx.ExecContext(ctx, `
		INSERT INTO users (id, account, email, role, password, created, last_sign_in, sessions)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (email) DO NOTHING`, userFields(&u)...)
	return one(result, err, account.ErrEmailTaken)
}

// HasUsers reports whether there is any user.
func (db *DB) HasUsers(ctx context.Context) (bool, error) { return hasUsers(ctx, db.pools.Read) }

func hasUsers(ctx context.Context, q querier) (any bool, err error) {
	if err := q.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM users)").Scan(&any); err != nil {
		return false, fmt.Errorf("look for users: %w", answered(err))
	}
	return any, nil
}

// User is the user with an id. account.ErrNotFound.
func (db *DB) User(ctx context.Context, id string) (account.User, error) {
	return found(db.pools.Read.QueryRowContext(ctx, selectUsers+" WHERE u.id = $1", id), scanUser, "user "+id)
}

// UserByEmail is the user with an address. account.ErrNotFound.
func (db *DB) UserByEmail(ctx context.Context, email string) (account.User, error) {
	return found(db.pools.Read.QueryRowContext(ctx, selectUsers+" WHERE u.email = $1", fold(email)), scanUser, "user with this address")
}

// Users is the users of an account, oldest first.
func (db *DB) Users(ctx context.Context, owner string) ([]account.User, error) {
	return usersOf(ctx, db.pools.Read, owner)
}

func usersOf(ctx context.Context, q querier, owner string) ([]account.User, error) {
	users, err := list(ctx, q, scanUser, selectUsers+" WHERE u.account = $1 ORDER BY u.created, u.id", owner)
	if err != nil {
		return nil, fmt.Errorf("read the users of account %q: %w", owner, err)
	}
	return users, nil
}

// UpdateUsers changes and removes users of one account. account.ErrNotFound for an account, or a user to change or to
// remove, that is not there; account.ErrLinkSpent.
func (db *DB) UpdateUsers(
	ctx context.Context, owner string, link *account.Token, at time.Time,
	change func([]account.User, []apikey.Key) (account.UserChanges, error),
) error {
	err := write(ctx, db.pools.Write, func(tx *sql.Tx) error {
		if _, err := db.lockAccount(ctx, tx, owner); err != nil {
			return err
		}
		if link != nil {
			if err := spend(ctx, tx, *link, at); err != nil {
				return err
			}
		}
		users, err := usersOf(ctx, tx, owner)
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
		return saveUsers(ctx, tx, owner, changes)
	})
	if err != nil {
		return fmt.Errorf("update the users of account %q: %w", owner, err)
	}
	return nil
}

// saveUsers writes changed users of an account, removes others, ends links and makes others, and writes the events.
func saveUsers(ctx context.Context, tx *sql.Tx, owner string, changes account.UserChanges) error {
	for _, u := range changes.Changed {
		result, err := tx.ExecContext(ctx, `
			UPDATE users SET email = $1, role = $2, password = $3, last_sign_in = $4, sessions = $5
			WHERE id = $6 AND account = $7`,
			fold(u.Email), string(u.Role), u.Password, moment{&u.LastSignIn}, u.Sessions, u.ID, owner)
		if err := one(result, err, account.ErrNotFound); err != nil {
			return fmt.Errorf("change user %q: %w", u.ID, err)
		}
	}
	for _, id := range changes.Removed {
		result, err := tx.ExecContext(ctx, "DELETE FROM users WHERE id = $1 AND account = $2", id, owner)
		if err := one(result, err, account.ErrNotFound); err != nil {
			return fmt.Errorf("remove user %q: %w", id, err)
		}
	}
	for _, id := range slices.Concat(changes.Removed, changes.DeleteResets) {
		_, err := tx.ExecContext(ctx, "DELETE FROM links WHERE purpose = $1 AND user_id = $2", string(account.Reset), id)
		if err != nil {
			return fmt.Errorf("remove the links of user %q: %w", id, err)
		}
	}
	for _, id := range slices.Concat(changes.Removed, changes.DeleteCreated) {
		if _, err := tx.ExecContext(ctx, "DELETE FROM links WHERE made_by = $1", id); err != nil {
			return fmt.Errorf("remove the links that user %q made: %w", id, err)
		}
	}
	for _, l := range changes.NewLinks {
		if err := insertLink(ctx, tx, l); err != nil {
			return err
		}
	}
	return record(ctx, tx, changes.Events)
}
