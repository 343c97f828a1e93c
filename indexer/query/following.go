package query

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A FollowedTable is a table whose changes are followed.
type FollowedTable struct {
	Name   string // may be SCHEMA.TABLE
	Column string // has the ID of the person that a row is about
}

// A Following says which changes to follow by logical replication. The publication has the name of the slot.
type Following struct {
	Slot   string
	Tables []FollowedTable
}

// slotName matches the names that PostgreSQL accepts for slots.
var slotName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)

// ParseFollowedTable parses TABLE:COLUMN.
func ParseFollowedTable(text string) (t FollowedTable, err error) {
	i := strings.LastIndexByte(text, ':')
	if i < 1 || i == len(text)-1 {
		return t, errors.New("want TABLE:COLUMN, where the column has the id of the person, such as skills:person_id")
	}
	return FollowedTable{text[:i], text[i+1:]}, nil
}

// Check returns an error if the names are invalid.
func (f *Following) Check() error {
	if !slotName.MatchString(f.Slot) {
		return fmt.Errorf("invalid name %q of a slot; use up to 63 lower-case letters, digits and underscores", f.Slot)
	}
	if len(f.Tables) == 0 {
		return errors.New("-follow needs -follow-table for the table of people and for each joined table, such as " +
			"-follow-table people:id -follow-table skills:person_id")
	}
	return nil
}

// Commands returns the SQL that creates the publication and the slot.
func (f *Following) Commands() []string {
	tables := make([]string, len(f.Tables))
	for i, t := range f.Tables {
		tables[i] = pgx.Identifier(strings.Split(t.Name, ".")).Sanitize()
	}
	return []string{
		fmt.Sprintf("CREATE PUBLICATION %s FOR TABLE %s WITH (publish_via_partition_root = true)",
			quote(f.Slot), strings.Join(tables, ", ")),
		fmt.Sprintf("SELECT pg_create_logical_replication_slot('%s', 'pgoutput')", f.Slot),
	}
}

// A SetupError reports what a database lacks for following changes, and the SQL that an administrator has to run.
type SetupError struct {
	Reason string
	SQL    []string
}

// Error says what is missing.
func (e *SetupError) Error() string { return e.Reason }

// CreateSlot creates the publication and the slot unless they exist. From then on, PostgreSQL keeps its log until it
// has been followed.
func (d *Database) CreateSlot(ctx context.Context, f *Following) error {
	return d.administrate(ctx, func(conn *pgx.Conn) error {
		hasPublication, slot, err := lookUp(ctx, conn, f)
		if err != nil {
			return err
		}
		commands := f.Commands()
		if !hasPublication {
			if _, err := conn.Exec(ctx, commands[0]); err != nil {
				return err
			}
		}
		if slot == nil {
			_, err = conn.Exec(ctx, commands[1])
		}
		return err
	})
}

// DropSlot drops the slot and the publication. It does nothing if there are none.
func (d *Database) DropSlot(ctx context.Context, f *Following) error {
	return d.administrate(ctx, func(conn *pgx.Conn) error {
		_, slot, err := lookUp(ctx, conn, f)
		if err != nil {
			return err
		}
		if slot != nil {
			if _, err := conn.Exec(ctx, "SELECT pg_drop_replication_slot($1)", f.Slot); err != nil {
				return err
			}
		}
		_, err = conn.Exec(ctx, "DROP PUBLICATION IF EXISTS "+quote(f.Slot))
		return err
	})
}

// administrate calls do with a connection that may write.
func (d *Database) administrate(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, d.config)
	if err != nil {
		return d.explain(err)
	}
	if err := errors.Join(do(conn), conn.Close(context.WithoutCancel(ctx))); err != nil {
		return d.explain(err)
	}
	return nil
}

// A Slot is a replication slot.
type Slot struct {
	Confirmed LSN    // changes before it aren't sent again
	Kept      int64  // bytes of the log that PostgreSQL keeps for the slot
	status    string // of the log that the slot needs
	plugin    string
}

// lookUp returns whether the publication exists, and the slot; nil if there is none.
func lookUp(ctx context.Context, conn *pgx.Conn, f *Following) (hasPublication bool, slot *Slot, err error) {
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = $1)", f.Slot).Scan(&hasPublication)
	if err != nil {
		return false, nil, err
	}
	slot = &Slot{}
	var confirmed string
	err = conn.QueryRow(ctx, `SELECT confirmed_flush_lsn::text, coalesce(wal_status, ''), plugin,
		pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
		FROM pg_replication_slots WHERE slot_name = $1 AND database = current_database()`, f.Slot,
	).Scan(&confirmed, &slot.status, &slot.plugin, &slot.Kept)
	if errors.Is(err, pgx.ErrNoRows) {
		return hasPublication, nil, nil
	}
	if err == nil {
		slot.Confirmed, err = parseLSN(confirmed)
	}
	return hasPublication, slot, err
}

// CheckSlot returns the slot if everything is ready for following, and a *SetupError otherwise.
func (d *Database) CheckSlot(ctx context.Context, f *Following) (slot *Slot, err error) {
	err = d.administrate(ctx, func(conn *pgx.Conn) error {
		var level string
		if err := conn.QueryRow(ctx, "SHOW wal_level").Scan(&level); err != nil {
			return err
		}
		if level != "logical" {
			return &SetupError{
				fmt.Sprintf("wal_level is %s, and following changes needs logical; change it and restart PostgreSQL", level),
				[]string{"ALTER SYSTEM SET wal_level = logical"},
			}
		}

		hasPublication, found, err := lookUp(ctx, conn, f)
		if err != nil {
			return err
		}
		if !hasPublication || found == nil {
			return &SetupError{
				"the publication or the replication slot doesn't exist; create them with -create-slot", f.Commands(),
			}
		}
		if err := found.check(f); err != nil {
			return err
		}

		slot = found
		for _, t := range f.Tables {
			if err := checkTable(ctx, conn, f, t); err != nil {
				return err
			}
		}
		return nil
	})
	return slot, err
}

// check returns an error if the slot can't be used any more.
func (s *Slot) check(f *Following) error {
	switch {
	case s.plugin != "pgoutput":
		return fmt.Errorf("the replication slot %q has the plugin %s instead of pgoutput; choose another name with -slot",
			f.Slot, s.plugin)
	case s.status == "lost":
		return &SetupError{
			"PostgreSQL has removed the part of its log that the slot needs (max_slot_wal_keep_size); create the slot again",
			[]string{fmt.Sprintf("SELECT pg_drop_replication_slot('%s')", f.Slot), f.Commands()[1]},
		}
	}
	return nil
}

// checkTable checks that the publication has a table, and that the old version of a row has the column: PostgreSQL
// sends only the columns of the replica identity of a deleted row, by default the primary key.
func checkTable(ctx context.Context, conn *pgx.Conn, f *Following, t FollowedTable) error {
	name := pgx.Identifier(strings.Split(t.Name, ".")).Sanitize()
	var columns []string
	var isPublished, isIdentified bool
	err := conn.QueryRow(ctx, `SELECT
		ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
		EXISTS (SELECT FROM pg_publication_tables WHERE pubname = $2 AND schemaname = n.nspname AND tablename = c.relname),
		c.relreplident = 'f' OR EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid
			AND a.attnum = ANY (i.indkey) WHERE i.indrelid = c.oid AND a.attname = $3
			AND (c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident))
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1::text::regclass`,
		name, f.Slot, t.Column,
	).Scan(&columns, &isPublished, &isIdentified)

	switch {
	case err != nil:
		return err
	case !slices.Contains(columns, t.Column):
		return fmt.Errorf("the table %s has no column %q; it has %s", t.Name, t.Column, list(columns))
	case !isPublished:
		return &SetupError{
			fmt.Sprintf("the publication %s doesn't have the table %s", f.Slot, t.Name),
			[]string{fmt.Sprintf("ALTER PUBLICATION %s ADD TABLE %s", quote(f.Slot), name)},
		}
	case !isIdentified:
		return &SetupError{
			fmt.Sprintf("PostgreSQL doesn't send the column %q of rows that are deleted from %s, because it isn't part of "+
				"the replica identity", t.Column, t.Name),
			[]string{"ALTER TABLE " + name + " REPLICA IDENTITY FULL"},
		}
	}
	return nil
}
