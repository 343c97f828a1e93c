package loading

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/mappings"
)

// A Record says how a load ended, for the metrics and the dashboard of the server.
type Record struct {
	Mode     Mode
	Version  string // of the program
	User     string // who ran the load
	Started  time.Time
	Finished time.Time
	Currency string
	Taxonomy string // version; empty if the load ended before it was known
	// Unread holds the names of the files that the report lacks, because the load ended before.
	Unread []string
	// Name shortens the name of a file.
	Name func(string) string
	// Changes is what the load changed, if it was counted beforehand; nil to take it from the report.
	Changes *lastload.Changes
	Report  *bulk.Report // nil if the load failed before it read any rows
	Err     error
	Code    string // of Err
}

// Write writes the record to the data folder. A failure is only logged, because the load itself has ended.
func (r *Record) Write(data string, log *slog.Logger) {
	if r.Err == nil { // a failed load creates no data folder
		if err := os.MkdirAll(data, 0o750); err != nil {
			log.Warn("result of the load not recorded", "error", err)
			return
		}
	}

	result := r.result()
	for _, err := range []error{result.Write(data), r.entry(result).Add(data)} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("result of the load not recorded", "error", err)
		}
	}
}

// result returns what the metrics show. They count a patch as a load.
func (r *Record) result() lastload.Result {
	result := lastload.Result{
		Command: string(Replace), Version: r.Version, Started: r.Started.UTC(), Finished: r.Finished.UTC(), Error: r.Code,
	}
	if r.Mode == Upsert {
		result.Command = string(Upsert)
	}

	if report := r.Report; report != nil {
		result.Index = report.Index
		result.Rows = report.Rows
		result.Freelancers = report.Freelancers
		result.Merged, result.Conflicts = report.Merged+report.Duplicates, report.Merges.ConflictCount()
		result.Rejected, result.Refused, result.Warnings = report.Rejected, report.Refused, report.Warnings.Total()
	}

	return result
}

// entry returns what the history of loads keeps.
func (r *Record) entry(result lastload.Result) lastload.Entry {
	if r.Mode == Patch {
		result.Command = string(Patch)
	}
	e := lastload.Entry{
		Result: result, User: r.User, Files: r.files(), Currency: r.Currency, Taxonomy: r.Taxonomy,
		Mapping: mappings.Freelancers,
	}

	report := r.Report
	if report == nil {
		return e
	}
	e.Other = report.Deletions + report.Skipped + report.LeftOut + report.Erased
	e.Rejections, e.Warnings = r.reasons(report.Faults), r.reasons(report.Warnings)
	if report.Index != "" {
		e.Previous, e.Live = report.Previous, report.LiveFreelancers()
		e.Known, e.Changes = report.Coverage, r.changes()
		if report.Before != nil {
			e.Before = report.Before.Freelancers
		}
	}

	return e
}

// changes returns what a load changed. One that replaces everybody doesn't compare them.
func (r *Record) changes() *lastload.Changes {
	if r.Changes != nil || r.Mode == Replace {
		return r.Changes
	}
	report := r.Report
	return &lastload.Changes{
		Added:   max(0, report.Freelancers-report.Replaced-report.Refused),
		Removed: report.Deleted, Changed: report.Replaced,
	}
}

// files returns the inputs of the load. Only those that were read to their ends have figures.
func (r *Record) files() (files []lastload.File) {
	if r.Report != nil {
		for _, f := range r.Report.Files {
			files = append(files, lastload.File{Name: r.Name(f.Name), Format: f.Format, Bytes: f.Bytes, Rows: f.Rows})
		}
	}
	for _, name := range r.Unread {
		files = append(files, lastload.File{Name: r.Name(name)})
	}
	return files
}

// maxReason is the number of characters of a reason, or of the header of a column, that the history keeps.
const maxReason = 400

// reasons returns the reasons of a tally with the lines of their first examples, but without values.
func (r *Record) reasons(t bulk.Tally) []lastload.Reason {
	var reasons []lastload.Reason
	for _, k := range t.Counts() {
		reason := lastload.Reason{
			Column: format.Printable(k.Column, maxReason), Text: format.Printable(k.Reason, maxReason), Count: k.Faults,
		}
		for _, e := range k.Examples {
			if e.Line > 0 { // the name of a resume may be that of a person
				reason.Places = append(reason.Places, lastload.Place{File: r.Name(e.File), Line: e.Line})
			}
		}
		reasons = append(reasons, reason)
	}
	return reasons
}
