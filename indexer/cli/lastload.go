package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/inputs"
	"github.com/freelancer-matching/service/indexer/loading"
)

// recordLoad writes how a load of the files in args ended to the data folder, for the metrics and the dashboard of the
// server. A failure to write it is only logged, because the load itself has ended. report is nil if the load failed
// before it read any rows.
func (c *cli) recordLoad(o *loadOptions, args []string, started time.Time, report *bulk.Report, err error) {
	if isUsage(err) {
		return // no load was attempted
	}

	r := loading.Record{
		Mode: o.mode(), Version: describeProgram().Version, User: userAndHost(), Started: started, Finished: c.now(),
		Currency: strings.ToUpper(o.Source.Currency), Taxonomy: o.taxonomy, Unread: unreadFiles(o, args, report),
		Name: inputs.BaseName, Report: report, Err: err,
	}
	if err != nil {
		r.Code = failureCode(err)
	}
	r.Write(o.Config.Data, c.log())
}

// mode returns what the load does to the live index.
func (o *loadOptions) mode() loading.Mode {
	switch {
	case o.upsert: // a retry, too
		return loading.Upsert
	case o.patch:
		return loading.Patch
	default:
		return loading.Replace
	}
}

// unreadFiles returns the names of the inputs of a load that were not read to their ends.
func unreadFiles(o *loadOptions, args []string, report *bulk.Report) (files []string) {
	for _, path := range slices.Concat(args, []string{o.Resumes, o.RetryFile}) {
		name := inputs.DisplayName(path)
		wasRead := report != nil && slices.ContainsFunc(report.Files, func(f engine.SourceFile) bool {
			return f.Name == name || path == o.RetryFile
		})
		if path != "" && !wasRead {
			files = append(files, name)
		}
	}
	return files
}
