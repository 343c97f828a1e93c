package query

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
)

func TestSnapshot_HasAll(t *testing.T) {
	const high = 5 << 32 // the numbers have wrapped around five times
	for _, test := range []struct {
		snapshot     string
		transactions []uint32
		want         bool
	}{
		{"10:20:", nil, true},
		{"10:20:", []uint32{9, 10, 19}, true},
		{"10:20:12,15", []uint32{11, 13, 19}, true},
		{"10:20:12,15", []uint32{11, 15}, false},
		{"10:20:", []uint32{20}, false},
		{"21474836490:21474836500:21474836495", []uint32{14, 19}, true}, // high + 10 …
		{"21474836490:21474836500:21474836495", []uint32{15}, false},
		{"21474836490:21474836500:", []uint32{20}, false},
		{"21474836490:21474836500:", []uint32{1<<32 - 5}, true}, // before the last wrap-around
		{"21474836470:21474836475:", []uint32{3}, false},        // after the next one
	} {
		s, err := parseSnapshot(test.snapshot)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.hasAll(test.transactions); got != test.want {
			t.Errorf("%s has %v: %v, want %v", test.snapshot, test.transactions, got, test.want)
		}
	}

	for _, text := range []string{"", "1:2", "a:2:", "1:2:3,", "1:2:3:4"} {
		if s, err := parseSnapshot(text); err == nil {
			t.Errorf("%q was parsed as %+v", text, s)
		}
	}
	if s, err := parseSnapshot("21474836480:21474836481:"); err != nil || s.xmin != high {
		t.Errorf("%+v, %v, want %d", s, err, uint64(high))
	}
}

func TestParseFollowedTable(t *testing.T) {
	for text, want := range map[string]FollowedTable{
		"people:id":           {"people", "id"},
		"crm.skills:person":   {"crm.skills", "person"},
		"people":              {},
		"people:":             {},
		":id":                 {},
		"odd:name.skills:pid": {"odd:name.skills", "pid"},
	} {
		if got, err := ParseFollowedTable(text); got != want || (err == nil) != (want.Column != "") {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestFollowing_Check(t *testing.T) {
	tables := []FollowedTable{{"people", "id"}}
	for _, slot := range []string{"", "My-slot", "a'b", "ä", string(make([]byte, 64))} {
		if err := (&Following{slot, tables}).Check(); err == nil {
			t.Errorf("the name %q was accepted", slot)
		}
	}
	if err := (&Following{"slot_1", tables}).Check(); err != nil {
		t.Error(err)
	}
	if err := (&Following{"slot_1", nil}).Check(); err == nil {
		t.Error("no tables were accepted")
	}
}

// newStream returns a stream of the table crm.people, which the server has described.
func newStream(t *testing.T) *Stream {
	t.Helper()
	s := &Stream{
		columns: map[string]string{"crm.people": "id"}, relations: map[uint32]relation{}, ids: map[string]struct{}{},
		arrived: make(chan struct{}, 1),
	}
	for id, table := range map[uint32]string{1: "people", 2: "others"} {
		err := s.handle(&pglogrepl.RelationMessage{
			RelationID: id, Namespace: "crm", RelationName: table,
			Columns: []*pglogrepl.RelationMessageColumn{{Name: "name"}, {Name: "id"}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// tuple returns a row with a name and an ID; "" is unknown.
func tuple(id string) *pglogrepl.TupleData {
	column := &pglogrepl.TupleDataColumn{DataType: pglogrepl.TupleDataTypeText, Data: []byte(id)}
	if id == "" {
		column.DataType = pglogrepl.TupleDataTypeNull
	}
	return &pglogrepl.TupleData{Columns: []*pglogrepl.TupleDataColumn{{DataType: 'n'}, column}}
}

func (s *Stream) mustHandle(t *testing.T, messages ...pglogrepl.Message) {
	t.Helper()
	for _, m := range messages {
		if err := s.handle(m); err != nil {
			t.Fatal(err)
		}
	}
}

// Only committed changes are in a batch, each ID once, with everything that is needed to wait for them.
func TestStream_Batches(t *testing.T) {
	s := newStream(t)
	first := time.Unix(100, 0)
	s.mustHandle(t,
		&pglogrepl.BeginMessage{Xid: 7},
		&pglogrepl.InsertMessage{RelationID: 1, Tuple: tuple("a")},
		&pglogrepl.InsertMessage{RelationID: 2, Tuple: tuple("other table")},
		&pglogrepl.InsertMessage{RelationID: 9, Tuple: tuple("unknown table")},
		&pglogrepl.UpdateMessage{RelationID: 1, OldTuple: tuple("b"), NewTuple: tuple("c")},
		&pglogrepl.UpdateMessage{RelationID: 1, NewTuple: tuple("a")},
		&pglogrepl.InsertMessage{RelationID: 1, Tuple: tuple("")},
		&pglogrepl.CommitMessage{TransactionEndLSN: 50, CommitTime: first},
		&pglogrepl.BeginMessage{Xid: 9},
		&pglogrepl.DeleteMessage{RelationID: 1, OldTuple: tuple("d")},
		&pglogrepl.CommitMessage{TransactionEndLSN: 60, CommitTime: first.Add(time.Second)},
		&pglogrepl.BeginMessage{Xid: 11},
		&pglogrepl.InsertMessage{RelationID: 1, Tuple: tuple("not committed")},
	)

	batch := s.Take()
	slices.Sort(batch.IDs)
	isComplete := slices.Equal(batch.IDs, []string{"a", "b", "c", "d"}) && !batch.All && batch.Position == 60
	if !isComplete || !batch.Committed.Equal(first) || !slices.Equal(batch.transactions, []uint32{7, 9}) {
		t.Errorf("batch %+v", batch)
	}

	s.mustHandle(t, &pglogrepl.CommitMessage{TransactionEndLSN: 70})
	s.idle(65) // an older message of an idle server
	if next := s.Take(); !slices.Equal(next.IDs, []string{"not committed"}) || next.Position != 70 {
		t.Errorf("next batch %+v", next)
	}
	s.idle(90)
	if idle := s.Take(); len(idle.IDs) > 0 || idle.All || idle.Position != 90 || !idle.Committed.IsZero() {
		t.Errorf("batch of an idle server %+v", idle)
	}
}

// What a message doesn't say is found by a comparison of all rows.
func TestStream_ComparesAll(t *testing.T) {
	long := tuple("x")
	long.Columns[1].DataType = pglogrepl.TupleDataTypeToast
	for name, m := range map[string]pglogrepl.Message{
		"an emptied table":         &pglogrepl.TruncateMessage{},
		"a deletion without a row": &pglogrepl.DeleteMessage{RelationID: 1},
		"a row without the column": &pglogrepl.InsertMessage{RelationID: 1, Tuple: &pglogrepl.TupleData{}},
		"a value that isn't sent":  &pglogrepl.UpdateMessage{RelationID: 1, NewTuple: long},
	} {
		s := newStream(t)
		s.mustHandle(t, &pglogrepl.BeginMessage{}, m, &pglogrepl.CommitMessage{})
		if batch := s.Take(); !batch.All {
			t.Errorf("%s: %+v", name, batch)
		}
	}

	s := newStream(t)
	s.mustHandle(t, &pglogrepl.BeginMessage{})
	for i := range maxFollowed + 1 {
		id := string(binary.BigEndian.AppendUint32(nil, uint32(i)))
		s.mustHandle(t, &pglogrepl.InsertMessage{RelationID: 1, Tuple: tuple(id)})
	}
	s.mustHandle(t, &pglogrepl.CommitMessage{})
	if batch := s.Take(); !batch.All || len(batch.IDs) > 0 {
		t.Errorf("%d IDs and %v, want a comparison of all", len(batch.IDs), batch.All)
	}

	changed := &pglogrepl.RelationMessage{RelationID: 1, Namespace: "crm", RelationName: "people"}
	if err := newStream(t).handle(changed); err == nil {
		t.Error("a table that lost its column is followed")
	}
}

// Whatever a server sends, the stream doesn't panic.
func FuzzStream_Receive(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("k\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x01"))
	f.Add(append([]byte("w"), make([]byte, 24)...))
	f.Add(append(append([]byte("w"), make([]byte, 24)...),
		"B\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x07"...))
	f.Add(append(append([]byte("w"), make([]byte, 24)...), "I\x00\x00\x00\x01N\x00\x02nt\x00\x00\x00\x01a"...))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStream(t)
		_ = s.handle(&pglogrepl.BeginMessage{})
		_, _ = s.receive(data)
		s.Take()
	})
}
