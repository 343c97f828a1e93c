package column_test

import (
	"crypto/sha256"
	"database/sql/driver"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/store/column"
)

// wantRoundTrip writes each value to a column and reads it back over another value.
func wantRoundTrip[T any](
	t *testing.T, other T, values []T, columnOf func(*T) column.Column, equal func(want, got T) bool,
) {
	t.Helper()
	for _, want := range values {
		stored, err := columnOf(&want).Value()
		if err != nil || !driver.IsValue(stored) {
			t.Fatalf("%v is stored as %v, %v; want a value that drivers accept", want, stored, err)
		}
		got := other
		if err := columnOf(&got).Scan(stored); err != nil || !equal(want, got) {
			t.Errorf("%v is read back as %v, %v", want, got, err)
		}
	}
}

func TestColumns_RoundTrip(t *testing.T) {
	at := time.Date(2031, 5, 17, 9, 30, 0, 123_456_789, time.FixedZone("", 3600))
	wantRoundTrip(t, at, []time.Time{{}, at, time.Unix(0, 0), at.AddDate(-100, 0, 0)},
		column.Time,
		func(want, got time.Time) bool {
			return got.Equal(want.Truncate(time.Microsecond)) && got.Location() == time.UTC
		})
	wantRoundTrip(t, "other", []string{"", "acc_1"},
		column.Reference, func(want, got string) bool { return want == got })
	wantRoundTrip(t, sha256.Sum256(nil), [][sha256.Size]byte{{}, sha256.Sum256([]byte("x"))},
		column.Digest,
		func(want, got [sha256.Size]byte) bool { return want == got })
	wantRoundTrip(t, false, []bool{true},
		column.Flag, func(want, got bool) bool { return want == got })
	wantRoundTrip(t, time.Hour, []time.Duration{0, 1500 * time.Microsecond, -time.Second},
		column.Duration, func(want, got time.Duration) bool { return want == got })
	wantRoundTrip(t, []string{"other"}, [][]string{nil, {"match"}, {"health", "match"}},
		column.Words, slices.Equal[[]string])
	wantRoundTrip(t, []netip.Prefix{{}},
		[][]netip.Prefix{nil, {netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("192.0.2.1/32")}},
		column.Networks, slices.Equal[[]netip.Prefix])
	wantRoundTrip(t, []float64{.5}, [][]float64{nil, {0, 1e-6, .123456, 1}}, column.Scores, slices.Equal[[]float64])
	type value struct{ A, B string }
	wantRoundTrip(t, value{"a", "b"}, []value{{}, {A: "é"}}, column.JSON[value],
		func(want, got value) bool { return want == got })
}

func TestColumns_RejectOtherValues(t *testing.T) {
	for _, tt := range []struct {
		column column.Column
		value  any
	}{
		{column.Time(new(time.Time)), "2031-05-17"},
		{column.Reference(new(string)), int64(1)},
		{column.Digest(new([sha256.Size]byte)), nil},
		{column.Scores(new([]float64)), make([]byte, 5)},
		{column.JSON(new(string)), "{"},
		{column.JSON(new(string)), int64(1)},
		{column.Digest(new([sha256.Size]byte)), make([]byte, 31)},
		{column.Flag(new(bool)), "1"},
		{column.Duration(new(time.Duration)), 1.5},
		{column.Words(new([]string)), nil},
		{column.Networks(new([]netip.Prefix)), nil},
		{column.Networks(new([]netip.Prefix)), "192.0.2.0/24 elsewhere"},
	} {
		if err := tt.column.Scan(tt.value); err == nil {
			t.Errorf("%T accepts %#v", tt.column, tt.value)
		}
	}
}
