package bulk

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/indexer/bulk/idtable"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/matching"
)

// people is what the first pass remembers about the IDs of all rows.
type people struct {
	table idtable.Table
	pages [][]person          // by the number of the ID; pages don't move when others are added
	vary  bool                // some person varies
	seen  map[uint64]struct{} // hashes of ID and content of the rows after the first one of each ID
	seed  maphash.Seed
}

// peoplePerPage is the length of a page, which is allocated at once.
const peoplePerPage = 1 << 12

// person is what the first pass remembers about an ID.
type person struct {
	rows     int32             // with this ID; 0 if they are about several people, who have other IDs
	identity uint32            // hash of what shows that the first row is about another person than other rows
	content  uint32            // hash of the first row
	known    coverage.FieldSet // in any row
	key      rows.Key          // what the ID was made from
	varies   bool              // rows differ in identity
	inIndex  bool              // the index being changed also has this ID
}

// isEmitted reports whether the first pass has emitted all there is about the person. If rows vary, it may have emitted
// somebody else.
func (p *person) isEmitted() bool { return p.rows == 1 && p.key == rows.ByID && !p.varies }

func newPeople() people {
	return people{table: idtable.New(), seen: make(map[uint64]struct{}), seed: maphash.MakeSeed()}
}

// find returns the person with an ID, or nil.
func (p *people) find(id string) *person {
	number, ok := p.table.Find(id)
	if !ok {
		return nil
	}
	return p.at(number)
}

func (p *people) at(number uint32) *person {
	return &p.pages[number/peoplePerPage][number%peoplePerPage]
}

// add adds a person with a new ID.
func (p *people) add(id string, one person) {
	if p.table.Len()%peoplePerPage == 0 {
		p.pages = append(p.pages, make([]person, 0, peoplePerPage))
	}
	p.table.Add(id)
	page := &p.pages[len(p.pages)-1]
	*page = append(*page, one)
}

// all yields everybody.
func (p *people) all() iter.Seq[*person] {
	return func(yield func(*person) bool) {
		for number := range p.table.Len() {
			if !yield(p.at(number)) {
				return
			}
		}
	}
}

// ids yields the IDs of all people.
func (p *people) ids() iter.Seq[string] {
	return func(yield func(string) bool) {
		for number := range p.table.Len() {
			if p.at(number).rows > 0 && !yield(string(p.table.At(number))) {
				return
			}
		}
	}
}

// isNew reports whether no earlier row had this ID and content, except for the first row of the ID.
func (p *people) isNew(id string, content uint32) bool {
	hash := maphash.String(p.seed, id)*prime + uint64(content)
	_, ok := p.seen[hash]
	p.seen[hash] = struct{}{}
	return !ok
}

// forgetRows frees memory after the first pass.
func (p *people) forgetRows() { p.seen = nil }

// count counts a usable row, and reports whether its ID is new.
func (r *reading) count(row *rows.Row) (isNew bool) {
	id := row.Freelancer.ID
	identity := r.people.hashIdentity(row)
	content := r.people.hashContent(row)
	p := r.people.find(id)
	known := coverage.Known(&row.Freelancer)

	if p == nil {
		r.report.Freelancers++
		if row.Key == rows.ByRow {
			r.report.Merges.WholeRow++
		}
		r.people.add(id, person{rows: 1, identity: identity, content: content, key: row.Key, known: known})
		return true
	}

	p.rows++
	p.known |= known
	// Only a hash of the first row is kept, so this shows that rows differ, but not how. Another pass decides that.
	if p.identity != identity || p.key != row.Key {
		p.varies = true
		r.people.vary = true
	}

	if p.content == content || !r.people.isNew(id, content) {
		r.report.Duplicates++
	} else {
		r.report.Merged++
		r.report.Merges.addKey(p.key, 1)
	}

	return false
}

// hashIdentity hashes what can show that rows with the same key are about different people. A strong key and a name are
// enough.
func (p *people) hashIdentity(row *rows.Row) uint32 {
	if name := row.Freelancer.Name; row.Key.IsStrong() && name != "" {
		return uint32(maphash.String(p.seed, strings.ToLower(name)))
	}
	return uint32(maphash.Comparable(p.seed, row.Facts()))
}

// hashContent hashes everything that a row says about the person.
func (p *people) hashContent(row *rows.Row) uint32 {
	f := &row.Freelancer
	hash := maphash.Comparable(p.seed, [...]string{
		f.Name, f.JobTitle, f.ProfileURL, f.Description, row.Location, row.Joined, row.Email,
	})
	hash = hash*prime + maphash.Comparable(p.seed, f.Signals)
	for i := range matching.Fields {
		// The position is hashed too: a text as the country says something else than as the location.
		if d := &matching.Fields[i]; d.Scope == matching.ScopeDetails && d.Known(f) {
			hash = (hash*prime+uint64(i))*prime + maphash.String(p.seed, d.Text(f))
		}
	}
	for _, skill := range f.Skills {
		hash = hash*prime + maphash.String(p.seed, skill)
	}
	// The upper half: multiplication by the prime mixes bits upward only.
	return uint32(hash >> 32)
}

// prime makes the combination of hashes depend on their order.
const prime = 0x9e3779b97f4a7c15

// group is the rows with one ID, some of which vary.
type group struct {
	rows.Group
	firstKey rows.Key
	distinct int // rows that don't repeat others
	classes  map[string]*class
	kept     *class // the one that keeps an ID of the file
}

// class is the rows of a group that are about one person even if the group contradicts itself.
type class struct {
	id             string // empty if the rows are rejected, because another class has the ID
	rows, distinct int
	text, name     string
	file           string // of the first row
	line           int
	known          coverage.FieldSet
}

// examine reads the rows of people who vary again, decides which rows are about one person, and corrects the counts of
// the report.
func (r *reading) examine(ctx context.Context) error {
	clear(r.people.seen)
	groups := make(map[string]*group)
	err := r.eachRow(ctx, Comparing, func(input string, row *rows.Row) error {
		if !r.isUsable(row) {
			return nil
		}
		id := row.Freelancer.ID
		if p := r.people.find(id); p == nil || !p.varies {
			return nil
		}

		g, ok := groups[id]
		if !ok {
			g = &group{firstKey: row.Key, classes: make(map[string]*class)}
			groups[strings.Clone(id)] = g
		}

		g.add(input, row, r.people.isNew(id, r.people.hashContent(row)))
		return nil
	})
	if err != nil {
		return err
	}

	// In the order of the IDs, so that reports of the same files are the same.
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		switch g := groups[id]; {
		case g.IsOnePerson():
			r.people.find(id).key = g.Key()
		case g.Key() == rows.ByID:
			r.rejectOthers(id, g)
		default:
			r.separate(id, g)
		}
	}

	return nil
}

// add adds a row, which repeats another one unless it is new.
func (g *group) add(input string, row *rows.Row, isNew bool) {
	facts := row.Facts()
	g.Add(row.Key, facts)
	text := facts.Class(row.Key)
	c, ok := g.classes[text]
	if !ok {
		text = strings.Clone(text)
		c = &class{text: text, name: strings.Clone(row.Freelancer.Name), file: input, line: row.Line}
		g.classes[text] = c
	}
	c.rows++
	c.known |= coverage.Known(&row.Freelancer)
	if isNew {
		c.distinct++
		g.distinct++
	}
}

// separate gives each class of a group an ID of its own.
func (r *reading) separate(id string, g *group) {
	r.people.find(id).rows = 0
	r.groups[id] = g
	for _, c := range g.classes {
		c.id = rows.ClassID(id, c.text)
		r.people.add(c.id, person{rows: int32(c.rows), key: g.Key(), known: c.known})
	}
	more := len(g.classes) - 1
	r.report.Freelancers += more
	r.report.Merged -= more
	r.report.Merges.Separated += len(g.classes)
	r.report.Merges.addKey(g.firstKey, 1-g.distinct)
	r.report.Merges.addKey(g.Key(), g.distinct-len(g.classes))
}

// rejectOthers leaves an ID of the file to the class with the most rows; among equals, to the first one in alphabetical
// order that has a name. The other rows are rejected.
func (r *reading) rejectOthers(id string, g *group) {
	g.kept = slices.MinFunc(slices.Collect(maps.Values(g.classes)), func(a, b *class) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), rows.CompareFlags(b.name != "", a.name != ""),
			cmp.Compare(a.text, b.text))
	})

	r.groups[id] = g
	g.kept.id = id
	p := r.people.find(id)
	p.rows, p.key, p.known = int32(g.kept.rows), rows.ByID, g.kept.known
	for _, c := range g.classes {
		if c == g.kept {
			continue
		}
		r.report.Rejected += c.rows
		r.report.Merged -= c.distinct
		r.report.Duplicates -= c.rows - c.distinct
		r.report.Merges.addClash(id, c.file, g.kept.file)
	}

	r.report.Merges.addKey(g.firstKey, 1-g.distinct)
	r.report.Merges.addKey(rows.ByID, g.kept.distinct-1)
}

const reasonSameID = "this id belongs to another person; if each source numbers its own people, use -id-prefix, and " +
	"if other columns or none identify people, use -id"

// fault returns the reason to reject a row of another person than the one who keeps the ID.
func (g *group) fault(row *rows.Row) rows.Fault {
	owner := g.kept.name
	if owner == "" {
		owner = "a row without a name"
	}
	return rows.Fault{
		Line: row.Line, Column: "id", Reason: reasonSameID,
		Value: fmt.Sprintf("%s:%d has %s for %s", filepath.Base(g.kept.file), g.kept.line, row.Freelancer.ID, owner),
	}
}
