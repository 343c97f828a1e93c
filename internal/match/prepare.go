// Package match is the service behind a match: it prepares freelancers for an engine, resolves what a brief asks for,
// and takes the engine's hits through the ranking to explained matches. The order of these stages is written here only.
package match

import (
	"strings"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/taxonomy"
)

// Preparer turns freelancers into documents. It is safe for concurrent use.
type Preparer struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
}

// NewPreparer is a Preparer with a taxonomy and an analyzer, which must be those that briefs are resolved with.
func NewPreparer(t *taxonomy.Taxonomy, a *analysis.Analyzer) *Preparer {
	return &Preparer{taxonomy: t, analyzer: a}
}

// Prepare resolves the skills of a freelancer, finds those named in title and description, adds what they imply, and
// analyses the words.
func (p *Preparer) Prepare(f matching.Freelancer) *engine.Document {
	doc := &engine.Document{Freelancer: f}
	skills := evidence{taxonomy: p.taxonomy, skills: make([]engine.Skill, 0, 2*len(f.Skills)+8)}
	terms := make([]string, 0, 16+3*len(f.Skills)+len(f.Description)/8)
	terms = p.analyzer.Append(terms, f.JobTitle)
	for _, listed := range f.Skills {
		r := p.taxonomy.Resolve(listed)
		skills.add(r.ID, matching.Listed)
		terms = p.analyzer.Append(terms, r.Name)
		if r.Known {
			continue
		}
		// "Odoo 17 migration in Python" is no skill of the taxonomy, but names one that the freelancer lists.
		for _, m := range p.taxonomy.Extract(listed) {
			skills.add(m.ID, matching.Listed)
		}
	}
	if title := p.taxonomy.Resolve(f.JobTitle); title.Known {
		skills.add(title.ID, matching.InTitle)
	}
	for _, m := range p.taxonomy.Extract(f.JobTitle) {
		skills.add(m.ID, matching.InTitle)
	}
	for _, m := range p.taxonomy.Extract(f.Description) {
		skills.add(m.ID, matching.InText)
	}
	doc.Terms = p.analyzer.Append(terms, f.Description)
	doc.Skills = skills.withImplied()
	doc.Families = p.families(doc.Skills)
	return doc
}

func (p *Preparer) families(skills []engine.Skill) []string {
	var families []string
	seen := make(map[string]bool)
	for _, s := range skills {
		if s.Evidence < matching.Implied {
			continue
		}
		if skill, ok := p.taxonomy.Skill(s.ID); ok && skill.Family != "" && !seen[skill.Family] {
			seen[skill.Family] = true
			families = append(families, skill.Family)
		}
	}
	return families
}

// evidence collects skills, keeping the strongest evidence for each.
type evidence struct {
	taxonomy *taxonomy.Taxonomy
	skills   []engine.Skill
}

func (e *evidence) add(id string, kind matching.Evidence) {
	for i := range e.skills {
		if e.skills[i].ID == id {
			e.skills[i].Evidence = max(e.skills[i].Evidence, kind)
			return
		}
	}
	e.skills = append(e.skills, engine.Skill{ID: strings.Clone(id), Evidence: kind})
}

// withImplied adds what the collected skills imply: a listed skill implies with evidence Implied, one that was found in
// a text with the evidence of that text.
func (e *evidence) withImplied() []engine.Skill {
	direct := len(e.skills)
	for i := range direct {
		skill, ok := e.taxonomy.Skill(e.skills[i].ID)
		if !ok {
			continue
		}
		for _, id := range skill.Implies {
			e.add(id, min(e.skills[i].Evidence, matching.Implied))
		}
	}
	return e.skills
}
