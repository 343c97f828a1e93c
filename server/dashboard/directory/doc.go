// Package directory serves the pages on which administrators read, change and erase freelancers.
package directory
