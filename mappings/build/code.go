package main

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"freelancer-matching/taxonomy"
)

// This file reads the sources about software: linguist, GitHub topics, the CNCF landscape and simple-icons.

const softwareCategory = "Software and tools"

// readLinguist takes the programming and markup languages that GitHub recognises.
func readLinguist(b *builder, sources fs.FS) error {
	var languages map[string]struct {
		Type    string   `yaml:"type"`
		Aliases []string `yaml:"aliases"`
		Group   string   `yaml:"group"`
	}
	if err := readYAML(sources, "linguist/languages.yml", &languages); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(languages)) {
		l := languages[name]
		if l.Type != "programming" && l.Type != "markup" || b.drops[key(name)] {
			b.count().dropped++
			continue
		}
		s, err := b.obtain(name, "Programming languages", unseen(name))
		if err != nil {
			return err
		}
		for _, alias := range l.Aliases {
			b.synonym(s, alias, resolveOnly(alias))
		}
		if parent := b.find(l.Group); parent != nil && parent != s {
			s.broader = append(s.broader, parent.id)
		}
	}
	return nil
}

// obtain is the skill with a name: the one that is known, or a new one.
func (b *builder) obtain(name, category string, mode taxonomy.Mode) (*skill, error) {
	if s := b.find(name); s != nil {
		b.meet(s)
		return s, nil
	}
	if b.ids[slug(name)] != nil {
		b.count().conflicts++
		return b.ids[slug(name)], nil
	}
	return b.add(name, category, mode)
}

// resolveOnly is the mode of a synonym that nobody has looked at: a single word is no mention by itself.
func resolveOnly(text string) taxonomy.Mode {
	if len(strings.Fields(taxonomy.Normalize(text))) < 2 {
		return taxonomy.Never
	}
	return taxonomy.Always
}

// readTopics takes GitHub's topics about software, with their aliases and related topics.
func readTopics(b *builder, sources fs.FS) error {
	type topic struct {
		Topic       string `yaml:"topic"`
		DisplayName string `yaml:"display_name"`
		Aliases     string `yaml:"aliases"`
		Related     string `yaml:"related"`
		Description string `yaml:"short_description"`
	}
	files, err := fs.Glob(sources, "github_topics/topics/*/index.md")
	if err != nil {
		return err
	}
	found := make(map[*skill]topic)
	var order []*skill
	for _, file := range files {
		text, err := fs.ReadFile(sources, file)
		if err != nil {
			return err
		}
		_, front, _ := strings.Cut(string(text), "---\n")
		front, _, _ = strings.Cut(front, "\n---")
		var t topic
		if err := yaml.UnmarshalWithOptions([]byte(front), &t, yaml.AllowDuplicateMapKey()); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		name := path.Base(path.Dir(file))
		s := b.find(t.DisplayName, name)
		switch {
		case b.drops[key(name)], s == nil && !aboutSoftware(t.Description), s == nil && b.ids[slug(t.DisplayName)] != nil:
			b.count().dropped++
			continue
		case s != nil:
			b.meet(s)
		default:
			if s, err = b.add(t.DisplayName, softwareCategory, unseen(t.DisplayName)); err != nil {
				return err
			}
		}
		if _, ok := found[s]; !ok {
			order = append(order, s)
		}
		found[s] = t
		for alias := range strings.SplitSeq(t.Aliases, ",") {
			b.synonym(s, strings.ReplaceAll(strings.TrimSpace(alias), "-", " "), taxonomy.Never)
		}
	}
	for _, s := range order {
		for related := range strings.SplitSeq(found[s].Related, ",") {
			if other := b.find(related); other != nil && other != s {
				s.related = append(s.related, other.id)
			}
		}
	}
	return nil
}

// aboutSoftware reports whether a topic's description is that of a tool or technique, not of a game, course or event.
func aboutSoftware(description string) bool {
	text := strings.ToLower(description)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	return has("framework", "librar", "language", "database", "platform", "toolkit", "engine", "compiler", "protocol", "package manager",
		"editor", "server", "operating system", "software") &&
		!has("game", "gaming", "player", "minecraft", "hackathon", "university", "school", "course", "community", "competition", "event", "mod ")
}

// landscapeCategories are the parts of the CNCF landscape that list software; others list companies and courses.
var landscapeCategories = []string{
	"Provisioning", "Runtime", "Orchestration & Management", "App Definition and Development", "Observability and Analysis",
	"Serverless", "AI Agent", "Inference", "Training", "Data",
}

// readLandscape takes the software of the CNCF landscape.
func readLandscape(b *builder, sources fs.FS) error {
	var file struct {
		Landscape []struct {
			Name          string `yaml:"name"`
			Subcategories []struct {
				Items []struct {
					Name string `yaml:"name"`
				} `yaml:"items"`
			} `yaml:"subcategories"`
		} `yaml:"landscape"`
	}
	if err := readYAML(sources, "cncf_landscape/landscape.yml", &file); err != nil {
		return err
	}
	for _, category := range file.Landscape {
		for _, sub := range category.Subcategories {
			for _, item := range sub.Items {
				name, inside, _ := strings.Cut(item.Name, " (")
				if !slices.Contains(landscapeCategories, category.Name) || strings.Contains(inside, "ember)") || b.drops[key(name)] {
					b.count().dropped++
					continue
				}
				s := b.find(item.Name, name)
				if s != nil {
					b.meet(s)
				} else {
					var err error
					if s, err = b.obtain(name, "Cloud and infrastructure", unseen(name)); err != nil {
						return err
					}
				}
				if inside != "" {
					b.synonym(s, strings.TrimSuffix(inside, ")"), taxonomy.Never)
				}
			}
		}
	}
	return nil
}

// readIcons takes other names of brands that are known as skills. Most brands are no skill, so none is added.
func readIcons(b *builder, sources fs.FS) error {
	var icons []struct {
		Title   string `yaml:"title"`
		Aliases struct {
			Aka []string          `yaml:"aka"`
			Old []string          `yaml:"old"`
			Loc map[string]string `yaml:"loc"`
		} `yaml:"aliases"`
	}
	if err := readYAML(sources, "simple_icons/simple-icons.json", &icons); err != nil {
		return err
	}
	for _, icon := range icons {
		s := b.find(icon.Title)
		if s == nil || len([]rune(icon.Title)) < 2 {
			b.count().dropped++
			continue
		}
		b.meet(s)
		for _, name := range slices.Concat(icon.Aliases.Aka, icon.Aliases.Old, slices.Sorted(maps.Values(icon.Aliases.Loc))) {
			if latin(name) {
				b.synonym(s, name, taxonomy.Never)
			}
		}
	}
	return nil
}

func latin(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

// readYAML also reads JSON, which is a part of YAML.
func readYAML(files fs.FS, name string, into any) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
