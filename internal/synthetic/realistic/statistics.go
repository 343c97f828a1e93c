package realistic

import (
	"bufio"
	_ "embed" // statistics.tsv
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Statistics count words and skills of real profiles and briefs, by topic. They contain no text.
type Statistics struct {
	Topics                     int
	ProfileTopics, BriefTopics []int // texts by topic
	// 21 quantiles of words in descriptions and of listed skills.
	ProfileLengths, BriefLengths, ProfileSkills, BriefSkills []int
	RareShare                                                float64 // of words that are in no other text
	Titled, KnownExperience, KnownRating, KnownRate          float64 // shares of profiles
	Words                                                    []Word
	Skills                                                   []Skill
}

// The pools are the kinds of texts whose words are counted apart.
const (
	OfTitles = iota
	OfProfiles
	OfBriefs
	pools
)

// A Word says how often a word occurs in each pool, by topic.
type Word struct {
	Text   string
	Topics [pools]map[int]int
}

// A Skill says how often a skill is listed, by topic.
type Skill struct {
	Name   string
	Topics map[int]int
}

//go:embed statistics.tsv
var file string

// lists returns the lists of numbers by their names in the file.
func (s *Statistics) lists() map[string]*[]int {
	return map[string]*[]int{
		"=profile topics": &s.ProfileTopics, "=brief topics": &s.BriefTopics,
		"=profile words": &s.ProfileLengths, "=brief words": &s.BriefLengths,
		"=profile skills": &s.ProfileSkills, "=brief skills": &s.BriefSkills,
	}
}

// shares returns the shares by their names in the file.
func (s *Statistics) shares() map[string]*float64 {
	return map[string]*float64{
		"=rare words": &s.RareShare, "=titled": &s.Titled, "=known experience": &s.KnownExperience,
		"=known rating": &s.KnownRating, "=known rate": &s.KnownRate,
	}
}

// Write writes the statistics as lines of cells separated by tabs: lists and shares, whose names start with an equals
// sign, words with a cell for each pool, and skills behind an "@". Counts are written as topic:count.
func (s *Statistics) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	lists := s.lists()
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		fmt.Fprintf(out, "%s\t%s\n", name, strings.Trim(fmt.Sprint(*lists[name]), "[]"))
	}

	shares := s.shares()
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		fmt.Fprintf(out, "%s\t%g\n", name, *shares[name])
	}

	for _, skill := range s.Skills {
		fmt.Fprintf(out, "@%s\t%s\n", skill.Name, counts(skill.Topics))
	}
	for _, word := range s.Words {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", word.Text,
			counts(word.Topics[OfTitles]), counts(word.Topics[OfProfiles]), counts(word.Topics[OfBriefs]))
	}
	return out.Flush()
}

func counts(topics map[int]int) string {
	var cells []string
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		cells = append(cells, fmt.Sprintf("%d:%d", topic, topics[topic]))
	}
	return strings.Join(cells, " ")
}

// read parses a file that Write has written.
func read(file string) (*Statistics, error) {
	s := &Statistics{}
	lists, shares := s.lists(), s.shares()
	for line := range strings.Lines(file) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		var err error
		name := cells[0]

		switch {
		case lists[name] != nil:
			*lists[name], err = numbers(cells[1])
		case shares[name] != nil:
			*shares[name], err = strconv.ParseFloat(cells[1], 64)
		case strings.HasPrefix(name, "@"):
			skill := Skill{Name: name[1:]}
			skill.Topics, err = readCounts(cells[1])
			s.Skills = append(s.Skills, skill)
		case len(cells) == 1+pools:
			word := Word{Text: name}
			for i := range word.Topics {
				if word.Topics[i], err = readCounts(cells[1+i]); err != nil {
					break
				}
			}
			s.Words = append(s.Words, word)
		default:
			err = fmt.Errorf("want %d cells", 1+pools)
		}

		if err != nil {
			return nil, fmt.Errorf("statistics.tsv, %q: %w", name, err)
		}
	}

	s.Topics = len(s.ProfileTopics)
	return s, nil
}

func numbers(cell string) (list []int, err error) {
	for _, field := range strings.Fields(cell) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func readCounts(cell string) (map[int]int, error) {
	topics := map[int]int{}
	for _, field := range strings.Fields(cell) {
		var topic, times int
		if _, err := fmt.Sscanf(field, "%d:%d", &topic, &times); err != nil {
			return nil, err
		}
		topics[topic] = times
	}
	return topics, nil
}
