package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/skills"
	"freelancer-matching/taxonomy"
)

// How sure a kind is by the word of the model: less than by that of the taxonomy, or of many freelancers.
const (
	certainly = 0.7
	likely    = 0.5
)

// A name is no longer than this. What is longer is a sentence, and no model is asked.
const (
	longestName = 80 // characters
	mostWords   = 8
)

// maxCandidates is how many skills of the taxonomy a model may say to be near.
const maxCandidates = 12

const verdictTokens = 400 + thoughtTokens

// SkillJudge says what words mean that neither taxonomy nor index know, by a model. It is safe for concurrent use.
//
// It remembers nothing, and bounds nobody but by the Chat's Budget.
type SkillJudge struct {
	chat       *Chat
	taxonomy   *taxonomy.Taxonomy
	categories []string
	schema     json.RawMessage
}

var _ skills.Judge = (*SkillJudge)(nil)

// otherCategory is what the model says of a skill that is in none.
const otherCategory = "other"

// NewSkillJudge is a SkillJudge that knows the categories and skills of a taxonomy.
func NewSkillJudge(chat *Chat, t *taxonomy.Taxonomy) (*SkillJudge, error) {
	found := make(map[string]bool)
	for s := range t.Skills() {
		if s.Category != "" {
			found[s.Category] = true
		}
	}
	j := &SkillJudge{chat: chat, taxonomy: t, categories: slices.Sorted(maps.Keys(found))}
	var err error
	if j.schema, err = withCategories(skillPrompt.schema, append(slices.Clone(j.categories), otherCategory)); err != nil {
		return nil, fmt.Errorf("schema of skill verdicts: %w", err)
	}
	return j, nil
}

// withCategories is the schema with its list of categories.
func withCategories(schema json.RawMessage, categories []string) (json.RawMessage, error) {
	list, err := json.Marshal(categories)
	if err != nil {
		return nil, err
	}
	const empty = `["other"]`
	if strings.Count(string(schema), empty) != 1 {
		return nil, fmt.Errorf("want %s in it once", empty)
	}
	return json.RawMessage(strings.Replace(string(schema), empty, string(list), 1)), nil
}

// Judge implements skills.Judge. It fails as Chat.Ask does, and adds skills.ErrUsedUp to ErrBudget. A word that cannot be
// a name, such as a sentence or a link, is neither a skill nor a job; the model is not asked about it.
func (j *SkillJudge) Judge(ctx context.Context, account, word string) (skills.Verdict, error) {
	neither := skills.Verdict{Word: word, By: "llm:" + j.chat.Model() + " " + skillPrompt.name}
	if !isName(word) {
		return neither, nil
	}
	names, ids := j.candidates(word)
	task := skillPrompt.task(struct{ Candidates []string }{names})
	task.Schema, task.MaxTokens, task.Account = j.schema, verdictTokens, account
	task.Data = []Datum{{Label: "word", Text: oneLine(word), Limit: longestName}}
	task.Check = func(reply json.RawMessage) error { return readVerdict(reply).check(len(ids)) }
	reply, err := j.chat.Ask(ctx, task)
	if errors.Is(err, ErrBudget) {
		err = errors.Join(skills.ErrUsedUp, err)
	}
	if err != nil {
		return skills.Verdict{}, err
	}
	return readVerdict(reply.JSON).verdict(neither, ids), nil
}

// isName reports whether a text may name a skill or a job.
func isName(text string) bool {
	words := strings.Fields(text)
	return letters(text) > 0 && len(words) <= mostWords && len([]rune(text)) <= longestName &&
		!linkPattern.MatchString(text) && !strings.ContainsAny(text, "{}<>\"`")
}

// candidates are names and ids of skills that are spelt like a word, or mentioned in it.
func (j *SkillJudge) candidates(word string) (names, ids []string) {
	add := func(s taxonomy.Skill, ok bool) {
		if ok && len(ids) < maxCandidates && !slices.Contains(ids, s.ID) {
			names, ids = append(names, s.Name), append(ids, s.ID)
		}
	}
	for _, m := range j.taxonomy.Extract(word) {
		add(j.taxonomy.Skill(m.ID))
	}
	for _, name := range j.taxonomy.Suggest(word, maxCandidates) {
		add(j.taxonomy.Named(name))
	}
	for part := range strings.FieldsSeq(word) {
		add(j.taxonomy.Named(part))
	}
	return names, ids
}

// writtenVerdict is a verdict as the model writes it.
type writtenVerdict struct {
	Kind     string `json:"kind"`
	Sure     string `json:"sure"`
	Name     string `json:"name"`
	Category string `json:"category"`
	Near     []int  `json:"near"`
}

func readVerdict(reply json.RawMessage) writtenVerdict {
	var w writtenVerdict
	_ = json.Unmarshal(reply, &w) // it fits its schema
	return w
}

// check holds a verdict against what the model was given.
func (w writtenVerdict) check(candidates int) error {
	if w.Kind == "neither" {
		return nil
	}
	if !isName(w.Name) {
		return fmt.Errorf("the name must be a name of at most %d words", mostWords)
	}
	for _, n := range w.Near {
		if n > candidates {
			return fmt.Errorf("near: there are %d candidates, no number %d", candidates, n)
		}
	}
	return nil
}

// verdict is what is believed of it: of a guess, nothing.
func (w writtenVerdict) verdict(v skills.Verdict, ids []string) skills.Verdict {
	if w.Kind == "neither" || w.Sure == "unsure" {
		return v
	}
	v.Kind, v.Name, v.Confidence = matching.TypeJobTitle, oneLine(w.Name), likely
	if w.Kind == "skill" {
		v.Kind = matching.TypeSkill
	}
	if w.Sure == "certain" {
		v.Confidence = certainly
	}
	if w.Category != otherCategory {
		v.Category = w.Category
	}
	for _, n := range w.Near {
		if id := ids[n-1]; !slices.Contains(v.Near, id) {
			v.Near = append(v.Near, id)
		}
	}
	return v
}
