package api

import (
	"context"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/internal/matching"
)

// Requests that name neither profile nor weights are ranked by the account's published ranking.
func TestMatch_PublishedRanking(t *testing.T) {
	ranking := &matching.Ranking{Name: "Mine", Version: 3, Profile: "default"}
	var brief *matching.Brief
	publish := func(f *fixture) {
		keys := f.Keys
		f.Keys = keysFunc(func(ctx context.Context, token string) (apikey.Key, error) {
			k, err := keys.Authenticate(ctx, token)
			k.Ranking = ranking
			return k, err
		})
		f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
			brief = b
			answer := fullAnswer()
			answer.Ranking = &matching.RankingUse{Name: "Mine", Version: 3, Message: "The account's ranking was used."}
			return answer, nil
		})
		f.Explainer = explainerFunc(func(_ context.Context, b *matching.Brief, _ string) (*matching.Standing, error) {
			brief = b
			return fullStanding(), nil
		})
	}

	const named = `"ranking":{"name":"Mine","version":3,"message":"The account's ranking was used."}`
	for _, tt := range []struct {
		name, path, body string
		want             *matching.Ranking
	}{
		{"neither", matchPath, `{"job_title":"x"}`, ranking},
		{"empty weights", matchPath, `{"job_title":"x","weights":{}}`, ranking},
		{"weights", matchPath, `{"job_title":"x","weights":{"text":2}}`, nil},
		{"profile", matchPath, `{"job_title":"x","profile":"default"}`, nil},
		{"rank of one", explainPath, `{"job_title":"x","freelancer_id":"a"}`, ranking},
		{"rank of one with weights", explainPath, `{"job_title":"x","freelancer_id":"a","weights":{"text":2}}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := call{path: tt.path, body: tt.body, status: 200, change: publish}
			if tt.path == matchPath {
				c.want = []string{named}
			}
			c.send(t)
			if brief.Ranking != tt.want {
				t.Errorf("ranking %+v, want %+v", brief.Ranking, tt.want)
			}
		})
	}

	// The name is for members of the account. What a token hides takes no part in the score.
	header := asPage(t, claims(func(c *browsertoken.Claims) { c.Hide = []string{"hourly_rate"} }))
	c := call{path: matchPath, body: `{"job_title":"x"}`, header: header, status: 200, change: publish}
	c.never = []string{"Mine"}
	c.send(t)
	if brief.Ranking != ranking || len(brief.Weights) == 0 {
		t.Errorf("for a page, ranking %+v and weights %v", brief.Ranking, brief.Weights)
	}
}
