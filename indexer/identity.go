package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize/english"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/rows"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/commandline"
)

const identityHelp = `
Rows about one person are merged into one freelancer. A person is identified by the first of these that a row has: id,
profile URL, e-mail address, name and location, name and title and rate. Rows with the same id must have the same name.
Rows with the same name and location that contradict each other in title, rate, rating or the date of joining a site
are different people, and rows that share nothing but a name are, too. The report lists merges, and which value was kept
if rows disagree.

-id names the columns of the id; several columns form one id together. If each source numbers its own people,
-id-prefix keeps them apart. -id row numbers rows that nothing identifies; such ids change whenever rows are added,
removed or moved. -max-merged stops if too many rows are merged or repeat others.
`

// identityOptions are the flags that say who is one person.
type identityOptions struct {
	prefix    string            // of the ids of all files
	prefixes  map[string]string // of the ids of single files, by their name
	maxMerged *bulk.Limit
}

// maxPrefix is the maximum length of a prefix.
const maxPrefix = 40

// bindIdentity defines the flags that say who is one person.
func (o *loadOptions) bindIdentity(flags *flag.FlagSet) {
	o.identity.prefixes = make(map[string]string)
	flags.Func("id", "`column[,column…]` of the id, or row for the position in the file, which is not stable",
		func(text string) error {
			o.source.ID = append(o.source.ID, strings.Split(text, ",")...)
			if slices.ContainsFunc(o.source.ID, func(s string) bool { return strings.TrimSpace(s) == "" }) {
				return errors.New("want a column, several columns separated by commas, or row")
			}
			return nil
		})
	flags.Func("id-prefix", "`[FILE=]PREFIX` of the ids in all files, or in one, such as a.csv=a-; may be repeated",
		o.identity.setPrefix)
	flags.Func("max-merged", "rows that may be merged into others or repeat them, as `N or P%` of all rows "+
		"(default: any number)", func(text string) error {
		limit, err := bulk.ParseLimit(text)
		o.identity.maxMerged = &limit
		return err
	})
}

func (o *identityOptions) setPrefix(text string) error {
	i := strings.LastIndexByte(text, '=')
	prefix := text[i+1:]
	if prefix == "" || len(prefix) > maxPrefix || strings.ContainsFunc(prefix, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}) {
		return fmt.Errorf("want PREFIX or FILE=PREFIX, with a prefix of 1 to %d characters without spaces", maxPrefix)
	}
	if i < 0 {
		o.prefix = prefix
	} else {
		o.prefixes[text[:i]] = prefix
	}
	return nil
}

// of returns the prefix of the ids in a file.
func (o *identityOptions) of(path string) string {
	for _, name := range namesOf(path) {
		if prefix, ok := o.prefixes[name]; ok {
			return prefix
		}
	}
	return o.prefix
}

// check returns an error if the flags don't fit the files.
func (o *identityOptions) check(id, paths []string) error {
	for name := range o.prefixes {
		if !slices.ContainsFunc(paths, func(path string) bool { return slices.Contains(namesOf(path), name) }) {
			return commandline.Usagef("-id-prefix names %q, which is not among the files; name it as in the arguments",
				displayName(name))
		}
	}

	if !slices.Equal(id, []string{source.PositionID}) {
		return nil
	}
	numbered := map[string]string{} // files by prefix
	for _, path := range paths {
		prefix := o.of(path)
		if other, ok := numbered[prefix]; ok {
			return commandline.Usagef("-id row numbers the rows of %s and of %s from 1; give each file a prefix, such as "+
				"-id-prefix %s=a-", displayName(other), displayName(path), namesOf(path)[0])
		}
		numbered[prefix] = path
	}

	return nil
}

// printMerges prints which rows became one freelancer.
func (c *cli) printMerges(r *bulk.Report) {
	m := &r.Merges
	var keys []string
	for k := rows.ByID; k <= rows.ByRow; k++ {
		if n := m.Keys[k]; n > 0 {
			keys = append(keys, number(n)+" by "+k.String())
		}
	}

	note := func(text string) {
		for i, line := range wrapList(strings.Fields(text), " ", reportWidth-2) {
			fmt.Fprintf(c.stdout, "%s%s\n", []string{"", "  "}[min(i, 1)], line)
		}
	}

	if len(keys) > 0 {
		note("merged rows: " + strings.Join(keys, ", "))
	}

	if m.Separated > 0 {
		note(fmt.Sprintf("kept apart: %s whose rows contradict other rows with the same key, such as the same "+
			"name and location", count(m.Separated, "freelancer", "")))
	}

	if m.WholeRow > 0 {
		note(fmt.Sprintf("known by name only: %s; if a row changes, a later -upsert adds a second one",
			count(m.WholeRow, "freelancer", "")))
	}

	if len(m.Conflicts) > 0 {
		fmt.Fprintln(c.stdout, "conflicts between rows of one freelancer:")
	}

	for _, conflict := range m.Conflicts[:min(len(m.Conflicts), maxReasons)] {
		example := ""
		if len(conflict.Examples) > 0 {
			e := conflict.Examples[0]
			example = fmt.Sprintf("%s (kept) / %s", formatExample(e.Kept, conflict.Field),
				formatPlaces([]bulk.Example{e.Kept, e.Lost}, conflict.Field)[len(formatExample(e.Kept, conflict.Field))+2:])
		}

		printCounted(c.stdout, conflict.Freelancers, conflict.Field, example)
	}

	if more := len(m.Conflicts) - maxReasons; more > 0 {
		fmt.Fprintf(c.stdout, "  and %s; -report or -json has them\n", count(more, "more field", ""))
	}
}

// adviseIdentity adds to an error what the user can do about ids of several people.
func adviseIdentity(err error, r *bulk.Report) error {
	if _, ok := errors.AsType[*bulk.MergeLimitError](err); ok {
		return fmt.Errorf("%w\nSee the merges above. Identify people with -id or -id-prefix, or raise -max-merged", err)
	}
	clashes := r.Merges.Clashes
	if len(clashes) < 2 || err == nil {
		return err
	}
	prefixes := make([]string, len(clashes))
	for i, file := range clashes {
		prefixes[i] = fmt.Sprintf("-id-prefix %s=%c-", filepath.Base(file), 'a'+i)
	}
	return fmt.Errorf("%w\nThe same ids are different people in %s. If each file numbers its own people, pass %s",
		err, english.WordSeries(clashes, "and"), strings.Join(prefixes, " "))
}

// merges is the part of a result that says how rows became freelancers.
type merges struct {
	Keys      map[string]int `json:"keys"`       // merged rows, by what identified the person
	Separated int            `json:"kept_apart"` // freelancers who contradict others with the same key
	WholeRow  int            `json:"by_name"`    // freelancers known by name only
	Conflicts []conflict     `json:"conflicts"`
}

type conflict struct {
	Field       string         `json:"field"`
	Freelancers int            `json:"freelancers"`
	Examples    []disagreement `json:"examples"`
}

type disagreement struct {
	Kept tallyExample `json:"kept"`
	Lost tallyExample `json:"lost"`
}

func describeMerges(m *bulk.Merges) merges {
	d := merges{
		Keys: make(map[string]int), Separated: m.Separated, WholeRow: m.WholeRow, Conflicts: []conflict{},
	}
	for k, n := range m.Keys {
		d.Keys[k.String()] = n
	}
	for _, c := range m.Conflicts {
		described := conflict{Field: c.Field, Freelancers: c.Freelancers}
		for _, e := range c.Examples {
			described.Examples = append(described.Examples, disagreement{tallyExample(e.Kept), tallyExample(e.Lost)})
		}
		d.Conflicts = append(d.Conflicts, described)
	}
	return d
}
