// Package teams is the service behind /teams: it plans the roles of a brief, finds candidates for each with package
// match, and returns teams of people who together do the work within one budget, with the reasons.
package teams
