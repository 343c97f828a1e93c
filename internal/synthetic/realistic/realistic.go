// Package realistic generates freelancers and briefs whose words and skills are as frequent, as many and as mixed as
// in real profiles and job posts. Package synthetic composes readable sentences from a small vocabulary. The texts of
// this package make no sense, but a search engine has as much work with them as with real ones.
//
// The numbers come from statistics.tsv, which "go run ./tools wordstats" writes: how often each word and skill occurs
// by topic, and how long texts are. A text is about one topic, and takes some words from all others.
package realistic

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
)

// Mixture of texts. These shares are estimates and not fitted: the words of a real text depend on each other in more
// ways than by its topic.
const (
	topical   = 0.6  // share of words from the topic of a text; the others are from any topic
	tagNoise  = 0.1  // share of skills from any topic
	repeating = 0.15 // share of words that repeat one of the text
	rareWords = 200_000
)

// A Generator generates records. It is safe for concurrent use.
type Generator struct {
	signals *synthetic.Generator // of everything but words
	of      *Statistics
	// Weighted choices: of a topic, and by topic and in all of words by pool and of skills.
	profileTopics, briefTopics choice
	words                      [pools][]choice
	skills                     []choice
}

// A choice draws numbers by their weights: the sums of the weights up to each of them.
type choice struct{ numbers, sums []int }

func (c *choice) add(number, weight int) {
	total := weight
	if n := len(c.sums); n > 0 {
		total += c.sums[n-1]
	}
	c.numbers = append(c.numbers, number)
	c.sums = append(c.sums, total)
}

func (c *choice) draw(r *rand.Rand) int {
	at, _ := slices.BinarySearch(c.sums, 1+r.IntN(c.sums[len(c.sums)-1]))
	return c.numbers[at]
}

// New returns a generator with the embedded statistics. It fails only if they are malformed.
func New() (*Generator, error) {
	signals, err := synthetic.New()
	if err != nil {
		return nil, fmt.Errorf("generate signals: %w", err)
	}
	s, err := read(file)
	if err != nil {
		return nil, err
	}

	g := &Generator{signals: signals, of: s, skills: make([]choice, s.Topics+1)}
	for topic := range s.Topics {
		g.profileTopics.add(topic, s.ProfileTopics[topic])
		g.briefTopics.add(topic, s.BriefTopics[topic])
	}

	for i, skill := range s.Skills {
		addCounts(g.skills, i, skill.Topics)
	}
	for pool := range g.words {
		g.words[pool] = make([]choice, s.Topics+1)
		for i, word := range s.Words {
			addCounts(g.words[pool], i, word.Topics[pool])
		}
	}

	return g, nil
}

// addCounts adds a number to the choice of each topic, and to the last choice, which is of all topics.
func addCounts(choices []choice, number int, topics map[int]int) {
	total := 0
	for topic := range choices[:len(choices)-1] {
		if times := topics[topic]; times > 0 {
			choices[topic].add(number, times)
			total += times
		}
	}
	if total > 0 {
		choices[len(choices)-1].add(number, total)
	}
}

// A writer writes one record.
type writer struct {
	*Generator
	rand  *rand.Rand
	topic int
}

func (g *Generator) writer(seed, stream uint64, index int, topics *choice) *writer {
	r := rand.New(rand.NewPCG(seed<<8+stream, uint64(index))) //nolint:gosec // must be repeatable; no secret
	return &writer{Generator: g, rand: r, topic: topics.draw(r)}
}

// Freelancers yields n freelancers with the ids f1 to fn, the same for the same seed.
func (g *Generator) Freelancers(n int, seed uint64) iter.Seq[matching.Freelancer] {
	return func(yield func(matching.Freelancer) bool) {
		i := 0
		for f := range g.signals.Freelancers(n, seed) {
			g.writer(seed, 1, i, &g.profileTopics).rewrite(&f)
			if i++; !yield(f) {
				return
			}
		}
	}
}

// rewrite replaces the words of a freelancer, and leaves signals unknown as often as they are.
func (w *writer) rewrite(f *matching.Freelancer) {
	s := w.of
	f.Skills = w.list(w.quantile(s.ProfileSkills))
	f.Description = w.text(OfProfiles, w.quantile(s.ProfileLengths))
	f.JobTitle = ""
	if w.chance(s.Titled) {
		f.JobTitle = strings.TrimSuffix(w.text(OfTitles, 2+w.rand.IntN(5)), ".")
	}

	if !w.chance(s.KnownExperience) {
		f.Experience = matching.Optional[float64]{}
	}
	if !w.chance(s.KnownRating) {
		f.Rating = matching.Optional[float64]{}
	}
	if !w.chance(s.KnownRate) {
		f.HourlyRate = matching.Optional[float64]{}
	}
}

// Briefs yields an endless sequence of briefs, the same for the same seed.
func (g *Generator) Briefs(seed uint64) iter.Seq[matching.Brief] {
	return func(yield func(matching.Brief) bool) {
		i := 0
		for b := range g.signals.Briefs(seed) {
			w := g.writer(seed, 2, i, &g.briefTopics)
			b.JobTitle, b.NiceToHaveSkills, b.Filters = "", nil, matching.Filters{}
			b.RequiredSkills = w.list(w.quantile(g.of.BriefSkills))
			b.Description = w.text(OfBriefs, w.quantile(g.of.BriefLengths))
			if i++; !yield(b) {
				return
			}
		}
	}
}

func (w *writer) chance(p float64) bool { return w.rand.Float64() < p }

// quantile draws a number from its quantiles.
func (w *writer) quantile(of []int) int {
	i := w.rand.IntN(len(of) - 1)
	return of[i] + w.rand.IntN(of[i+1]-of[i]+1)
}

// list draws different skills.
func (w *writer) list(n int) (names []string) {
	for range n {
		skill := w.of.Skills[w.draw(w.skills, tagNoise)].Name
		if !slices.Contains(names, skill) {
			names = append(names, skill)
		}
	}
	return names
}

// draw draws from the choice of the topic, or with the given probability from that of all topics.
func (w *writer) draw(choices []choice, fromAll float64) int {
	all := len(choices) - 1
	if len(choices[w.topic].sums) == 0 || w.chance(fromAll) {
		return choices[all].draw(w.rand)
	}
	return choices[w.topic].draw(w.rand)
}

// text writes n words, as sentences of about 14.
func (w *writer) text(pool, n int) string {
	words := make([]string, 0, n)
	for i := range n {
		var word string
		switch {
		case i > 0 && w.chance(repeating):
			word = strings.TrimSuffix(words[w.rand.IntN(i)], ".")
		case w.chance(w.of.RareShare):
			word = w.rareWord()
		default:
			word = w.of.Words[w.draw(w.words[pool], 1-topical)].Text
		}

		if w.chance(1./14) || i == n-1 {
			word += "."
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// rareWord makes up a word that few texts have.
func (w *writer) rareWord() string {
	const syllables = "bacedifogukalemipotu"
	var b strings.Builder
	for n := 1 + w.rand.IntN(rareWords); n > 0; n /= 10 {
		b.WriteString(syllables[n%10*2:][:2])
	}
	return b.String()
}
