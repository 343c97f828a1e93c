// Package flatten turns JSON objects into the cells of a table. The members of nested objects become columns named
// "outer.inner".
package flatten

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// Flattener turns JSON objects into cells. The JSON must be valid.
type Flattener struct {
	Index  map[string]int // column by key
	Keys   []string       // by column
	isOpen bool           // new keys become columns
	Cells  []string       // of the last object
	late   []string       // known headers among the keys of the last object that have no column

	known   map[string]bool // whether a key without a column is a known header
	objects int             // flattened so far
	setBy   []int           // by column: the last object that had it
	again   []string        // keys that the last object has twice
	tooDeep []string        // keys of the last object whose members are nested too deeply
}

// maxNesting is the depth to which nested objects become columns.
const maxNesting = 4

// Flatten sets the cells to the members of an object. Columns in lists keep JSON lists; in others, lists become text.
func (f *Flattener) Flatten(object []byte, lists []bool) {
	f.objects++
	f.late, f.again, f.tooDeep = f.late[:0], f.again[:0], f.tooDeep[:0]
	f.Cells = f.Cells[:0]
	for range f.Keys {
		f.Cells = append(f.Cells, "")
	}
	f.object("", object, lists, 1)
}

func (f *Flattener) object(prefix string, b []byte, lists []bool, depth int) {
	EachMember(b, func(key, raw []byte) {
		name := string(key)

		// Few keys have escapes, and the others are used without unquoting them.
		if bytes.IndexByte(key, '\\') >= 0 {
			name = unquote(append(append([]byte{'"'}, key...), '"'))
		}

		if prefix != "" {
			name = prefix + "." + name
		}

		// Values written as objects come first; nested deeper than the limit, an object is reported rather than
		// followed.
		if raw[0] == '{' {
			if name == SourceKey {
				f.object("", raw, lists, depth)
			} else if text, ok := extendedValue(raw); ok {
				f.set(name, text)
			} else if amount, ok := amountOf(raw); ok {
				f.set(name, amount)
			} else if depth < maxNesting {
				f.object(name, raw, lists, depth+1)
			} else {
				f.tooDeep = append(f.tooDeep, name)
			}

			return
		}

		column, ok := f.column(name)
		if !ok {
			return
		}

		switch {
		case raw[0] == '"':
			f.Cells[column] = unquote(raw)
		case raw[0] == '[' && (column >= len(lists) || !lists[column]):
			f.Cells[column] = listText(string(raw))
		case string(raw) == "null":
			f.Cells[column] = ""
		default:
			f.Cells[column] = string(raw)
		}
	})
}

// listText returns the items of a JSON list as text: names, or languages with their levels.
func listText(raw string) string {
	items, _ := value.Skills(raw, false)
	if len(items) == 0 {
		languages, _ := value.SpokenLanguages(raw)
		for _, l := range languages {
			items = append(items, l.Tag+":"+cmp.Or(string(l.Level), "?"))
		}
	}
	return strings.Join(items, ", ")
}

func (f *Flattener) set(name, cell string) {
	if column, ok := f.column(name); ok {
		f.Cells[column] = cell
	}
}

// column returns the column of a key.
func (f *Flattener) column(name string) (int, bool) {
	column, ok := f.Index[name]
	switch {
	case ok:
		// The number of the object marks what it has set, which reveals a repeated key without clearing marks.
		if f.setBy[column] == f.objects {
			f.again = append(f.again, name)
		}
		f.setBy[column] = f.objects
		return column, true

	// The columns are final after the sample. A later key is lost, and the user must hear of it if it is a known one.
	case !f.isOpen || len(f.Keys) > table.MaxColumns:
		if f.isKnown(name) {
			f.late = append(f.late, name)
		}
		return 0, false
	}

	column = len(f.Keys)
	f.Index[name] = column
	f.Keys = append(f.Keys, name)
	f.Cells = append(f.Cells, "")
	f.setBy = append(f.setBy, f.objects)

	return column, true
}

// Has reports whether the last object has a value for a column, which may be null.
func (f *Flattener) Has(column int) bool { return f.setBy[column] == f.objects }

// maxKnown limits the memory for keys without a column.
const maxKnown = 10_000

// isKnown reports whether a key without a column is a known header.
func (f *Flattener) isKnown(name string) bool {
	known, ok := f.known[name]
	if !ok && len(f.known) < maxKnown {
		known = headers.Overrides(nil).IsKnown(name)
		f.known[name] = known
	}
	return known
}

// The reasons of warnings about keys.
const (
	RemarkLate    = "not used, because the field is missing from the first rows of the file"
	RemarkAgain   = "the object has this key twice; the last value is used"
	RemarkTooDeep = "not used, because it is nested more than 4 levels deep"
)

// Warnings returns the warnings about the keys of the last object.
func (f *Flattener) Warnings(line int) (warnings []rows.Fault) {
	for _, kind := range []struct {
		keys   []string
		reason string
	}{{f.late, RemarkLate}, {f.again, RemarkAgain}, {f.tooDeep, RemarkTooDeep}} {
		for _, key := range kind.keys {
			warnings = append(warnings, rows.Fault{Line: line, Column: key, Reason: kind.reason})
		}
	}
	return warnings
}

// New returns a flattener with columns for keys. Further keys become columns if isOpen is set.
func New(index map[string]int, keys []string, isOpen bool) Flattener {
	return Flattener{Index: index, Keys: keys, isOpen: isOpen, setBy: make([]int, len(keys)), known: map[string]bool{}}
}

// SourceKey is the key under which dumps of Elasticsearch have the record. Its members become columns without a prefix.
const SourceKey = "_source"

// extendedValue returns the value of an object that stands for one in MongoDB's extended JSON, such as {"$oid": "64a1"}
// or {"$date": {"$numberLong": "1640995200000"}}.
func extendedValue(object []byte) (text string, ok bool) {
	if rest := SkipSpace(object[1:]); !bytes.HasPrefix(rest, []byte(`"$`)) {
		return "", false
	}

	// Several members make it an ordinary object, whose keys happen to begin with a dollar sign.
	members := 0
	EachMember(object, func(key, raw []byte) {
		members++
		switch string(key) {
		case "$oid", "$uuid", "$symbol", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$date":
		default:
			return
		}

		switch raw[0] {
		case '"':
			text = unquote(raw)
			ok = true
		case '{':
			text, ok = extendedValue(raw)
		case '[':
		default:
			text = string(raw)
			ok = true
		}
	})

	return text, ok && members == 1
}

// amountOf formats an object with an amount of money as text: {"amount": 25, "currency": "EUR"} is "25 EUR".
func amountOf(object []byte) (string, bool) {
	var amount, code string
	EachMember(object, func(key, raw []byte) {
		text := string(raw)
		switch raw[0] {
		case '"':
			text = unquote(raw)
		case '{':
			text, _ = extendedValue(raw)
		}
		switch strings.ToLower(string(key)) {
		case "amount", "value", "rawvalue":
			amount = text
		case "currency", "currencycode":
			code = text
		}
	})
	return strings.TrimSpace(amount + " " + code), amount != "" && code != ""
}

// EachMember calls yield with each key, without its quotes, and each raw value of a valid object.
func EachMember(object []byte, yield func(key, raw []byte)) {
	rest := SkipSpace(object[1:])
	for rest[0] == '"' {
		size := valueSize(rest)
		key := rest[1 : size-1]
		rest = SkipSpace(rest[size:])
		rest = SkipSpace(rest[1:]) // the colon
		size = valueSize(rest)
		yield(key, rest[:size])
		rest = SkipSpace(rest[size:])
		if rest[0] == ',' {
			rest = SkipSpace(rest[1:])
		}
	}
}

// valueSize returns the length of the value at the start of valid JSON.
func valueSize(b []byte) int {
	// The JSON is known to be valid, so every loop meets its end without a check of the bounds.
	switch b[0] {
	case '"':
		for i := 1; ; i++ {
			switch b[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}

	case '{', '[':
		depth := 0
		for i := 0; ; i++ {
			switch b[i] {
			case '"':
				i += valueSize(b[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}

	return bytes.IndexAny(b, ",}] \t\r\n")
}

// SkipSpace returns b without the white space of JSON before its first value.
func SkipSpace(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// unquote decodes a valid JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "" // impossible for a valid string
	}
	return text
}
