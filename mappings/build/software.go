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

	"github.com/freelancer-matching/service/taxonomy"
)

// This file reads the sources about software: linguist, GitHub topics, the CNCF landscape and simple-icons.

const softwareCategory = "Software and tools"

// readLinguist adds the programming and markup languages that GitHub recognizes.
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
		language := languages[name]
		isSkill := language.Type == "programming" || language.Type == "markup"
		if !isSkill || b.dropped[key(name)] {
			b.count().dropped++
			continue
		}

		s, err := b.findOrAdd("Programming languages", name)
		if err != nil {
			return err
		}

		for _, alias := range language.Aliases {
			b.addSynonym(s, alias, synonymMode(alias))
		}

		// Some languages are their own group.
		if parent := b.find(language.Group); parent != nil && parent != s {
			s.broader = append(s.broader, parent.id)
		}
	}

	return nil
}

// findOrAdd returns the skill that owns one of the aliases or the name, or that has the id derived from the name. If
// there is none, it adds a skill with the name.
func (b *builder) findOrAdd(category, name string, aliases ...string) (*skill, error) {
	if s := b.find(append(aliases, name)...); s != nil {
		b.merge(s)
		return s, nil
	}
	if s := b.byID[slug(name)]; s != nil {
		b.count().conflicts++
		return s, nil
	}
	return b.add(name, category, nameMode(name))
}

// readTopics adds GitHub's topics about software, with their aliases and related topics.
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

	relatedTopics := make(map[*skill]string) // separated by commas
	var order []*skill
	for _, file := range files {
		text, err := fs.ReadFile(sources, file)
		if err != nil {
			return err
		}

		// Some topics repeat a key in their front matter, which YAML forbids.
		_, front, _ := strings.Cut(string(text), "---\n")
		front, _, _ = strings.Cut(front, "\n---")
		var t topic
		if err := yaml.UnmarshalWithOptions([]byte(front), &t, yaml.AllowDuplicateMapKey()); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}

		name := path.Base(path.Dir(file))
		s := b.find(t.DisplayName, name)
		switch {
		case b.dropped[key(name)]:
			b.count().dropped++
			continue
		case s != nil:
			b.merge(s)
		case !aboutSoftware(t.Description) || b.byID[slug(t.DisplayName)] != nil:
			b.count().dropped++
			continue
		default:
			if s, err = b.add(t.DisplayName, softwareCategory, nameMode(t.DisplayName)); err != nil {
				return err
			}
		}

		if _, ok := relatedTopics[s]; !ok {
			order = append(order, s)
		}

		relatedTopics[s] = t.Related
		for alias := range strings.SplitSeq(t.Aliases, ",") {
			b.addSynonym(s, strings.ReplaceAll(strings.TrimSpace(alias), "-", " "), taxonomy.Never)
		}
	}

	// A topic can be related to one that comes later, so all topics must have been added.
	for _, s := range order {
		for related := range strings.SplitSeq(relatedTopics[s], ",") {
			if other := b.find(related); other != nil && other != s {
				s.related = append(s.related, other.id)
			}
		}
	}

	return nil
}

// aboutSoftware reports whether a topic's description is about software, and not about a game, course or event.
func aboutSoftware(description string) bool {
	text := strings.ToLower(description)
	containsAny := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	return containsAny("framework", "librar", "language", "database", "platform", "toolkit", "engine", "compiler",
		"protocol", "package manager", "editor", "server", "operating system", "software") &&
		!containsAny("game", "gaming", "player", "minecraft", "hackathon", "university", "school", "course", "community",
			"competition", "event", "mod ")
}

// landscapeCategories lists the parts of the CNCF landscape that contain software, and not companies or courses.
var landscapeCategories = []string{
	"Provisioning", "Runtime", "Orchestration & Management", "App Definition and Development",
	"Observability and Analysis", "Serverless", "AI Agent", "Inference", "Training", "Data",
}

// readLandscape adds the software in the CNCF landscape.
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
				name, detail, _ := strings.Cut(item.Name, " (")
				member := strings.Contains(detail, "ember)") // a company, as in "Acme (member)" or "Acme (KCSP Member)"
				inScope := !member && slices.Contains(landscapeCategories, category.Name)
				if !inScope || b.dropped[key(name)] {
					b.count().dropped++
					continue
				}

				s, err := b.findOrAdd("Cloud and infrastructure", name, item.Name)
				if err != nil {
					return err
				}

				if detail != "" {
					b.addSynonym(s, strings.TrimSuffix(detail, ")"), taxonomy.Never)
				}
			}
		}
	}

	return nil
}

// readIcons adds synonyms of skills that are also brands. It adds no skills, because most brands are not skills.
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
		// A brand of one letter, such as X, is too ambiguous to get further names.
		s := b.find(icon.Title)
		if s == nil || len([]rune(icon.Title)) < 2 {
			b.count().dropped++
			continue
		}

		b.merge(s)
		localized := slices.Sorted(maps.Values(icon.Aliases.Loc))
		for _, name := range slices.Concat(icon.Aliases.Aka, icon.Aliases.Old, localized) {
			if isLatin(name) {
				b.addSynonym(s, name, taxonomy.Never)
			}
		}
	}

	return nil
}

// isLatin reports whether all letters of a text belong to the Latin script.
func isLatin(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	})
}

// readYAML parses a YAML or JSON file.
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
