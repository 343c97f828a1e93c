package selection

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Differences below these don't decide between teams.
const (
	fitRounding  = 1e-9
	costRounding = 1e-6
)

// A Result is the best team that a search found.
type Result struct {
	Team  Team
	Found bool // false if there is no team within the limits, or if none was found
	// Bound is a fit that no team exceeds. It equals the team's if Exact.
	Bound float64
	Exact bool // the search has ended: there is no better team, or no team at all if Found is false
	Steps int
}

// Best returns the team with the highest fit within the limits of a problem, and among equals the cheapest. It is a
// branch and bound search: it takes the most promising candidate of each role first, and skips candidates with whom no
// rest of the team could exceed the best team known. It ends early if it reaches p.MaxSteps or if the context is
// done; then the best team so far may not be the best, but Bound says by how much it can be exceeded.
func (p *Problem) Best(ctx context.Context) Result {
	s := search{
		problem: p, best: math.Inf(-1), bestCost: math.Inf(1), upper: math.Inf(-1),
		rest: make([]rest, len(p.Roles)+1), later: make([][]rest, len(p.Roles)),
	}
	s.identify()
	s.boundRoles()
	s.visit(ctx, 0, &node{state: start(), bound: 1})

	result := Result{
		Steps: s.steps, Found: s.team != nil, Exact: s.upper <= s.best+fitRounding, Bound: max(0, s.best, s.upper),
	}
	if result.Found {
		result.Team = p.Evaluate(s.team)
	}
	return result
}

// A search is one run of branch and bound.
type search struct {
	problem *Problem
	people  [][]int // by role and candidate, a number for each person

	rest     []rest   // what the roles from each one on can add
	later    [][]rest // by role and candidate, what one person in the role can add: this one, or one after them
	path     []choice
	buffers  [][]node // by depth
	steps    int
	stopped  bool
	team     [][]int
	best     float64 // fit and cost of team
	bestCost float64
	upper    float64 // the highest bound of a part that was not searched
}

// A choice is a candidate of a role.
type choice struct{ role, candidate, person int }

// A rest bounds what some people can add to a team.
type rest struct {
	members float64 // at most
	skills  uint64  // at most
	cost    float64 // at least
}

// A node is a team with members for some roles: those before role, and taken of the people in role.
type node struct {
	state
	role   int
	people int // in role; 0 if nobody was chosen yet
	taken  int
	choice choice // the last one
	bound  float64
	least  float64 // cost of the cheapest team with these members
}

// identify numbers the people, so that nobody fills two places.
func (s *search) identify() {
	numbers := make(map[string]int)
	s.people = make([][]int, len(s.problem.Roles))
	for i := range s.problem.Roles {
		for j := range s.problem.Roles[i].Candidates {
			id := s.problem.Roles[i].Candidates[j].ID
			number, ok := numbers[id]
			if !ok {
				number = len(numbers)
				numbers[id] = number
			}
			s.people[i] = append(s.people[i], number)
		}
	}
}

// boundRoles sets what the roles from each one on can add at best.
func (s *search) boundRoles() {
	for i := len(s.problem.Roles) - 1; i >= 0; i-- {
		role := &s.problem.Roles[i]
		later := make([]rest, len(role.Candidates)+1)
		later[len(role.Candidates)].cost = math.Inf(1)

		for j := len(role.Candidates) - 1; j >= 0; j-- {
			candidate := &role.Candidates[j]
			later[j] = later[j+1]
			if s.problem.excludes(candidate) {
				continue
			}
			later[j] = rest{
				members: max(later[j+1].members, candidate.Fit),
				skills:  later[j+1].skills | candidate.Skills,
				cost:    min(later[j+1].cost, candidate.Cost.Value),
			}
		}

		s.later[i] = later
		s.rest[i] = s.rest[i+1].plus(later[0], role.Share, 1)
	}
}

// plus returns the rest with people who do a part of a role that has a share of the work.
func (r rest) plus(people rest, share, part float64) rest {
	return rest{r.members + share*part*people.members, r.skills | people.skills, r.cost + part*people.cost}
}

// visit searches the teams with the members of a node.
func (s *search) visit(ctx context.Context, depth int, n *node) {
	if n.role == len(s.problem.Roles) {
		s.offer(n)
		return
	}
	if s.exhausted(ctx) {
		s.upper = max(s.upper, n.bound)
		return
	}

	if depth == len(s.buffers) {
		s.buffers = append(s.buffers, nil)
	}
	children := s.expand(s.buffers[depth][:0], n)
	s.buffers[depth] = children
	slices.SortFunc(children, func(a, b node) int {
		return cmp.Or(cmp.Compare(b.bound, a.bound), cmp.Compare(a.least, b.least))
	})

	for i := range children {
		child := &children[i]
		if !s.canImprove(child.bound, child.least) {
			continue
		}
		s.path = append(s.path, child.choice)
		s.visit(ctx, depth+1, child)
		s.path = s.path[:len(s.path)-1]
	}
}

// exhausted reports whether the search has to end. Once it has, it stays so.
func (s *search) exhausted(ctx context.Context) bool {
	if !s.stopped {
		s.stopped = s.steps >= s.problem.MaxSteps || ctx.Err() != nil
	}
	return s.stopped
}

// offer makes the team of a complete node the best one, if it is.
func (s *search) offer(n *node) {
	if !s.canImprove(n.bound, n.cost) {
		return
	}
	s.best = n.bound
	s.bestCost = n.cost
	s.team = make([][]int, len(s.problem.Roles))
	for _, c := range s.path {
		s.team[c.role] = append(s.team[c.role], c.candidate)
	}
}

// canImprove reports whether a team with a fit of at most bound, and a cost of at least least, could be better than the
// best one.
func (s *search) canImprove(bound, least float64) bool {
	if bound > s.best+fitRounding {
		return true
	}
	return bound > s.best-fitRounding && least < s.bestCost-costRounding
}

// expand appends the nodes with one more member that may lead to a better team.
func (s *search) expand(children []node, n *node) []node {
	role := &s.problem.Roles[n.role]
	if n.taken > 0 {
		return s.expandWith(children, n, n.people, n.choice.candidate+1)
	}
	for people := role.Min; people <= role.Max; people++ {
		children = s.expandWith(children, n, people, 0)
	}
	return children
}

// expandWith appends the nodes with one more of people members, from a candidate on. Members of a role are chosen in
// ascending order, so that each set of people is looked at once.
func (s *search) expandWith(children []node, n *node, people, from int) []node {
	role := &s.problem.Roles[n.role]
	for i := from; i < len(role.Candidates); i++ {
		candidate := &role.Candidates[i]
		number := s.people[n.role][i]
		if s.isTaken(number) || s.problem.excludes(candidate) {
			continue
		}

		s.steps++
		child := node{
			state: n.add(s.problem, role, candidate, people), role: n.role, people: people, taken: n.taken + 1,
			choice: choice{n.role, i, number},
		}
		s.bound(&child)
		if child.taken == people {
			child.role++
			child.people = 0
			child.taken = 0
		}

		if child.least <= s.problem.Budget+costRounding && s.canImprove(child.bound, child.least) {
			children = append(children, child)
		}
	}
	return children
}

// isTaken reports whether a person is in the team already.
func (s *search) isTaken(person int) bool {
	for i := range s.path {
		if s.path[i].person == person {
			return true
		}
	}
	return false
}

// excludes reports whether a candidate isn't known to keep the limits.
func (p *Problem) excludes(c *Candidate) bool {
	hasUnknownCost := !c.Cost.Known && !math.IsInf(p.Budget, 1)
	isLate := p.MaxWait.Known && (!c.Wait.Known || c.Wait.Value > p.MaxWait.Value)
	return hasUnknownCost || isLate
}

// bound sets the highest fit, and the lowest cost, of the teams with the members of a node whose role is not moved on
// yet.
func (s *search) bound(n *node) {
	role := &s.problem.Roles[n.role]
	rest := s.rest[n.role+1]

	if missing := n.people - n.taken; missing > 0 {
		people := s.later[n.role][n.choice.candidate+1]
		rest = rest.plus(people, role.Share, float64(missing)/float64(n.people))
	}

	parts := n.parts(s.problem, n.skills|rest.skills)
	parts.Members += rest.members
	n.bound = s.problem.Weights.fit(parts)
	n.least = n.cost + rest.cost
}
