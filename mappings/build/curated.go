package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/freelancer-matching/service/taxonomy"
)

// readCurated reads the curated files; mappings/README.md describes their format. It adds all skills before their
// synonyms, so that the name of a skill is never a synonym of another one.
func readCurated(b *builder, files fs.FS) error {
	paths, err := fs.Glob(files, "*.skills")
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return errors.New("no *.skills files found")
	}

	var pending []pendingLine
	for _, path := range paths {
		lines, err := readSkills(b, files, path)
		if err != nil {
			return err
		}
		pending = append(pending, lines...)
	}

	for _, p := range pending {
		for _, synonym := range p.synonyms {
			text, mode := splitMark(synonym)
			b.addSynonym(p.skill, text, mode)
			b.addSynonym(p.skill, swapAnd(text), mode)
		}
		b.addSynonym(p.skill, swapAnd(p.skill.name), p.skill.mode)
	}

	// The files of names refer to skills, which must exist by now.
	if err := readNames(b, files); err != nil {
		return err
	}

	for _, s := range b.skills {
		s.generic = s.mode == taxonomy.Never
	}

	return readRules(b, files)
}

// readNames adds synonyms from *.names files, which hold abbreviations and names in other languages. A line reads
// "Name = synonym; synonym".
func readNames(b *builder, files fs.FS) error {
	paths, err := fs.Glob(files, "*.names")
	if err != nil {
		return err
	}

	var errs []error
	for _, path := range paths {
		err := eachLine(files, path, func(line string) error {
			name, synonyms, _ := strings.Cut(line, " = ")
			s := b.find(name)
			if s == nil || s.name != name {
				errs = append(errs, fmt.Errorf("%s: no skill has the name %q", path, name))
				return nil
			}

			for _, synonym := range items(synonyms) {
				text, mode := splitMark(synonym)
				if b.find(text) == s {
					errs = append(errs, fmt.Errorf("%s: skill %q already has the name %q", path, name, text))
				}
				b.addSynonym(s, text, mode)
			}

			return nil
		})

		errs = append(errs, err)
	}

	return errors.Join(errs...)
}

// A pendingLine holds the synonyms of a skill until the names of all skills are known.
type pendingLine struct {
	skill    *skill
	synonyms []string
}

// eachLine calls each for every line of a file except blank lines and comments, which start with "# ".
func eachLine(files fs.FS, path string, each func(line string) error) error {
	file, err := files.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if err := each(line); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}

// readSkills adds the skills of a *.skills file and returns their synonyms.
func readSkills(b *builder, files fs.FS, path string) (pending []pendingLine, err error) {
	category, family := "", ""
	err = eachLine(files, path, func(line string) error {
		switch {
		case strings.HasPrefix(line, "## "):
			name, groups, ok := strings.Cut(strings.TrimSuffix(line[3:], "]"), " [")
			if !ok {
				return fmt.Errorf("category %q needs a group in brackets", line[3:])
			}
			// A family ends with its category.
			category = name
			family = ""
			b.groups[category] = groups
			return nil

		case strings.HasPrefix(line, "@"):
			family = strings.TrimSpace(line[1:])
			return nil
		case category == "":
			return errors.New("found a skill before the first category")
		case strings.HasPrefix(line, "%language "):
			lines, err := addLanguage(b, category, strings.TrimPrefix(line, "%language "))
			pending = append(pending, lines...)
			return err
		}

		lines, err := addLine(b, category, family, line)
		pending = append(pending, lines...)
		return err
	})

	return pending, err
}

// addLine parses "Name = synonym; synonym > implied; implied < broader ~ related". A synonym of the form
// "+Name (synonym, synonym)" is a narrower skill, which implies the skill of the line.
func addLine(b *builder, category, family, line string) ([]pendingLine, error) {
	// The relations are cut off from the end of the line, because each one extends to the next separator.
	line, related, _ := strings.Cut(line, " ~ ")
	line, broader, _ := strings.Cut(line, " < ")
	line, implies, _ := strings.Cut(line, " > ")
	name, synonyms, _ := strings.Cut(line, " = ")
	text, mode := splitMark(strings.TrimSpace(name))
	if b.canonical[key(text)] {
		return nil, fmt.Errorf("duplicate skill %q", text)
	}

	s, err := b.add(text, category, mode)
	if err != nil {
		return nil, err
	}

	s.family = family
	s.implies, s.broader, s.related = items(implies), items(broader), items(related)
	var own []string
	var all []pendingLine
	for _, item := range items(synonyms) {
		narrower, ok := strings.CutPrefix(item, "+")
		if !ok {
			own = append(own, item)
			continue
		}

		// A narrower skill is read as if it had a line of its own, in the same family, that implies this one.
		narrower, list, _ := strings.Cut(strings.TrimSuffix(narrower, ")"), " (")
		lines, err := addLine(b, category, family, narrower+" = "+strings.ReplaceAll(list, ", ", "; ")+" > "+text)
		if err != nil {
			return nil, err
		}

		lines[len(lines)-1].skill.narrower = true
		all = append(all, lines...)
	}

	return append(all, pendingLine{s, own}), nil
}

// addLanguage parses "Name | synonyms | synonyms of the translation". It adds one skill for the language and one for
// translating it.
func addLanguage(b *builder, category, line string) ([]pendingLine, error) {
	parts := strings.Split(line, " | ")
	name := parts[0]
	language, err := b.add(name, category, taxonomy.Context)
	if err != nil {
		return nil, err
	}

	translation, err := b.add(name+" Translation", "Translation and languages", taxonomy.Always)
	if err != nil {
		return nil, err
	}

	translation.implies = []string{name, "Translation"}
	languageNames := []string{name + " language*"}
	if len(parts) > 1 {
		for _, item := range items(parts[1]) {
			languageNames = append(languageNames, item+"!")
		}
	}

	// Job posts ask for a translation in many words; these are the usual ones in English.
	translationNames := []string{
		name + " Translator", "Translation " + name, "English to " + name, name + " to English",
		"English to " + name + " Translation", name + " to English Translation", "English-" + name + " Translation",
		"Translation to " + name, "Translation into " + name, "Translate to " + name, "Translate into " + name,
		"Translated to " + name, "Translated into " + name, "Translation from " + name, "Translate from " + name,
	}

	if len(parts) > 2 {
		translationNames = append(translationNames, items(parts[2])...)
	}

	return []pendingLine{{language, languageNames}, {translation, translationNames}}, nil
}

// items splits a list at its semicolons.
func items(list string) (all []string) {
	for item := range strings.SplitSeq(list, ";") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// splitMark splits a name from its mark: "Excel!" needs a context, "Design*" is never extracted.
func splitMark(text string) (string, taxonomy.Mode) {
	switch {
	case strings.HasSuffix(text, "!"):
		return text[:len(text)-1], taxonomy.Context
	case strings.HasSuffix(text, "*"):
		return text[:len(text)-1], taxonomy.Never
	default:
		return text, taxonomy.Always
	}
}

// swapAnd returns a name with "&" in place of "and" or the reverse. It returns "" if the name contains neither.
func swapAnd(text string) string {
	switch {
	case strings.Contains(text, " & "):
		return strings.ReplaceAll(text, " & ", " and ")
	case strings.Contains(text, " and "):
		return strings.ReplaceAll(text, " and ", " & ")
	default:
		return ""
	}
}
