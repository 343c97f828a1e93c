package bank

import (
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/interview"
)

// A reach says how specific a topic is. More specific topics make better questions.
type reach int

const (
	ofSkill    reach = iota // one skill
	ofCategory              // categories of skills
	ofGap                   // any skill that the profile does not show
	ofAny                   // any skill
	ofProject
)

// A topic is a subject of questions.
type topic struct {
	id        string
	reach     reach
	of        []string // ID of the skill, or names of the categories
	questions []question
}

// places holds the topics by subject.
type places struct {
	skills, categories map[string][]*topic
	any, gaps, project []*topic
}

// topic returns the topic for an English text, and checks that its translations match.
func (b *Bank) topic(id string, english *texts) (*topic, error) {
	tp := &topic{id: id, questions: english.questions}
	name, category := strings.CutPrefix(english.about, "category ")
	switch {
	case category:
		tp.reach, tp.of = ofCategory, strings.Split(name, "; ")
		for _, c := range tp.of {
			if !b.knowsCategory(c) {
				return nil, fmt.Errorf("the taxonomy has no category %q", c)
			}
		}
	case name == "any":
		tp.reach = ofAny
	case name == "gap":
		tp.reach = ofGap
	case name == "project":
		tp.reach = ofProject
	default:
		skill, ok := b.taxonomy.Named(name)
		if !ok {
			return nil, fmt.Errorf("the taxonomy has no skill %q", name)
		}
		tp.reach, tp.of = ofSkill, []string{skill.ID}
	}
	for code, e := range b.editions {
		t, ok := e.texts[id]
		if !ok {
			continue
		}
		if len(t.points) != len(english.points) {
			return nil, fmt.Errorf("%d points in %s, but %d in %s", len(t.points), code, len(english.points), fallback)
		}
		for _, q := range english.questions {
			if _, ok := t.question(q.kind); !ok || len(t.questions) != len(english.questions) {
				return nil, fmt.Errorf("the questions in %s and %s are of different kinds", code, fallback)
			}
		}
	}
	return tp, nil
}

func (b *Bank) knowsCategory(name string) bool {
	for s := range b.taxonomy.Skills() {
		if s.Category == name {
			return true
		}
	}
	return false
}

// place sorts the topics by subject.
func (b *Bank) place() places {
	p := places{skills: make(map[string][]*topic), categories: make(map[string][]*topic)}
	for _, tp := range b.topics {
		switch tp.reach {
		case ofSkill:
			p.skills[tp.of[0]] = append(p.skills[tp.of[0]], tp)
		case ofCategory:
			for _, c := range tp.of {
				p.categories[c] = append(p.categories[c], tp)
			}
		case ofGap:
			p.gaps = append(p.gaps, tp)
		case ofAny:
			p.any = append(p.any, tp)
		case ofProject:
			p.project = append(p.project, tp)
		}
	}
	return p
}

// about returns the topics for questions about a skill, or about the project if skill is nil.
func (b *Bank) about(skill *interview.Skill) []*topic {
	if skill == nil {
		return b.places.project
	}
	category := skill.Category
	if known, ok := b.taxonomy.Skill(skill.ID); ok {
		category = known.Category
	}
	all := slices.Concat(b.places.skills[skill.ID], b.places.categories[category], b.places.any)
	if skill.Gap {
		all = append(all, b.places.gaps...)
	}
	return all
}

// rubricKey returns a key that identifies a topic by the points of its rubric.
func rubricKey(points []string) string { return strings.Join(points, "\n") }
