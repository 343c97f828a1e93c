package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/taxonomy"
)

// This file reads the sources about occupations: O*NET and ESCO.

const (
	onetTechnology    = "onet/Technology Skills.txt"
	productCategory   = "Industry software"
	rareProductWords  = 3 // of a product in O*NET that a single occupation names; longer ones are too peculiar
	maxTitleWords     = 4
	knowledgeCategory = "Knowledge"
)

// readTechnology takes the products that O*NET's occupations work with. Their names are verbose ("Structured query
// language SQL", "Dassault Systemes CATIA"): every plainer form of a name is tried before a skill is added.
func readTechnology(b *builder, sources fs.FS) error {
	uses := make(map[string]int)
	err := eachRow(sources, onetTechnology, func(field func(string) string) {
		uses[field("Example")]++
	})
	if err != nil {
		return err
	}
	names := slices.SortedFunc(maps.Keys(uses), func(x, y string) int {
		return cmp.Or(cmp.Compare(uses[y], uses[x]), strings.Compare(x, y))
	})
	for _, name := range names {
		forms, acronym := b.plainForms(name)
		s := b.find(forms...)
		switch {
		case s != nil:
			b.meet(s)
		case b.drops[key(name)] || uses[name] == 1 && len(strings.Fields(name)) > rareProductWords || generic(name) ||
			len(key(name)) > maxKey || b.ids[slug(forms[0])] != nil || acronym != "" && b.find(acronym) != nil:
			b.count().dropped++ // an acronym that is taken means another thing as often as the same
			continue
		default:
			if s, err = b.add(forms[0], productCategory, unseen(forms[0])); err != nil {
				return err
			}
		}
		s.uses += uses[name]
		for _, form := range append(forms, acronym) {
			b.synonym(s, form, taxonomy.Never)
		}
	}
	return nil
}

// plainForms is an O*NET name without "software", without the acronym behind it, and without the vendor before it; the
// form to show comes first.
func (b *builder) plainForms(name string) (forms []string, acronym string) {
	plain := strings.TrimSuffix(name, " software")
	forms = []string{plain, name}
	if long, short, ok := cutAcronym(plain); ok {
		forms, acronym = append(forms, long), short
	}
	for _, vendor := range b.vendors {
		if rest, ok := strings.CutPrefix(plain, vendor+" "); ok && len(key(rest)) > 3 && b.named[key(rest)] {
			forms = append(forms, rest)
		}
	}
	return forms, acronym
}

// cutAcronym splits "Structured query language SQL": the last word is an acronym of words before it.
func cutAcronym(name string) (long, acronym string, ok bool) {
	i := strings.LastIndexByte(name, ' ')
	if i < 0 {
		return "", "", false
	}
	long, acronym = name[:i], strings.Trim(name[i+1:], "()")
	var initials strings.Builder
	for word := range strings.FieldsSeq(strings.ReplaceAll(long, "-", " ")) {
		initials.WriteString(strings.ToUpper(word[:1]))
	}
	if len(acronym) < 2 || strings.ToUpper(acronym) != acronym || !strings.HasSuffix(initials.String(), acronym) {
		return "", "", false
	}
	return long, acronym, true
}

// generic reports whether a name describes a kind of software ("Word processing software") and is no product's name.
func generic(name string) bool {
	words := strings.Fields(name)
	for _, word := range words[1:] {
		if word != strings.ToLower(word) && word != strings.ToUpper(word) {
			return false
		}
	}
	return len(words) > 1 && words[0][1:] == strings.ToLower(words[0][1:])
}

// readESCO takes ESCO's knowledge concepts and digital skills, with their Spanish and French labels. Its other
// competences are sentences ("manage musical staff") that nobody writes as a skill.
func readESCO(b *builder, sources fs.FS) error {
	concepts := make(map[string]*skill) // by URI
	take := func(field func(string) string) {
		uri, name := field("conceptUri"), conceptName(field("preferredLabel"))
		if field("skillType") != "knowledge" || name == "" || concepts[uri] != nil || b.drops[key(name)] || len(key(name)) > maxKey {
			b.count().dropped++
			return
		}
		if s := b.find(name); s != nil {
			b.meet(s)
			concepts[uri] = s
			return
		}
		if b.ids[slug(name)] != nil {
			b.count().dropped++
			return
		}
		s, err := b.add(name, knowledgeCategory, resolveOnly(name))
		if err != nil {
			b.count().dropped++
			return
		}
		concepts[uri] = s
		for label := range strings.SplitSeq(field("altLabels"), "\n") {
			b.synonym(s, label, taxonomy.Never)
		}
	}
	for _, file := range []string{"esco/multilingual/skills_en-us.csv", "esco/en/digitalSkillsCollection_en.csv"} {
		if err := eachRow(sources, file, take); err != nil {
			return err
		}
	}
	for _, file := range []string{"esco/multilingual/skills_es.csv", "esco/multilingual/skills_fr.csv"} {
		err := eachRow(sources, file, func(field func(string) string) {
			if s := concepts[field("conceptUri")]; s != nil {
				if label := conceptName(field("preferredLabel")); !b.drops[key(label)] {
					b.synonym(s, label, resolveOnly(label))
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return relateESCO(sources, concepts)
}

func relateESCO(sources fs.FS, concepts map[string]*skill) error {
	err := eachRow(sources, "esco/en/broaderRelationsSkillPillar_en.csv", func(field func(string) string) {
		s, broader := concepts[field("conceptUri")], concepts[field("broaderUri")]
		if s != nil && broader != nil && s != broader && len(s.broader) == 0 {
			s.broader = append(s.broader, broader.id)
		}
	})
	if err != nil {
		return err
	}
	return eachRow(sources, "esco/en/skillSkillRelations_en.csv", func(field func(string) string) {
		s, related := concepts[field("originalSkillUri")], concepts[field("relatedSkillUri")]
		if s != nil && related != nil && s != related {
			s.related = append(s.related, related.id)
		}
	})
}

var parenthesis = regexp.MustCompile(`\s*\([^)]*\)`)

// conceptName is an ESCO label as a name, "" where it is too long or a list, and so no name that anyone would write.
func conceptName(label string) string {
	label = strings.Join(strings.Fields(parenthesis.ReplaceAllString(label, "")), " ")
	if label == "" || strings.ContainsAny(label, ",;|") || len(strings.Fields(label)) > 4 || strings.HasPrefix(label, "types of ") {
		return ""
	}
	first, size := utf8.DecodeRuneInString(label)
	if strings.ContainsFunc(label[size:], unicode.IsUpper) {
		return label
	}
	return string(unicode.ToUpper(first)) + label[size:]
}

// readTitles takes job titles from O*NET and ESCO.
func readTitles(b *builder, sources fs.FS) error {
	for _, from := range []struct{ file, column string }{
		{"onet/Sample of Reported Titles.txt", "Reported Job Title"},
		{"onet/Alternate Titles.txt", "Alternate Title"},
		{"esco/en/occupations_en.csv", "preferredLabel"},
		{"esco/en/occupations_en.csv", "altLabels"},
	} {
		err := eachRow(sources, from.file, func(field func(string) string) {
			for title := range strings.SplitSeq(field(from.column), "\n") {
				title = jobTitle(title)
				k := key(title)
				switch {
				case k == "" || len(k) > maxKey:
					b.count().dropped++
				case b.titles[k] != "":
					b.count().merged++
				default:
					b.titles[k] = title
					b.count().added++
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// jobTitle is a title in title case without remarks in brackets, "" where it is more than a plain title.
func jobTitle(title string) string {
	words := strings.Fields(parenthesis.ReplaceAllString(title, ""))
	if len(words) == 0 || len(words) > maxTitleWords || len(title) > 40 {
		return ""
	}
	for i, word := range words {
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '/' && r != '&' && r != '\'' }) {
			return ""
		}
		first, size := utf8.DecodeRuneInString(word)
		if small := word == "of" || word == "and" || word == "in" || word == "for" || word == "the" || word == "or" || word == "to"; !small {
			words[i] = string(unicode.ToUpper(first)) + word[size:]
		}
	}
	return strings.Join(words, " ")
}

// eachRow reads a table with a header: comma separated with quotes, or, as *.txt, separated by tabs without them.
func eachRow(files fs.FS, name string, each func(field func(string) string)) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	next := csvRows(file)
	if strings.HasSuffix(name, ".txt") {
		next = tabRows(file)
	}
	header, err := next()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	columns := make(map[string]int, len(header))
	for i, column := range header {
		columns[strings.TrimPrefix(column, "\ufeff")] = i
	}
	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		each(func(column string) string {
			if i, ok := columns[column]; ok && i < len(row) {
				return row[i]
			}
			return ""
		})
	}
}

func csvRows(r io.Reader) func() ([]string, error) {
	rows := csv.NewReader(r)
	rows.LazyQuotes = true
	rows.FieldsPerRecord = -1
	return rows.Read
}

func tabRows(r io.Reader) func() ([]string, error) {
	lines := bufio.NewScanner(r)
	return func() ([]string, error) {
		if !lines.Scan() {
			return nil, cmp.Or(lines.Err(), io.EOF)
		}
		return strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t"), nil
	}
}
