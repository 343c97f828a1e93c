package taxonomy

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// titles holds the known job titles, one per line and sorted by key, and is searched in place.
type titles string

// titleKey returns the key that job titles are sorted and compared by.
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

// find returns the known title with the given key.
func (t titles) find(key string) (title string, ok bool) {
	low := 0
	high := len(t)
	for low < high {
		middle := low + (high-low)/2
		start := strings.LastIndexByte(string(t[low:middle]), '\n') + 1 + low
		line, _, _ := strings.Cut(string(t[start:]), "\n")
		var buf [maxKey + 32]byte
		switch found, _, _ := appendKey(buf[:0], line); {
		case string(found) == key:
			return line, true
		case string(found) < key:
			low = start + len(line) + 1
		default:
			high = start
		}
	}
	return "", false
}

// JobTitle returns the canonical form of a job title. It ignores case, punctuation, plurals and leading words of
// seniority.
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
		if !seniorityWords[words[0]] {
			break
		}
		words = words[1:]
	}
	return "", false
}

// NamesJob reports whether a name is a job: a known title, or several words that end in a noun for a job, as in
// "Kubernetes Engineer".
func (t *Taxonomy) NamesJob(name string) bool {
	if _, known := t.JobTitle(name); known {
		return true
	}
	words := strings.Fields(Normalize(name))
	if len(words) < 2 {
		return false
	}
	last := strings.TrimSuffix(words[len(words)-1], "s")
	_, known := t.titles.find(last)
	return known || jobNouns[last]
}

// JobTitles iterates over all job titles, sorted by key.
func (t *Taxonomy) JobTitles() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(t.titles)) {
			if !yield(strings.TrimSuffix(line, "\n")) {
				return
			}
		}
	}
}

// WithoutSeniority returns a job title without its leading words of seniority: "Senior React Developer" becomes "React
// Developer". It stops at a known title and at a skill: "Lead Generation Specialist" stays as it is.
func (t *Taxonomy) WithoutSeniority(title string) string {
	words := strings.Fields(title)
	for len(words) > 1 && seniorityWords[Normalize(words[0])] {
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
