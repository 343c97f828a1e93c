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

	"github.com/freelancer-matching/service/taxonomy"
)

// This file reads the sources about occupations: O*NET and ESCO.

const (
	onetTechnology    = "onet/Technology Skills.txt"
	productCategory   = "Industry software"
	maxRareWords      = 3 // most words in the name of a product that only one O*NET occupation uses
	maxTitleWords     = 4 // most words in a job title
	maxConceptWords   = 4 // most words in the name of an ESCO concept
	knowledgeCategory = "Knowledge"
)

// readTechnology adds the products that O*NET's occupations use. Their names are verbose ("Dassault Systemes CATIA").
// Before it adds a skill, it looks for a known one under every shorter form of the name.
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
		forms, acronym := b.shortForms(name)
		s := b.find(forms...)
		switch {
		case s != nil:
			b.merge(s)
		case !b.isNewProduct(name, forms[0], acronym, uses[name]):
			b.count().dropped++
			continue
		default:
			if s, err = b.add(forms[0], productCategory, nameMode(forms[0])); err != nil {
				return err
			}
		}

		s.productUses += uses[name]
		for _, form := range append(forms, acronym) {
			b.addSynonym(s, form, taxonomy.Never)
		}
	}

	return nil
}

// isNewProduct reports whether a product that no skill has as a name becomes one under its short name. uses is the
// number of occupations that use the product.
func (b *builder) isNewProduct(name, short, acronym string, uses int) bool {
	isName := !b.dropped[key(name)] && !isSoftwareKind(name) && len(key(name)) <= maxKey
	isRare := uses == 1 && len(strings.Fields(name)) > maxRareWords
	hasFreeID := b.byID[slug(short)] == nil
	meansOther := acronym != "" && b.find(acronym) != nil // a known acronym often means something else
	return isName && !isRare && hasFreeID && !meansOther
}

// shortForms returns the forms of an O*NET name without the word "software", the trailing acronym or the vendor. The
// first form is the one to display.
func (b *builder) shortForms(name string) (forms []string, acronym string) {
	plain := strings.TrimSuffix(name, " software")
	forms = []string{plain, name}
	if long, short, ok := cutAcronym(plain); ok {
		forms = append(forms, long)
		acronym = short
	}
	for _, vendor := range b.vendors {
		rest, ok := strings.CutPrefix(plain, vendor+" ")
		isSkill := len(key(rest)) > 3 && b.canonical[key(rest)]
		if ok && isSkill {
			forms = append(forms, rest)
		}
	}
	return forms, acronym
}

// cutAcronym splits a name whose last word is an acronym of the words before it ("Structured query language SQL").
func cutAcronym(name string) (long, acronym string, ok bool) {
	i := strings.LastIndexByte(name, ' ')
	if i < 0 {
		return "", "", false
	}
	long = name[:i]
	acronym = strings.Trim(name[i+1:], "()")
	var initials strings.Builder
	for word := range strings.FieldsSeq(strings.ReplaceAll(long, "-", " ")) {
		initials.WriteString(strings.ToUpper(word[:1]))
	}
	inCapitals := len(acronym) >= 2 && strings.ToUpper(acronym) == acronym
	if !inCapitals || !strings.HasSuffix(initials.String(), acronym) {
		return "", "", false
	}
	return long, acronym, true
}

// isSoftwareKind reports whether a name describes a kind of software ("Word processing software"), and not a product.
func isSoftwareKind(name string) bool {
	words := strings.Fields(name)
	for _, word := range words[1:] {
		if word != strings.ToLower(word) && word != strings.ToUpper(word) {
			return false
		}
	}
	return len(words) > 1 && words[0][1:] == strings.ToLower(words[0][1:])
}

// readESCO adds ESCO's knowledge concepts, including those among its digital skills, with Spanish and French labels. It
// skips ESCO's other competences, because they are phrases ("manage musical staff") that nobody lists as a skill.
func readESCO(b *builder, sources fs.FS) error {
	concepts := make(map[string]*skill) // by URI
	addConcept := func(field func(string) string) {
		uri := field("conceptUri")
		name := conceptName(field("preferredLabel"))
		unusable := name == "" || b.dropped[key(name)] || len(key(name)) > maxKey
		isNewKnowledge := field("skillType") == "knowledge" && concepts[uri] == nil
		if unusable || !isNewKnowledge {
			b.count().dropped++
			return
		}

		if s := b.find(name); s != nil {
			b.merge(s)
			concepts[uri] = s
			return
		}

		s, err := b.add(name, knowledgeCategory, synonymMode(name))
		if err != nil {
			b.count().dropped++
			return
		}

		concepts[uri] = s
		for label := range strings.SplitSeq(field("altLabels"), "\n") {
			b.addSynonym(s, label, taxonomy.Never)
		}
	}
	for _, file := range []string{"esco/multilingual/skills_en-us.csv", "esco/en/digitalSkillsCollection_en.csv"} {
		if err := eachRow(sources, file, addConcept); err != nil {
			return err
		}
	}

	// The other languages only add labels to concepts that the English files have introduced.
	for _, file := range []string{"esco/multilingual/skills_es.csv", "esco/multilingual/skills_fr.csv"} {
		err := eachRow(sources, file, func(field func(string) string) {
			if s := concepts[field("conceptUri")]; s != nil {
				if label := conceptName(field("preferredLabel")); !b.dropped[key(label)] {
					b.addSynonym(s, label, synonymMode(label))
				}
			}
		})
		if err != nil {
			return err
		}
	}

	return relateESCO(sources, concepts)
}

// relateESCO adds the broader and related skills of the concepts, which it looks up by URI. It adds no second broader
// skill.
func relateESCO(sources fs.FS, concepts map[string]*skill) error {
	err := eachRow(sources, "esco/en/broaderRelationsSkillPillar_en.csv", func(field func(string) string) {
		s := concepts[field("conceptUri")]
		broader := concepts[field("broaderUri")]
		related := s != nil && broader != nil && s != broader
		if related && len(s.broader) == 0 {
			s.broader = append(s.broader, broader.id)
		}
	})
	if err != nil {
		return err
	}
	return eachRow(sources, "esco/en/skillSkillRelations_en.csv", func(field func(string) string) {
		s := concepts[field("originalSkillUri")]
		related := concepts[field("relatedSkillUri")]
		areKnown := s != nil && related != nil
		if areKnown && s != related {
			s.related = append(s.related, related.id)
		}
	})
}

var parenthesis = regexp.MustCompile(`\s*\([^)]*\)`)

// conceptName returns the skill name for an ESCO label, or "" if the label is too long or is a list.
func conceptName(label string) string {
	label = strings.Join(strings.Fields(parenthesis.ReplaceAllString(label, "")), " ")
	tooLong := len(strings.Fields(label)) > maxConceptWords
	isList := strings.ContainsAny(label, ",;|") || strings.HasPrefix(label, "types of ")
	isName := label != "" && !tooLong && !isList
	if !isName {
		return ""
	}

	_, size := utf8.DecodeRuneInString(label)
	if strings.ContainsFunc(label[size:], unicode.IsUpper) {
		return label
	}
	return upperFirst(label)
}

func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// readTitles adds the job titles in O*NET and ESCO.
func readTitles(b *builder, sources fs.FS) error {
	for _, from := range []struct{ file, column string }{
		{"onet/Sample of Reported Titles.txt", "Reported Job Title"},
		{"onet/Alternate Titles.txt", "Alternate Title"},
		{"esco/en/occupations_en.csv", "preferredLabel"},
		{"esco/en/occupations_en.csv", "altLabels"},
	} {
		err := eachRow(sources, from.file, func(field func(string) string) {
			// ESCO puts all alternative labels into one cell, one per line.
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

// jobTitle returns a title in title case and without parentheses. It returns "" if the title is too long or contains
// characters other than letters, '-', '/', '&' and apostrophes.
func jobTitle(title string) string {
	words := strings.Fields(parenthesis.ReplaceAllString(title, ""))
	tooLong := len(words) > maxTitleWords || len(title) > 40
	if len(words) == 0 || tooLong {
		return ""
	}

	isForbidden := func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("-/&'", r) }
	for i, word := range words {
		if strings.ContainsFunc(word, isForbidden) {
			return ""
		}
		if !slices.Contains([]string{"of", "and", "in", "for", "the", "or", "to"}, word) {
			words[i] = upperFirst(word)
		}
	}
	return strings.Join(words, " ")
}

// eachRow calls each for every row of a table with a header. A *.txt file is separated by tabs and has no quoting; any
// other file is CSV. The field function returns a row's value in the named column, or "" if there is none.
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

	// A byte order mark would become part of the first column's name.
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
