package main

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/internal/lastload"
)

// recordLoad writes how a load ended to the data folder, for the metrics of the server. A failure to write it is only
// logged, because the load itself has ended. report is nil if the load failed before it read any rows.
func (c *cli) recordLoad(o *loadOptions, started time.Time, report *bulk.Report, err error) {
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
		result.Rows, result.Freelancers = report.Rows, report.Freelancers
		result.Merged, result.Conflicts = report.Merged+report.Duplicates, conflicts(report)
		result.Rejected, result.Refused, result.Warnings = report.Rejected, report.Refused, warnings(report)
	}
	if err == nil { // a failed load creates no data folder
		if err := os.MkdirAll(o.config.Data, 0o750); err != nil {
			c.log().Warn("result of the load not recorded", "error", err)
			return
		}
	}
	if err := result.Write(o.config.Data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log().Warn("result of the load not recorded", "error", err)
	}
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
