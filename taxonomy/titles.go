package taxonomy

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"
)

// titles are the known job titles in one text, a line each, sorted by their keys, and searched in place.
type titles string

// titleKey is what titles are compared by.
func titleKey(title string) string {
	var buf [maxKey + 1]byte
	key, _, _ := appendKey(buf[:0], title)
	return string(key)
}

func sortTitles(names []string) []string {
	type keyed struct{ key, title string }
	var all []keyed
	for _, name := range names {
		all = append(all, keyed{titleKey(name), name})
	}
	slices.SortFunc(all, func(a, b keyed) int {
		return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.title, b.title))
	})
	all = slices.CompactFunc(all, func(a, b keyed) bool { return a.key == b.key })
	sorted := make([]string, len(all))
	for i, k := range all {
		sorted[i] = k.title
	}
	return sorted
}

// readTitles takes the last section of a data file as it stands.
func readTitles(r *reader) titles {
	if r.err == nil && !strings.HasSuffix(r.line(), " titles") {
		r.err = errors.New("the taxonomy has no section of titles")
	}
	return titles(r.rest)
}

// find is the known title with a key.
func (t titles) find(key string) (title string, ok bool) {
	low, high := 0, len(t)
	for low < high {
		middle := low + (high-low)/2
		start := strings.LastIndexByte(string(t[low:middle]), '\n') + 1 + low
		line, _, _ := strings.Cut(string(t[start:]), "\n")
		switch c := strings.Compare(titleKey(line), key); {
		case c == 0:
			return line, true
		case c < 0:
			low = start + len(line) + 1
		default:
			high = start
		}
	}
	return "", false
}

// JobTitle is the canonical form of a job title: case, punctuation, plural and words of seniority aside.
func (t *Taxonomy) JobTitle(name string) (canonical string, ok bool) {
	words := strings.Fields(Normalize(name))
	for len(words) > 0 {
		key := strings.Join(words, "")
		if title, ok := t.titles.find(key); ok {
			return title, true
		}
		if singular := strings.TrimSuffix(key, "s"); singular != key {
			if title, ok := t.titles.find(singular); ok {
				return title, true
			}
		}
		if !seniority(words[0]) {
			break
		}
		words = words[1:]
	}
	return "", false
}

// NamesJob reports whether a name is that of somebody's job: a known title, or several words of which the last says what
// one is, as in "Kubernetes Engineer".
func (t *Taxonomy) NamesJob(name string) bool {
	if _, known := t.JobTitle(name); known {
		return true
	}
	words := strings.Fields(Normalize(name))
	if len(words) < 2 {
		return false
	}
	switch last := strings.TrimSuffix(words[len(words)-1], "s"); last {
	case "specialist", "expert", "manager", "coordinator", "strategist", "technician", "officer", "director", "lead":
		return true
	default:
		_, known := t.titles.find(last)
		return known
	}
}

// JobTitles walks over all job titles, in the order of their keys.
func (t *Taxonomy) JobTitles() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(t.titles)) {
			if !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
		}
	}
}

// WithoutSeniority is a job title without the words at its beginning that say how long one has had it: "Senior React
// Developer" is a React Developer. What is a title as it stands, or begins with a skill, stays whole: "Lead Generation
// Specialist".
func (t *Taxonomy) WithoutSeniority(title string) string {
	words := strings.Fields(title)
	for len(words) > 1 && seniority(Normalize(words[0])) {
		if _, known := t.titles.find(titleKey(strings.Join(words, " "))); known {
			break
		}
		if _, skill := t.Named(words[0] + " " + words[1]); skill {
			break
		}
		words = words[1:]
	}
	return strings.Join(words, " ")
}

func seniority(word string) bool {
	switch word {
	case "senior", "sr", "junior", "jr", "lead", "principal", "staff", "mid", "midlevel", "level", "entry", "freelance",
		"expert", "experienced", "professional", "certified", "associate", "remote":
		return true
	default:
		return false
	}
}
