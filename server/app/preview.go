package app

import (
	"strings"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/server/uploads"
)

const (
	// maxUploadIDs is the number of IDs of each kind of change in a preview.
	maxUploadIDs = 20
	// maxUploadReasons is the number of reasons in a preview.
	maxUploadReasons = 100
	// maxUploadColumns is the number of columns in a preview.
	maxUploadColumns = 1000
	// maxUploadText is the number of characters of a header or a note in a preview. A cell may have a megabyte.
	maxUploadText = 300
)

// describeUpload returns what a file has and what publishing it would change, as clients see it.
func describeUpload(in *loading.Inputs, look *loading.Preview, currency string) *uploads.Preview {
	head := in.Heads[0]
	p := &uploads.Preview{
		Format: head.Format, Currency: currency, Columns: []uploads.Column{}, Notes: []string{}, Losses: []string{},
		Warnings: describeReasons(look.Report.Warnings), Rejections: describeReasons(look.Report.Faults),
		Rejected: []uploads.Row{},
	}
	for i, c := range head.Columns[:min(len(head.Columns), maxUploadColumns)] {
		p.Columns = append(p.Columns, uploads.Column{
			Header: shorten(c.Header), Number: i + 1, Field: c.Field, RecognizedBy: string(c.How), Doubt: shorten(c.Doubt),
			Note: shorten(c.Note), Examples: append([]string{}, c.Examples...),
		})
	}
	for _, note := range head.Notes {
		p.Notes = append(p.Notes, shorten(note))
	}

	r := look.Report
	p.Rows = uploads.Rows{
		Read: r.Rows, Freelancers: r.Freelancers, Merged: r.Merged, Duplicates: r.Duplicates, Deletions: r.Deletions,
		Rejected: r.Rejected, Skipped: r.Skipped, Erased: r.Erased,
	}
	p.Changes = uploads.Changes{
		New: len(look.New), Changed: len(look.Changed), Unchanged: look.Unchanged + look.Kept, Gone: len(look.Gone),
		NewIDs: firstIDs(look.New), ChangedIDs: firstIDs(look.Changed), GoneIDs: firstIDs(look.Gone),
	}

	if b := look.Before; b != nil {
		p.Before = &uploads.Figures{Freelancers: b.Freelancers, Known: b.Coverage}
	}
	for _, fall := range look.Falls {
		p.Losses = append(p.Losses, fall.String())
	}

	for _, letter := range r.FirstRejected {
		row := uploads.Row{Line: letter.Line, Faults: []uploads.Fault{}}
		for _, f := range letter.Faults {
			row.Faults = append(row.Faults, uploads.Fault{
				Column: shorten(f.Column), Value: shorten(f.Value), Reason: shorten(f.Reason),
			})
		}
		p.Rejected = append(p.Rejected, row)
	}

	return p
}

// shorten returns a text of at most maxUploadText characters.
func shorten(text string) string {
	if len(text) <= maxUploadText {
		return text
	}
	if letters := []rune(text); len(letters) > maxUploadText {
		return string(letters[:maxUploadText-1]) + "…"
	}
	return text
}

func firstIDs(ids []string) []string { return append([]string{}, ids[:min(len(ids), maxUploadIDs)]...) }

// describeReasons returns the most frequent reasons of a tally.
func describeReasons(t bulk.Tally) []uploads.Reason {
	counts := t.Counts()
	reasons := make([]uploads.Reason, min(len(counts), maxUploadReasons))
	for i := range reasons {
		c := &counts[i]
		reasons[i] = uploads.Reason{
			Column: shorten(c.Column), Reason: shorten(c.Reason), Count: c.Faults, Examples: []uploads.Example{},
		}
		if reason, _, ok := strings.Cut(c.Reason, value.RateAdvice); ok {
			reasons[i].Reason = reason + "; the operator of the server can set one with -exchange-rates"
		}
		for _, e := range c.Examples {
			reasons[i].Examples = append(reasons[i].Examples, uploads.Example{Line: e.Line, Value: shorten(e.Value)})
		}
	}
	return reasons
}
