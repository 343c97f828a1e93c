package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/flatten"
)

// A message is one message of a program that follows a database.
type message struct {
	format  string
	changes []change
	fault   error // why the message can't be applied
}

// A change is what happened to one record.
type change struct {
	table      string
	record     object   // after the change; empty for a deletion
	old        object   // before the change, or only its key; often empty
	primaryKey []string // names; empty if the message doesn't say
	isDelete   bool
	mayLack    bool // values that haven't changed may be missing
	lacks      bool // a value is known to be missing
}

// An object is a JSON object with its members in order.
type object []member

type member struct {
	name string
	raw  []byte
}

// members returns the members of a valid object, or nil if the JSON isn't an object.
func members(raw []byte) (o object) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	flatten.EachMember(raw, func(key, value []byte) {
		name := text(slices.Concat([]byte{'"'}, key, []byte{'"'}))
		o = append(o, member{name, slices.Clone(value)})
	})
	return o
}

// get returns the value of a member, ignoring the case of its name.
func (o object) get(name string) (raw []byte, ok bool) {
	for _, m := range o {
		if strings.EqualFold(m.name, name) {
			return m.raw, true
		}
	}
	return nil, false
}

// text returns a member's text, or "" if it has none.
func (o object) text(name string) string {
	raw, _ := o.get(name)
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	return text(raw)
}

// object returns a member that is an object, perhaps within a text, or nil.
func (o object) object(name string) object {
	raw, _ := o.get(name)
	if inner := o.text(name); json.Valid([]byte(inner)) { // as Debezium has documents of MongoDB
		raw = []byte(inner)
	}
	return members(raw)
}

// with returns the object with a member, which replaces the one with the same name.
func (o object) with(m member) object {
	for i := range o {
		if o[i].name == m.name {
			o[i] = m
			return o
		}
	}
	return append(o, m)
}

// without returns the object without some members.
func (o object) without(drop func(m member) bool) object {
	return slices.DeleteFunc(slices.Clone(o), drop)
}

// json returns the object on one line.
func (o object) json() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // a string can be encoded
		b.Write(name)
		b.WriteByte(':')
		_ = json.Compact(&b, m.raw) // the value is valid
	}
	b.WriteByte('}')
	return b.Bytes()
}

// text returns the text of a JSON string, and any other value as it is.
func text(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// parse returns what a message says, or nil if it has none of the formats.
func parse(raw json.RawMessage) *message {
	o := members(raw)

	// Programs that write what Kafka has put the message beside its schema or its key.
	for _, wrapper := range []string{"value", "payload"} {
		if inner := o.object(wrapper); len(inner) > 0 && isDebezium(inner) {
			o = inner
		}
	}

	_, isRaw := o.get("_airbyte_data")
	_, isRow := o.get("__deleted")
	list, _ := o.get("change")
	switch {
	case isDebezium(o):
		return debezium(o)
	case isRow:
		return debeziumRow(o)
	case len(list) > 0 && list[0] == '[':
		return wal2jsonTransaction(list)
	case isWal2json(o):
		return wal2json(o)
	case isRaw:
		return &message{format: "airbyte", changes: airbyteChange("", o.object("_airbyte_data"))}
	default:
		return airbyte(o)
	}
}

// isDebezium reports whether an object is an envelope of Debezium.
func isDebezium(o object) bool {
	_, hasBefore := o.get("before")
	_, hasAfter := o.get("after")
	return len(o.text("op")) == 1 && (hasBefore || hasAfter)
}

// unavailable is what Debezium writes for a long value that hasn't changed.
const unavailable = "__debezium_unavailable_value"

var errTruncate = errors.New("the table was truncated, which deletes all records; load a new snapshot instead")

func debezium(o object) *message {
	m := &message{format: "debezium"}
	c := change{table: o.object("source").text("table"), record: o.object("after"), old: o.object("before")}
	c.mayLack = true
	complete := len(c.record)
	c.record = c.record.without(func(v member) bool { return strings.Contains(string(v.raw), unavailable) })
	c.lacks = len(c.record) < complete

	switch o.text("op") {
	case "c", "r", "u":
		m.changes = []change{c}
	case "d":
		c.isDelete = true
		m.changes = []change{c}
	case "t":
		m.fault = errTruncate
	}
	return m
}

// debeziumRow reads a record that Debezium took out of its envelope (ExtractNewRecordState). The names of its metadata
// begin with two underscores.
func debeziumRow(o object) *message {
	c := change{record: o.without(func(m member) bool { return strings.HasPrefix(m.name, "__") })}
	raw, _ := o.get("__deleted")
	if c.isDelete = text(raw) == "true"; c.isDelete {
		c.old = c.record
	}
	return &message{format: "debezium", changes: []change{c}}
}

// wal2jsonTransaction reads the list of changes in format 1.
func wal2jsonTransaction(list []byte) *message {
	var all []struct {
		Kind         string            `json:"kind"`
		Schema       string            `json:"schema"`
		Table        string            `json:"table"`
		ColumnNames  []string          `json:"columnnames"`
		ColumnValues []json.RawMessage `json:"columnvalues"`
		OldKeys      struct {
			KeyNames  []string          `json:"keynames"`
			KeyValues []json.RawMessage `json:"keyvalues"`
		} `json:"oldkeys"`
		PK struct {
			PKNames []string `json:"pknames"`
		} `json:"pk"`
	}
	if json.Unmarshal(list, &all) != nil {
		return nil
	}

	m := &message{format: "wal2json"}
	for _, one := range all {
		c := change{
			table: strings.TrimPrefix(one.Schema+"."+one.Table, "."), primaryKey: one.PK.PKNames, isDelete: one.Kind == "delete",
			record: pairs(one.ColumnNames, one.ColumnValues), old: pairs(one.OldKeys.KeyNames, one.OldKeys.KeyValues),
			mayLack: true,
		}
		if len(c.primaryKey) == 0 {
			c.primaryKey = one.OldKeys.KeyNames
		}

		switch one.Kind {
		case "insert", "update", "delete":
			m.changes = append(m.changes, c)
		case "truncate":
			m.fault = errTruncate
		case "message":
		default:
			return nil // a list that isn't about a database
		}
	}
	return m
}

// pairs returns an object with names and their values.
func pairs(names []string, values []json.RawMessage) (o object) {
	for i := range min(len(names), len(values)) {
		o = append(o, member{names[i], values[i]})
	}
	return o
}

// isWal2json reports whether an object is a message of format 2.
func isWal2json(o object) bool {
	_, hasColumns := o.get("columns")
	_, hasIdentity := o.get("identity")
	switch o.text("action") {
	case "I", "U", "D":
		return hasColumns || hasIdentity
	case "T", "M", "B", "C":
		return true
	}
	return false
}

// wal2json reads a message of format 2.
func wal2json(o object) *message {
	type column struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	columns := func(name string) (values object) {
		var list []column
		raw, _ := o.get(name)
		if json.Unmarshal(raw, &list) != nil {
			return nil
		}
		for _, c := range list {
			if len(c.Value) == 0 {
				c.Value = json.RawMessage("null")
			}
			values = append(values, member{c.Name, c.Value})
		}
		return values
	}

	c := change{
		table: strings.TrimPrefix(o.text("schema")+"."+o.text("table"), "."), mayLack: true,
		record: columns("columns"), old: columns("identity"),
	}
	for _, key := range columns("pk") {
		c.primaryKey = append(c.primaryKey, key.name)
	}

	m := &message{format: "wal2json"}
	switch o.text("action") {
	case "I", "U":
		m.changes = []change{c}
	case "D":
		c.isDelete = true
		m.changes = []change{c}
	case "T":
		m.fault = errTruncate
	}
	return m
}

// airbyte reads a message of Airbyte or Singer, or returns nil.
func airbyte(o object) *message {
	record := o.object("record")
	switch o.text("type") {
	case "RECORD":
		if data := record.object("data"); len(data) > 0 {
			return &message{format: "airbyte", changes: airbyteChange(record.text("stream"), data)}
		}
		if len(record) > 0 && o.text("stream") != "" {
			return &message{format: "singer", changes: airbyteChange(o.text("stream"), record)}
		}
		return nil
	case "STATE", "LOG", "SPEC", "CATALOG", "TRACE", "CONTROL", "CONNECTION_STATUS", "SCHEMA", "ACTIVATE_VERSION":
		return &message{format: "airbyte"}
	default:
		return nil
	}
}

// airbyteChange returns the change of a record. Sources that follow a database say when a record was deleted.
func airbyteChange(stream string, data object) []change {
	if len(data) == 0 {
		return nil
	}
	c := change{table: stream}
	for _, name := range []string{"_ab_cdc_deleted_at", "_sdc_deleted_at"} {
		if raw, ok := data.get(name); ok && string(raw) != "null" {
			c.isDelete = true
		}
	}
	c.record = data.without(func(m member) bool {
		return strings.HasPrefix(m.name, "_ab_") || strings.HasPrefix(m.name, "_sdc_")
	})
	if c.isDelete {
		c.old = c.record
	}
	return []change{c}
}
