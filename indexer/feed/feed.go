// Package feed reads the messages of programs that follow the changes of a database, and keeps the last state of each
// record: Debezium, wal2json (formats 1 and 2), Airbyte and Singer.
package feed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/spool"
)

// maxMessage is the largest message in bytes. A transaction is one message of wal2json's format 1.
const maxMessage = 64 << 20

// Options say how to fold messages.
type Options struct {
	// Key names the members that identify a record. If it is empty, the member that a column of IDs would be named like
	// does, or else the primary key that the messages name.
	Key []string
}

// A Result says what was in the messages.
type Result struct {
	Format  string // debezium, wal2json, airbyte or singer
	Changes int    // of records
	Records int    // that are left
	Deleted int    // records whose last change deletes them
	Other   int    // messages of other kinds
	Partial int    // records that lack values, because the database sends unchanged long values only once
}

// Format returns the format of messages by the beginning of a file, or "" if they are none. head may end anywhere.
func Format(head []byte) string {
	messages := newMessages(bytes.NewReader(head))
	for {
		raw, err := messages.next()
		if err != nil {
			return ""
		}
		m := parse(raw)
		if m == nil || m.format == "" {
			return ""
		}

		// Logs, states and empty transactions come before the first record.
		if len(m.changes) > 0 {
			return m.format
		}
	}
}

// Fold reads messages, and writes the last state of each record as a line of JSON. A deleted record has its key and
// "deleted": true. The order is the order of the first changes of the records. It keeps the states in the log.
func Fold(from io.Reader, o Options, to io.Writer, log *spool.Spool) (*Result, error) {
	f := &folder{
		keyNames: o.Key, log: log, writer: bufio.NewWriterSize(log, 256<<10), last: make(map[string]int),
		tables: make(map[string]bool),
	}
	messages := newMessages(from)
	for n := 1; ; n++ {
		raw, err := messages.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = f.add(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("change message %d: %w", n, err)
		}
	}

	if len(f.tables) > 1 {
		return nil, fmt.Errorf("the change messages are about several tables: %s; keep those of one",
			strings.Join(slices.Sorted(maps.Keys(f.tables)), ", "))
	}
	return f.finish(to)
}

// A folder keeps the last state of each record in a log, because all states together may not fit into memory.
type folder struct {
	keyNames []string // members that identify a record; those of the first change unless the options name them
	result   Result
	tables   map[string]bool

	log    *spool.Spool
	writer *bufio.Writer  // to the log
	end    int64          // of what has been written
	states []state        // in the order of their first changes
	last   map[string]int // the index of the state by key
}

// A state is the last state of a record.
type state struct {
	offset, length int64 // in the log
	isDeleted      bool
	isPartial      bool
}

// add applies the changes of a message.
func (f *folder) add(raw json.RawMessage) error {
	m := parse(raw)
	if m == nil || len(m.changes) == 0 && m.fault == nil {
		f.result.Other++
		return nil
	}
	if m.fault != nil {
		return m.fault
	}

	f.result.Format = m.format
	for i := range m.changes {
		if table := m.changes[i].table; table != "" {
			f.tables[table] = true
		}
		if err := f.apply(&m.changes[i]); err != nil {
			return err
		}
	}
	return nil
}

// apply applies one change.
func (f *folder) apply(c *change) error {
	f.result.Changes++
	if len(f.keyNames) == 0 {
		f.keyNames = c.keyNames()
	}

	old, oldErr := f.key(c.old)
	if c.isDelete && oldErr != nil {
		return fmt.Errorf("%w; a deletion must name its record, as with REPLICA IDENTITY DEFAULT or FULL", oldErr)
	}
	if c.isDelete {
		return f.put(old, state{isDeleted: true}, f.onlyKey(c.old))
	}

	key, err := f.key(c.record)
	if err != nil {
		return err
	}

	// A record whose key changes is another one from now on.
	hasMoved := oldErr == nil && old != key
	if hasMoved {
		if err := f.put(old, state{isDeleted: true}, f.onlyKey(c.old)); err != nil {
			return err
		}
	}

	record, isPartial, err := f.complete(c, key)
	if err != nil {
		return err
	}
	return f.put(key, state{isPartial: isPartial}, record)
}

// complete adds to a record the values that its message lacks, because the database doesn't send unchanged long values.
// They come from the state before. isPartial means that no state has them.
func (f *folder) complete(c *change, key string) (record object, isPartial bool, err error) {
	index, isKnown := f.last[key]
	hasBefore := isKnown && !f.states[index].isDeleted
	switch {
	case !c.mayLack:
		return c.record, false, nil
	case !hasBefore:
		return c.record, c.lacks, nil
	}

	before := f.states[index]
	if record, err = f.read(before); err != nil {
		return nil, false, err
	}
	for _, m := range c.record {
		record = record.with(m)
	}

	return record, before.isPartial, nil
}

// read returns the record of a state.
func (f *folder) read(s state) (object, error) {
	if err := f.writer.Flush(); err != nil {
		return nil, err
	}
	line := make([]byte, s.length)
	if _, err := f.log.ReadAt(line, s.offset); err != nil {
		return nil, fmt.Errorf("read a state: %w", err)
	}
	return members(line), nil
}

// put appends the state of a record to the log.
func (f *folder) put(key string, s state, record object) error {
	line := record.json()
	s.offset = f.end
	s.length = int64(len(line))
	f.end += s.length
	if _, err := f.writer.Write(line); err != nil {
		return err
	}

	if index, ok := f.last[key]; ok {
		f.states[index] = s
		return nil
	}
	f.last[key] = len(f.states)
	f.states = append(f.states, s)

	return nil
}

// key returns the values of a record's key as one text.
func (f *folder) key(record object) (string, error) {
	if len(record) == 0 {
		return "", errors.New("there is no record")
	}
	if len(f.keyNames) == 0 {
		return "", errors.New("no member of the record is an id; name the members that identify it with -id")
	}

	values := make([]string, len(f.keyNames))
	for i, name := range f.keyNames {
		raw, ok := record.get(name)
		if !ok || string(raw) == "null" {
			return "", fmt.Errorf("the record has no value for %q, which identifies it", name)
		}
		values[i] = text(raw)
	}

	return strings.Join(values, "\x00"), nil
}

// keyNames returns the names of the members that identify the record of a change.
func (c *change) keyNames() []string {
	for _, m := range slices.Concat(c.record, c.old) {
		if h, ok := headers.Lookup(m.name); ok && h.Field == field.ID {
			return []string{m.name}
		}
	}
	return c.primaryKey
}

// onlyKey returns the key of a deleted record.
func (f *folder) onlyKey(record object) (key object) {
	for _, name := range f.keyNames {
		raw, _ := record.get(name)
		key = append(key, member{name, raw})
	}
	return key
}

// finish writes the last state of each record. If some are deleted, each has the member "deleted", so that a reader of
// the first lines knows it.
func (f *folder) finish(to io.Writer) (*Result, error) {
	hasDeleted := slices.ContainsFunc(f.states, func(s state) bool { return s.isDeleted })
	for _, s := range f.states {
		record, err := f.read(s)
		if err != nil {
			return nil, err
		}

		_, hasOwn := record.get(deletedMember)
		switch {
		case s.isDeleted:
			f.result.Deleted++
			record = record.with(member{deletedMember, []byte("true")})
		case hasDeleted && !hasOwn:
			record = record.with(member{deletedMember, []byte("false")})
		}
		if !s.isDeleted {
			f.result.Records++
		}
		if s.isPartial {
			f.result.Partial++
		}

		if _, err := to.Write(append(record.json(), '\n')); err != nil {
			return nil, err
		}
	}
	return &f.result, nil
}

// deletedMember marks a record that is to be deleted, as in every file that load reads.
const deletedMember = "deleted"

// messages reads values of JSON, one after another or in a list.
type messages struct {
	limit   limitedReader
	decoder *json.Decoder
	isList  bool
}

// newMessages returns the messages of a reader. It skips the bracket before a list.
func newMessages(from io.Reader) *messages {
	m := &messages{limit: limitedReader{from: bufio.NewReaderSize(from, 64<<10), left: maxMessage}}
	for {
		next, err := m.limit.from.Peek(1)
		isSpace := err == nil && len(bytes.TrimSpace(next)) == 0
		m.isList = err == nil && next[0] == '['
		if !isSpace && !m.isList {
			break
		}

		_, _ = m.limit.from.Discard(1) // it has been read
		if m.isList {
			break
		}
	}

	// A decoder that has read the bracket expects commas, so the list is given to it as a whole.
	m.decoder = json.NewDecoder(&m.limit)
	if m.isList {
		m.decoder = json.NewDecoder(io.MultiReader(strings.NewReader("["), &m.limit))
		_, _ = m.decoder.Token() // the bracket
	}

	return m
}

// next returns the next message. It returns io.EOF at the end.
func (m *messages) next() (raw json.RawMessage, err error) {
	m.limit.left = maxMessage
	if m.isList && !m.decoder.More() {
		if _, err := m.decoder.Token(); err != nil {
			return nil, errors.New("the list is not closed")
		}
		return nil, io.EOF
	}

	err = m.decoder.Decode(&raw)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("the file ends within the message")
	}
	return raw, err
}

// A limitedReader fails if it reads too much for one message.
type limitedReader struct {
	from *bufio.Reader
	left int
}

// Read implements io.Reader.
func (r *limitedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, fmt.Errorf("the message is larger than %d MiB", maxMessage>>20)
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}
