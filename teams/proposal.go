package teams

import (
	"bufio"
	_ "embed" // for the roles
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/taxonomy"
)

// maxProposed limits the roles that are proposed. A client may list more.
const maxProposed = 5

// noRole is the title in roles.txt of skills that no role requires.
const noRole = "-"

//go:embed data/roles.txt
var rolesFile string

// roleNames are the titles of roles by what belongs to them, in their order of precedence.
type roleNames struct{ bySkill, byFamily, byCategory map[string]string }

// readRoleNames reads a file in the format of data/roles.txt.
func readRoleNames(file string) (*roleNames, error) {
	n := &roleNames{map[string]string{}, map[string]string{}, map[string]string{}}
	kinds := map[string]map[string]string{"skill": n.bySkill, "family": n.byFamily, "category": n.byCategory}

	lines := bufio.NewScanner(strings.NewReader(file))
	for lines.Scan() {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}

		title, list, _ := strings.Cut(line, ": ")
		for entry := range strings.SplitSeq(list, "; ") {
			kind, name, ok := strings.Cut(entry, " ")
			titles := kinds[kind]
			if !ok || titles == nil || titles[name] != "" {
				return nil, fmt.Errorf("roles.txt: %q of %q is malformed or listed twice", entry, title)
			}
			titles[name] = title
		}
	}
	return n, lines.Err()
}

// of returns the title of the role that a skill belongs to, or "".
func (n *roleNames) of(skill *taxonomy.Skill) string {
	if title := n.bySkill[skill.ID]; title != "" {
		return title
	}
	if title := n.byFamily[skill.Family]; title != "" {
		return title
	}
	return n.byCategory[skill.Category]
}

// A wantedSkill is a skill of a brief with the words that ask for it.
type wantedSkill struct {
	skill   taxonomy.Skill
	name    string // as the client wrote it, or the canonical name
	because string
}

// propose returns the roles for the skills of a brief, given how match read it without its required skills; and notes
// about what was left out.
func (s *Service) propose(brief *matching.Brief, read *matching.Answer) (roles []PlannedRole, notes []string) {
	var tools []string
	for _, wanted := range s.wantedSkills(brief, read) {
		title := s.names.of(&wanted.skill)

		if title == noRole {
			tools = append(tools, wanted.name)
			continue
		}

		// A skill of no known trade belongs to the one that the text names before it.
		at := len(roles) - 1
		if title != "" || at < 0 {
			title = orSpecialist(title)
			at = slices.IndexFunc(roles, func(r PlannedRole) bool { return r.Title == title })
		}
		if at < 0 {
			at = len(roles)
			roles = append(roles, PlannedRole{Role: Role{Title: title}})
		}

		roles[at].Skills = append(roles[at].Skills, wanted.name)
		if !slices.Contains(roles[at].Because, wanted.because) {
			roles[at].Because = append(roles[at].Because, wanted.because)
		}
	}

	if len(tools) > 0 {
		notes = append(notes,
			"No proposed role requires "+phrase.Join(tools, "and")+", because every role may use such tools.")
	}
	if len(roles) == 0 {
		return []PlannedRole{{Role: Role{Title: orSpecialist(brief.JobTitle)}}}, append(notes,
			"The brief names no skill that a role could be proposed for, so it has one role for the whole work.")
	}
	kept, dropped := largest(roles)
	return kept, append(notes, dropped...)
}

func orSpecialist(title string) string {
	if title == "" {
		return "Specialist"
	}
	return title
}

// largest returns the roles with most skills, in their order, and a note about the others.
func largest(roles []PlannedRole) (kept []PlannedRole, notes []string) {
	kept = roles
	for len(kept) > maxProposed {
		smallest := 0
		for i := range kept {
			if len(kept[i].Skills) <= len(kept[smallest].Skills) { // of equals, the last one
				smallest = i
			}
		}
		notes = append(notes, fmt.Sprintf(
			"At most %d roles are proposed, so %s (%s) was left out. List the roles to have it.",
			maxProposed, kept[smallest].Title, strings.Join(kept[smallest].Skills, ", ")))
		kept = slices.Delete(slices.Clone(kept), smallest, smallest+1)
	}
	return kept, notes
}

// wantedSkills returns the distinct skills that a brief lists or its text asks for, in their order.
func (s *Service) wantedSkills(brief *matching.Brief, read *matching.Answer) (wanted []wantedSkill) {
	seen := make(map[string]bool)
	for _, name := range slices.Concat(read.ExcludedSkills, read.NiceToHaveSkills, brief.NiceToHaveSkills) {
		seen[s.taxonomy.Resolve(name).ID] = true
	}
	add := func(id, name, because string) {
		skill, known := s.taxonomy.Skill(id)
		if !known {
			skill.ID = id
		}
		isUseful := !skill.Generic && skill.Category != "Languages"
		if isUseful && !seen[id] && len(wanted) < maxSkills {
			seen[id] = true
			wanted = append(wanted, wantedSkill{skill, name, because})
		}
	}

	for _, name := range brief.RequiredSkills {
		for _, r := range s.taxonomy.ResolveAll(name, brief.RequiredSkills...) {
			add(r.ID, r.Name, name)
		}
	}

	derived := make(map[string]bool)
	for _, name := range read.DerivedSkills {
		derived[s.taxonomy.Resolve(name).ID] = true
	}

	// A brief for a team names most skills once, and match derives from such a text what it is mainly about. A name that
	// the text doesn't write as a common noun is asked for, too.
	text := brief.JobTitle + "\n" + brief.Description
	for _, m := range s.taxonomy.Extract(text) {
		first, _ := utf8.DecodeRuneInString(text[m.Start:])
		isName := !m.Everyday && !unicode.IsLower(first)
		if derived[m.ID] || isName {
			skill, _ := s.taxonomy.Skill(m.ID)
			add(m.ID, skill.Name, text[m.Start:m.End])
		}
	}
	return wanted
}
