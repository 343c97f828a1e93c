package synthetic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// template is a sentence with slots in braces: "For {company} I took care of {make}.".
type template []part

// part is literal text and the slot behind it.
type part struct {
	text string
	slot slot
}

// slot is a place in a sentence that each record fills with its own words.
type slot string

const (
	slotNone     slot = ""
	slotCompany  slot = "company"  // an invented firm
	slotFormer   slot = "former"   // where somebody worked before
	slotHobby    slot = "hobby"    // a verb phrase
	slotMake     slot = "make"     // something that the trade delivers
	slotName     slot = "name"     // the freelancer's given name
	slotProjects slot = "projects" // a count with its noun
	slotSector   slot = "sector"   // a kind of client
	slotSkill    slot = "skill"    // the next of the record's skills
	slotSkills   slot = "skills"   // up to three of them
	slotSolve    slot = "solve"    // a problem that the trade solves
	slotTitle    slot = "title"    // the job title without its list of skills
	slotYears    slot = "years"    // a span with its noun
)

// UnmarshalJSON reads a sentence. A slot that does not exist is an error.
func (t *template) UnmarshalJSON(data []byte) error {
	var sentence string
	if err := json.Unmarshal(data, &sentence); err != nil {
		return err
	}

	*t = nil
	rest := sentence
	for rest != "" {
		text, after, found := strings.Cut(rest, "{")
		if !found {
			*t = append(*t, part{text: text})
			break
		}

		name, tail, closed := strings.Cut(after, "}")
		if !closed {
			return fmt.Errorf("%q: a brace is not closed", sentence)
		}

		// An unknown slot must stop the build of the catalog, or it would appear in descriptions.
		switch s := slot(name); s {
		case slotCompany, slotFormer, slotHobby, slotMake, slotName, slotProjects, slotSector,
			slotSkill, slotSkills, slotSolve, slotTitle, slotYears:
			*t = append(*t, part{text: text, slot: s})
		default:
			return fmt.Errorf("%q: no slot {%s}", sentence, name)
		}

		rest = tail
	}

	if len(*t) == 0 {
		return errors.New("a sentence is empty")
	}

	return nil
}
