// Package skills verifies words: it tells employers and freelancers whether a word is a skill or a job title that the
// taxonomy or the freelancers of the live index know, and suggests what an unknown word could stand for. A language
// model can judge words that nobody knows.
package skills
