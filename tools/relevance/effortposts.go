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

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/effort"
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

	header := lines[0]
	column := func(name string) int {
		return slices.IndexFunc(header, func(c string) bool { return strings.TrimPrefix(c, "hours_") == name })
	}
	low := column("low")
	typical := column("typical")
	high := column("high")
	kind := column("price_kind")
	if min(low, typical, high) < 0 {
		return nil, fmt.Errorf("the header needs low, typical and high, but is %q", header)
	}

	judged := map[string]hoursJudged{}
	for _, line := range lines[1:] {
		if line[typical] == "" {
			continue
		}

		var hours hoursJudged
		if hours.low, err = parseHours(line[low]); err != nil {
			return nil, fmt.Errorf("%s: %w", line[0], err)
		}
		if hours.typical, err = parseHours(line[typical]); err != nil {
			return nil, fmt.Errorf("%s: %w", line[0], err)
		}
		if hours.high, err = parseHours(line[high]); err != nil {
			return nil, fmt.Errorf("%s: %w", line[0], err)
		}

		if kind >= 0 {
			hours.kind = line[kind]
		}
		judged[line[0]] = hours
	}
	return judged, nil
}

// parseHours returns a number of hours, which must be positive.
func parseHours(text string) (float64, error) {
	hours, err := strconv.ParseFloat(text, 64)
	isPositive := hours > 0 // not NaN either
	if err != nil || !isPositive {
		return 0, fmt.Errorf("%q is no number of hours", text)
	}
	return hours, nil
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
		work := effort.Work{Title: line[column["title"]], Description: line[column["description"]]}
		for _, tag := range tagPattern.FindAllStringSubmatch(line[column["job_tag"]], -1) {
			work.Skills = append(work.Skills, tag[1]+tag[2]) // in single or in double quotes
		}

		price := line[column["price"]]
		amount, err := highestAmount(price)
		if err != nil {
			return nil, err
		}

		// A rate says nothing about the size of the work.
		isRate := strings.Contains(price, "hr")
		if amount > 0 && !isRate {
			work.Buys = matching.Some(amount / usualRate)
		}

		// Posts have no ID of their own, so the files of hours name them by a hash of their link.
		sum := sha256.Sum256([]byte(line[column["job_link"]]))
		works[hex.EncodeToString(sum[:6])] = work
	}
	return works, nil
}

// highestAmount returns the highest amount in a price, such as 1500 in "$750 - $1,500", or 0 if it has none.
func highestAmount(price string) (float64, error) {
	highest := 0.
	for _, text := range amountPattern.FindAllString(price, -1) {
		amount, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		if err != nil {
			return 0, err
		}
		highest = max(highest, amount)
	}
	return highest, nil
}
