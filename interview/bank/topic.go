package bank

import (
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/interview"
)

// reach is how close a topic is to what is asked about: the nearer, the better the question.
type reach int

const (
	ofSkill reach = iota // written for the skill
	ofCategory
	ofGap // for any skill that the profile does not show
	ofAny // for any skill
	ofProject
)

// topic is something to ask about.
type topic struct {
	id        string
	reach     reach
	of        []string // id of the skill, or names of categories
	questions []question
}

// places are the topics by what they are about.
type places struct {
	skills, categories map[string][]*topic
	any, gaps, project []*topic
}

// topic makes one of its English texts, and holds the translations to it.
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
			return nil, fmt.Errorf("%d points in %s, %d in %s", len(t.points), code, len(english.points), fallback)
		}
		for _, q := range english.questions {
			if _, ok := t.question(q.kind); !ok || len(t.questions) != len(english.questions) {
				return nil, fmt.Errorf("the questions in %s are not of the kinds of those in %s", code, fallback)
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

// about are the topics that a skill can be asked about by; of nil, those about the project.
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

// rubricKey is what a topic is known again by in a question that was asked: its points.
func rubricKey(points []string) string { return strings.Join(points, "\n") }
