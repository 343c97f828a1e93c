package snippet

import "freelancer-matching/server/api/wire"

// Sample returns a curl command that sends a sample brief to the API at an origin, with the key in $MATCHING_KEY.
func Sample(origin string) string {
	return Curl(Request{URL: origin + "/api/v1/match", Body: ReadableJSON(wire.MatchRequest{
		Description:    "Online shop for a ceramics studio: React storefront, Node.js backend, card payments.",
		RequiredSkills: []string{"React", "Node.js"},
		BudgetRange:    []float64{3000, 9000},
		Timeline:       new(45),
		Limit:          new(3),
	})})
}
