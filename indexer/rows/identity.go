package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// A Key is what identifies the person of a row.
type Key uint8

// The kinds of keys, the strongest first. A row without one of them has the next one. The zero value is an ID that the
// file or the reader gave.
const (
	ByID    Key = iota // one or several columns with an ID, or the row's position in its file
	ByURL              // the profile URL
	ByEmail            // the e-mail address
	BySite             // a website or a profile URL without a path, which several people may have
	ByPlace            // name and location
	ByOffer            // name, job title and hourly rate
	ByRow              // everything the row says: nobody else is the same person
)

var keyNames = [...]string{
	"id", "profile URL", "e-mail", "site", "name and location", "name, title and rate", "whole row",
}

// String returns the kind of key as shown in reports.
func (k Key) String() string { return keyNames[k] }

// IsStrong reports whether rows with the same key and name are about one person, whatever else they say.
func (k Key) IsStrong() bool { return k <= ByEmail }

// Identify sets the ID of a row that has none, and what the ID was made from. cells is everything the row says; it
// identifies a row with a name and nothing else that could agree with another row. If the row has nothing to identify
// the person, the ID stays empty.
func (r *Row) Identify(cells func() string) {
	keys := []Key{ByURL, ByEmail, BySite, ByPlace, ByOffer}
	if r.IsWebsite {
		keys = []Key{ByEmail, ByPlace, BySite, ByOffer}
	}
	for _, k := range keys {
		if id := r.makeID(k); id != "" {
			r.Freelancer.ID = id
			r.Key = k
			return
		}
	}
	if r.Freelancer.Name != "" {
		r.Freelancer.ID = HashID("row\n" + cells())
		r.Key = ByRow
	}
}

// makeID returns the ID of the row for a kind of key, or "" if the row doesn't have it.
func (r *Row) makeID(k Key) string {
	f := &r.Freelancer
	switch {
	case (k == ByURL || k == BySite) && f.ProfileURL != "":
		_, address, _ := strings.Cut(f.ProfileURL, "://")
		address, _, _ = strings.Cut(address, "#")
		address = strings.TrimSuffix(address, "/")
		isProfile := strings.ContainsAny(address, "/?") && !r.IsWebsite
		if isProfile == (k == ByURL) {
			return HashID(address)
		}
	case k == ByEmail && r.Email != "":
		return resume.EmailID(r.Email) // a table and a resume with the same address are about one person
	case k == ByPlace && f.Name != "" && r.Location != "":
		return placeID(f.Name, r.Location)
	case k == ByOffer && f.Name != "" && f.JobTitle != "" && f.HourlyRate.Known:
		return HashID("offer\n" + strings.ToLower(f.Name+"\n"+f.JobTitle) + "\n" + format(f.HourlyRate))
	}
	return ""
}

func placeID(name, location string) string {
	return HashID(strings.ToLower(name) + "\n" + strings.ToLower(location))
}

// HashID returns an ID that is the same in every load. It has 64 bits, so that two of a million people get the same ID
// in one of 37 million data sets.
func HashID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "fl-" + hex.EncodeToString(sum[:8])
}

// ClassID returns the ID of the people in a class of rows with the same key, if the rows with this key contradict each
// other. It depends only on the key and the class, so that it doesn't change when the file gets other rows.
func ClassID(id, class string) string { return HashID(id + "\n" + class) }

// OtherIDs returns the IDs under which the person of the row may have been loaded before: from a file in which other
// columns identified them, with rows that contradicted this one, or by an earlier release. A person who was erased
// under one of them must not return.
func (r *Row) OtherIDs() (ids []string) {
	if r.FormerID != "" {
		ids = append(ids, r.FormerID)
	}
	if r.Key == ByID && !r.Rekeyed {
		if id := r.makeID(ByEmail); id != "" {
			ids = append(ids, id)
		}
		return ids
	}
	for k := ByURL; k < ByRow; k++ {
		if id := r.makeID(k); id != "" {
			ids = append(ids, id, ClassID(id, r.Facts().Class(k)))
		}
	}
	if r.Freelancer.Name != "" && r.Location == "" {
		ids = append(ids, placeID(r.Freelancer.Name, "")) // earlier releases identified people by a name alone
	}
	return ids
}

// Facts are what shows that rows with the same key are about different people. An empty or unknown fact contradicts
// nothing.
type Facts struct {
	Name, Location, Title, Joined string // in lower case
	Rate, Rating                  matching.Optional[float64]
}

// Facts returns the facts of the row.
func (r *Row) Facts() Facts {
	f := &r.Freelancer
	facts := Facts{
		Name: strings.ToLower(f.Name), Location: strings.ToLower(r.Location), Joined: r.Joined,
		Rate: f.HourlyRate, Rating: f.Rating,
	}
	if r.File == "" { // a person's resumes may have different titles
		facts.Title = strings.ToLower(f.JobTitle)
	}
	return facts
}

// Class returns a text that is the same for rows of one person, if the rows with their key contradict each other. Rows
// with a strong key and a name differ if their names do, and other rows if any of their facts do. The rating doesn't
// count if the row has the date on which the person joined a site: some sites rate people separately for each of their
// skills.
func (f Facts) Class(k Key) string {
	if k.IsStrong() && f.Name != "" {
		return "name\n" + f.Name
	}
	rating := format(f.Rating)
	if f.Joined != "" {
		rating = "joined " + f.Joined
	}
	return strings.Join([]string{"facts", f.Name, f.Location, f.Title, format(f.Rate), rating}, "\n")
}

func format(v matching.Optional[float64]) string {
	if !v.Known {
		return ""
	}
	return strconv.FormatFloat(v.Value, 'g', -1, 64)
}

// A Group collects the facts of all rows with the same key. The order of the rows doesn't matter. The zero Group has no
// rows.
type Group struct {
	key   Key // the strongest one
	rows  int
	known Facts // the first known ones

	isUnnamed   bool // a row has no name
	noJoined    bool // a row has no date of joining
	otherName   bool // two rows have different names
	otherFacts  bool // two rows contradict each other in another fact than the rating
	otherRating bool
}

// Add adds the facts of a row.
func (g *Group) Add(k Key, f Facts) {
	if g.rows == 0 || k < g.key {
		g.key = k
	}
	g.rows++
	g.isUnnamed = g.isUnnamed || f.Name == ""
	g.noJoined = g.noJoined || f.Joined == ""
	g.otherName = differs(&g.known.Name, f.Name) || g.otherName
	for _, pair := range [][2]*string{
		{&g.known.Location, &f.Location}, {&g.known.Title, &f.Title}, {&g.known.Joined, &f.Joined},
	} {
		g.otherFacts = differs(pair[0], *pair[1]) || g.otherFacts
	}
	g.otherFacts = differsNumber(&g.known.Rate, f.Rate) || g.otherFacts
	g.otherRating = differsNumber(&g.known.Rating, f.Rating) || g.otherRating
}

// Key returns the strongest kind of key of the rows.
func (g *Group) Key() Key { return g.key }

// IsOnePerson reports whether all rows can be about one person. Otherwise, each Class is a person.
func (g *Group) IsOnePerson() bool {
	if g.otherName {
		return false
	}
	if g.key.IsStrong() && !g.isUnnamed {
		return true
	}
	return !g.otherFacts && (!g.otherRating || !g.noJoined)
}

// differs sets an unknown text, and reports whether both texts are known and different.
func differs(known *string, other string) bool {
	if *known == "" {
		*known = other
	}
	return other != "" && other != *known
}

func differsNumber(known *matching.Optional[float64], other matching.Optional[float64]) bool {
	if !known.Known {
		*known = other
	}
	return other.Known && other != *known
}
