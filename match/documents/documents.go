// Package documents prepares freelancers for an engine: it resolves their skills, judges which of them the texts of a
// profile support, and computes terms, labels and the texts to embed.
package documents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/plaintext"
	"github.com/freelancer-matching/service/internal/textcache"
	"github.com/freelancer-matching/service/match/labels"
	"github.com/freelancer-matching/service/taxonomy"
)

// A Preparer turns freelancers into documents. It is safe for concurrent use.
type Preparer struct {
	taxonomy  *taxonomy.Taxonomy
	analyzer  *analysis.Analyzer
	embedders []Embedder
	titles    *textcache.Cache[readTitle]
	work      workVocabulary
	supporter supporter
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
// Documents get one vector from each embedder, in the given order. The first embedder is match.Config.Embedder; any
// others are models to compare the best freelancers by, which get other texts (see modelText).
func NewPreparer(t *taxonomy.Taxonomy, a *analysis.Analyzer, embedders ...Embedder) *Preparer {
	return &Preparer{
		taxonomy: t, analyzer: a, embedders: embedders, titles: textcache.New[readTitle](cachedTitles),
		work: newWorkVocabulary(t, a), supporter: newSupporter(t, a, embedders),
	}
}

// Spaces returns the spaces of the documents' vectors.
func (p *Preparer) Spaces() []matching.VectorSpace {
	spaces := make([]matching.VectorSpace, len(p.embedders))
	for i, e := range p.embedders {
		spaces[i] = SpaceOf(e)
	}
	return spaces
}

// Prepare returns the documents of freelancers, in the same order. It resolves the skills in the list, the title and
// the description, adds the skills they imply, and computes terms and vectors. It fails only if an embedder fails.
func (p *Preparer) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents := make([]*engine.Document, len(freelancers))
	texts := make([]string, len(freelancers))
	modelTexts := make([]string, len(freelancers))
	for i, freelancer := range freelancers {
		var skills []string
		documents[i], texts[i], skills = p.prepare(freelancer)
		if len(p.embedders) > 1 {
			modelTexts[i] = p.modelText(&freelancer, skills)
		}
	}

	// The first embedder has the built-in vectors; others are models, which read other texts.
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

// A NamedSkill is a skill of a freelancer's document with its name.
type NamedSkill struct {
	Name     string
	Listed   bool // the record lists it, whatever the evidence is
	Evidence matching.Evidence
}

// Skills returns the skills of a freelancer's document, apart from the languages that only the record's languages have.
// It computes no vectors.
func (p *Preparer) Skills(freelancer *matching.Freelancer) []NamedSkill {
	doc, _, listed := p.prepare(*freelancer)
	names := make(map[string]string, len(listed)) // by id
	for _, name := range listed {
		names[p.taxonomy.Resolve(name).ID] = name
	}

	var skills []NamedSkill
	for _, s := range doc.Skills {
		name, isListed := names[s.ID]
		if known, ok := p.taxonomy.Skill(s.ID); ok {
			name = known.Name
		}
		if name != "" && (isListed || s.Evidence != matching.Listed) {
			skills = append(skills, NamedSkill{name, isListed, s.Evidence})
		}
	}

	return skills
}

// prepare returns the document of a freelancer without vectors, the text to embed, and the names of the listed skills.
func (p *Preparer) prepare(freelancer matching.Freelancer) (doc *engine.Document, text string, names []string) {
	doc = &engine.Document{
		Freelancer: freelancer, Labels: labels.Of(&freelancer), Schedule: schedule(&freelancer),
	}

	// The document shows title and description as given; only the copy of the record is cleaned.
	freelancer.JobTitle = plaintext.Of(freelancer.JobTitle)
	freelancer.Description = withoutRepetition(plaintext.Of(freelancer.Description))
	title := p.readTitle(freelancer.JobTitle)
	description, mentions := p.taxonomy.WithoutEveryday(freelancer.Description)
	described, language := p.analyzer.AppendDetected(nil, description)
	told := p.told(&freelancer, title, mentions)
	listed := p.listed(freelancer.Skills, title)
	names = make([]string, len(listed))
	for i, r := range listed {
		names[i] = r.Name
		if !r.Known && len(r.Name) <= engine.MaxWordBytes {
			doc.UnknownSkills = append(doc.UnknownSkills, r.Name)
		}
	}

	work := p.work.beginning(&freelancer, names[:min(len(names), MaxSkills)])
	support := p.supporter.judge(listed, &profileTexts{
		title: freelancer.JobTitle, work: work, language: language, skills: told, titleTerms: title.terms, terms: described,
	})
	found := p.weighEvidence(listed, support, told)

	// Only skills that the texts support earn words, or else lists of keywords would beat profiles. Contradicted skills
	// are added after the words and the implied skills, because they earn none of them. Nor do languages in the record,
	// of which it has no words.
	doc.Terms = p.words(found.skills, title, supportedNames(listed, support), described)
	for i, r := range listed {
		if support[i] == contradicted {
			found.add(r.ID, matching.InText)
		}
	}
	found.addSpoken(freelancer.Languages, p.taxonomy)

	doc.Skills = found.skills
	doc.Families = p.families(doc.Skills)
	doc.JobTitles = title.titles

	return doc, profileText(&freelancer, names, work), names
}

// weighEvidence returns the skills that are listed and not contradicted, those that the texts tell, and those that both
// imply.
func (p *Preparer) weighEvidence(listed []taxonomy.Resolution, support []support, told []engine.Skill) evidence {
	found := evidence{taxonomy: p.taxonomy, skills: make([]engine.Skill, 0, 2*len(listed)+8)}
	for i, r := range listed {
		if support[i] != contradicted {
			found.add(r.ID, matching.Listed)
		}
	}

	for _, skill := range told {
		found.add(skill.ID, skill.Evidence)
	}

	found.addImplied()
	return found
}

// supportedNames returns the names of the listed skills that the texts support.
func supportedNames(listed []taxonomy.Resolution, support []support) []string {
	names := make([]string, 0, len(listed))
	for i, r := range listed {
		if support[i] == supported {
			names = append(names, r.Name)
		}
	}
	return names
}

// listed returns the distinct skills of a list. A trade that is also the job title adds none, as the title tells it.
func (p *Preparer) listed(list []string, title *readTitle) []taxonomy.Resolution {
	all := make([]taxonomy.Resolution, 0, len(list))
	for _, name := range list {
		for _, r := range p.taxonomy.ResolveAll(plaintext.Of(name), list...) {
			if title.is(name) && p.taxonomy.NamesTrade(name, list) {
				continue
			}
			if !slices.ContainsFunc(all, func(other taxonomy.Resolution) bool { return other.ID == r.ID }) {
				all = append(all, r)
			}
		}
	}
	return all
}

// is reports whether a name is one of the job titles.
func (t *readTitle) is(name string) bool {
	return slices.ContainsFunc(t.titles, func(title string) bool {
		return taxonomy.Normalize(title) == taxonomy.Normalize(name)
	})
}

// told returns the skills that title and description name.
func (p *Preparer) told(
	freelancer *matching.Freelancer, title *readTitle, described []taxonomy.Mention,
) []engine.Skill {
	told := evidence{taxonomy: p.taxonomy}
	for _, r := range p.taxonomy.ResolveAll(freelancer.JobTitle, freelancer.Skills...) {
		// An illustrator isn't said to know Adobe Illustrator. The words around a name decide, which title.skills tells.
		if r.Known && !p.taxonomy.IsTrade(r.ID) {
			told.add(r.ID, matching.InTitle)
		}
	}
	for _, id := range title.skills {
		told.add(id, matching.InTitle)
	}
	for _, m := range described {
		told.add(m.ID, matching.InText)
	}
	return told.skills
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
// as listed, if the texts support them, and once as resolved, with those found in texts and those implied. On the
// judged briefs, this and the parameters of BM25 raised the nDCG@10 of the text score alone from .59 to .66.
func (p *Preparer) words(skills []engine.Skill, title *readTitle, listed, described []string) []string {
	terms := make([]string, 0, 2*len(title.terms)+4*(len(listed)+len(skills))+len(described))
	terms = append(append(terms, title.terms...), title.terms...)
	for _, name := range listed {
		terms = p.analyzer.AppendName(terms, name)
	}
	for _, skill := range skills {
		if known, ok := p.taxonomy.Skill(skill.ID); ok {
			terms = p.analyzer.AppendName(terms, known.Name)
		}
	}
	return append(terms, described...)
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

// add adds a skill, or strengthens its evidence.
func (e *evidence) add(id string, kind matching.Evidence) {
	for i := range e.skills {
		if e.skills[i].ID == id {
			e.skills[i].Evidence = max(e.skills[i].Evidence, kind)
			return
		}
	}
	e.skills = append(e.skills, engine.Skill{ID: id, Evidence: kind})
}

// addImplied adds the skills that the collected ones imply. An implied skill has the evidence of the skill that implies
// it, but at most Implied.
func (e *evidence) addImplied() {
	for i := range len(e.skills) {
		skill, ok := e.taxonomy.Skill(e.skills[i].ID)
		if !ok {
			continue
		}
		for _, id := range skill.Implies {
			e.add(id, min(e.skills[i].Evidence, matching.Implied))
		}
	}
}

// addSpoken adds the languages in a freelancer's record to the skills.
func (e *evidence) addSpoken(languages []matching.SpokenLanguage, t *taxonomy.Taxonomy) {
	for _, l := range languages {
		if skill, ok := t.Language(l.Tag); ok {
			e.add(skill.ID, matching.Listed)
		}
	}
}
