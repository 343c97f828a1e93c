// Package savedbriefs serves the pages about the saved briefs of an account: which there are, and who is on the list of
// each.
package savedbriefs
