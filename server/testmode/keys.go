package testmode

import (
	"context"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
)

// The API keys of test mode, one for each plan. They are the same in every start and every release. No other server
// accepts them.
const (
	FreelancerKey   = "svc_fr_test000000000000000000000000004EuxCR"
	ProfessionalKey = "svc_pr_test000000000000000000000000002UtNWJ"
	EnterpriseKey   = "svc_ent_test000000000000000000000000001rTwEG"
)

// A Key is an API key of test mode. It may read and change freelancers.
type Key struct {
	Plan  string `json:"plan"`
	Token string `json:"token"`
	id    string
}

// Keys returns the API keys of test mode, from the smallest plan to the largest.
func Keys() []Key {
	return []Key{
		{"freelancer", FreelancerKey, "key_testkey00001"},
		{"professional", ProfessionalKey, "key_testkey00002"},
		{"enterprise", EnterpriseKey, "key_testkey00003"},
	}
}

// createKeys stores the keys.
func (s *Server) createKeys(ctx context.Context) error {
	return s.app.DB.Keys.Update(ctx, "", func(stored []apikey.Key) (apikey.Changes, error) {
		var changes apikey.Changes
		for _, fixed := range Keys() {
			_, k, err := apikey.Issue(s.clock.now(), apikey.Owner{}, stored, apikey.Request{
				ID: fixed.id, Name: "test " + fixed.Plan, Plan: fixed.Plan,
			})
			if err != nil {
				return apikey.Changes{}, err
			}

			// Issue draws a random token, and the fixed one takes its place.
			k.Hash = apikey.HashOf(fixed.Token)
			k.Last4 = fixed.Token[len(fixed.Token)-len(k.Last4):]
			k.Permissions = apikey.Permissions()

			created := k.Creation(s.clock.now(), audit.By{Actor: audit.System})
			changes.Keys = append(changes.Keys, created.Keys...)
			changes.Events = append(changes.Events, created.Events...)
		}
		return changes, nil
	})
}
