// Package formats has a reader for each format of resumes.
package formats

import (
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/docx"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/html"
	"github.com/freelancer-matching/service/resume/odt"
	"github.com/freelancer-matching/service/resume/plain"
	"github.com/freelancer-matching/service/resume/rtf"
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
