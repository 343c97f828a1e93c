package document

import (
	"encoding/binary"
	"math"

	"github.com/freelancer-matching/service/internal/matching"
)

// A reader decodes values from a byte slice. After the slice turns out too short, failed is true and all values are
// zero.
type reader struct {
	rest   []byte
	all    string // of which rest is the end; decoded texts share its memory
	failed bool
}

func newReader(b []byte) *reader { return &reader{rest: b, all: string(b)} }

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

// count decodes the number of items that follow, each of which has at least one byte.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := len(r.take(r.uvarint()))
	end := len(r.all) - len(r.rest)
	return r.all[end-n : end]
}

func (r *reader) number() matching.Optional[float64] {
	b := r.take(8)
	if b == nil {
		return matching.Optional[float64]{}
	}
	return matching.Some(math.Float64frombits(binary.LittleEndian.Uint64(b)))
}

func (r *reader) varint() int {
	x, n := binary.Varint(r.rest)
	if n <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return int(x)
}

func (r *reader) signals() (s matching.Signals, schedule matching.Schedule) {
	known := r.byte()

	// Signals come in the order of their bits, and an unknown one takes no bytes.
	if known&knowsExperience != 0 {
		s.Experience = r.number()
	}

	if known&knowsRating != 0 {
		s.Rating = r.number()
	}

	if known&knowsRate != 0 {
		s.HourlyRate = r.number()
	}

	if known&knowsSales != 0 {
		s.TotalSales = matching.Some(r.varint())
	}

	if known&knowsAvailability != 0 {
		s.Availability = matching.Some(known&isAvailable != 0)
	}

	if known&knowsDay != 0 {
		schedule.From = matching.Some(r.varint())
	}

	if known&knowsHours != 0 {
		schedule.HoursPerWeek = r.number()
	}

	return s, schedule
}

func (r *reader) vector() matching.Vector {
	b := r.take(r.uvarint())
	if len(b) == 0 {
		return nil
	}
	v := make(matching.Vector, len(b))
	for i, x := range b {
		v[i] = int8(x)
	}
	return v
}
