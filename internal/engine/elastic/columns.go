package elastic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"freelancer-matching/internal/engine"
	"freelancer-matching/internal/matching"
)

// columns are what ranking must know of a hit beyond its text score. They travel in one binary field, whose doc values
// cost a third of fetching the fields one by one, and hold what Elasticsearch gives back in no other way: the exact
// numbers of the vectors.
type columns struct {
	id       string
	signals  matching.Signals
	skills   []engine.Skill
	families []string
	vectors  []engine.Vector
}

// columnsVersion is the first byte of the field: a reader refuses what it does not know.
const columnsVersion = 1

// The bits that say what is known of the signals.
const (
	knowsExperience = 1 << iota
	knowsRating
	knowsRate
	knowsSales
	knowsAvailability
	isAvailable
)

// appendColumns encodes the columns of a document: version, id, known signals, skills with their evidence, families,
// vectors. Lengths and counts are varints, numbers little-endian.
func appendColumns(b []byte, d *engine.Document) []byte {
	b = append(b, columnsVersion)
	b = appendText(b, d.Freelancer.ID)
	b = appendSignals(b, &d.Freelancer.Signals)
	b = binary.AppendUvarint(b, uint64(len(d.Skills)))
	for _, s := range d.Skills {
		b = append(b, byte(s.Evidence))
		b = appendText(b, s.ID)
	}
	b = binary.AppendUvarint(b, uint64(len(d.Families)))
	for _, f := range d.Families {
		b = appendText(b, f)
	}
	b = binary.AppendUvarint(b, uint64(len(d.Vectors)))
	for _, v := range d.Vectors {
		b = binary.AppendUvarint(b, uint64(len(v)))
		for _, x := range v {
			b = append(b, byte(x))
		}
	}
	return b
}

func appendSignals(b []byte, s *matching.Signals) []byte {
	var known byte
	at := len(b)
	b = append(b, 0)
	for _, number := range []struct {
		of  matching.Optional[float64]
		bit byte
	}{{s.Experience, knowsExperience}, {s.Rating, knowsRating}, {s.HourlyRate, knowsRate}} {
		if number.of.Known {
			known |= number.bit
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(number.of.Value))
		}
	}
	if s.TotalSales.Known {
		known |= knowsSales
		b = binary.AppendVarint(b, int64(s.TotalSales.Value))
	}
	if s.Availability.Known {
		known |= knowsAvailability
		if s.Availability.Value {
			known |= isAvailable
		}
	}
	b[at] = known
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// decodeColumns reads what appendColumns wrote. The families and vectors are parts of b.
func decodeColumns(b []byte) (c columns, err error) {
	r := reader{rest: b}
	if version := r.byte(); version != columnsVersion {
		return c, fmt.Errorf("field ranking has version %d, want %d: it was written by another version of this program; "+
			"make the index anew with indexer reindex", version, columnsVersion)
	}
	c.id = r.text()
	c.signals = r.signals()
	c.skills = make([]engine.Skill, r.count())
	for i := range c.skills {
		c.skills[i] = engine.Skill{Evidence: matching.Evidence(r.byte()), ID: r.text()}
	}
	c.families = make([]string, r.count())
	for i := range c.families {
		c.families[i] = r.text()
	}
	c.vectors = make([]engine.Vector, r.count())
	for i := range c.vectors {
		c.vectors[i] = r.vector()
	}
	if r.failed || len(r.rest) > 0 {
		return columns{}, errors.New("field ranking is damaged")
	}
	return c, nil
}

// reader takes values off a slice; once that was too short it fails, and yields zeros.
type reader struct {
	rest   []byte
	failed bool
}

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

// count is a number of things that take a byte each at least.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) text() string { return string(r.take(r.uvarint())) }

func (r *reader) number() matching.Optional[float64] {
	b := r.take(8)
	if b == nil {
		return matching.Optional[float64]{}
	}
	return matching.Some(math.Float64frombits(binary.LittleEndian.Uint64(b)))
}

func (r *reader) signals() (s matching.Signals) {
	known := r.byte()
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
		x, n := binary.Varint(r.rest)
		if n <= 0 {
			r.failed, r.rest = true, nil
			return s
		}
		r.rest = r.rest[n:]
		s.TotalSales = matching.Some(int(x))
	}
	if known&knowsAvailability != 0 {
		s.Availability = matching.Some(known&isAvailable != 0)
	}
	return s
}

func (r *reader) vector() engine.Vector {
	b := r.take(r.uvarint())
	if len(b) == 0 {
		return nil
	}
	v := make(engine.Vector, len(b))
	for i, x := range b {
		v[i] = int8(x)
	}
	return v
}

// evidence is what the columns say of a skill that a query asks for.
func (c *columns) evidence(of engine.SkillClause) matching.Evidence {
	evidence := matching.NoEvidence
	for _, s := range c.skills {
		if s.ID == of.ID {
			return s.Evidence
		}
	}
	if of.Family != "" {
		for _, f := range c.families {
			if f == of.Family {
				evidence = matching.Sibling
			}
		}
	}
	return evidence
}

// isZero reports whether a vector has no direction.
func isZero(v engine.Vector) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

func appendVector(b []byte, v engine.Vector) []byte {
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return append(b, ']')
}
