package changelog

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// AppendDocument appends a document without its record: the signals, then everything that preparation derived from the
// record. Numbers are varints, texts and lists start with their length.
func AppendDocument(b []byte, d *engine.Document) []byte {
	b = appendSignals(b, &d.Freelancer.Signals)
	b = appendOptional(b, d.Schedule.From)
	b = binary.AppendUvarint(b, uint64(len(d.Skills)))
	for _, s := range d.Skills {
		b = appendText(append(b, byte(min(s.Evidence, matching.Listed))), s.ID)
	}

	for _, list := range [][]string{d.Families, d.Terms, d.Labels, d.JobTitles, d.UnknownSkills} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, text := range list {
			b = appendText(b, text)
		}
	}

	b = binary.AppendUvarint(b, uint64(len(d.Vectors)))
	for _, v := range d.Vectors {
		b = binary.AppendUvarint(b, uint64(len(v)))
		for _, coordinate := range v {
			b = append(b, byte(coordinate))
		}
	}

	// Documents of earlier versions end here, and so do those without hours.
	if hours := d.Schedule.HoursPerWeek; hours.Known {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(hours.Value))
	}

	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendOptional(b []byte, n matching.Optional[int]) []byte {
	if !n.Known {
		return append(b, 0)
	}
	return binary.AppendVarint(append(b, 1), int64(n.Value))
}

func appendSignals(b []byte, s *matching.Signals) []byte {
	for _, number := range []matching.Optional[float64]{s.Experience, s.Rating, s.HourlyRate} {
		if !number.Known {
			b = append(b, 0)
			continue
		}
		b = binary.LittleEndian.AppendUint64(append(b, 1), math.Float64bits(number.Value))
	}
	switch {
	case !s.Availability.Known:
		b = append(b, 0)
	case s.Availability.Value:
		b = append(b, 2)
	default:
		b = append(b, 1)
	}
	return appendOptional(b, s.TotalSales)
}

var errDocument = errors.New("the stored document is malformed")

// DecodeDocument decodes what AppendDocument has appended. The document's Freelancer has only the given ID and signals.
func DecodeDocument(id string, b []byte) (*engine.Document, error) {
	r := decoder{rest: string(b)} // the texts of the document share this memory
	d := &engine.Document{Freelancer: matching.Freelancer{ID: id, Signals: r.signals()}}
	d.Schedule.From = r.optional()
	d.Skills = r.skills()
	d.Families = r.texts()
	d.Terms = r.texts()
	d.Labels = r.texts()
	d.JobTitles = r.texts()
	d.UnknownSkills = r.texts()
	for range r.count() {
		d.Vectors = append(d.Vectors, r.vector())
	}

	// Documents of earlier versions end here, and so do those without hours.
	if r.rest != "" {
		d.Schedule.HoursPerWeek = matching.Some(r.float())
	}

	isTooLong := r.rest != ""
	if r.failed || isTooLong {
		return nil, errDocument
	}

	return d, nil
}

// skills reads a list of skills.
func (r *decoder) skills() (skills []engine.Skill) {
	for range r.count() {
		evidence := matching.Evidence(r.byte())
		if evidence > matching.Listed {
			r.fail()
		}
		skills = append(skills, engine.Skill{ID: r.text(), Evidence: evidence})
	}
	return skills
}

// texts reads a list of texts. It returns nil for an empty one.
func (r *decoder) texts() []string {
	n := r.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

// vector reads a vector. It returns nil for an empty one, which a document has where its text has no known word.
func (r *decoder) vector() matching.Vector {
	coordinates := r.text()
	if coordinates == "" {
		return nil
	}
	v := make(matching.Vector, len(coordinates))
	for i := range v {
		v[i] = int8(coordinates[i])
	}
	return v
}

// A decoder reads from the start of rest. After a failure, it returns zeros.
type decoder struct {
	rest   string
	failed bool
}

func (r *decoder) fail() { r.failed, r.rest = true, "" }

func (r *decoder) byte() byte {
	if r.rest == "" {
		r.fail()
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *decoder) uvarint() uint64 {
	n := uint64(0)
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.fail()
	return 0
}

// count reads the length of a list, whose elements have at least one byte each.
func (r *decoder) count() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *decoder) text() string {
	n := r.count()
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func (r *decoder) optional() matching.Optional[int] {
	if r.flag(1) == 0 {
		return matching.Optional[int]{}
	}
	n := r.uvarint()
	value := int64(n >> 1)
	if n&1 != 0 {
		value = ^value
	}
	return matching.Some(int(value))
}

// flag reads a byte from 0 to highest.
func (r *decoder) flag(highest byte) byte {
	b := r.byte()
	if b > highest {
		r.fail()
		return 0
	}
	return b
}

func (r *decoder) float() float64 {
	const size = 8
	if len(r.rest) < size {
		r.fail()
		return 0
	}
	bits := binary.LittleEndian.Uint64([]byte(r.rest[:size]))
	r.rest = r.rest[size:]
	return math.Float64frombits(bits)
}

func (r *decoder) signals() (s matching.Signals) {
	for _, number := range []*matching.Optional[float64]{&s.Experience, &s.Rating, &s.HourlyRate} {
		if r.flag(1) == 0 {
			continue
		}
		*number = matching.Some(r.float())
	}
	if flag := r.flag(2); flag > 0 {
		s.Availability = matching.Some(flag == 2)
	}
	s.TotalSales = r.optional()
	return s
}
