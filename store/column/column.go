// Package column converts fields that a database cannot store as they are. Each column reads into and writes from the
// field that its function gets.
package column

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"time"
)

// A Column is a parameter of a statement and a target of Scan.
type Column interface {
	driver.Valuer
	sql.Scanner
}

// Time returns a column for a time, stored as microseconds since 1970, and the zero time as NULL.
func Time(at *time.Time) Column { return timestamp{at} }

type timestamp struct{ at *time.Time }

// Value implements driver.Valuer.
func (t timestamp) Value() (driver.Value, error) {
	if t.at.IsZero() {
		return nil, nil
	}
	return t.at.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (t timestamp) Scan(column any) error {
	switch v := column.(type) {
	case nil:
		*t.at = time.Time{}
	case int64:
		*t.at = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("timestamp column is %T, want an integer", column)
	}
	return nil
}

// Sortable returns a column for a time like Time, but the zero time is stored as 0, which sorts before all others.
func Sortable(at *time.Time) Column { return sortable{at} }

type sortable struct{ at *time.Time }

// Value implements driver.Valuer.
func (s sortable) Value() (driver.Value, error) {
	if s.at.IsZero() {
		return int64(0), nil
	}
	return s.at.UnixMicro(), nil
}

// Scan implements sql.Scanner.
func (s sortable) Scan(column any) error {
	if column == int64(0) {
		column = nil
	}
	return timestamp(s).Scan(column)
}

// Reference returns a column for the ID of a row in another table. "" is stored as NULL.
func Reference(id *string) Column { return reference{id} }

type reference struct{ id *string }

// Value implements driver.Valuer.
func (r reference) Value() (driver.Value, error) {
	if *r.id == "" {
		return nil, nil
	}
	return *r.id, nil
}

// Scan implements sql.Scanner.
func (r reference) Scan(column any) error {
	switch v := column.(type) {
	case nil:
		*r.id = ""
	case string:
		*r.id = v
	default:
		return fmt.Errorf("reference column is %T, want text", column)
	}
	return nil
}

// Digest returns a column for a SHA-256.
func Digest(sum *[sha256.Size]byte) Column { return digest{sum} }

type digest struct{ sum *[sha256.Size]byte }

// Value implements driver.Valuer.
func (d digest) Value() (driver.Value, error) { return d.sum[:], nil }

// Scan implements sql.Scanner.
func (d digest) Scan(column any) error {
	v, ok := column.([]byte)
	if !ok || len(v) != sha256.Size {
		return fmt.Errorf("digest column is %T, want %d bytes", column, sha256.Size)
	}
	copy(d.sum[:], v)
	return nil
}

// Flag returns a column for a truth value, stored as 1 or 0.
func Flag(set *bool) Column { return flag{set} }

type flag struct{ set *bool }

// Value implements driver.Valuer.
func (f flag) Value() (driver.Value, error) {
	if *f.set {
		return int64(1), nil
	}
	return int64(0), nil
}

// Scan implements sql.Scanner.
func (f flag) Scan(column any) error {
	v, ok := column.(int64)
	if !ok {
		return fmt.Errorf("flag column is %T, want an integer", column)
	}
	*f.set = v != 0
	return nil
}

// Duration returns a column for a duration, stored in microseconds.
func Duration(d *time.Duration) Column { return duration{d} }

type duration struct{ of *time.Duration }

// Value implements driver.Valuer.
func (d duration) Value() (driver.Value, error) { return d.of.Microseconds(), nil }

// Scan implements sql.Scanner.
func (d duration) Scan(column any) error {
	v, ok := column.(int64)
	if !ok {
		return fmt.Errorf("duration column is %T, want an integer", column)
	}
	*d.of = time.Duration(v) * time.Microsecond
	return nil
}

// Words returns a column for texts without spaces. They are stored with a space in between.
func Words(list *[]string) Column { return words{list} }

type words struct{ list *[]string }

// Value implements driver.Valuer.
func (w words) Value() (driver.Value, error) { return strings.Join(*w.list, " "), nil }

// Scan implements sql.Scanner.
func (w words) Scan(column any) error {
	v, ok := column.(string)
	if !ok {
		return fmt.Errorf("words column is %T, want text", column)
	}
	*w.list = nil
	if v != "" {
		*w.list = strings.Split(v, " ")
	}
	return nil
}

// Networks returns a column for network prefixes. They are stored with a space in between.
func Networks(list *[]netip.Prefix) Column { return networks{list} }

type networks struct{ list *[]netip.Prefix }

// Value implements driver.Valuer.
func (n networks) Value() (driver.Value, error) {
	texts := make([]string, len(*n.list))
	for i, network := range *n.list {
		texts[i] = network.String()
	}
	return strings.Join(texts, " "), nil
}

// Scan implements sql.Scanner.
func (n networks) Scan(column any) error {
	var texts []string
	if err := (words{&texts}).Scan(column); err != nil {
		return err
	}
	*n.list = nil
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return err
		}
		*n.list = append(*n.list, network)
	}
	return nil
}

// Hashes returns a column for numbers of 8 bytes. They are stored one after the other.
func Hashes(list *[]uint64) Column { return hashes{list} }

type hashes struct{ list *[]uint64 }

// Value implements driver.Valuer.
func (h hashes) Value() (driver.Value, error) {
	data := make([]byte, 0, 8*len(*h.list))
	for _, n := range *h.list {
		data = binary.BigEndian.AppendUint64(data, n)
	}
	return data, nil
}

// Scan implements sql.Scanner.
func (h hashes) Scan(column any) error {
	data, ok := column.([]byte)
	if !ok || len(data)%8 != 0 {
		return fmt.Errorf("hashes column is %T of %d bytes, want a multiple of 8", column, len(data))
	}
	*h.list = make([]uint64, 0, len(data)/8)
	for ; len(data) > 0; data = data[8:] {
		*h.list = append(*h.list, binary.BigEndian.Uint64(data))
	}
	return nil
}

// Scores returns a column for scores from 0 to 1. They are stored in millionths, in 4 bytes each, one after the other,
// and an empty list as NULL.
func Scores(list *[]float64) Column { return scores{list} }

type scores struct{ list *[]float64 }

// millionths is the precision of a score.
const millionths = 1e6

// Value implements driver.Valuer.
func (s scores) Value() (driver.Value, error) {
	if len(*s.list) == 0 {
		return nil, nil
	}
	data := make([]byte, 0, 4*len(*s.list))
	for _, score := range *s.list {
		data = binary.BigEndian.AppendUint32(data, uint32(math.Round(min(1, max(0, score))*millionths)))
	}
	return data, nil
}

// Scan implements sql.Scanner.
func (s scores) Scan(column any) error {
	*s.list = nil
	if column == nil {
		return nil
	}
	data, ok := column.([]byte)
	if !ok || len(data)%4 != 0 {
		return fmt.Errorf("scores column is %T of %d bytes, want a multiple of 4", column, len(data))
	}
	for ; len(data) > 0; data = data[4:] {
		*s.list = append(*s.list, float64(binary.BigEndian.Uint32(data))/millionths)
	}
	return nil
}

// JSON returns a column for a value that is stored as JSON. NULL is read as the zero value.
func JSON[T any](value *T) Column { return asJSON[T]{value} }

type asJSON[T any] struct{ value *T }

// Value implements driver.Valuer.
func (j asJSON[T]) Value() (driver.Value, error) {
	data, err := json.Marshal(j.value)
	return string(data), err
}

// Scan implements sql.Scanner.
func (j asJSON[T]) Scan(column any) error {
	*j.value = *new(T)
	switch text := column.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(text), j.value)
	default:
		return fmt.Errorf("JSON column is %T, want text", column)
	}
}
