package store

import (
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// A function such as keyColumns lists the fields of a record once, in the order of the columns, for both reading and
// writing. The types below convert fields that a database cannot store as they are. Each reads into and writes from the
// field it points to.

// timestamp is stored as microseconds since 1970, and the zero time as NULL.
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

// sortable is a time like timestamp, but the zero time is stored as 0, which sorts before all others.
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

// reference is the id of a row in another table. "" is stored as NULL.
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

// digest is a SHA-256.
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

// flag is stored as 1 or 0.
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

// words holds texts without spaces. They are stored with a space in between.
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

// networks holds network prefixes. They are stored with a space in between.
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
