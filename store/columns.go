package store

import (
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// A record lists its fields once, in the order of its columns, for reading and for writing alike. The types here stand for
// the fields whose columns hold something else; each is read into and written from the field that it points at.

// moment is microseconds since 1970, NULL for the zero time.
type moment struct{ at *time.Time }

// Value is what the column holds.
func (m moment) Value() (driver.Value, error) {
	if m.at.IsZero() {
		return nil, nil
	}
	return m.at.UnixMicro(), nil
}

// Scan reads the column.
func (m moment) Scan(from any) error {
	switch v := from.(type) {
	case nil:
		*m.at = time.Time{}
	case int64:
		*m.at = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("a moment is a whole number, got %T", from)
	}
	return nil
}

// reference is the id of a row in another table, NULL for "".
type reference struct{ id *string }

// Value is what the column holds.
func (r reference) Value() (driver.Value, error) {
	if *r.id == "" {
		return nil, nil
	}
	return *r.id, nil
}

// Scan reads the column.
func (r reference) Scan(from any) error {
	switch v := from.(type) {
	case nil:
		*r.id = ""
	case string:
		*r.id = v
	default:
		return fmt.Errorf("a reference is a text, got %T", from)
	}
	return nil
}

// digest is the 32 bytes of a SHA-256.
type digest struct{ sum *[sha256.Size]byte }

// Value is what the column holds.
func (d digest) Value() (driver.Value, error) { return d.sum[:], nil }

// Scan reads the column.
func (d digest) Scan(from any) error {
	v, ok := from.([]byte)
	if !ok || len(v) != sha256.Size {
		return fmt.Errorf("a digest is %d bytes, got %T", sha256.Size, from)
	}
	copy(d.sum[:], v)
	return nil
}

// words is texts without spaces, with a space between them.
type words struct{ list *[]string }

// Value is what the column holds.
func (w words) Value() (driver.Value, error) { return strings.Join(*w.list, " "), nil }

// Scan reads the column.
func (w words) Scan(from any) error {
	v, ok := from.(string)
	if !ok {
		return fmt.Errorf("words are a text, got %T", from)
	}
	*w.list = nil
	if v != "" {
		*w.list = strings.Split(v, " ")
	}
	return nil
}

// networks is network prefixes with a space between them.
type networks struct{ list *[]netip.Prefix }

// Value is what the column holds.
func (n networks) Value() (driver.Value, error) {
	texts := make([]string, len(*n.list))
	for i, network := range *n.list {
		texts[i] = network.String()
	}
	return strings.Join(texts, " "), nil
}

// Scan reads the column.
func (n networks) Scan(from any) error {
	var texts []string
	if err := (words{&texts}).Scan(from); err != nil {
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
