package apikey

import "strings"

// Plan is what the owner of a key may use.
type Plan struct {
	Name      string // freelancer
	Prefix    string // svc_fr_, the beginning of the keys made for this plan
	PerMinute int    // requests a minute; 0: unlimited
	Per30Days int    // requests in 30 days; 0: unlimited
	MaxKeys   int    // keys of an account at a time, see Key.Current
}

// Plans is every plan, the smallest first.
func Plans() []Plan {
	return []Plan{
		{Name: "freelancer", Prefix: "svc_fr_", PerMinute: 100, Per30Days: 5_000, MaxKeys: 1},
		{Name: "professional", Prefix: "svc_pr_", PerMinute: 1_000, Per30Days: 50_000, MaxKeys: 3},
		{Name: "enterprise", Prefix: "svc_ent_", MaxKeys: 10},
	}
}

// PlanNamed is the plan with a name, in any case of letters.
func PlanNamed(name string) (Plan, bool) {
	return findPlan(func(p Plan) bool { return strings.EqualFold(p.Name, name) })
}

func planWithPrefix(prefix string) (Plan, bool) {
	return findPlan(func(p Plan) bool { return p.Prefix == prefix })
}

func findPlan(is func(Plan) bool) (Plan, bool) {
	for _, p := range Plans() {
		if is(p) {
			return p, true
		}
	}
	return Plan{}, false
}

func planNames() string {
	var names []string
	for _, p := range Plans() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
