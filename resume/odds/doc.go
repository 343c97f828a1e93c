// Package odds chooses among candidates by weighted features.
//
// A field that can be read in more than one way is chosen among candidates. A Candidate has a value, the source where
// it was found, and features: statements such as "is in the email address" with a weight each, in log odds. Its score
// is the sum of the weights of those that apply, and the highest score wins.
//
// The strength of a Choice is the score, or the margin to the best candidate with another value if that is smaller. The
// table of the field in a Calibration converts it to the confidence: the share of the fields of this strength that was
// right in the development files.
package odds
