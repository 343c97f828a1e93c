package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/format"
	"freelancer-matching/indexer/inputs"
	"freelancer-matching/internal/lastload"
	"freelancer-matching/mappings"
)

// recordLoad writes how a load of the files in args ended to the data folder, for the metrics and the dashboard of the
// server. A failure to write it is only logged, because the load itself has ended. report is nil if the load failed
// before it read any rows.
func (c *cli) recordLoad(o *loadOptions, args []string, started time.Time, report *bulk.Report, err error) {
	if isUsage(err) {
		return // no load was attempted
	}

	result := lastload.Result{
		Command: "load", Version: describeProgram().Version, Started: started.UTC(), Finished: c.now().UTC(),
	}

	if o.upsert {
		result.Command = "upsert"
	}

	if err != nil {
		result.Error = failureCode(err)
	}

	if report != nil {
		result.Index = report.Index
		result.Rows = report.Rows
		result.Freelancers = report.Freelancers
		result.Merged, result.Conflicts = report.Merged+report.Duplicates, report.Merges.ConflictCount()
		result.Rejected, result.Refused, result.Warnings = report.Rejected, report.Refused, report.Warnings.Total()
	}

	if err == nil { // a failed load creates no data folder
		if err := os.MkdirAll(o.Config.Data, 0o750); err != nil {
			c.log().Warn("result of the load not recorded", "error", err)
			return
		}
	}

	entry := historyEntry(o, args, result, report)
	for _, err := range []error{result.Write(o.Config.Data), entry.Add(o.Config.Data)} {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.log().Warn("result of the load not recorded", "error", err)
		}
	}
}

// historyEntry returns what the history of loads keeps about a load.
func historyEntry(o *loadOptions, args []string, result lastload.Result, report *bulk.Report) lastload.Entry {
	if o.patch {
		result.Command = "patch"
	}
	e := lastload.Entry{
		Result: result, User: userAndHost(), Files: recordedFiles(o, args, report),
		Currency: strings.ToUpper(o.Source.Currency), Taxonomy: o.taxonomy, Mapping: mappings.Freelancers,
	}
	if report == nil {
		return e
	}
	e.Other = report.Deletions + report.Skipped + report.LeftOut + report.Erased
	e.Rejections, e.Warnings = recordedReasons(report.Faults), recordedReasons(report.Warnings)
	if report.Index != "" {
		e.Previous, e.Live = report.Previous, report.LiveFreelancers()
	}
	return e
}

// recordedFiles returns the inputs of a load. Only those that were read to their ends have figures.
func recordedFiles(o *loadOptions, args []string, report *bulk.Report) (files []lastload.File) {
	if report != nil {
		for _, f := range report.Files {
			files = append(files, lastload.File{Name: inputs.BaseName(f.Name), Format: f.Format, Bytes: f.Bytes, Rows: f.Rows})
		}
	}
	for _, path := range slices.Concat(args, []string{o.Resumes, o.RetryFile}) {
		name := inputs.DisplayName(path)
		wasRead := report != nil && slices.ContainsFunc(report.Files, func(f engine.SourceFile) bool {
			return f.Name == name || path == o.RetryFile
		})
		if path != "" && !wasRead {
			files = append(files, lastload.File{Name: inputs.BaseName(name)})
		}
	}
	return files
}

// maxReason is the number of characters of a reason, or of the header of a column, that the history keeps.
const maxReason = 400

// recordedReasons returns the reasons of a tally with the lines of their first examples, but without values.
func recordedReasons(t bulk.Tally) []lastload.Reason {
	var reasons []lastload.Reason
	for _, k := range t.Counts() {
		r := lastload.Reason{
			Column: format.Printable(k.Column, maxReason), Text: format.Printable(k.Reason, maxReason), Count: k.Faults,
		}
		for _, e := range k.Examples {
			if e.Line > 0 { // the name of a resume may be that of a person
				r.Places = append(r.Places, lastload.Place{File: inputs.BaseName(e.File), Line: e.Line})
			}
		}
		reasons = append(reasons, r)
	}
	return reasons
}
