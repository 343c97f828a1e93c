// Package embedding turns short texts, such as a title and some skills, into vectors whose directions are close where
// the meanings are. It needs no service: the model is a table with one row for each piece of a word, embedded in the
// program; a text is the sum of its pieces. Texts of more than a few dozen words have no clear direction, and gain
// nothing.
//
// The table was distilled from a sentence model by the script in mappings/distill, which tells where it comes from.
// Everything is computed in whole numbers, so that the same text gives the same vector on every machine.
package embedding
