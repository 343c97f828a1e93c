package wordstats

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic/realistic"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	topics       = 48
	rounds       = 12 // of k-means
	minDocuments = 4  // that have a word, or it counts as rare; fewer could tell who wrote it
	minSkill     = 3  // freelancers and briefs that have a skill
)

// A text is a profile or a brief.
type text struct {
	isBrief bool
	title   string
	names   []string // words of the freelancer's name
	skills  []string
	words   []string // of the description
	signals [3]bool  // experience, rating and rate are known
	topic   int
}

// fit computes the statistics of texts.
func fit(texts []text, m *embedding.Model, skills *taxonomy.Taxonomy) *realistic.Statistics {
	assignTopics(texts, m)

	s := &realistic.Statistics{Topics: topics}
	s.ProfileTopics, s.BriefTopics = make([]int, topics), make([]int, topics)
	words := wordCounts{of: map[string]*realistic.Word{}, in: map[string]int{}, names: map[string]bool{}}
	named := map[string]*realistic.Skill{}
	var profileLengths, briefLengths, profileSkills, briefSkills []int
	profiles, titled := 0, 0
	known := [3]int{}

	for i := range texts {
		t := &texts[i]
		ids := resolve(skills, t.skills)
		for _, id := range ids {
			count(named, id, t.topic)
		}

		words.add(t)
		if t.isBrief {
			s.BriefTopics[t.topic]++
			briefLengths = append(briefLengths, len(t.words))
			briefSkills = append(briefSkills, len(ids))
			continue
		}

		profiles++
		s.ProfileTopics[t.topic]++
		profileLengths = append(profileLengths, len(t.words))
		profileSkills = append(profileSkills, len(ids))
		if t.title != "" {
			titled++
		}

		for j, is := range t.signals {
			if is {
				known[j]++
			}
		}
	}

	s.Words, s.RareShare = words.frequent()
	s.Skills = frequentSkills(named)
	s.ProfileLengths, s.BriefLengths = quantiles(profileLengths), quantiles(briefLengths)
	s.ProfileSkills, s.BriefSkills = quantiles(profileSkills), quantiles(briefSkills)
	share := func(n int) float64 { return float64(n*1000/profiles) / 1000 }
	s.Titled = share(titled)
	s.KnownExperience, s.KnownRating, s.KnownRate = share(known[0]), share(known[1]), share(known[2])

	return s
}

// assignTopics groups the texts by the vectors of their titles and skills, with k-means from a fixed seed.
func assignTopics(texts []text, m *embedding.Model) {
	vectors := make([]matching.Vector, len(texts))
	for i := range texts {
		vectors[i] = m.Vector(texts[i].title + " " + strings.Join(texts[i].skills, " "))
	}

	rng := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // must be repeatable
	centers := make([]matching.Vector, topics)
	for k := range centers {
		centers[k] = vectors[rng.IntN(len(vectors))]
	}

	for range rounds {
		sums := make([][]float32, topics)
		for i, v := range vectors {
			best := -2.
			for k, center := range centers {
				if v == nil || center == nil {
					continue
				}
				if cosine := matching.Cosine(v, center); cosine > best {
					best, texts[i].topic = cosine, k
				}
			}

			if v == nil {
				texts[i].topic = rng.IntN(topics)
				continue
			}
			addTo(&sums[texts[i].topic], v)
		}

		for k, sum := range sums {
			if sum != nil {
				centers[k] = embedding.Round(sum)
			}
		}
	}
}

func addTo(sum *[]float32, v matching.Vector) {
	if *sum == nil {
		*sum = make([]float32, len(v))
	}
	for i, x := range v {
		(*sum)[i] += float32(x)
	}
}

// resolve returns the names of the skills that the taxonomy knows.
func resolve(t *taxonomy.Taxonomy, names []string) (resolved []string) {
	for _, name := range names {
		for _, r := range t.ResolveAll(name) {
			if skill, known := t.Skill(r.ID); known && !slices.Contains(resolved, skill.Name) {
				resolved = append(resolved, skill.Name)
			}
		}
	}
	return resolved
}

func count(named map[string]*realistic.Skill, name string, topic int) {
	if named[name] == nil {
		named[name] = &realistic.Skill{Name: name, Topics: map[int]int{}}
	}
	named[name].Topics[topic]++
}

// wordCounts counts words by pool and topic.
type wordCounts struct {
	of map[string]*realistic.Word
	in map[string]int // number of texts
	// Words in names of freelancers count only if briefs have them, too.
	names map[string]bool
}

func (c *wordCounts) add(t *text) {
	for _, name := range t.names {
		c.names[name] = true
	}

	pool := realistic.OfProfiles
	if t.isBrief {
		pool = realistic.OfBriefs
	}
	c.addWords(strings.FieldsFunc(strings.ToLower(t.title), isSeparator), realistic.OfTitles, t.topic)
	c.addWords(t.words, pool, t.topic)

	all := slices.Concat(t.words, strings.FieldsFunc(strings.ToLower(t.title), isSeparator))
	slices.Sort(all)
	for _, word := range slices.Compact(all) {
		c.in[word]++
	}
}

func (c *wordCounts) addWords(words []string, pool, topic int) {
	for _, word := range words {
		w := c.of[word]
		if w == nil {
			w = &realistic.Word{Text: word}
			c.of[word] = w
		}
		if w.Topics[pool] == nil {
			w.Topics[pool] = map[int]int{}
		}
		w.Topics[pool][topic]++
	}
}

// frequent returns the words of several texts in alphabetical order, and the share of the other words.
func (c *wordCounts) frequent() (frequent []realistic.Word, rareShare float64) {
	rare, all := 0, 0
	for _, word := range slices.Sorted(maps.Keys(c.of)) {
		n := 0
		for _, topics := range c.of[word].Topics {
			for _, times := range topics {
				n += times
			}
		}

		all += n
		isName := c.names[word] && c.of[word].Topics[realistic.OfBriefs] == nil
		if c.in[word] < minDocuments || len(word) > 20 || isName {
			rare += n
			continue
		}
		frequent = append(frequent, *c.of[word])
	}
	return frequent, float64(rare*1000/all) / 1000
}

func frequentSkills(named map[string]*realistic.Skill) (frequent []realistic.Skill) {
	for _, name := range slices.Sorted(maps.Keys(named)) {
		n := 0
		for _, times := range named[name].Topics {
			n += times
		}
		if n >= minSkill {
			frequent = append(frequent, *named[name])
		}
	}
	return frequent
}

// quantiles returns 21 quantiles of numbers.
func quantiles(numbers []int) []int {
	slices.SortFunc(numbers, cmp.Compare)
	q := make([]int, 21)
	for i := range q {
		q[i] = numbers[i*(len(numbers)-1)/20]
	}
	return q
}
