package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/skills"
	"freelancer-matching/taxonomy"
)

// ownSkills is a file of own skills while it is added to. Lines that are not touched stay as they are, comments too.
type ownSkills struct {
	path     string // "": there is no file
	lines    []string
	base     *taxonomy.Taxonomy
	taxonomy *taxonomy.Taxonomy // with the skills of the file
	skills   []taxonomy.OwnSkill
	accepted int // since it was opened
}

// openOwnSkills reads a file, which need not be there yet.
func openOwnSkills(path string) (*ownSkills, error) {
	base, err := taxonomy.Load()
	if err != nil {
		return nil, fmt.Errorf("load the skill taxonomy: %w", err)
	}
	o := &ownSkills{path: path, base: base, taxonomy: base}
	text := taxonomy.OwnHeader
	if path != "" {
		file, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			text = string(file)
		}
	}
	if err := o.read(strings.Split(strings.TrimSuffix(text, "\n"), "\n")); err != nil {
		return nil, fmt.Errorf("the own skills in %s are refused:\n%w", path, err)
	}
	return o, nil
}

// read takes lines in the place of those of before, where they are right.
func (o *ownSkills) read(lines []string) error {
	own, err := taxonomy.ParseOwn([]byte(strings.Join(lines, "\n")))
	if err != nil {
		return err
	}
	merged, err := o.base.With(own)
	if err != nil {
		return err
	}
	o.lines, o.skills, o.taxonomy = lines, own, merged
	return nil
}

// accept takes a verdict into the lines, and is the line that has it: a new skill, or the word as a synonym of one that there
// is. A category takes the place of the verdict's where it is not "".
func (o *ownSkills) accept(v skills.Verdict, category string) (line string, err error) {
	if v.Kind != matching.TypeSkill {
		return "", fmt.Errorf("%q is %s by the verdict; only skills can be accepted", v.Word, kindInWords(v.Kind))
	}
	if category == "" {
		category = v.Category
	}
	known, isKnown := o.taxonomy.Named(v.Name)
	s := taxonomy.OwnSkill{Name: always(v.Name), Category: category}
	switch {
	case isKnown:
		s = o.lineOf(known)
		s.Synonyms = append(slices.Clone(s.Synonyms), always(v.Word))
	case category == "":
		return "", fmt.Errorf("%q is in none of the categories by the verdict: name one with -category", v.Word)
	case taxonomy.Key(v.Word) != taxonomy.Key(v.Name):
		s.Synonyms = []taxonomy.Label{always(v.Word)}
	}
	line = s.String()
	if again, err := taxonomy.ParseOwn([]byte(line)); err != nil || len(again) != 1 || !sameNames(again[0], s) {
		return "", fmt.Errorf("%q or %q has signs that mean something else in the file: write its line by hand", v.Word, v.Name)
	}
	lines := slices.Clone(o.lines)
	if s.Line > 0 {
		lines[s.Line-1] = line
	} else {
		lines = append(lines, line)
	}
	if err := o.read(lines); err != nil {
		return "", fmt.Errorf("%q does not fit the taxonomy: %w", v.Word, err)
	}
	o.accepted++
	return line, nil
}

// lineOf is the line of the file for a skill that is known, or a new one.
func (o *ownSkills) lineOf(known taxonomy.Skill) taxonomy.OwnSkill {
	for _, s := range o.skills {
		if taxonomy.Key(s.Name.Text) == taxonomy.Key(known.Name) {
			return s
		}
	}
	return taxonomy.OwnSkill{Name: always(known.Name)}
}

func always(name string) taxonomy.Label { return taxonomy.Label{Text: name, Mode: taxonomy.Always} }

func sameNames(a, b taxonomy.OwnSkill) bool {
	return a.Name == b.Name && slices.Equal(a.Synonyms, b.Synonyms)
}

// save writes the file, whole or not at all.
func (o *ownSkills) save() error {
	mode := fs.FileMode(0o644)
	path, err := filepath.EvalSymlinks(o.path)
	if err != nil {
		path = o.path
	} else if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".own-skills-*")
	if err != nil {
		return fmt.Errorf("write the own skills: %w", err)
	}
	_, err = file.WriteString(strings.Join(o.lines, "\n") + "\n")
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the own skills: %w", err), os.Remove(file.Name()))
	}
	return nil
}

// nearNames is the names of the skills that a verdict says are near.
func (o *ownSkills) nearNames(v skills.Verdict) []string {
	names := make([]string, 0, len(v.Near))
	for _, id := range v.Near {
		if s, ok := o.taxonomy.Skill(id); ok {
			names = append(names, s.Name)
		}
	}
	return names
}

func (o *ownSkills) near(v skills.Verdict) string { return strings.Join(o.nearNames(v), ", ") }
