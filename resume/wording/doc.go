// Package wording compares short texts and describes how they are written: in capitals, as a sentence, with digits, in
// a script without spaces. It knows no words of any language.
package wording
