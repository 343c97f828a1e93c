package match

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/match/suggest"
)

// demandLanguages adds the languages that the text of a brief asks for to the required skills, of which the client
// listed some or none. It leaves out languages that listed skills imply, and English in an English brief: few people
// say that they speak the language that everybody writes in.
func (d *demand) demandLanguages(reader *briefReader, asked *suggest.Asked, written analysis.Language, listed int) {
	for _, filter := range asked.Languages {
		skill, ok := reader.taxonomy.Language(filter.Tag)
		base, _, _ := strings.Cut(filter.Tag, "-")
		isOwn := written == analysis.English && base == written.String()
		if !ok || isOwn || impliesSkill(reader, d.skills[:listed], skill.ID) {
			continue
		}

		// The text may have given it as a skill, too.
		d.skills = slices.DeleteFunc(d.skills, func(r requirement) bool { return r.id == skill.ID })

		r := reader.requirement(skill.ID, skill.Name, skill.Name)
		r.spoken = true
		d.skills = append(d.skills, r)
		d.languagesBecause = asked.Because[suggest.Languages]
	}
}

// impliesSkill reports whether a skill is among some skills or implied by one, as a language is by its translation.
func impliesSkill(reader *briefReader, skills []requirement, id string) bool {
	return slices.ContainsFunc(skills, func(r requirement) bool {
		skill, _ := reader.taxonomy.Skill(r.id)
		return r.id == id || slices.Contains(skill.Implies, id)
	})
}

// mandatory returns the numbers of the required skills that the client named: listed ones, or languages that the text
// demands. Skills that were derived from the text are not among them.
func (d *demand) mandatory() []int {
	var numbers []int
	for i, skill := range d.skills[:d.required] {
		if skill.spoken || !d.derived {
			numbers = append(numbers, i)
		}
	}
	return numbers
}
