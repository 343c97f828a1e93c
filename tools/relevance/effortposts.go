package relevance

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/match/effort"
)

// A post is a job post with its judged hours.
type post struct {
	work  effort.Work
	hours hoursJudged
}

// readPosts returns the posts whose hours were judged, in the order of their ids, which is random.
func (o *effortOptions) readPosts() ([]post, error) {
	judged, err := readFile(o.hours, readHours)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(o.posts, "*.csv"))
	if err != nil {
		return nil, err
	}

	found := map[string]post{}
	for _, file := range files {
		works, err := readFile(file, readWorks)
		if err != nil {
			return nil, err
		}
		for id, work := range works {
			if hours, known := judged[id]; known {
				found[id] = post{work, hours}
			}
		}
	}

	if len(found) < folds {
		return nil, fmt.Errorf("%d of the posts in %s have hours in %s", len(found), o.posts, o.hours)
	}

	posts := make([]post, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		posts = append(posts, found[id])
	}
	return posts, nil
}

// readHours reads judged hours by id: the first column, and the columns named low, typical and high, or hours_low and
// so on. It leaves out lines without hours.
func readHours(r io.Reader) (map[string]hoursJudged, error) {
	table := csv.NewReader(r)
	table.Comma = '\t'
	table.LazyQuotes = true
	lines, err := table.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("no header")
	}

	column := func(name string) int {
		return slices.IndexFunc(lines[0], func(c string) bool { return strings.TrimPrefix(c, "hours_") == name })
	}
	low, typical, high, kind := column("low"), column("typical"), column("high"), column("price_kind")
	if min(low, typical, high) < 0 {
		return nil, fmt.Errorf("the header needs low, typical and high, but is %q", lines[0])
	}

	judged := map[string]hoursJudged{}
	for _, line := range lines[1:] {
		if line[typical] == "" {
			continue
		}
		var h hoursJudged
		for _, cell := range []struct {
			text string
			to   *float64
		}{{line[low], &h.low}, {line[typical], &h.typical}, {line[high], &h.high}} {
			if *cell.to, err = strconv.ParseFloat(cell.text, 64); err != nil || !(*cell.to > 0) {
				return nil, fmt.Errorf("%s: %q is no number of hours", line[0], cell.text)
			}
		}
		if kind >= 0 {
			h.kind = line[kind]
		}
		judged[line[0]] = h
	}
	return judged, nil
}

var (
	amountPattern = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
	tagPattern    = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
)

// readWorks reads a CSV file of job posts by id.
func readWorks(r io.Reader) (map[string]effort.Work, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, errors.New("no header")
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	for _, name := range []string{"title", "job_link", "price", "description", "job_tag"} {
		if _, found := column[name]; !found {
			return nil, fmt.Errorf("no column %s", name)
		}
	}

	works := map[string]effort.Work{}
	for _, line := range lines[1:] {
		sum := sha256.Sum256([]byte(line[column["job_link"]]))
		w := effort.Work{Title: line[column["title"]], Description: line[column["description"]]}
		for _, tag := range tagPattern.FindAllStringSubmatch(line[column["job_tag"]], -1) {
			w.Skills = append(w.Skills, tag[1]+tag[2])
		}

		highest := 0.
		price := line[column["price"]]
		for _, amount := range amountPattern.FindAllString(price, -1) {
			x, err := strconv.ParseFloat(strings.ReplaceAll(amount, ",", ""), 64)
			if err != nil {
				return nil, err
			}
			highest = max(highest, x)
		}

		// A rate says nothing about the size of the work.
		if highest > 0 && !strings.Contains(price, "hr") {
			w.Buys = matching.Some(highest / usualRate)
		}

		works[hex.EncodeToString(sum[:6])] = w
	}
	return works, nil
}
