package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"freelancer-matching/taxonomy"
)

// readCurated reads our own files; mappings/README.md describes their format. Names claim their keys before synonyms do,
// so that a skill's own name is never another one's synonym.
func readCurated(b *builder, files fs.FS) error {
	paths, err := fs.Glob(files, "*.skills")
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return errors.New("there are no *.skills files")
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
			text, mode := marked(synonym)
			b.synonym(p.skill, text, mode)
			for _, spelling := range andSpellings(text) {
				b.synonym(p.skill, spelling, mode)
			}
		}
	}
	if err := readNames(b, files); err != nil {
		return err
	}
	for _, s := range b.skills {
		s.generic = s.mode == taxonomy.Never
	}
	return readRules(b, files)
}

// readNames gives skills more names: "Name = synonym; synonym". The files hold abbreviations and names in other languages.
func readNames(b *builder, files fs.FS) error {
	paths, err := fs.Glob(files, "*.names")
	if err != nil {
		return err
	}
	var faults []error
	for _, path := range paths {
		err := eachLine(files, path, func(line string) error {
			name, synonyms, _ := strings.Cut(line, " = ")
			s := b.find(name)
			if s == nil || s.name != name {
				faults = append(faults, fmt.Errorf("%s: %q is no skill's name", path, name))
				return nil
			}
			for _, synonym := range items(synonyms) {
				text, mode := marked(synonym)
				if b.find(text) == s {
					faults = append(faults, fmt.Errorf("%s: %q has the name %q already", path, name, text))
				}
				b.synonym(s, text, mode)
			}
			return nil
		})
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// pendingLine is a skill whose synonyms wait until all names are known.
type pendingLine struct {
	skill    *skill
	synonyms []string
}

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

func readSkills(b *builder, files fs.FS, path string) (pending []pendingLine, err error) {
	category, family := "", ""
	err = eachLine(files, path, func(line string) error {
		switch {
		case strings.HasPrefix(line, "## "):
			name, groups, ok := strings.Cut(strings.TrimSuffix(line[3:], "]"), " [")
			if !ok {
				return fmt.Errorf("category %q names no group in brackets", line[3:])
			}
			category, family = name, ""
			b.groups[category] = groups
			return nil
		case strings.HasPrefix(line, "@"):
			family = strings.TrimSpace(line[1:])
			return nil
		case category == "":
			return errors.New("a skill stands before the first category")
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

// addLine reads "Name = synonym; synonym > implied; implied < broader ~ related". A synonym "+Name (synonym, synonym)"
// is a narrower skill of its own, which implies the one of the line.
func addLine(b *builder, category, family, line string) ([]pendingLine, error) {
	line, related, _ := strings.Cut(line, " ~ ")
	line, broader, _ := strings.Cut(line, " < ")
	line, implies, _ := strings.Cut(line, " > ")
	name, synonyms, _ := strings.Cut(line, " = ")
	text, mode := marked(strings.TrimSpace(name))
	if b.named[key(text)] {
		return nil, fmt.Errorf("skill %q is there twice", text)
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
		narrower, list, _ := strings.Cut(strings.TrimSuffix(narrower, ")"), " (")
		lines, err := addLine(b, category, "", narrower+" = "+strings.ReplaceAll(list, ", ", "; ")+" > "+text)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	for _, spelling := range andSpellings(text) {
		own = append(own, spelling+string(mode))
	}
	return append(all, pendingLine{s, own}), nil
}

// addLanguage reads "Name | other names | names of its translation": a language is a skill, and so is translating it.
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
	own := []string{name + " language*"}
	if len(parts) > 1 {
		for _, item := range items(parts[1]) {
			own = append(own, item+"!")
		}
	}
	translated := []string{
		name + " Translator", "Translation " + name, "English to " + name, name + " to English", "English to " + name + " Translation",
		name + " to English Translation", "English-" + name + " Translation",
		"Translation to " + name, "Translation into " + name, "Translate to " + name, "Translate into " + name,
		"Translated to " + name, "Translated into " + name, "Translation from " + name, "Translate from " + name,
	}
	if len(parts) > 2 {
		translated = append(translated, items(parts[2])...)
	}
	return []pendingLine{{language, own}, {translation, translated}}, nil
}

func items(list string) (all []string) {
	for item := range strings.SplitSeq(list, ";") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// marked splits the mode off a name: "Excel!" needs context, "Design*" is never extracted.
func marked(text string) (string, taxonomy.Mode) {
	switch {
	case strings.HasSuffix(text, " "):
		return text[:len(text)-1], taxonomy.Always
	case strings.HasSuffix(text, "!"):
		return text[:len(text)-1], taxonomy.Context
	case strings.HasSuffix(text, "*"):
		return text[:len(text)-1], taxonomy.Never
	default:
		return text, taxonomy.Always
	}
}

// andSpellings is a name with its "and" or "&" written the other way.
func andSpellings(text string) []string {
	switch {
	case strings.Contains(text, " & "):
		return []string{strings.ReplaceAll(text, " & ", " and ")}
	case strings.Contains(text, " and "):
		return []string{strings.ReplaceAll(text, " and ", " & ")}
	default:
		return nil
	}
}
