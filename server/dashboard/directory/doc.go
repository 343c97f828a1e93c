// Package directory serves the pages about freelancers: a list to search and a profile of each for members, and the
// forms with which administrators change and erase records.
package directory
