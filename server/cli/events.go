package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/events/bias"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/server/app"
)

const eventsHelp = `Usage: server events COMMAND [flags]

Turn what clients report about matched freelancers (POST /api/v1/events) into judgments that measure the ranking.

Commands:
  briefs                               list the accounts whose briefs are kept
  keep-briefs ACCOUNT                  keep the briefs of an account's matches from now on
  drop-briefs ACCOUNT                  stop that, and delete those that are kept
  export -o FOLDER [ACCOUNT…]          write briefs and judgments for tools/relevance
  log [-o FILE] [ACCOUNT…]             write who was ranked how, by which versions, as lines of JSON
  learn [-learning-groups FILE] [ACCOUNT…]
                                       learn rankings from events now, as the server does each night
  bias -groups FILE [ACCOUNT…]         compare selection and exposure by groups, as regulators ask for

Briefs are confidential texts of your clients, so none is kept until you run keep-briefs for an account. Ask the client
first. A running server follows within seconds; the account's audit log has an entry. A brief is kept as long as its
match: 30 days, or as long as an event about it (-event-retention). Texts of files sent to /api/v1/match/document are
never kept.

export writes briefs.jsonl and judgments.tsv into a new folder. Matches with the same brief are one brief. The grades:
3 for hired, 2 for contacted, 1 for clicked, and 0 for rejected, which also overrides contacted and clicked. A
freelancer who was only shown gets a 0 if somebody below was clicked, contacted, hired or rejected, and no grade
otherwise: people rarely look at everybody, so not being clicked says little. The judgments still favor freelancers whom
the ranking showed at the top. Compare rankings with them, and don't read the figures as absolute quality.

log writes each stored match with its time, account, request ID, ranks and scores, the reported events, and the versions
of program, index, taxonomy, ranking profile and sentence encoder that computed it. Freelancers are the first 16
hexadecimal digits of the SHA-256 of their IDs.

learn fits the weights of a ranking to what an account's clients chose, and publishes them only if the last week proves
that they are better. It writes why it published nothing. An owner of the account must have allowed it on the page
Rankings of the dashboard; without ACCOUNT, it learns for all who have.

bias reads groups of freelancers from a CSV file of yours with the column freelancer_id and one to four others, such as
sex and race_ethnicity; an empty cell is unknown. It compares all people in the file, for each column and for all
columns together, in the form of New York City's Local Law 144: selection rates, scoring rates and impact ratios, with
95 % intervals, and the attention by rank. The groups are neither stored nor used for anything else. The store has who
was in a response at which rank and with which score, and what clients reported; it doesn't have the people who were
considered and not returned, so the people in the file stand for those considered. Give it the people of your index.

ACCOUNT is the ID of an account, or of a key without one. Every export is recorded in the audit log of each account.

Examples:
  server events keep-briefs acc_4FJ2MPZ01QXY
  server events export -o judged
  relevance judge -judged judged -url http://127.0.0.1:8080 -key svc_ent_...
  server events log -o decisions.jsonl
  server events bias -groups groups.csv -top 5

Flags:
`

func (c console) events(ctx context.Context, args []string) error {
	g := newGroup("events", eventsHelp)
	e := &eventCommands{console: c}
	g.flags.StringVar(&e.learningGroups, "learning-groups", "",
		"CSV `file` with the groups of freelancers whose exposure must not fall")
	g.flags.StringVar(&e.output, "o", "", "new `path` to write to: a folder for export, a file for log")
	g.flags.StringVar(&e.groups, "groups", "", "CSV `file` with the groups of freelancers")
	g.flags.IntVar(&e.top, "top", 10, "`places` in a response that count as selected")
	g.flags.Float64Var(&e.minShare, "min-share", 0.02,
		"smallest `share` of the people for which a category has an impact ratio")
	g.flags.BoolVar(&e.json, "json", false, "write the report as JSON")
	g.subcommands = []subcommand{
		{"briefs", "", e.briefs},
		{"keep-briefs ACCOUNT", "", e.keepBriefs(true)},
		{"drop-briefs ACCOUNT", "", e.keepBriefs(false)},
		{"export [ACCOUNT]…", "o", e.export},
		{"log [ACCOUNT]…", "o", e.log},
		{"learn [ACCOUNT]…", "learning-groups", e.learn},
		{"bias [ACCOUNT]…", "groups top min-share json", e.bias},
	}
	return g.run(ctx, c, args)
}

// eventCommands holds the values of the flags. Its methods are the subcommands.
type eventCommands struct {
	console
	output   string
	groups   string
	top      int
	minShare float64
	json     bool

	learningGroups string
}

func (e *eventCommands) briefs(ctx context.Context, s *app.Access, _ []string) error {
	list, err := s.DB.MatchEvents.Agreements(ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(a events.Agreement) bool { return !a.Briefs })
	if len(list) == 0 {
		fmt.Fprintln(e.stdout, "No briefs are kept.")
	}
	for _, a := range list {
		fmt.Fprintln(e.stdout, a.Account)
	}
	return nil
}

func (e *eventCommands) keepBriefs(keep bool) func(context.Context, *app.Access, []string) error {
	return func(ctx context.Context, s *app.Access, operands []string) error {
		changed, err := s.KeepBriefs(ctx, commandLine(), operands[0], keep)
		switch {
		case err != nil:
			return err
		case keep && !changed:
			fmt.Fprintln(e.stdout, "The briefs of this account were kept already.")
		case keep:
			fmt.Fprintln(e.stdout, "The briefs of this account are kept from now on.")
		case !changed:
			fmt.Fprintln(e.stdout, "The briefs of this account were not kept.")
		default:
			fmt.Fprintln(e.stdout, "The briefs of this account are deleted, and no longer kept.")
		}
		return nil
	}
}

func (e *eventCommands) export(ctx context.Context, s *app.Access, accounts []string) (err error) {
	if e.output == "" {
		return commandline.Usagef("name a new folder for the export: server events export -o FOLDER")
	}

	// A new folder that only the operator can read: briefs and grades are personal data.
	if err := os.Mkdir(e.output, 0o700); err != nil {
		return err
	}

	// Half of an export would look like a whole one.
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(e.output))
		}
	}()

	briefsFile, err := e.create("briefs.jsonl")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, briefsFile.Close()) }()

	judgmentsFile, err := e.create("judgments.tsv")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, judgmentsFile.Close()) }()

	set, err := s.JudgedSet(ctx, commandLine(), accounts)
	if err != nil {
		return err
	}

	return buffered(briefsFile, func(briefs io.Writer) error {
		return buffered(judgmentsFile, func(judgments io.Writer) error {
			sum, err := set.Write(briefs, judgments)
			if err != nil {
				return err
			}
			e.printExported(sum)
			return nil
		})
	})
}

// create creates a file of the export.
func (e *eventCommands) create(name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(e.output, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// printExported prints what an export has, and what it leaves out.
func (e *eventCommands) printExported(sum events.Summary) {
	fmt.Fprintf(e.stdout, "Written to %s: %s with %d hired (3), %d contacted (2), %d clicked (1), %d rejected or "+
		"skipped (0)\n", e.output, english.Plural(sum.Briefs, "brief", ""), sum.Grades[3], sum.Grades[2], sum.Grades[1],
		sum.Grades[0])

	if sum.Unjudged > 0 {
		fmt.Fprintf(e.stdout, "Not judged: %s shown to no conclusion\n", english.Plural(sum.Unjudged, "freelancer", ""))
	}

	if sum.WithoutBrief > 0 {
		fmt.Fprintf(e.stdout, "Left out: %s with events whose brief was not kept; see server events keep-briefs\n",
			english.Plural(sum.WithoutBrief, "match", "matches"))
	}
}

// log writes the log of decisions.
func (e *eventCommands) log(ctx context.Context, s *app.Access, accounts []string) error {
	return e.writeFile(e.output, func(w io.Writer) error {
		return s.WriteDecisions(ctx, commandLine(), accounts, events.NewDecisionLog(w))
	})
}

// learn learns rankings from events, and writes what came of it.
func (e *eventCommands) learn(ctx context.Context, s *app.Access, accounts []string) error {
	learner := s.Learner(e.learningGroups, time.Now, slog.New(slog.NewTextHandler(e.stderr, nil)))
	if len(accounts) == 0 {
		var err error
		if accounts, err = learner.Accounts(ctx); err != nil {
			return err
		}
		if len(accounts) == 0 {
			fmt.Fprintln(e.stdout, "No account allows learning. An owner can turn it on, on the page Rankings.")
		}
	}

	for _, account := range accounts {
		run, err := learner.Learn(ctx, account)
		if err != nil {
			return err
		}
		e.printRun(account, &run)
	}
	return nil
}

// printRun prints what came of learning for an account.
func (e *eventCommands) printRun(account string, run *learning.Run) {
	fmt.Fprintf(e.stdout, "%s: %s, %s before the last week, %d in it\n", account,
		english.Plural(run.Lists, "response", ""), english.Plural(run.Choices, "choice", ""), run.Decisive)
	if run.Learned != nil {
		fmt.Fprintf(e.stdout, "  randomized neighbors: %s\n  mean gain of a choice: %s\n",
			learning.Interval(run.Neighbors), learning.Interval(run.Better))
	}
	for _, g := range run.Exposure {
		fmt.Fprintf(e.stdout, "  exposure of %s: %+.1f %%\n", g.Group, 100*g.Change)
	}

	if run.Version > 0 {
		fmt.Fprintf(e.stdout, "  published as version %d\n", run.Version)
		return
	}
	for _, reason := range run.Reasons {
		fmt.Fprintf(e.stdout, "  not published: %s\n", reason)
	}
}

// bias writes the report of a bias audit.
func (e *eventCommands) bias(ctx context.Context, s *app.Access, accounts []string) error {
	switch {
	case e.groups == "":
		return commandline.Usagef("name the file with groups: server events bias -groups FILE")
	case e.top < 1:
		return commandline.Usagef("-top must be at least 1, got %d", e.top)
	case e.minShare < 0 || e.minShare > 1:
		return commandline.Usagef("-min-share must be 0 to 1, got %g", e.minShare)
	}

	file, err := os.Open(e.groups)
	if err != nil {
		return err
	}
	defer file.Close()
	groups, err := bias.ReadGroups(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", e.groups, err)
	}

	found := bias.New(groups, e.top)
	if err := s.AddToAudit(ctx, commandLine(), accounts, found); err != nil {
		return err
	}
	report := found.Report(e.minShare)
	if report.Matches == 0 {
		return errors.New("no matches are stored, so there is nothing to compare")
	}

	if !e.json {
		return report.Write(e.stdout)
	}
	encoder := json.NewEncoder(e.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
