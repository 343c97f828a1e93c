package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/taxonomy"
)

// readRules reads rules.txt. Each line holds one rule: its kind, a space and its content.
func readRules(b *builder, files fs.FS) error {
	kinds := map[string]func(content string) error{
		"context":  b.contextRule,
		"sense":    b.senseRule,
		"trade":    b.tradeRule,
		"language": b.languageRule,
		"generic":  func(content string) error { return b.markGeneric(content, true) },
		"specific": func(content string) error { return b.markGeneric(content, false) },
		"phrase":   func(content string) error { b.phrases = append(b.phrases, items(content)...); return nil },
		"vendor":   func(content string) error { b.vendors = append(b.vendors, items(content)...); return nil },
		// Sources contain words that are no skills. They are compared as keys, regardless of case and punctuation.
		"drop": func(content string) error {
			for _, name := range items(content) {
				b.dropped[key(name)] = true
			}
			return nil
		},
		"title": func(content string) error {
			for _, title := range items(content) {
				b.titles[key(title)] = title
			}
			return nil
		},
	}

	return eachLine(files, "rules.txt", func(line string) error {
		kind, content, _ := strings.Cut(line, " ")
		read, ok := kinds[kind]
		if !ok {
			return fmt.Errorf("unknown kind of rule %q: want one of %v", kind, slices.Sorted(maps.Keys(kinds)))
		}
		return read(content)
	})
}

// contextRule reads "GROUPS: words": near one of the words, an everyday word means a skill of the groups.
func (b *builder) contextRule(content string) error {
	groups, words, ok := strings.Cut(content, ": ")
	if !ok {
		return errors.New("a context rule needs groups, a colon and words")
	}
	for word := range strings.FieldsSeq(words) {
		b.contexts = append(b.contexts, taxonomy.ContextWord{Word: word, Groups: strings.Fields(groups)})
	}
	return nil
}

// senseRule reads "NAME = Skill: words": near one of the words, the name means the other skill.
func (b *builder) senseRule(content string) error {
	names, words, ok := strings.Cut(content, ": ")
	name, skill, hasSkill := strings.Cut(names, " = ")
	if !ok || !hasSkill {
		return errors.New("a sense rule needs a name, an equals sign, a skill, a colon and words")
	}
	b.senses = append(b.senses, taxonomy.Sense{Name: name, Skill: skill, Words: strings.Fields(words)})
	return nil
}

// tradeRule reads "NAME = Skill: words", for a name that is also an occupation, which has the skill: in a job title,
// near one of the words, and where nothing says that the product is meant. "NAME; NAME" lists names of occupations
// without a skill, which name no product in a job title.
func (b *builder) tradeRule(content string) error {
	if !strings.Contains(content, " = ") {
		for _, name := range items(content) {
			b.senses = append(b.senses, taxonomy.Sense{Name: name, Trade: true})
		}
		return nil
	}
	if err := b.senseRule(content); err != nil {
		return err
	}
	b.senses[len(b.senses)-1].Trade = true
	return nil
}

// languageRule reads "Language: words": names of the language in several languages, and its ISO 639 codes.
func (b *builder) languageRule(content string) error {
	language, words, ok := strings.Cut(content, ": ")
	if !ok {
		return errors.New("a language rule needs a name, a colon and words")
	}
	for word := range strings.FieldsSeq(key(language) + " " + words) {
		b.languageWords = append(b.languageWords, taxonomy.LanguageWord{Word: taxonomy.Normalize(word), Language: language})
	}
	return nil
}

// markGeneric marks the named skills as generic, which means that they say little about what a brief is for, or as
// specific. By default, a curated skill is generic if its name is never extracted from running text.
func (b *builder) markGeneric(names string, generic bool) error {
	for _, name := range items(names) {
		s := b.find(name)
		if s == nil {
			return fmt.Errorf("unknown skill %q in a generic or specific rule", name)
		}
		if s.generic == generic {
			return fmt.Errorf("redundant rule: skill %q has generic = %t without it", name, generic)
		}
		s.generic = generic
	}
	return nil
}
