package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
)

type verifyInput struct {
	Keyword string `json:"keyword"`
}

type verifyOutput struct {
	RequestID       string     `json:"request_id"`
	Exists          bool       `json:"exists"`
	Type            string     `json:"type,omitempty"`
	Source          string     `json:"source,omitempty"`
	Confidence      float64    `json:"confidence"`
	FreelancerCount int        `json:"freelancer_count"`
	Profile         skillNames `json:"profile_data"`
}

// skillNames are names of skills and titles. Some come from freelancers' lists of skills.
type skillNames struct {
	Skills       []string `json:"skills,omitempty"`
	JobTitles    []string `json:"job_titles,omitempty"`
	SimilarTerms []string `json:"similar_terms,omitempty"`
	Synonyms     []string `json:"synonyms,omitempty"`
	Broader      []string `json:"broader,omitempty"`
	Related      []string `json:"related,omitempty"`
}

func callVerify(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	var answer wire.Answer[matching.Verification]
	if err := c.send(ctx, request{method: http.MethodPost, path: "/verify-skill", body: arguments}, &answer); err != nil {
		return nil, err
	}
	v := &answer.Data

	// Words that the taxonomy lacks come from profiles, and nothing tells them apart here.
	out := &verifyOutput{
		RequestID: answer.RequestID, Exists: v.Exists, Type: v.Type.Value, Source: v.Source.Value,
		Confidence: v.Confidence, FreelancerCount: v.FreelancerCount,
		Profile: skillNames{Skills: v.Skills, JobTitles: v.JobTitles, SimilarTerms: v.SimilarTerms},
	}
	if v.Skill != nil {
		out.Profile.Synonyms = v.Skill.Synonyms
		out.Profile.Broader = v.Skill.Broader
		out.Profile.Related = v.Skill.Related
	}

	summary := "The keyword names neither a skill nor a job title."
	if v.Exists {
		summary = fmt.Sprintf("The keyword names a %s (source: %s); freelancers with it: %d.", v.Type.Value, v.Source.Value,
			v.FreelancerCount)
	}
	return &result{summary: summary, data: []any{out.Profile}, structured: out}, nil
}
