// Package selection chooses the members of teams: from the candidates of each role, people who together fit the work
// best within a budget. It does no I/O.
package selection
