package auditlog

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

const (
	// pseudonymPrefix begins every pseudonym.
	pseudonymPrefix = "anon-"
	// pseudonymLength is the number of characters after the prefix, of five bits each.
	pseudonymLength = 16
	// pseudonymBatch is how many entries one transaction changes.
	pseudonymBatch = 500
)

// A pseudonymizer replaces what identifies people.
type pseudonymizer struct{ key []byte }

// of returns the pseudonym of a text, which is always the same. Anybody with the key can check a guess.
func (p pseudonymizer) of(text string) string {
	h := hmac.New(sha256.New, p.key)
	h.Write([]byte(text))
	return pseudonymPrefix + strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil))[:pseudonymLength])
}

// pseudonymizer returns the database's own pseudonymizer. It creates the key if it is missing.
func (s Log) pseudonymizer(ctx context.Context, d sqldb.Database) (pseudonymizer, error) {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	_, err := d.ExecContext(ctx, "INSERT INTO pseudonym_key (one, key) VALUES (1, $1) ON CONFLICT DO NOTHING", key)
	if err != nil {
		return pseudonymizer{}, fmt.Errorf("create key of pseudonyms: %w", err)
	}
	if err := d.QueryRowContext(ctx, "SELECT key FROM pseudonym_key").Scan(&key); err != nil {
		return pseudonymizer{}, fmt.Errorf("read key of pseudonyms: %w", err)
	}
	return pseudonymizer{key}, nil
}

// Pseudonym returns the pseudonym that stands for a text in the audit log. It is always the same and does not reveal
// the text.
func (s Log) Pseudonym(ctx context.Context, text string) (string, error) {
	p, err := s.pseudonymizer(ctx, s.db.Pools.Write)
	if err != nil {
		return "", s.db.Failed(err)
	}
	return p.of(text), nil
}

// Secret returns 32 bytes for a purpose, which are always the same. They follow from the key of the pseudonyms and from
// the first key for secrets if there is one. No pseudonym reveals them.
func (s Log) Secret(ctx context.Context, purpose string) ([]byte, error) {
	p, err := s.pseudonymizer(ctx, s.db.Pools.Write)
	if err != nil {
		return nil, s.db.Failed(err)
	}
	h := hmac.New(sha256.New, p.key)
	h.Write([]byte("secret\n" + purpose))
	return s.db.Secrets.Derive(h.Sum(nil)), nil
}

// Entries with these actions have the ID of a freelancer as their subject.
const (
	aboutFreelancers  = "freelancer."
	isAboutFreelancer = "action LIKE 'freelancer.%'" // the condition of the index audit_events_freelancers
)

// mentions returns the entries that contain one of the texts, and those about one of the freelancers.
func mentions(ctx context.Context, d sqldb.Database, texts, freelancers []string) ([]numberedEvent, error) {
	found := map[int64]numberedEvent{}
	for _, id := range freelancers {
		events, err := sqldb.SelectAll(ctx, d, numberedColumns,
			selectNumbered+" WHERE subject = $1 AND "+isAboutFreelancer, id)
		if err != nil {
			return nil, err
		}

		for _, e := range events {
			found[e.number] = e
		}
	}

	for _, text := range texts {
		events, err := sqldb.SelectAll(ctx, d, numberedColumns, selectNumbered+`
			WHERE actor = $1 OR subject = $1 OR detail LIKE $2 ESCAPE '\'`, text, sqldb.LikeContains(text))
		if err != nil {
			return nil, err
		}

		for _, e := range events {
			if strings.Contains(e.Actor+"\n"+e.Subject+"\n"+e.Detail, text) { // LIKE may ignore case
				found[e.number] = e
			}
		}
	}

	events := make([]numberedEvent, 0, len(found))
	for _, e := range found {
		events = append(events, e)
	}

	slices.SortFunc(events, func(a, b numberedEvent) int { return int(a.number - b.number) })

	return events, nil
}

// CountMentions returns the number of entries of the audit log that contain one of the texts or are about one of the
// freelancers, given by ID.
func (s Log) CountMentions(ctx context.Context, texts, freelancers []string) (int, error) {
	events, err := mentions(ctx, s.db.Pools.Read, texts, freelancers)
	if err != nil {
		return 0, fmt.Errorf("search audit log: %w", s.db.Note(err))
	}
	return len(events), nil
}

// ReplaceMentions replaces the texts by their pseudonyms in all entries of the audit log, and the subjects of entries
// about some freelancers, given by ID. It returns the number of changed entries.
func (s Log) ReplaceMentions(ctx context.Context, texts, freelancers []string) (changed int, err error) {
	err = s.db.Transact(ctx, "replace mentions in the audit log", func(tx *sql.Tx) error {
		p, err := s.pseudonymizer(ctx, tx)
		if err != nil {
			return err
		}

		events, err := mentions(ctx, tx, texts, freelancers)
		if err != nil {
			return err
		}

		for _, e := range events {
			written := e.Event

			// The ID of a freelancer may be any text, such as 1, so it is replaced only where it is the subject.
			if strings.HasPrefix(string(e.Action), aboutFreelancers) && slices.Contains(freelancers, e.Subject) {
				e.Subject = p.of(e.Subject)
			}

			for _, text := range texts {
				replace := func(s string) string { return strings.ReplaceAll(s, text, p.of(text)) }
				e.Actor, e.Subject, e.Detail = replace(e.Actor), replace(e.Subject), replace(e.Detail)
			}

			if err := updateEvent(ctx, tx, e, written, false); err != nil {
				return err
			}
		}

		changed = len(events)
		return nil
	})

	return changed, err
}

// updateEvent writes what pseudonyms have replaced in an entry. The salt goes with what was written before, so that
// nobody can guess that from the commitment, which the chain keeps. If done is set, nothing in the entry identifies
// anybody any more.
func updateEvent(ctx context.Context, tx *sql.Tx, e numberedEvent, written audit.Event, done bool) error {
	if e.Event != written {
		now := time.Now()
		_, err := tx.ExecContext(ctx, `
			UPDATE audit_events SET actor = $1, subject = $2, detail = $3, address = $4, salt = NULL, erased = $5
			WHERE number = $6`, e.Actor, e.Subject, e.Detail, e.Address, column.Time(&now), e.number)
		if err != nil {
			return err
		}
	}

	if !done {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE audit_events SET pseudonymous = 1 WHERE number = $1", e.number)
	return err
}

// Pseudonymize removes what identifies people from the entries of the audit log before a time: users get pseudonyms,
// email addresses in details do too, and network addresses and quoted names are removed. It deletes entries about
// changes of freelancers, of which there can be millions. It also forgets the network addresses of keys that were last
// used before that time.
func (s Log) Pseudonymize(ctx context.Context, before time.Time) error {
	err := s.db.Exec(ctx, "forget addresses of keys",
		"UPDATE api_keys SET last_from = '' WHERE last_from <> '' AND last_used < $1", column.Time(&before))
	if err != nil {
		return err
	}
	if err := s.expireFreelancers(ctx, before); err != nil {
		return err
	}
	return s.pseudonymizeAll(ctx, " WHERE pseudonymous = 0 AND at < $1 ORDER BY at LIMIT $2", column.Time(&before))
}

// PseudonymizeAccount does for the entries about an account what Pseudonymize does for old entries.
func (s Log) PseudonymizeAccount(ctx context.Context, id string) error {
	return s.pseudonymizeAll(ctx, " WHERE pseudonymous = 0 AND account = $1 ORDER BY number LIMIT $2", id)
}

// PseudonymizeUser does for the entries of and about a user what Pseudonymize does for old entries.
func (s Log) PseudonymizeUser(ctx context.Context, id, email string) error {
	return s.pseudonymizeAll(ctx, ` WHERE pseudonymous = 0 AND (actor = $1 OR subject = $1 OR detail LIKE $3 ESCAPE '\')
		ORDER BY number LIMIT $2`, id, sqldb.LikeContains(email))
}

// pseudonymizeAll changes all entries that a condition selects. Its second parameter is the number of entries to change
// in one transaction.
func (s Log) pseudonymizeAll(ctx context.Context, condition string, first any, more ...any) error {
	args := append([]any{first, pseudonymBatch}, more...)
	for {
		n, err := s.pseudonymizeSome(ctx, condition, args...)
		if err != nil || n < pseudonymBatch {
			return err
		}
	}
}

// pseudonymizeSome changes the entries that a condition selects, in one transaction, and returns their number.
func (s Log) pseudonymizeSome(ctx context.Context, condition string, args ...any) (n int, err error) {
	err = s.db.Transact(ctx, "pseudonymize the audit log", func(tx *sql.Tx) error {
		n, err = s.pseudonymizeIn(ctx, tx, condition, args...)
		return err
	})
	return n, err
}

func (s Log) pseudonymizeIn(ctx context.Context, tx *sql.Tx, condition string, args ...any) (int, error) {
	events, err := sqldb.SelectAll(ctx, tx, numberedColumns, selectNumbered+condition, args...)
	if err != nil || len(events) == 0 {
		return 0, err
	}
	p, err := s.pseudonymizer(ctx, tx)
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		written := e.Event
		p.replace(&e.Event)
		if err := updateEvent(ctx, tx, e, written, true); err != nil {
			return 0, err
		}
	}
	return len(events), nil
}

const userPrefix = "usr_" // begins the IDs of users

var (
	emailPattern  = regexp.MustCompile(`[^\s,;:"'<>()]+@[^\s,;:"'<>()]+`)
	quotedPattern = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// replace replaces what identifies people in an entry.
func (p pseudonymizer) replace(e *audit.Event) {
	for _, id := range []*string{&e.Actor, &e.Subject} {
		if strings.HasPrefix(*id, userPrefix) {
			*id = p.of(*id)
		}
	}
	e.Detail = emailPattern.ReplaceAllStringFunc(e.Detail, func(email string) string {
		return p.of(strings.ToLower(email))
	})
	e.Detail = quotedPattern.ReplaceAllString(e.Detail, `"…"`)
	e.Address = ""
}
