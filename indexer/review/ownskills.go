package review

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/atomicfile"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/taxonomy"
)

// ownSkills is an operator's own-skills file that skills are being added to. Other lines, including comments, stay as
// they are.
type ownSkills struct {
	path     string // empty if there is no file
	lines    []string
	base     *taxonomy.Taxonomy
	taxonomy *taxonomy.Taxonomy // base with the skills of the file
	skills   []taxonomy.OwnSkill
	accepted int // verdicts accepted since the file was opened
}

// openOwnSkills reads an own-skills file. The file need not exist.
func openOwnSkills(path string) (*ownSkills, error) {
	base, err := taxonomy.Load()
	if err != nil {
		return nil, fmt.Errorf("load the skill taxonomy: %w", err)
	}
	o := &ownSkills{path: path, base: base, taxonomy: base}
	text := taxonomy.OwnHeader

	// A missing file is one that the first accepted skill creates, with this header.
	if path != "" {
		file, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}

		if err == nil {
			text = string(file)
		}
	}

	if err := o.setLines(strings.Split(strings.TrimSuffix(text, "\n"), "\n")); err != nil {
		return nil, fmt.Errorf("invalid own skills in %s:\n%w", path, err)
	}

	return o, nil
}

// setLines replaces the lines of the file. It changes nothing if the lines are invalid or conflict with the taxonomy.
func (o *ownSkills) setLines(lines []string) error {
	own, err := taxonomy.ParseOwn([]byte(strings.Join(lines, "\n")))
	if err != nil {
		return err
	}
	merged, err := o.base.With(own)
	if err != nil {
		return err
	}
	o.lines = lines
	o.skills = own
	o.taxonomy = merged
	return nil
}

// accept adds the skill of a verdict to the file and returns its line: a new skill, or an existing one with the word as
// a synonym. A non-empty category overrides that of the verdict.
func (o *ownSkills) accept(v skills.Verdict, category string) (line string, err error) {
	if v.Kind != matching.TypeSkill {
		return "", fmt.Errorf("the verdict on %q is %q; only skills can be accepted", v.Word, kindName(v.Kind))
	}

	if category == "" {
		category = v.Category
	}
	known, isKnown := o.taxonomy.Named(v.Name)
	s := taxonomy.OwnSkill{Name: always(v.Name), Category: category}
	switch {
	case isKnown:
		s = o.skillNamed(known.Name)
		s.Synonyms = append(slices.Clone(s.Synonyms), always(v.Word))
	case category == "":
		return "", fmt.Errorf("the verdict on %q has no category; choose one with -category", v.Word)
	case taxonomy.Key(v.Word) != taxonomy.Key(v.Name):
		s.Synonyms = []taxonomy.Label{always(v.Word)}
	}

	// The words come from a language model and may contain the separators of the file, so the line must read back the
	// same.
	line = s.String()
	if parsed, err := taxonomy.ParseOwn([]byte(line)); err != nil || len(parsed) != 1 || !sameNames(parsed[0], s) {
		return "", fmt.Errorf("%q or %q has characters with a special meaning in the file; add the line by hand",
			v.Word, v.Name)
	}

	// A copy, because a conflict with the taxonomy must leave the lines that were accepted before alone.
	lines := slices.Clone(o.lines)
	if s.Line > 0 {
		lines[s.Line-1] = line
	} else {
		lines = append(lines, line)
	}

	if err := o.setLines(lines); err != nil {
		return "", fmt.Errorf("%q conflicts with the taxonomy: %w", v.Word, err)
	}
	o.accepted++

	return line, nil
}

// skillNamed returns the entry of the file for a known skill, or a new one.
func (o *ownSkills) skillNamed(name string) taxonomy.OwnSkill {
	for _, s := range o.skills {
		if taxonomy.Key(s.Name.Text) == taxonomy.Key(name) {
			return s
		}
	}
	return taxonomy.OwnSkill{Name: always(name)}
}

func always(name string) taxonomy.Label { return taxonomy.Label{Text: name, Mode: taxonomy.Always} }

func sameNames(a, b taxonomy.OwnSkill) bool {
	return a.Name == b.Name && slices.Equal(a.Synonyms, b.Synonyms)
}

// save replaces the file in one step. It keeps the file's permissions and follows symbolic links.
func (o *ownSkills) save() error {
	mode := fs.FileMode(0o644)
	path, err := filepath.EvalSymlinks(o.path)
	if err != nil {
		path = o.path
	} else if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	err = atomicfile.Replace(path, mode, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(o.lines, "\n")+"\n")
		return err
	})
	if err != nil {
		return fmt.Errorf("write the own-skills file: %w", err)
	}
	return nil
}

// similar returns the names of the skills that a verdict calls similar, except those that no longer exist.
func (o *ownSkills) similar(v skills.Verdict) []string {
	names := make([]string, 0, len(v.Near))
	for _, id := range v.Near {
		if s, ok := o.taxonomy.Skill(id); ok {
			names = append(names, s.Name)
		}
	}
	return names
}
