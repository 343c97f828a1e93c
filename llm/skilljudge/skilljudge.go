// Package skilljudge has a language model classify words that the taxonomy doesn't know.
package skilljudge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/prompts"
	"github.com/freelancer-matching/service/llm/readable"
	"github.com/freelancer-matching/service/llm/sanitize"
	"github.com/freelancer-matching/service/skills"
	"github.com/freelancer-matching/service/taxonomy"
)

// The confidence in a model's verdict. The taxonomy, or the wording of many freelancers, earns more.
const (
	certainConfidence = 0.7
	likelyConfidence  = 0.5
)

// A longer text is a sentence, not a name.
const (
	maxNameLength = 80 // characters
	maxNameWords  = 8
)

// maxCandidates is how many skills of the taxonomy a model may choose from as near the word.
const maxCandidates = 12

const verdictTokens = 400 + llm.ReasoningTokens

// A Judge asks a model what a word means that neither the taxonomy nor the index knows. It is safe for concurrent
// use. It doesn't remember verdicts, and has no limit other than the Chat's Budget.
type Judge struct {
	chat     *llm.Chat
	taxonomy *taxonomy.Taxonomy
	schema   json.RawMessage // with the taxonomy's categories
}

var _ skills.Judge = (*Judge)(nil)

var skillPrompt = prompts.MustRead("skill-verdict")

// otherCategory is the model's choice if no category of the taxonomy fits.
const otherCategory = "other"

// New returns a Judge with the categories and skills of a taxonomy.
func New(chat *llm.Chat, t *taxonomy.Taxonomy) (*Judge, error) {
	found := make(map[string]bool)
	for s := range t.Skills() {
		if s.Category != "" {
			found[s.Category] = true
		}
	}
	schema, err := withCategories(skillPrompt.Schema, append(slices.Sorted(maps.Keys(found)), otherCategory))
	if err != nil {
		return nil, fmt.Errorf("schema of skill verdicts: %w", err)
	}
	return &Judge{chat: chat, taxonomy: t, schema: schema}, nil
}

// withCategories returns the schema with its list of categories filled in.
func withCategories(schema json.RawMessage, categories []string) (json.RawMessage, error) {
	list, err := json.Marshal(categories)
	if err != nil {
		return nil, err
	}
	const placeholder = `["other"]`
	if strings.Count(string(schema), placeholder) != 1 {
		return nil, fmt.Errorf("want %s in it once", placeholder)
	}
	return json.RawMessage(strings.Replace(string(schema), placeholder, string(list), 1)), nil
}

// Judge implements skills.Judge. Its errors are the same as Chat.Ask's; llm.ErrBudget comes with skills.ErrUsedUp. A
// word that can't be a name, such as a sentence, a link or a telephone number, is neither a skill nor a job; the model
// isn't asked about it.
func (j *Judge) Judge(ctx context.Context, account, word string) (skills.Verdict, error) {
	neither := skills.Verdict{Word: word, By: "llm:" + j.chat.Model() + " " + skillPrompt.Name}
	if !isName(word) || sanitize.HasContact(word) {
		return neither, nil
	}

	names, ids := j.candidates(word)

	task := skillPrompt.Task(struct{ Candidates []string }{names})
	task.Schema = j.schema
	task.MaxTokens = verdictTokens
	task.Account = account
	task.Data = []llm.Datum{{Label: "word", Text: sanitize.OneLine(word), Limit: maxNameLength}}
	task.Check = func(reply json.RawMessage) error { return readVerdict(reply).check(len(ids)) }

	reply, err := j.chat.Ask(ctx, task)
	// The caller recognizes an exhausted budget by its own error.
	if errors.Is(err, llm.ErrBudget) {
		err = errors.Join(skills.ErrUsedUp, err)
	}

	if err != nil {
		return skills.Verdict{}, err
	}

	return readVerdict(reply.JSON).verdict(neither, ids), nil
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isName reports whether a text may be the name of a skill or a job.
func isName(text string) bool {
	isShort := len(strings.Fields(text)) <= maxNameWords && len([]rune(text)) <= maxNameLength
	isMarkup := sanitize.HasLink(text) || strings.ContainsAny(text, "{}<>\"`")
	return strings.ContainsFunc(text, isLetterOrDigit) && isShort && !isMarkup
}

// candidates returns the names and ids of skills that the word mentions, or that are spelled like it.
func (j *Judge) candidates(word string) (names, ids []string) {
	add := func(s taxonomy.Skill, ok bool) {
		isNew := ok && !slices.Contains(ids, s.ID)
		if isNew && len(ids) < maxCandidates {
			names = append(names, s.Name)
			ids = append(ids, s.ID)
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

// modelVerdict is a verdict as the model writes it.
type modelVerdict struct {
	Kind     string `json:"kind"`
	Sure     string `json:"sure"`
	Name     string `json:"name"`
	Category string `json:"category"`
	Near     []int  `json:"near"`
}

func readVerdict(reply json.RawMessage) modelVerdict {
	var v modelVerdict
	_ = json.Unmarshal(reply, &v) // it fits its schema
	return v
}

// check returns an error if the name is not a name, or if a number is not that of a candidate.
func (v modelVerdict) check(candidates int) error {
	if v.Kind == "neither" {
		return nil
	}
	if !isName(v.Name) {
		return fmt.Errorf("the name must be a name of at most %d words", maxNameWords)
	}
	if err := readable.CheckWords(v.Name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	for _, n := range v.Near {
		if n > candidates {
			return fmt.Errorf("near: there are %d candidates, no number %d", candidates, n)
		}
	}
	return nil
}

// verdict adds the model's statements to a verdict, unless they are guesses.
func (v modelVerdict) verdict(to skills.Verdict, ids []string) skills.Verdict {
	if v.Kind == "neither" || v.Sure == "unsure" {
		return to
	}

	to.Kind = matching.TypeJobTitle
	to.Name = sanitize.OneLine(v.Name)
	to.Confidence = likelyConfidence
	if v.Kind == "skill" {
		to.Kind = matching.TypeSkill
	}

	if v.Sure == "certain" {
		to.Confidence = certainConfidence
	}

	if v.Category != otherCategory {
		to.Category = v.Category
	}

	// Several numbers may stand for the same skill.
	for _, n := range v.Near {
		if id := ids[n-1]; !slices.Contains(to.Near, id) {
			to.Near = append(to.Near, id)
		}
	}

	return to
}
