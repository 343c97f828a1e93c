package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
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
		result.Merged, result.Conflicts = report.Merged+report.Duplicates, conflicts(report)
		result.Rejected, result.Refused, result.Warnings = report.Rejected, report.Refused, warnings(report)
	}

	if err == nil { // a failed load creates no data folder
		if err := os.MkdirAll(o.config.Data, 0o750); err != nil {
			c.log().Warn("result of the load not recorded", "error", err)
			return
		}
	}

	entry := historyEntry(o, args, result, report)
	for _, err := range []error{result.Write(o.config.Data), entry.Add(o.config.Data)} {
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
		Currency: strings.ToUpper(o.source.Currency), Taxonomy: o.taxonomy, Mapping: mappings.Freelancers,
	}
	if report == nil {
		return e
	}
	e.Other = report.Deletions + report.Skipped + report.Erased
	e.Rejections, e.Warnings = recordedReasons(report.Faults), recordedReasons(report.Warnings)
	if report.Index != "" {
		e.Previous, e.Live = report.Previous, liveFreelancers(report)
	}
	return e
}

// recordedFiles returns the inputs of a load. Only those that were read to their ends have figures.
func recordedFiles(o *loadOptions, args []string, report *bulk.Report) (files []lastload.File) {
	if report != nil {
		for _, f := range report.Files {
			files = append(files, lastload.File{Name: baseName(f.Name), Format: f.Format, Bytes: f.Bytes, Rows: f.Rows})
		}
	}
	for _, path := range slices.Concat(args, []string{o.resumes, o.retry.file}) {
		name := displayName(path)
		wasRead := report != nil && slices.ContainsFunc(report.Files, func(f engine.SourceFile) bool {
			return f.Name == name || path == o.retry.file
		})
		if path != "" && !wasRead {
			files = append(files, lastload.File{Name: baseName(name)})
		}
	}
	return files
}

// recordedReasons returns the reasons of a tally with the lines of their first examples, but without values.
func recordedReasons(t bulk.Tally) []lastload.Reason {
	var reasons []lastload.Reason
	for _, k := range t.Counts() {
		r := lastload.Reason{Column: printable(k.Column, maxNote), Text: printable(k.Reason, maxNote), Count: k.Faults}
		for _, e := range k.Examples {
			if e.Line > 0 { // the name of a resume may be that of a person
				r.Places = append(r.Places, lastload.Place{File: baseName(e.File), Line: e.Line})
			}
		}
		reasons = append(reasons, r)
	}
	return reasons
}

// baseName returns the last part of the name of an input, without folders and without the query of a URL.
func baseName(name string) string {
	if scheme(name) != "" {
		name, _, _ = strings.Cut(name, "?")
	}
	if name == "" {
		return ""
	}
	return printable(filepath.Base(name), maxNote)
}

// conflicts returns the number of values that contradicted each other in merged rows.
func conflicts(r *bulk.Report) (n int) {
	for _, conflict := range r.Merges.Conflicts {
		n += conflict.Freelancers
	}
	return n
}

// warnings returns the number of warnings.
func warnings(r *bulk.Report) (n int) {
	for _, k := range r.Warnings.Counts() {
		n += k.Faults
	}
	return n
}
