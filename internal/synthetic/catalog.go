package synthetic

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
)

//go:embed data
var dataFiles embed.FS

// catalog holds the data that records are composed from.
type catalog struct {
	trades      []trade
	tradeChance chances
	seniorities []seniority
	names       names
	phrases     phrases
	spellings   map[string][]string // alternative spellings of a skill, by its canonical name
	places      []place
}

// trade is one line of work, described by a file in data/trades.
type trade struct {
	Name      string     `json:"name"`
	Weight    float64    `json:"weight"`    // relative frequency of the trade
	Rate      [2]float64 `json:"rate"`      // hourly rates of the cheapest beginner and the most expensive expert
	Neighbors []string   `json:"neighbors"` // names of trades from which some people have core skills, too
	Titles    []string   `json:"titles"`    // a title that names skills of the trade implies them
	Core      []string   `json:"core"`      // canonical skills of which everyone has some, most common first
	More      []string   `json:"more"`      // further canonical skills, most common first
	Makes     []string   `json:"makes"`     // deliverables, for {make} in a sentence
	Solves    []string   `json:"solves"`    // problems solved, for {solve} in a sentence
	Sentences []template `json:"sentences"` // sentences specific to the trade

	skills      []string // Core followed by More
	skillChance chances
	titleSkills [][]int    // for each title, the indices in skills of the skills it names
	borrowed    [][]string // for each neighbor, its core skills that aren't in skills
}

// seniority is a range of experience with its title prefixes.
type seniority struct {
	UntilYears int      `json:"until_years"`
	Prefixes   []string `json:"prefixes"` // one of them precedes the title; "" for none
}

// names holds the syllables of people and companies. Starts are capitalized.
type names struct {
	GivenStarts  []string `json:"given_starts"`
	GivenEnds    []string `json:"given_ends"`
	FamilyStarts []string `json:"family_starts"`
	FamilyEnds   []string `json:"family_ends"`
	CompanyEnds  []string `json:"company_ends"`
}

// phrases holds sentences for all trades, and the words that fill them.
type phrases struct {
	Openings       []template `json:"openings"`
	Experience     []template `json:"experience"`
	Habits         []template `json:"habits"`
	Backgrounds    []template `json:"backgrounds"`
	Closings       []template `json:"closings"`
	BriefTitles    []template `json:"brief_titles"`
	BriefSentences []template `json:"brief_sentences"`
	Sectors        []string   `json:"sectors"`
	Formers        []string   `json:"formers"`
	Hobbies        []string   `json:"hobbies"`
}

func readCatalog(files fs.FS) (*catalog, error) {
	c := &catalog{}
	err := errors.Join(
		readJSON(files, "data/seniorities.json", &c.seniorities),
		readJSON(files, "data/names.json", &c.names),
		readJSON(files, "data/phrases.json", &c.phrases),
		readJSON(files, "data/spellings.json", &c.spellings),
		readJSON(files, "data/places.json", &c.places),
	)
	if err != nil {
		return nil, err
	}

	entries, err := fs.ReadDir(files, "data/trades")
	if err != nil {
		return nil, fmt.Errorf("list trades: %w", err)
	}

	for _, entry := range entries {
		var trades []trade
		if err := readJSON(files, path.Join("data/trades", entry.Name()), &trades); err != nil {
			return nil, err
		}
		c.trades = append(c.trades, trades...)
	}

	// Neighbors refer to each other, so all trades must be prepared before they meet.
	for i := range c.trades {
		t := &c.trades[i]
		if err := t.prepare(); err != nil {
			return nil, fmt.Errorf("trade %q: %w", t.Name, err)
		}
		c.tradeChance = c.tradeChance.with(t.Weight)
	}

	for i := range c.trades {
		if err := c.meetNeighbors(&c.trades[i]); err != nil {
			return nil, fmt.Errorf("trade %q: %w", c.trades[i].Name, err)
		}
	}

	return c, nil
}

// meetNeighbors computes the skills that a trade borrows from each of its neighbors.
func (c *catalog) meetNeighbors(t *trade) error {
	for _, name := range t.Neighbors {
		i := slices.IndexFunc(c.trades, func(other trade) bool { return other.Name == name })
		if i < 0 {
			return fmt.Errorf("no trade is called %q", name)
		}
		skills := slices.Clone(c.trades[i].Core)
		skills = slices.DeleteFunc(skills, func(skill string) bool { return slices.Contains(t.skills, skill) })
		if len(skills) == 0 {
			return fmt.Errorf("the neighbor %q has no core skill that the trade lacks", name)
		}
		t.borrowed = append(t.borrowed, skills)
	}
	return nil
}

func readJSON(files fs.FS, name string, into any) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// skillExponent skews the use of a trade's skills: the k-th is used 1/k^skillExponent times as often as the first.
const skillExponent = 0.8

// prepare validates a trade and computes its derived fields.
func (t *trade) prepare() error {
	switch {
	case t.Weight <= 0:
		return errors.New("weight must be above 0")
	case t.Rate[0] <= 0 || t.Rate[1] <= t.Rate[0]:
		return errors.New("rate must be two amounts above 0, the lower one first")
	case len(t.Core) < 5 || len(t.Core)+len(t.More) < 16 || len(t.Core)+len(t.More) > 64:
		return errors.New("needs at least 5 core skills and 16 to 64 skills in total")
	case len(t.Titles) == 0 || len(t.Makes) < 3 || len(t.Solves) < 2 || len(t.Sentences) < 5:
		return errors.New("needs at least 1 title, 3 makes, 2 solves and 5 sentences")
	}

	// Popularity of skills follows Zipf's law: the first ones are listed most.
	t.skills = slices.Concat(t.Core, t.More)
	for i := range t.skills {
		t.skillChance = t.skillChance.with(1 / math.Pow(float64(i+1), skillExponent))
	}

	for _, title := range t.Titles {
		named := t.named(title)
		if len(named) > fewestSkills {
			return fmt.Errorf("the title %q names more than %d skills", title, fewestSkills)
		}
		t.titleSkills = append(t.titleSkills, named)
	}

	return nil
}

// named returns the indices of the skills that a title contains in whole words, except those within longer ones: "React
// Native Developer" does not name React.
func (t *trade) named(title string) []int {
	var named []int
	contains := func(text, skill string) bool { return strings.Contains(" "+text+" ", " "+skill+" ") }
	for i, skill := range t.skills {
		within := func(other string) bool { return other != skill && contains(other, skill) && contains(title, other) }
		if contains(title, skill) && !slices.ContainsFunc(t.skills, within) {
			named = append(named, i)
		}
	}
	return named
}

// chances holds cumulative weights for drawing an index in proportion to its weight.
type chances []float64

func (c chances) with(weight float64) chances {
	if len(c) == 0 {
		return chances{weight}
	}
	return append(c, c[len(c)-1]+weight)
}

// at returns the index for a number in [0, 1).
func (c chances) at(u float64) int {
	i, found := slices.BinarySearch(c, u*c[len(c)-1])
	if found {
		i++
	}
	return min(i, len(c)-1)
}
