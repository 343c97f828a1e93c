// Package matching holds the words that every other package shares: the freelancer, the brief, the match and its
// explanation, and the one error type. It has no behaviour beyond keeping its own values consistent, imports the
// standard library only, and does no I/O.
package matching
