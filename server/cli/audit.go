package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/audit/chain"
	"github.com/freelancer-matching/service/server/app"
)

const auditHelp = `Usage: server audit COMMAND [flags]

Prove that no entry of the audit log was changed, removed or put in between. Each entry is a record in a chain: it has
the hash of the record before it. The chain "freelancers" has the changes of freelancers, which expire after
-audit-retention; the chain "main" has everything else, and never loses a record.

Commands:
  head                           print the number and the hash of the last record of each chain
  verify [FILE] [-heads FILE]    verify the database, or an export without a database
  export [-o FILE]               write both chains as lines of JSON

Somebody who can write to the database can also compute hashes, and rewrite a chain from some record on or cut off its
end. Only a head that was kept elsewhere reveals that: store the output of head where that person can't change it, such
as in a mail to an auditor, and pass it to -heads. It contains no personal data. A file may have several outputs.

verify prints what it has verified. If a chain breaks, it says at which record and why, and the exit code is 1.

When personal data is erased from a record, verify still proves its place, time, account and action, and the record has
the date. An export has the personal data that isn't erased yet, so keep it as carefully as the database, and no longer
than -audit-retention. Each export is recorded in the audit log.

Examples:
  server audit head -data /var/lib/matching >> heads.txt
  server audit verify -data /var/lib/matching -heads heads.txt
  server audit export -data /var/lib/matching -o audit.ndjson
  server audit verify audit.ndjson -heads heads.txt

Flags:
`

func (c console) audit(ctx context.Context, args []string) error {
	g := newGroup("audit", auditHelp)
	a := &auditCommands{console: c}
	g.flags.StringVar(&a.output, "o", "", "new `file` to write the export to (default: standard output)")
	g.flags.StringVar(&a.heads, "heads", "", "`file` with heads that were kept elsewhere")
	g.subcommands = []subcommand{
		{"head", "", a.head},
		{"verify [FILE]", "heads", a.verify},
		{"export", "o", a.export},
	}

	chosen, operands, err := g.parse(c, args)
	if err != nil {
		return err
	}

	// An auditor has the export, but no database, and must not create one.
	if len(operands) > 0 {
		return a.verifyFile(operands[0])
	}
	return g.execute(ctx, c, chosen, operands)
}

// auditCommands holds the values of the flags. Its methods are the subcommands.
type auditCommands struct {
	console
	output string
	heads  string
}

func (a *auditCommands) head(ctx context.Context, s *app.Access, _ []string) error {
	heads, err := s.DB.AuditLog.Heads(ctx)
	if err != nil {
		return err
	}
	for _, head := range heads {
		fmt.Fprintln(a.stdout, head)
	}
	return nil
}

func (a *auditCommands) export(ctx context.Context, s *app.Access, _ []string) error {
	// An entry without an export is better than an export without an entry.
	err := s.DB.AuditLog.Record(ctx, audit.Event{
		At: time.Now().UTC(), Actor: audit.CommandLine, Action: audit.LogExported,
	})
	if err != nil {
		return err
	}
	return a.writeFile(a.output, func(w io.Writer) error {
		return s.DB.AuditLog.Export(ctx, chain.NewExporter(w))
	})
}

func (a *auditCommands) verify(ctx context.Context, s *app.Access, _ []string) error {
	kept, err := a.keptHeads()
	if err != nil {
		return err
	}

	// A fault in one chain doesn't hide what the others have.
	var faults []error
	for _, name := range chain.Names() {
		report, err := s.DB.AuditLog.Verify(ctx, name, kept)
		if err == nil {
			a.print(report)
		}
		faults = append(faults, err)
	}
	return errors.Join(append(faults, s.DB.AuditLog.FindUnchained(ctx))...)
}

// verifyFile verifies an export.
func (a *auditCommands) verifyFile(name string) error {
	kept, err := a.keptHeads()
	if err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()

	reports, err := chain.VerifyExport(file, kept)
	for _, report := range reports {
		a.print(report)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// keptHeads returns the heads in the file of -heads, if there is one.
func (a *auditCommands) keptHeads() ([]chain.Position, error) {
	if a.heads == "" {
		return nil, nil
	}
	file, err := os.Open(a.heads)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	heads, err := chain.ParseHeads(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.heads, err)
	}
	return heads, nil
}

// print says what was verified in a chain that holds.
func (a *auditCommands) print(r chain.Report) {
	fmt.Fprintf(a.stdout, "Chain %s holds: %s %s\n  head: %s\n", r.Head.Chain, humanize.Comma(r.Records),
		english.PluralWord(int(r.Records), "record", ""), r.Head)

	for _, note := range []struct {
		n    int64
		text string
	}{
		{r.Start.Sequence, "expired before these"},
		{r.Erased, "erased: their place, time, account and action are proven, and nothing else"},
		{r.Late, fmt.Sprintf("over an hour older than a record before them, the first of which is %d", r.FirstLate)},
		{int64(r.Compared), "equal to a head kept elsewhere"},
		{int64(r.Expired), "of the heads kept elsewhere are of records that have expired"},
	} {
		if note.n > 0 {
			fmt.Fprintf(a.stdout, "  %s %s\n", humanize.Comma(note.n), note.text)
		}
	}
}
