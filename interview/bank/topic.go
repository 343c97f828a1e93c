package bank

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/taxonomy"
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
	of        []string   // IDs of the skills, or names of the categories
	except    []string   // IDs of skills in the categories that the topic does not suit
	questions []question // in English
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
		categories, except, some := strings.Cut(name, " except ")
		tp.reach, tp.of = ofCategory, strings.Split(categories, "; ")
		for _, c := range tp.of {
			if !b.knowsCategory(c) {
				return nil, fmt.Errorf("the taxonomy has no category %q", c)
			}
		}

		if some {
			skills, err := b.skillsNamed(except)
			if err != nil {
				return nil, err
			}

			// An exception outside of the categories would have no effect, so it is most likely a mistake.
			for _, s := range skills {
				if !slices.Contains(tp.of, s.Category) {
					return nil, fmt.Errorf("%q is an exception, but not in the categories", s.Name)
				}
				tp.except = append(tp.except, s.ID)
			}
		}

	case name == "any":
		tp.reach = ofAny
	case name == "gap":
		tp.reach = ofGap
	case name == "project":
		tp.reach = ofProject
	default:
		skills, err := b.skillsNamed(name)
		if err != nil {
			return nil, err
		}
		tp.reach = ofSkill
		for _, s := range skills {
			tp.of = append(tp.of, s.ID)
		}
	}

	// Cues are matched point by point, so a translation must have the same points.
	for code, e := range b.editions {
		if t, ok := e.texts[id]; ok {
			if err := english.checkTranslation(t); err != nil {
				return nil, fmt.Errorf("in %s: %w", code, err)
			}
		}
	}

	return tp, nil
}

// checkTranslation returns an error unless a translation has the same kinds of questions with as many points.
func (t *texts) checkTranslation(translated *texts) error {
	if len(translated.questions) != len(t.questions) {
		return fmt.Errorf("%d questions, want %d as in English", len(translated.questions), len(t.questions))
	}
	for _, q := range t.questions {
		other := translated.question(q.kind)
		if other == nil {
			return fmt.Errorf("a %s question is missing", q.kind)
		}
		if len(other.points) != len(q.points) {
			return fmt.Errorf("%d points for the %s question, want %d as in English",
				len(other.points), q.kind, len(q.points))
		}
	}
	return nil
}

// skillsNamed returns the skills in a list such as "Recruiting; Executive Search".
func (b *Bank) skillsNamed(list string) ([]taxonomy.Skill, error) {
	var all []taxonomy.Skill
	for name := range strings.SplitSeq(list, "; ") {
		skill, ok := b.taxonomy.Named(name)
		if !ok {
			return nil, fmt.Errorf("the taxonomy has no skill %q", name)
		}
		all = append(all, skill)
	}
	return all, nil
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
			for _, id := range tp.of {
				p.skills[id] = append(p.skills[id], tp)
			}

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

// A suited topic is one that suits a skill.
type suited struct {
	*topic
	steps int // in the taxonomy from the skill to that of the topic: 0 for the skill itself
}

// about returns the topics for questions about a skill, or about the project if skill is nil. A skill also has the
// topics of the skills that it implies or is a kind of: Next.js has those of React and JavaScript.
func (b *Bank) about(skill *interview.Skill) []suited {
	var all []suited
	add := func(topics []*topic, steps int) {
		for _, tp := range topics {
			all = append(all, suited{tp, steps})
		}
	}

	if skill == nil {
		add(b.places.project, 0)
		return all
	}

	category := skill.Category
	if known, ok := b.taxonomy.Skill(skill.ID); ok {
		category = known.Category
		for id, steps := range b.ancestors(known) {
			add(b.places.skills[id], steps)
		}
	}

	add(b.places.skills[skill.ID], 0)
	for _, tp := range b.places.categories[category] {
		if !slices.Contains(tp.except, skill.ID) {
			all = append(all, suited{tp, 0})
		}
	}

	// General topics suit every skill. Their costs make Ask prefer the others.
	add(b.places.any, 0)
	if skill.Gap {
		add(b.places.gaps, 0)
	}

	return all
}

// ancestors returns the IDs of the skills that a skill implies or is a kind of, in order, with their distance: those
// that imply fewer of the others are farther away.
func (b *Bank) ancestors(skill taxonomy.Skill) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		all := slices.Concat(skill.Implies, skill.Broader)
		slices.Sort(all)
		all = slices.Compact(all)
		for _, id := range all {
			steps := 1
			for _, other := range all {
				between, _ := b.taxonomy.Skill(other)
				isBetween := slices.Contains(between.Implies, id) || slices.Contains(between.Broader, id)
				if other != id && isBetween {
					steps++
				}
			}
			if !yield(id, steps) {
				return
			}
		}
	}
}

// rubricKey returns a key that identifies a topic by the points of its rubric.
func rubricKey(points []string) string { return strings.Join(points, "\n") }
