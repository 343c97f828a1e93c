package store

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// column is how a field is read and written.
type column interface {
	driver.Valuer
	sql.Scanner
}

func TestColumns_ThereAndBack(t *testing.T) {
	at := time.Date(2031, 5, 17, 9, 30, 0, 123_456_789, time.FixedZone("", 3600))
	var (
		moments      = []time.Time{{}, at, time.Unix(0, 0), at.AddDate(-100, 0, 0)}
		references   = []string{"", "acc_1"}
		digests      = [][sha256.Size]byte{{}, sha256.Sum256([]byte("x"))}
		operations   = [][]string{nil, {"match"}, {"health", "match"}}
		someNetworks = [][]netip.Prefix{nil, {netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("192.0.2.1/32")}}
	)
	back := func(from, into column) {
		t.Helper()
		v, err := from.Value()
		if err != nil || !driver.IsValue(v) {
			t.Fatalf("%v is no value of a column: %v", v, err)
		}
		if err := into.Scan(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range moments {
		got := at
		if back(moment{&want}, moment{&got}); !got.Equal(want.Truncate(time.Microsecond)) || got.Location() != time.UTC {
			t.Errorf("%v came back as %v", want, got)
		}
	}
	for _, want := range references {
		got := "other"
		if back(reference{&want}, reference{&got}); got != want {
			t.Errorf("%q came back as %q", want, got)
		}
	}
	for _, want := range digests {
		got := sha256.Sum256(nil)
		if back(digest{&want}, digest{&got}); got != want {
			t.Errorf("%x came back as %x", want, got)
		}
	}
	for _, want := range operations {
		got := []string{"other"}
		if back(words{&want}, words{&got}); !slices.Equal(got, want) {
			t.Errorf("%q came back as %q", want, got)
		}
	}
	for _, want := range someNetworks {
		got := []netip.Prefix{{}}
		if back(networks{&want}, networks{&got}); !slices.Equal(got, want) {
			t.Errorf("%v came back as %v", want, got)
		}
	}
}

func TestColumns_RefuseOtherValues(t *testing.T) {
	for _, tt := range []struct {
		into  column
		value any
	}{
		{moment{new(time.Time)}, "2031-05-17"},
		{reference{new(string)}, int64(1)},
		{digest{new([sha256.Size]byte)}, nil},
		{digest{new([sha256.Size]byte)}, make([]byte, 31)},
		{words{new([]string)}, nil},
		{networks{new([]netip.Prefix)}, nil},
		{networks{new([]netip.Prefix)}, "192.0.2.0/24 elsewhere"},
	} {
		if err := tt.into.Scan(tt.value); err == nil {
			t.Errorf("%T took %#v", tt.into, tt.value)
		}
	}
}
