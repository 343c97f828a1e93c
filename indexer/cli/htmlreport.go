package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/freelancer-matching/service/indexer/atomicfile"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/htmlreport"
	"github.com/freelancer-matching/service/indexer/inputs"
	"github.com/freelancer-matching/service/indexer/profile"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/setup"
)

// checkReport returns an error if the file of -report can't be created, so that nobody waits for a load in vain.
func (o *loadOptions) checkReport() error {
	if o.report == "" {
		return nil
	}
	folder := filepath.Dir(o.report)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return commandline.Usagef("-report: there is no folder %s", folder)
	}
	if info, err := os.Stat(o.report); err == nil && info.IsDir() {
		return commandline.Usagef("-report: %s is a folder; name a file", o.report)
	}
	return nil
}

// observe returns the function that adds freelancers to a profile, or nil without -report.
func (o *loadOptions) observe(p *profile.Profile) func(*matching.Freelancer) {
	if o.report == "" {
		return nil
	}
	return p.Add
}

// reportLive writes the HTML report of a successful load with a profile of the live index.
func (c *cli) reportLive(
	ctx context.Context, o *loadOptions, in *inputs.Inputs, result *bulk.Report, e setup.Engine,
) error {
	if o.report == "" {
		return nil
	}
	people := &profile.Profile{}
	for f, err := range e.Scan(ctx, result.Index) {
		if err != nil {
			return fmt.Errorf("the index is live, but the report could not be written: %w", err)
		}
		people.Add(&f)
	}
	return c.writeReport(o, in, result, people, nil)
}

// writeReport writes the HTML report if -report asks for it. people is nil after a failed load; err is how the command
// ended.
func (c *cli) writeReport(
	o *loadOptions, in *inputs.Inputs, result *bulk.Report, people *profile.Profile, err error,
) error {
	if o.report == "" {
		return nil
	}

	// A check has people but no index, because only a load builds one.
	page := &htmlreport.Page{
		Command:  "indexer load",
		Checked:  people != nil && result.Index == "",
		Version:  describeProgram().Version,
		User:     userAndHost(),
		Finished: c.now(),
		Currency: strings.ToUpper(o.Source.Currency),
		Report:   result,
		Profile:  people,
	}
	if page.Checked {
		page.Command = "indexer validate"
	} else if o.upsert {
		page.Command += " -upsert"
	}

	if err != nil {
		page.Error = message(err)
	}

	for _, h := range in.Heads {
		page.Files = append(page.Files, htmlreport.File{
			Name: h.Name, Format: h.Format, Bytes: h.Size, Resumes: h.Resumes, Notes: h.Notes, Columns: h.Columns,
		})
	}

	// The report quotes values of the files, so only its owner may read it.
	err = atomicfile.Replace(o.report, 0o600, func(w io.Writer) error { return htmlreport.Write(w, page) })
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	fmt.Fprintf(c.stdout, "report    %s\n", o.report)

	return nil
}
