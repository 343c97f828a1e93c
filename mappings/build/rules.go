package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"freelancer-matching/taxonomy"
)

// readRules reads rules.txt, a rule each line: its kind, and what it says.
func readRules(b *builder, files fs.FS) error {
	kinds := map[string]func(rest string) error{
		"context":  b.contextRule,
		"sense":    b.senseRule,
		"language": b.languageRule,
		"generic":  func(rest string) error { return b.markGeneric(rest, true) },
		"specific": func(rest string) error { return b.markGeneric(rest, false) },
		"phrase":   func(rest string) error { b.phrases = append(b.phrases, items(rest)...); return nil },
		"vendor":   func(rest string) error { b.vendors = append(b.vendors, items(rest)...); return nil },
		"drop": func(rest string) error {
			for _, name := range items(rest) {
				b.drops[key(name)] = true
			}
			return nil
		},
		"title": func(rest string) error {
			for _, title := range items(rest) {
				b.titles[key(title)] = title
			}
			return nil
		},
	}
	return eachLine(files, "rules.txt", func(line string) error {
		kind, rest, _ := strings.Cut(line, " ")
		read, ok := kinds[kind]
		if !ok {
			return fmt.Errorf("rule %q is unknown: use context, sense, language, generic, specific, phrase, vendor, drop or title", kind)
		}
		return read(rest)
	})
}

// contextRule reads "GROUPS: words".
func (b *builder) contextRule(rest string) error {
	groups, words, ok := strings.Cut(rest, ": ")
	if !ok {
		return errors.New("a context has groups, a colon, and words")
	}
	for word := range strings.FieldsSeq(words) {
		b.contexts = append(b.contexts, taxonomy.ContextWord{Word: word, Groups: strings.Fields(groups)})
	}
	return nil
}

// senseRule reads "NAME = Skill: words".
func (b *builder) senseRule(rest string) error {
	names, words, ok := strings.Cut(rest, ": ")
	name, other, both := strings.Cut(names, " = ")
	if !ok || !both {
		return errors.New("a sense has a name, =, a skill, a colon, and words")
	}
	b.senses = append(b.senses, taxonomy.Sense{Name: name, Skill: other, Words: strings.Fields(words)})
	return nil
}

// languageRule reads "Language: names and codes".
func (b *builder) languageRule(rest string) error {
	language, words, ok := strings.Cut(rest, ": ")
	if !ok {
		return errors.New("a language has a name, a colon, and words")
	}
	for word := range strings.FieldsSeq(key(language) + " " + words) {
		b.words = append(b.words, taxonomy.LanguageWord{Word: taxonomy.Normalize(word), Language: language})
	}
	return nil
}

// markGeneric says of skills whether they are too wide to tell what a brief is for. Without it, those are whose names
// are never extracted.
func (b *builder) markGeneric(names string, generic bool) error {
	for _, name := range items(names) {
		s := b.find(name)
		if s == nil || s.generic == generic {
			return fmt.Errorf("%q is no skill, or generic: %t already", name, generic)
		}
		s.generic = generic
	}
	return nil
}
