// Package skills says what a word means to those who hire and those who are hired: a skill, a job title, or nothing that
// the taxonomy or the freelancers of the live index know, and then what it was probably meant as.
package skills
