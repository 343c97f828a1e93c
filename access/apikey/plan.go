package apikey

import (
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Plan holds the limits of a plan.
type Plan struct {
	Name      string // such as "freelancer"
	Prefix    string // of the tokens of new keys, such as "svc_fr_"
	PerMinute int    // requests per minute; 0: unlimited
	Per30Days int    // requests per 30 days; 0: unlimited
	MaxKeys   int    // current keys of an account, see Key.Current

	// FreelancersPerDay is how many distinct freelancers an account may see per day (UTC); 0: unlimited. It is more
	// than a person reads, and far less than a data set.
	FreelancersPerDay int
	MaxDepth          int // how far a client can page through the matches of one brief: offset + limit at most

	// How many freelancers the keys of an account with the permission data:write may change; 0: unlimited.
	ChangesPerMinute, ChangesPerDay int

	Interviews     int   // interviews that an account keeps at once, open or evaluated
	InterviewBytes int64 // and their total size; a usual interview has 10 to 30 KB

	Briefs int // saved briefs of an account
}

// Plans returns all plans, smallest first.
func Plans() []Plan {
	return []Plan{
		{
			Name: "freelancer", Prefix: "svc_fr_", PerMinute: 100, Per30Days: 5_000, MaxKeys: 1,
			FreelancersPerDay: 500, MaxDepth: 100, ChangesPerMinute: 100, ChangesPerDay: 1_000,
			Interviews: 500, InterviewBytes: 25 << 20, Briefs: 20,
		},
		{
			Name: "professional", Prefix: "svc_pr_", PerMinute: 1_000, Per30Days: 50_000, MaxKeys: 3,
			FreelancersPerDay: 5_000, MaxDepth: 500, ChangesPerMinute: 10_000, ChangesPerDay: 100_000,
			Interviews: 5_000, InterviewBytes: 250 << 20, Briefs: 500,
		},
		{
			Name: "enterprise", Prefix: "svc_ent_", MaxKeys: 10, MaxDepth: 500,
			Interviews: 20_000, InterviewBytes: 1 << 30, Briefs: 100_000,
		},
	}
}

// PlanNamed returns the plan with a name, regardless of case.
func PlanNamed(name string) (p Plan, known bool) {
	return findPlan(func(p Plan) bool { return strings.EqualFold(p.Name, name) })
}

func planWithPrefix(prefix string) (p Plan, known bool) {
	if prefix == testPrefix {
		return TestPlan(), true
	}
	return findPlan(func(p Plan) bool { return p.Prefix == prefix })
}

func findPlan(matches func(Plan) bool) (p Plan, known bool) {
	for _, p := range Plans() {
		if matches(p) {
			return p, true
		}
	}
	return Plan{}, false
}

// UnknownPlan returns the fault of a form that names an unknown plan.
func UnknownPlan(name string) matching.FieldError {
	var names []string
	for _, p := range Plans() {
		names = append(names, p.Name)
	}
	return matching.FieldError{
		Field: "plan", Code: "unknown",
		Message: fmt.Sprintf("plan must be one of %s, got %q", strings.Join(names, ", "), name),
	}
}
