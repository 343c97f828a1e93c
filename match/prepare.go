package match

import (
	"context"
	"fmt"
	"strings"

	"freelancer-matching/engine"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/plaintext"
	"freelancer-matching/internal/textcache"
	"freelancer-matching/taxonomy"
)

// A Preparer turns freelancers into documents. It is safe for concurrent use.
type Preparer struct {
	taxonomy  *taxonomy.Taxonomy
	analyzer  *analysis.Analyzer
	embedders []Embedder
	titles    *textcache.Cache[readTitle]
	work      workVocabulary
}

// A readTitle is what a job title says by itself.
type readTitle struct {
	terms  []string
	skills []string // ids of the skills it mentions
	titles []string // see jobTitles
}

// Limits of the cache of titles: their number, and the bytes of one.
const (
	cachedTitles   = 1 << 16
	maxCachedTitle = 96
)

// NewPreparer returns a Preparer. The taxonomy and the analyzer must be those of the service that answers briefs.
// Documents get one vector from each embedder, in the given order. The first embedder is Config.Embedder; any
// others are models to compare the best freelancers by, which get other texts (see modelText).
func NewPreparer(t *taxonomy.Taxonomy, a *analysis.Analyzer, embedders ...Embedder) *Preparer {
	return &Preparer{
		taxonomy: t, analyzer: a, embedders: embedders, titles: textcache.New[readTitle](cachedTitles),
		work: newWorkVocabulary(t, a),
	}
}

// Spaces returns the spaces of the documents' vectors.
func (p *Preparer) Spaces() []matching.VectorSpace {
	spaces := make([]matching.VectorSpace, len(p.embedders))
	for i, e := range p.embedders {
		spaces[i] = spaceOf(e)
	}
	return spaces
}

// Prepare returns the documents of freelancers, in the same order. It resolves the skills in the list, the title and
// the description, adds the skills they imply, and computes terms and vectors. It fails only if an embedder fails.
func (p *Preparer) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents := make([]*engine.Document, len(freelancers))
	texts, modelTexts := make([]string, len(freelancers)), make([]string, len(freelancers))
	for i, f := range freelancers {
		var skills []string
		documents[i], texts[i], skills = p.prepare(f)
		if len(p.embedders) > 1 {
			modelTexts[i] = p.modelText(&f, skills)
		}
	}
	for i, e := range p.embedders {
		if i > 0 {
			texts = modelTexts
		}
		vectors, err := e.Embed(ctx, texts)
		if err != nil {
			return nil, fmt.Errorf("embed with model %q: %w", e.Space().Model, err)
		}
		for i, d := range documents {
			d.Vectors = append(d.Vectors, vectors[i])
		}
	}
	return documents, nil
}

// prepare returns the document of a freelancer without vectors, the text to embed, and the names of the listed skills.
func (p *Preparer) prepare(f matching.Freelancer) (doc *engine.Document, text string, listed []string) {
	doc = &engine.Document{Freelancer: f, Labels: Labels(&f.Details), AvailableFrom: availableFrom(&f)}
	f.JobTitle = plaintext.Of(f.JobTitle) // the document shows title and description as given
	f.Description = withoutRepetition(plaintext.Of(f.Description))
	skills := evidence{taxonomy: p.taxonomy, skills: make([]engine.Skill, 0, 2*len(f.Skills)+8)}
	names := make([]string, 0, len(f.Skills))
	for _, listed := range f.Skills {
		for _, r := range p.taxonomy.ResolveAll(plaintext.Of(listed), f.Skills...) {
			if !skills.add(r.ID, matching.Listed) {
				continue
			}
			names = append(names, r.Name)
			if !r.Known && len(r.Name) <= engine.MaxWordBytes {
				doc.UnknownSkills = append(doc.UnknownSkills, r.Name)
			}
		}
	}
	for _, r := range p.taxonomy.ResolveAll(f.JobTitle, f.Skills...) {
		if r.Known {
			skills.add(r.ID, matching.InTitle)
		}
	}
	title := p.readTitle(f.JobTitle)
	for _, id := range title.skills {
		skills.add(id, matching.InTitle)
	}
	description, mentions := p.taxonomy.WithoutEveryday(f.Description)
	for _, m := range mentions {
		skills.add(m.ID, matching.InText)
	}
	doc.Skills = skills.withImplied()
	doc.Families = p.families(doc.Skills)
	doc.Terms = p.words(doc, title, names, description)
	doc.JobTitles = title.titles
	return doc, p.profileText(&f, names), names
}

// readTitle returns what a job title says. Many freelancers have the same one, so short ones are cached.
func (p *Preparer) readTitle(text string) *readTitle {
	if h := p.titles.Get(text); h != nil {
		return h
	}
	words, mentions := p.taxonomy.WithoutEveryday(text)
	h := readTitle{terms: p.analyzer.Append(nil, words), titles: jobTitles(p.taxonomy, text)}
	for _, m := range mentions {
		h.skills = append(h.skills, m.ID)
	}
	if len(text) > maxCachedTitle {
		return &h
	}
	for i := range h.titles {
		h.titles[i] = strings.Clone(h.titles[i])
	}
	return p.titles.Put(text, h)
}

// words returns the terms of a document. Title and skills count twice and the description once. Skills are added once
// as listed and once as resolved, with those found in texts and those implied. On the judged briefs, this and the
// parameters of BM25 raised the nDCG@10 of the text score alone from .59 to .66.
func (p *Preparer) words(d *engine.Document, title *readTitle, listed []string, description string) []string {
	terms := make([]string, 0, 32+6*len(listed)+len(description)/8)
	terms = append(append(terms, title.terms...), title.terms...)
	for _, name := range listed {
		terms = p.analyzer.AppendName(terms, name)
	}
	for _, skill := range d.Skills {
		if known, ok := p.taxonomy.Skill(skill.ID); ok {
			terms = p.analyzer.AppendName(terms, known.Name)
		}
	}
	return p.analyzer.Append(terms, description)
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

// An evidence collects skills with the strongest evidence for each.
type evidence struct {
	taxonomy *taxonomy.Taxonomy
	skills   []engine.Skill
}

// add adds a skill, or strengthens its evidence, and reports whether the skill is new.
func (e *evidence) add(id string, kind matching.Evidence) bool {
	for i := range e.skills {
		if e.skills[i].ID == id {
			e.skills[i].Evidence = max(e.skills[i].Evidence, kind)
			return false
		}
	}
	e.skills = append(e.skills, engine.Skill{ID: id, Evidence: kind})
	return true
}

// withImplied returns the collected skills and those they imply. An implied skill has the evidence of the skill that
// implies it, but at most Implied.
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
