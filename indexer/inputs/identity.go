package inputs

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/commandline"
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
	prefix   string            // of the ids of all files
	prefixes map[string]string // of the ids of single files, by their name
}

// maxPrefix is the maximum length of a prefix.
const maxPrefix = 40

// bindIdentity defines the flags that say who is one person.
func (o *Options) bindIdentity(flags *flag.FlagSet) {
	o.identity.prefixes = make(map[string]string)
	flags.Func("id", "`column[,column…]` of the id, or row for the position in the file, which is not stable",
		func(text string) error {
			o.Source.ID = append(o.Source.ID, strings.Split(text, ",")...)
			if slices.ContainsFunc(o.Source.ID, func(s string) bool { return strings.TrimSpace(s) == "" }) {
				return errors.New("want a column, several columns separated by commas, or row")
			}
			return nil
		})
	flags.Func("id-prefix", "`[FILE=]PREFIX` of the ids in all files, or in one, such as a.csv=a-; may be repeated",
		o.identity.setPrefix)
	flags.Func("max-merged", "rows that may be merged into others or repeat them, as `N or P%` of all rows "+
		"(default: any number)", func(text string) error {
		limit, err := bulk.ParseLimit(text)
		o.MaxMerged = &limit
		return err
	})
}

func (o *identityOptions) setPrefix(text string) error {
	i := strings.LastIndexByte(text, '=')
	prefix := text[i+1:]
	isOdd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	fits := prefix != "" && len(prefix) <= maxPrefix
	if !fits || strings.ContainsFunc(prefix, isOdd) {
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
				DisplayName(name))
		}
	}

	if !slices.Equal(id, []string{source.PositionID}) {
		return nil
	}

	// Two files that number their rows from 1 have the same ids, and rows with the same id are one person.
	numbered := map[string]string{} // files by prefix
	for _, path := range paths {
		prefix := o.of(path)
		if other, ok := numbered[prefix]; ok {
			return commandline.Usagef("-id row numbers the rows of %s and of %s from 1; give each file a prefix, such as "+
				"-id-prefix %s=a-", DisplayName(other), DisplayName(path), namesOf(path)[0])
		}
		numbered[prefix] = path
	}

	return nil
}
