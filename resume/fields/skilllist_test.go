package fields

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/resumetest"
	"github.com/freelancer-matching/service/resume/wording"
)

// A skillCase is a line of a file in testdata/skills.
type skillCase struct {
	text      string
	must, may []string // names of skills
}

func readSkillCases(t *testing.T, name string) (cases []skillCase) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "skills", name))
	if err != nil {
		t.Fatal(err)
	}

	names := func(list string) []string {
		return strings.FieldsFunc(strings.ReplaceAll(list, "; ", ";"), func(r rune) bool { return r == ';' })
	}
	for row := range strings.Lines(string(file)) {
		parts := strings.Split(strings.TrimRight(row, "\n"), " |")
		may := ""
		if strings.HasPrefix(name, "prose") {
			may = strings.TrimSpace(parts[len(parts)-1])
			parts = parts[:len(parts)-1]
		}

		last := len(parts) - 1
		text := strings.ReplaceAll(strings.Join(parts[:last], " |"), `\n`, "\n")
		cases = append(cases, skillCase{text, names(strings.TrimSpace(parts[last])), names(may)})
	}

	return cases
}

// A skillTally counts skills of several cases.
type skillTally struct{ wanted, found, right, false float64 }

// check compares the skills that are found with those of a case, and returns the missing and the false ones.
func (c skillCase) check(x *Extractor, found []resume.Skill, sum *skillTally) (missing, wrong []string) {
	matches := func(name string, s resume.Skill) bool {
		if wording.Key(name) == wording.Key(s.Name) || wording.Key(name) == wording.Key(s.Written) {
			return true
		}

		for _, r := range x.services.taxonomy.ResolveAll(name) {
			if r.ID == s.ID {
				return true
			}
		}

		return false
	}
	for _, name := range c.must {
		if !slices.ContainsFunc(found, func(s resume.Skill) bool { return matches(name, s) }) {
			missing = append(missing, name)
		}
	}

	for _, s := range found {
		matchesSkill := func(name string) bool { return matches(name, s) }
		if !slices.ContainsFunc(c.must, matchesSkill) && !slices.ContainsFunc(c.may, matchesSkill) {
			wrong = append(wrong, s.Name+" ("+s.Written+")")
		}
	}

	sum.wanted += float64(len(c.must))
	sum.right += float64(len(c.must) - len(missing))
	sum.found += float64(len(found))
	sum.false += float64(len(wrong))

	return missing, wrong
}

// listedSkills returns the skills of a resume with a section about skills.
func listedSkills(t *testing.T, x *Extractor, section string) []resume.Skill {
	t.Helper()
	return extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n{14 bold} Skills\n"+section)).Skills
}

func TestListedSkills(t *testing.T) {
	x := newExtractor(t)
	for _, c := range readSkillCases(t, "lists.txt") {
		t.Run(c.text, func(t *testing.T) {
			missing, wrong := c.check(x, listedSkills(t, x, c.text), &skillTally{})
			if len(missing)+len(wrong) > 0 {
				t.Errorf("missing %q, false %q", missing, wrong)
			}
		})
	}
}

func TestListedSkills_Unseen(t *testing.T) {
	x := newExtractor(t)
	var sum skillTally
	for _, c := range readSkillCases(t, "lists_unseen.txt") {
		c.check(x, listedSkills(t, x, c.text), &sum)
	}
	recall := sum.right / sum.wanted
	precision := 1 - sum.false/sum.found
	t.Logf("recall %.3f, precision %.3f", recall, precision)
	if recall < .87 || precision < .92 {
		t.Errorf("recall is %.3f, want .87 or more; precision is %.3f, want .92 or more", recall, precision)
	}
}

func TestListedSkills_Unknown(t *testing.T) {
	x := newExtractor(t).Uncalibrated() // a fitted table may give both the highest confidence
	found := listedSkills(t, x, "Tools: Quillmark (5 years), Python 4/5")
	if len(found) != 2 {
		t.Fatalf("found %v, want two skills", found)
	}
	if s := found[0]; s.ID != "" || s.Name != "Quillmark" || s.Written != "Quillmark" || s.Section != "skills" {
		t.Errorf("the unknown skill is %+v, want its name as written and no id", s)
	}
	if s := found[1]; s.ID != "python" || s.Name != "Python" || s.Written != "Python" {
		t.Errorf("the known skill is %+v, want Python", s)
	}
	if found[0].Confidence < .5 || found[1].Confidence <= found[0].Confidence {
		t.Errorf("confidences are %v and %v, want that of the known skill to be higher",
			found[0].Confidence, found[1].Confidence)
	}
}

func TestDraft_KnownSkillsFirst(t *testing.T) {
	r := extract(t, newExtractor(t), resumetest.ParseDocument("{20 bold} Marlow Quillfeather\n\n"+
		"{14 bold} Skills\nQuillmark, k8s"))
	if want := []string{"Kubernetes", "Quillmark"}; !slices.Equal(r.Freelancer.Skills, want) {
		t.Errorf("skills of the draft are %q, want %q", r.Freelancer.Skills, want)
	}
}
