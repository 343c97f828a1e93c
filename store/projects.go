package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Projects stores the projects of accounts.
type Projects struct {
	db       *sqldb.DB
	auditLog auditlog.Log
}

var _ projects.Store = Projects{}

const (
	projectNames = "id, account, owner, name, brief, note, created, changed"
	personNames  = "freelancer, state, note, released, position, data, added, changed"
	linkNames    = "id, project, made_by, created, expires"
)

func projectColumns(p *projects.Project) []any {
	return []any{
		&p.ID, &p.Account, &p.Owner, &p.Name, column.JSON(&p.Brief), &p.Note, column.Time(&p.Created),
		column.Time(&p.Changed),
	}
}

func personColumns(p *projects.Person) []any {
	return []any{
		&p.Freelancer, (*string)(&p.State), &p.Note, column.Flag(&p.Released), &p.Match.Rank, column.JSON(&p.Match),
		column.Time(&p.Added), column.Time(&p.Changed),
	}
}

func projectLinkColumns(l *projects.Link) []any {
	return []any{&l.ID, &l.Project, &l.MadeBy, column.Time(&l.Created), column.Time(&l.Expires)}
}

// Insert implements projects.Store. The lock on the account keeps two requests from exceeding the limit together.
func (s Projects) Insert(ctx context.Context, p *projects.Project, people []projects.Person, e audit.Event) error {
	return s.db.Transact(ctx, "create project", func(tx *sql.Tx) error {
		if _, err := lockAccount(ctx, s.db, tx, p.Account); err != nil {
			if errors.Is(err, account.ErrNotFound) {
				return projects.ErrNotFound
			}
			return err
		}

		err := sqldb.ChangeOne(ctx, tx, projects.ErrFull, "INSERT INTO projects ("+projectNames+`, result)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
			WHERE (SELECT count(*) FROM projects WHERE account = $2) < $10`,
			append(projectColumns(p), p.Brief.Result, projects.MaxProjects)...)
		if err != nil {
			return err
		}

		if err := insertPeople(ctx, tx, p.ID, people); err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// insertPeople inserts the people whom a project doesn't have.
func insertPeople(ctx context.Context, tx *sql.Tx, id string, people []projects.Person) error {
	for i := range people {
		_, err := tx.ExecContext(ctx, "INSERT INTO project_people ("+personNames+`, project)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`, append(personColumns(&people[i]), id)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// List implements projects.Store.
func (s Projects) List(ctx context.Context, account string) ([]projects.Summary, error) {
	list, err := sqldb.SelectAll(ctx, s.db.Pools.Read, func(p *projects.Summary) []any {
		return []any{&p.ID, &p.Owner, &p.Name, column.Time(&p.Changed)}
	}, "SELECT id, owner, name, changed FROM projects WHERE account = $1 ORDER BY changed DESC, id", account)
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", s.db.Note(err))
	}

	type count struct {
		project string
		state   projects.State
		people  int
	}
	counts, err := sqldb.SelectAll(ctx, s.db.Pools.Read, func(c *count) []any {
		return []any{&c.project, (*string)(&c.state), &c.people}
	}, `SELECT p.project, p.state, count(*) FROM project_people p JOIN projects ON projects.id = p.project
		WHERE projects.account = $1 GROUP BY p.project, p.state`, account)
	if err != nil {
		return nil, fmt.Errorf("count people of projects: %w", s.db.Note(err))
	}

	byID := map[string]map[projects.State]int{}
	for i := range list {
		list[i].People = map[projects.State]int{}
		byID[list[i].ID] = list[i].People
	}
	for _, c := range counts {
		if people, listed := byID[c.project]; listed {
			people[c.state] = c.people
		}
	}
	return list, nil
}

// Find implements projects.Store.
func (s Projects) Find(
	ctx context.Context, account, id string,
) (p projects.Project, people []projects.Person, err error) {
	err = s.db.ReadSnapshot(ctx, "find project", func(tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, "SELECT "+projectNames+" FROM projects WHERE id = $1 AND account = $2", id, account)
		if p, err = sqldb.ScanOne(row, projectColumns, projects.ErrNotFound); err != nil {
			return err
		}
		people, err = selectPeople(ctx, tx, id)
		return err
	})
	return p, people, err
}

// selectPeople returns the people of a project, in the order of their ranks.
func selectPeople(ctx context.Context, tx *sql.Tx, id string) ([]projects.Person, error) {
	return sqldb.SelectAll(ctx, tx, personColumns,
		"SELECT "+personNames+" FROM project_people WHERE project = $1 ORDER BY position, freelancer", id)
}

// OfResult implements projects.Store.
func (s Projects) OfResult(ctx context.Context, account, result string) (id string, err error) {
	row := s.db.Pools.Read.QueryRowContext(ctx, `
		SELECT id FROM projects WHERE account = $1 AND result = $2 ORDER BY created DESC, id LIMIT 1`, account, result)
	id, err = sqldb.ScanOne(row, func(id *string) []any { return []any{id} }, projects.ErrNotFound)
	if err != nil {
		return "", fmt.Errorf("find the project of a result: %w", s.db.Note(err))
	}
	return id, nil
}

// Update implements projects.Store.
func (s Projects) Update(ctx context.Context, p *projects.Project, before string) error {
	return s.db.Transact(ctx, "change project", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, p.Account, p.ID, p.Changed); err != nil {
			return err
		}
		return sqldb.ChangeOne(ctx, tx, projects.ErrChanged,
			"UPDATE projects SET name = $1, note = $2 WHERE id = $3 AND note = $4", p.Name, p.Note, p.ID, before)
	})
}

// SetOwner implements projects.Store.
func (s Projects) SetOwner(ctx context.Context, account, id, owner string, at time.Time) error {
	return s.db.Transact(ctx, "change owner of project", func(tx *sql.Tx) error {
		return sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
			"UPDATE projects SET owner = $1, changed = $2 WHERE id = $3 AND account = $4",
			owner, column.Time(&at), id, account)
	})
}

// touch sets when an account's project has changed, and locks it until the transaction ends.
func touch(ctx context.Context, tx *sql.Tx, account, id string, at time.Time) error {
	return sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
		"UPDATE projects SET changed = $1 WHERE id = $2 AND account = $3", column.Time(&at), id, account)
}

// Delete implements projects.Store.
func (s Projects) Delete(ctx context.Context, account, id string, e audit.Event) error {
	return s.db.Transact(ctx, "delete project", func(tx *sql.Tx) error {
		if err := s.endWatch(ctx, tx, account, id, e); err != nil {
			return err
		}
		err := sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
			"DELETE FROM projects WHERE id = $1 AND account = $2", id, account)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// endWatch deletes the saved briefs that watch a project: those that were saved from it, or from its result.
func (s Projects) endWatch(ctx context.Context, tx *sql.Tx, account, id string, e audit.Event) error {
	deleted, err := sqldb.SelectAll(ctx, tx, func(id *string) []any { return []any{id} }, `
		DELETE FROM briefs WHERE account = $1 AND origin <> '' AND
			(origin = $2 OR origin = (SELECT result FROM projects WHERE id = $2 AND account = $1))
		RETURNING id`, account, id)
	if err != nil {
		return err
	}

	events := make([]audit.Event, len(deleted))
	for i, brief := range deleted {
		events[i] = e
		events[i].Action = audit.BriefDeleted
		events[i].Subject = brief
		events[i].Detail = "with its project"
	}
	return s.auditLog.Insert(ctx, tx, events)
}

// Add implements projects.Store.
func (s Projects) Add(
	ctx context.Context, account, id string, people []projects.Person, at time.Time,
) error {
	return s.db.Transact(ctx, "add people to project", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, id, at); err != nil {
			return err
		}
		if err := insertPeople(ctx, tx, id, people); err != nil {
			return err
		}

		var n int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FROM project_people WHERE project = $1", id).Scan(&n)
		if err == nil && n > projects.MaxPeople {
			err = projects.ErrFull
		}
		return err
	})
}

// SetState implements projects.Store.
func (s Projects) SetState(
	ctx context.Context, account, id, freelancer string, state projects.State, at time.Time,
) error {
	return s.db.Transact(ctx, "change state of person", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, id, at); err != nil {
			return err
		}
		return sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
			"UPDATE project_people SET state = $1, changed = $2 WHERE project = $3 AND freelancer = $4",
			string(state), column.Time(&at), id, freelancer)
	})
}

// SetNote implements projects.Store.
func (s Projects) SetNote(
	ctx context.Context, account, id, freelancer, note, before string, at time.Time,
) error {
	return s.db.Transact(ctx, "change note about person", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, id, at); err != nil {
			return err
		}

		// The lock on the project keeps others from changing the note before it is replaced.
		row := tx.QueryRowContext(ctx,
			"SELECT note FROM project_people WHERE project = $1 AND freelancer = $2", id, freelancer)
		current, err := sqldb.ScanOne(row, func(note *string) []any { return []any{note} }, projects.ErrNotFound)
		if err != nil {
			return err
		}
		if current != before {
			return projects.ErrChanged
		}

		return sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
			"UPDATE project_people SET note = $1, changed = $2 WHERE project = $3 AND freelancer = $4",
			note, column.Time(&at), id, freelancer)
	})
}

// Release implements projects.Store.
func (s Projects) Release(
	ctx context.Context, account, id, freelancer string, released bool, e audit.Event,
) error {
	return s.db.Transact(ctx, "release person of project", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, id, e.At); err != nil {
			return err
		}
		err := sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
			"UPDATE project_people SET released = $1, changed = $2 WHERE project = $3 AND freelancer = $4",
			column.Flag(&released), column.Time(&e.At), id, freelancer)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// Remove implements projects.Store.
func (s Projects) Remove(ctx context.Context, account, id, freelancer string, at time.Time) error {
	return s.db.Transact(ctx, "remove person from project", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, id, at); err != nil {
			return err
		}
		return sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
			"DELETE FROM project_people WHERE project = $1 AND freelancer = $2", id, freelancer)
	})
}

// Unlist implements projects.Store.
func (s Projects) Unlist(ctx context.Context, account, id, freelancer string, at time.Time) error {
	return s.db.Transact(ctx, "take person off shortlist", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, id, at); err != nil {
			return err
		}

		var n int
		err := tx.QueryRowContext(ctx, "SELECT count(*) FROM project_people WHERE project = $1 AND freelancer = $2",
			id, freelancer).Scan(&n)
		if err != nil {
			return err
		}
		if n == 0 {
			return projects.ErrNotFound
		}

		return sqldb.ChangeOne(ctx, tx, projects.ErrKept, `
			DELETE FROM project_people WHERE project = $1 AND freelancer = $2 AND note = '' AND state = $3`,
			id, freelancer, string(projects.Shortlisted))
	})
}

// AddLink implements projects.Store.
func (s Projects) AddLink(
	ctx context.Context, account string, l projects.Link, token [sha256.Size]byte, e audit.Event,
) error {
	return s.db.Transact(ctx, "add link to project", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, l.Project, l.Created); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM project_links WHERE project = $1 AND expires <= $2",
			l.Project, column.Time(&l.Created))
		if err != nil {
			return err
		}

		err = sqldb.ChangeOne(ctx, tx, projects.ErrFull, "INSERT INTO project_links ("+linkNames+`, token)
			SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM project_links WHERE project = $2) < $7`,
			append(projectLinkColumns(&l), column.Digest(&token), projects.MaxLinks)...)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// Links implements projects.Store.
func (s Projects) Links(ctx context.Context, account, id string, at time.Time) ([]projects.Link, error) {
	links, err := sqldb.SelectAll(ctx, s.db.Pools.Read, projectLinkColumns, `
		SELECT l.id, l.project, l.made_by, l.created, l.expires FROM project_links l JOIN projects p ON p.id = l.project
		WHERE p.account = $1 AND p.id = $2 AND l.expires > $3 ORDER BY l.created DESC, l.id`, account, id, column.Time(&at))
	if err != nil {
		return nil, fmt.Errorf("list links of a project: %w", s.db.Note(err))
	}
	return links, nil
}

// DeleteLink implements projects.Store.
func (s Projects) DeleteLink(ctx context.Context, account, id, link string, e audit.Event) error {
	return s.db.Transact(ctx, "delete link to project", func(tx *sql.Tx) error {
		if err := touch(ctx, tx, account, id, e.At); err != nil {
			return err
		}
		err := sqldb.ChangeOne(ctx, tx, projects.ErrNotFound,
			"DELETE FROM project_links WHERE id = $1 AND project = $2", link, id)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// Shared implements projects.Store.
func (s Projects) Shared(
	ctx context.Context, token [sha256.Size]byte, at time.Time,
) (projects.Link, string, error) {
	type shared struct {
		projects.Link
		account string
	}
	row := s.db.Pools.Read.QueryRowContext(ctx, `
		SELECT l.id, l.project, l.made_by, l.created, l.expires, p.account
		FROM project_links l JOIN projects p ON p.id = l.project WHERE l.token = $1 AND l.expires > $2`,
		column.Digest(&token), column.Time(&at))
	found, err := sqldb.ScanOne(row, func(l *shared) []any {
		return append(projectLinkColumns(&l.Link), &l.account)
	}, projects.ErrNotFound)
	if err != nil {
		return projects.Link{}, "", fmt.Errorf("find the project of a link: %w", s.db.Note(err))
	}
	return found.Link, found.account, nil
}

// Record implements projects.Store.
func (s Projects) Record(ctx context.Context, e audit.Event) error { return s.auditLog.Record(ctx, e) }

// DeleteExpiredLinks implements projects.Store.
func (s Projects) DeleteExpiredLinks(ctx context.Context, at time.Time) error {
	return s.db.Exec(ctx, "delete expired links to projects", "DELETE FROM project_links WHERE expires <= $1",
		column.Time(&at))
}

// Each calls yield for all projects of an account, or of all accounts for "", with their people, in the order of IDs.
func (s Projects) Each(
	ctx context.Context, account string, yield func(projects.Project, []projects.Person) error,
) error {
	for last := ""; ; {
		// Reading one by one keeps no connection busy while yield works.
		p, people, err := s.next(ctx, account, last)
		if errors.Is(err, projects.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = yield(p, people)
		}
		if err != nil {
			return err
		}
		last = p.ID
	}
}

// next returns the project with the next ID, with its people, or projects.ErrNotFound. See Each.
func (s Projects) next(
	ctx context.Context, account, last string,
) (p projects.Project, people []projects.Person, err error) {
	err = s.db.ReadSnapshot(ctx, "read projects", func(tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, "SELECT "+projectNames+` FROM projects
			WHERE id > $1 AND (account = $2 OR $2 = '') ORDER BY id LIMIT 1`, last, account)
		if p, err = sqldb.ScanOne(row, projectColumns, projects.ErrNotFound); err != nil {
			return err
		}
		people, err = selectPeople(ctx, tx, p.ID)
		return err
	})
	return p, people, err
}

// ErasePeople removes freelancers from all projects, and returns how often each was in one.
func (s Projects) ErasePeople(ctx context.Context, ids []string) (map[string]int, error) {
	removed := map[string]int{}
	err := s.db.Transact(ctx, "erase people from projects", func(tx *sql.Tx) error {
		clear(removed)
		for _, id := range ids {
			gone, err := sqldb.SelectAll(ctx, tx, func(project *string) []any { return []any{project} },
				"DELETE FROM project_people WHERE freelancer = $1 RETURNING project", id)
			if err != nil {
				return err
			}
			if len(gone) > 0 {
				removed[id] = len(gone)
			}
		}
		return nil
	})
	return removed, err
}

// Rewrite replaces the texts of a project and the notes about its people.
func (s Projects) Rewrite(ctx context.Context, p projects.Project, people []projects.Person) error {
	return s.db.Transact(ctx, "rewrite project", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE projects SET name = $1, note = $2, brief = $3 WHERE id = $4",
			p.Name, p.Note, column.JSON(&p.Brief), p.ID)
		for i := 0; i < len(people) && err == nil; i++ {
			_, err = tx.ExecContext(ctx, "UPDATE project_people SET note = $1 WHERE project = $2 AND freelancer = $3",
				people[i].Note, p.ID, people[i].Freelancer)
		}
		return err
	})
}
