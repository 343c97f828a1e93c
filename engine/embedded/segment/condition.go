package segment

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/signals"
	"github.com/freelancer-matching/service/internal/matching"
)

// A condition is one of those that engine.Filters combine, apart from the ones on ids. It is the same for all segments
// and can be compared, so that each segment can cache the documents that meet it.
type condition struct {
	kind   conditionKind
	of     column
	limit  uint64    // bits of a float64
	limits [4]uint64 // bits of the numbers of a matching.RateLimit
	words  string    // labels or a skill, each after its length
}

type conditionKind int

const (
	isAvailable conditionKind = iota
	isNotAvailable
	lacksAvailability
	atMost   // the number in a column
	atLeast  // the number in a column
	lacks    // the number in a column
	rateRise // a rate limit that rises with experience
	hasLabel
	hasSkill
	lacksSkills
)

// A Clause is a condition with its words looked up as far as all segments can share.
type Clause struct {
	condition
	list []string            // of words
	set  map[string]struct{} // of words; only if there are many
}

// manyWords is the number of words from which a clause has a set, which takes longer to make than a few words to find.
const manyWords = 16

func wordsClause(kind conditionKind, words []string) Clause {
	var all []byte
	for _, word := range words {
		all = append(binary.AppendUvarint(all, uint64(len(word))), word...)
	}
	c := Clause{condition: condition{kind: kind, words: string(all)}, list: words}
	if len(words) >= manyWords {
		c.set = make(map[string]struct{}, len(words))
		for _, word := range words {
			c.set[word] = struct{}{}
		}
	}
	return c
}

func limitClause(kind conditionKind, of column, limit float64) Clause {
	return Clause{condition: condition{kind: kind, of: of, limit: math.Float64bits(limit)}}
}

// Clauses returns the conditions that a document must meet.
func Clauses(f *engine.Filters) []Clause {
	var all []Clause
	if f.Available.Known {
		kind := isNotAvailable
		if f.Available.Value {
			kind = isAvailable
		}
		all = append(all, Clause{condition: condition{kind: kind}})
	}

	if f.MinRating.Known {
		all = append(all, limitClause(atLeast, ofRating, f.MinRating.Value))
	}

	if f.MinExperience.Known {
		all = append(all, limitClause(atLeast, ofExperience, f.MinExperience.Value))
	}

	if f.MaxHourlyRate.Known {
		all = append(all, limitClause(atMost, ofRate, f.MaxHourlyRate.Value))
	}

	// Numbers are kept as bits: a NaN never equals itself, and would not be found in the cache.
	if l := f.RateLimit.Value; f.RateLimit.Known {
		all = append(all, Clause{condition: condition{kind: rateRise, limits: [4]uint64{
			math.Float64bits(l.Unknown), math.Float64bits(l.Beginner),
			math.Float64bits(l.Expert), math.Float64bits(l.ExpertYears),
		}}})
	}

	if f.AvailableBy.Known {
		all = append(all, limitClause(atMost, ofDay, float64(signals.DayOf(f.AvailableBy))))
	}

	for _, set := range f.Labels {
		all = append(all, wordsClause(hasLabel, set))
	}

	for _, skill := range f.MustHave {
		all = append(all, wordsClause(hasSkill, []string{skill}))
	}

	for _, set := range f.MustHaveOne {
		all = append(all, wordsClause(hasSkill, set))
	}

	if len(f.ExcludeSkills) > 0 {
		all = append(all, wordsClause(lacksSkills, f.ExcludeSkills))
	}

	return all
}

// UnknownClauses returns the conditions of which a document meets at least one if a value that f filters by is unknown.
func UnknownClauses(f *engine.Filters) []Clause {
	var any []Clause
	if f.Available.Known {
		any = append(any, Clause{condition: condition{kind: lacksAvailability}})
	}

	for _, number := range []struct {
		filtered bool
		of       column
	}{
		{f.MinRating.Known, ofRating},
		{f.MinExperience.Known, ofExperience},
		{f.MaxHourlyRate.Known || f.RateLimit.Known, ofRate},
		{f.AvailableBy.Known, ofDay},
	} {
		if number.filtered {
			any = append(any, limitClause(lacks, number.of, 0))
		}
	}

	for _, set := range f.Labels {
		any = append(any, wordsClause(hasLabel, engine.UnknownLabels(set)))
	}

	return any
}

// evaluate returns the documents that meet a condition. They may include documents that are gone.
func (x *Segment) evaluate(c *Clause) bitmap.Set {
	m := make(bitmap.Set, bitmap.Words(len(x.Lengths)))
	switch c.kind {
	case isAvailable:
		x.withAvailability(signals.Available, m)
	case isNotAvailable:
		x.withAvailability(signals.NotAvailable, m)
	case lacksAvailability:
		x.withAvailability(signals.AvailabilityUnknown, m)
	case atMost, atLeast:
		x.within(c.of, math.Float64frombits(c.limit), c.kind == atLeast, m)
	case lacks:
		// NaN stands for an unknown number.
		for doc := range x.Lengths {
			if v := x.value(c.of, doc); v != v {
				m.Add(doc)
			}
		}

	case rateRise:
		x.withinRise(&matching.RateLimit{
			Unknown: math.Float64frombits(c.limits[0]), Beginner: math.Float64frombits(c.limits[1]),
			Expert: math.Float64frombits(c.limits[2]), ExpertYears: math.Float64frombits(c.limits[3]),
		}, m)

	case hasLabel:
		x.withWords(ofLabels, c, m)
	case hasSkill:
		x.withWords(OfSkills, c, m)
	case lacksSkills:
		having := make(bitmap.Set, len(m))
		x.withWords(OfSkills, c, having)
		m.Fill(len(x.Lengths))
		m.AndNot(having)
	}

	return m
}

func (x *Segment) withAvailability(wanted uint8, m bitmap.Set) {
	rest := x.Signals.Availability
	for word := range m {
		of := rest[:min(64, len(rest))]
		rest = rest[len(of):]
		var found uint64
		for i, availability := range of {
			var bit uint64
			if availability == wanted {
				bit = 1
			}
			found |= bit << (i & 63)
		}
		m[word] = found
	}
}

// withWords adds the documents that have one of the words of a kind.
func (x *Segment) withWords(k Kind, c *Clause, m bitmap.Set) {
	numbers := x.wordNumbers(k, c)
	for i := range x.Blocks {
		x.addInBlock(k, numbers, i, m[i*BlockSize/64:])
	}
}

// addInBlock adds the documents of block i that have one of the words with the given numbers.
func (x *Segment) addInBlock(k Kind, numbers []uint32, i int, m bitmap.Set) {
	for _, number := range numbers {
		for _, doc := range x.Blocks[i].Postings[k].Find(number).Docs {
			m.Add(int(doc))
		}
	}
}

// AskForSkills reports whether there are several clauses and all are about skills that documents must have.
func AskForSkills(of []Clause) bool {
	return len(of) > 1 && !slices.ContainsFunc(of, func(c Clause) bool { return c.kind != hasSkill })
}

// CountWithSkills returns how many documents that aren't gone meet all of the clauses, for which AskForSkills is
// true. Unlike Matching, it remembers nothing: briefs ask for too many combinations of skills.
func (p *Part) CountWithSkills(of []Clause) (count int) {
	numbers := make([][]uint32, len(of))
	for i := range of {
		if numbers[i] = p.wordNumbers(OfSkills, &of[i]); len(numbers[i]) == 0 {
			return 0
		}
	}

	var memory [2][BlockSize / 64]uint64
	for i := range p.Blocks {
		words := bitmap.Words(p.BlockSize(i))
		having := bitmap.Set(memory[0][:words])
		next := bitmap.Set(memory[1][:words])
		clear(having)
		p.addInBlock(OfSkills, numbers[0], i, having)

		for _, skill := range numbers[1:] {
			clear(next)
			p.addInBlock(OfSkills, skill, i, next)
			having.And(next)
			if having.Count() == 0 {
				break
			}
		}
		count += having.CountWithout(p.Dead[i])
	}
	return count
}

// wordNumbers returns the numbers of those words of a clause that the segment knows.
func (x *Segment) wordNumbers(k Kind, c *Clause) []uint32 {
	var numbers []uint32
	if n := &x.Names[k]; c.set != nil && n.len() < len(c.list) {
		for number := range uint32(n.len()) {
			if _, ok := c.set[string(n.At(number))]; ok {
				numbers = append(numbers, number)
			}
		}
		return numbers
	}
	for _, word := range c.list {
		if number, ok := x.Names[k].Find(word); ok {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// A conditionCache remembers the documents that meet the conditions that were used last.
type conditionCache struct {
	mu    sync.Mutex
	found map[condition]*cachedCondition
	clock uint64 // number of look-ups
}

type cachedCondition struct {
	documents bitmap.Set // never changed
	used      uint64     // value of clock
}

const (
	// maxConditions limits the conditions that a segment remembers. Each takes a bit per document: 8 MB in all for a
	// million documents.
	maxConditions = 64
	// minRemembered is the size of the smallest segment that remembers conditions.
	minRemembered = 1 << 8
)

// Matching returns the documents that meet a condition, which may include documents that are gone. The caller must not
// change the result.
func (x *Segment) Matching(c *Clause) bitmap.Set {
	if len(x.Lengths) < minRemembered {
		return x.evaluate(c)
	}
	if m := x.conditions.get(c.condition); m != nil {
		return m
	}
	m := x.evaluate(c)
	x.conditions.put(c.condition, m)
	return m
}

func (cache *conditionCache) get(c condition) bitmap.Set {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	cached := cache.found[c]
	if cached == nil {
		return nil
	}
	cache.clock++
	cached.used = cache.clock
	return cached.documents
}

// put adds the documents of a condition, in the place of the condition that was not used for longest if there are too
// many.
func (cache *conditionCache) put(c condition, documents bitmap.Set) {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.found == nil {
		cache.found = map[condition]*cachedCondition{}
	}

	// Looking for the oldest is cheap beside evaluating a condition.
	if len(cache.found) == maxConditions {
		var oldest condition
		used := uint64(math.MaxUint64)
		for c, cached := range cache.found {
			if cached.used < used {
				oldest = c
				used = cached.used
			}
		}
		delete(cache.found, oldest)
	}

	cache.clock++
	cache.found[c] = &cachedCondition{documents, cache.clock}
}

// ForgetConditions empties the cache of conditions.
func (x *Segment) ForgetConditions() {
	x.conditions.mu.Lock()
	defer x.conditions.mu.Unlock()
	clear(x.conditions.found)
}
