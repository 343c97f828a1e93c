package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/format"
)

func (c *cli) verifyCommand() *command {
	return &command{
		name: "verify", arguments: "WORD", summary: "look up a skill or a job title",
		details: `
Examples:
  matching verify k8s
  matching verify "data engineer"
`,
		flags: c.newFlags("verify"), fewest: 1, most: -1,
		run: func(ctx context.Context, args []string) error {
			a, err := c.api()
			if err != nil {
				return err
			}
			body, err := a.sendJSON(ctx, request{method: http.MethodPost, path: "/verify-skill"},
				map[string]string{"keyword": strings.Join(args, " ")})
			if err != nil {
				return err
			}
			return show(c, body, c.printSkill)
		},
	}
}

// A verification is the part of a response to verify-skill that is printed.
type verification struct {
	Data struct {
		Exists       bool     `json:"exists"`
		Type         string   `json:"type"`
		Skills       []string `json:"skills"`
		JobTitles    []string `json:"job_titles"`
		SimilarTerms []string `json:"similar_terms"`
		Freelancers  int      `json:"freelancer_count"`
		Source       string   `json:"source"`
		Skill        *struct {
			Category string   `json:"category"`
			Synonyms []string `json:"synonyms"`
			Related  []string `json:"related"`
		} `json:"skill"`
	} `json:"data"`
}

func (c *cli) printSkill(answer *verification) error {
	d := &answer.Data
	if !d.Exists {
		fmt.Fprintln(c.stdout, joinNonEmpty("; ", "neither a skill nor a job title", list("similar: ", d.SimilarTerms)))
		return nil
	}

	// A word may name several skills, or titles.
	names := list("", slices.Concat(d.Skills, d.JobTitles))
	fmt.Fprintf(c.stdout, "%s (%s, %s)\n", names, strings.ReplaceAll(d.Type, "_", " "),
		format.Count(d.Freelancers, "freelancer", "freelancers"))
	if d.Source == "llm" {
		fmt.Fprintln(c.stdout, "A language model's verdict: neither the taxonomy nor the data has the word.")
	}
	if d.Skill != nil {
		c.wrapped("", joinNonEmpty("; ", d.Skill.Category, list("also ", d.Skill.Synonyms),
			list("related: ", d.Skill.Related)))
	}
	return nil
}
