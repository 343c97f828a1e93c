// Package formats has a reader for each format of resumes.
package formats

import (
	"freelancer-matching/resume"
	"freelancer-matching/resume/docx"
	"freelancer-matching/resume/flow"
	"freelancer-matching/resume/html"
	"freelancer-matching/resume/odt"
	"freelancer-matching/resume/plain"
	"freelancer-matching/resume/rtf"
)

// Readers returns the readers of all formats, with the default limits. PDF files need an engine, which the caller owns.
func Readers(pdf resume.Reader) map[resume.Format]resume.Reader {
	limits := flow.DefaultLimits()
	return map[resume.Format]resume.Reader{
		resume.PDF:   pdf,
		resume.DOCX:  docx.New(limits),
		resume.ODT:   odt.New(limits),
		resume.RTF:   rtf.New(limits),
		resume.HTML:  html.New(limits),
		resume.Plain: plain.New(limits),
	}
}
