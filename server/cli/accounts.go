package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/server/app"
)

const accountsHelp = `Usage: server accounts COMMAND [flags]

List and change the accounts of the dashboard. A running server applies every change immediately.

Commands:
  list [TEXT]                         list accounts whose name or e-mail addresses contain TEXT
  show ID                             show an account with its users, keys and open links
  plan ID PLAN [-grace DURATION]      change the plan to freelancer, professional or enterprise
  disable ID                          reject an account's keys and users until it is enabled again
  enable ID                           accept them again
  events [ID] [-limit N]              show the audit log, newest first
  export ID [-o FILE]                 write everything that belongs to an account as JSON
  delete ID [-yes]                    delete an account with its users, keys, usage and interviews

Examples:
  server accounts list example.com
  server accounts plan acc_4FJ2MPZ01QXY professional -grace 24h
  server accounts events acc_4FJ2MPZ01QXY -limit 20

Flags:
`

// maxListed is the largest number of accounts that one command lists.
const maxListed = 100

func (c console) accounts(ctx context.Context, args []string) error {
	g := newGroup("accounts", accountsHelp)
	a := &accountCommands{console: c, out: c.stdout, now: time.Now()}
	g.flags.StringVar(&a.file, "o", "", "`file` to write the export to (default: standard output)")
	g.flags.BoolVar(&a.yes, "yes", false, "delete without asking")
	g.flags.DurationVar(&a.grace, "grace", 7*24*time.Hour,
		"grace `period` in which the keys of the previous plan still work: 0, 1h, 24h or 168h")
	g.flags.IntVar(&a.limit, "limit", 50, "`number` of events to show")
	g.subcommands = []subcommand{
		{"list [TEXT]", "", a.list},
		{"show ID", "", a.show},
		{"plan ID PLAN", "grace", a.plan},
		{"disable ID", "", a.change("disabled", (*account.Accounts).Disable)},
		{"enable ID", "", a.change("enabled", (*account.Accounts).Enable)},
		{"events [ID]", "limit", a.events},
		{"export ID", "o", a.export},
		{"delete ID", "yes", a.delete},
	}
	return g.run(ctx, c, args)
}

// accountCommands holds the values of the flags. Its methods are the subcommands.
type accountCommands struct {
	console
	out   io.Writer
	now   time.Time
	grace time.Duration
	limit int
	file  string
	yes   bool
}

func (a *accountCommands) list(ctx context.Context, s *app.Access, operands []string) error {
	part := ""
	if len(operands) > 0 {
		part = operands[0]
	}

	// One more than is shown tells whether there are more.
	list, err := s.Accounts.List(ctx, part, maxListed+1)
	if err != nil {
		return err
	}

	if len(list) == 0 {
		fmt.Fprintln(a.out, "No accounts found. To create one, open the set-up link that the server prints when it starts,\n"+
			"or invite somebody with: server users invite -plan PLAN")
		return nil
	}

	w := newTable(a.out)
	fmt.Fprintln(w, "ID\tNAME\tPLAN\tSTATE\tCREATED")
	for _, found := range list[:min(len(list), maxListed)] {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", found.ID, short(found.Name, 40), found.Plan, accountState(found),
			minute(found.Created, ""))
	}

	if len(list) > maxListed {
		fmt.Fprintf(w, "\nOnly the newest %d accounts are listed. Search by name or address: server accounts list TEXT\n",
			maxListed)
	}

	return w.Flush()
}

func accountState(a account.Account) string {
	if a.Disabled.IsZero() {
		return "active"
	}
	return "disabled"
}

func (a *accountCommands) show(ctx context.Context, s *app.Access, operands []string) error {
	found, err := s.Accounts.Find(ctx, operands[0])
	if err != nil {
		return err
	}

	users, err := s.Users.List(ctx, found.ID)
	if err != nil {
		return err
	}

	keys, err := s.Keys.ListOf(ctx, found.ID)
	if err != nil {
		return err
	}

	links, err := s.Links.List(ctx, found.ID)
	if err != nil {
		return err
	}

	// Everything is read before the first line is printed, so that an error leaves no half of a table.
	err = printFields(a.out, [][2]string{
		{"id", found.ID},
		{"name", printable(found.Name)},
		{"plan", found.Plan + " since " + minute(found.PlanSince, "")},
		{"state", accountState(found)},
		{"created", minute(found.Created, "")},
		{"disabled", minute(found.Disabled, "")},
	})
	if err != nil {
		return err
	}

	w := newTable(a.out)
	fmt.Fprintln(w, "\nUSER\tE-MAIL\tROLE\tLAST SIGN-IN")
	for _, u := range users {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", u.ID, short(u.Email, 50), u.Role, minute(u.LastSignIn, "never"))
	}

	if err := w.Flush(); err != nil {
		return err
	}

	if len(keys) > 0 {
		fmt.Fprintln(a.out)
		if err := printKeys(a.out, keys, a.now); err != nil {
			return err
		}
	}

	if len(links) == 0 {
		return nil
	}

	fmt.Fprintln(a.out)

	return printLinks(a.out, links)
}

func (a *accountCommands) plan(ctx context.Context, s *app.Access, operands []string) error {
	changed, err := s.Accounts.ChangePlan(ctx, commandLine(), operands[0], operands[1], a.grace)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Account %s (%s) is on the plan %s since %s.\n", changed.ID, printable(changed.Name), changed.Plan,
		minute(changed.PlanSince, ""))
	return nil
}

// change returns a subcommand that changes the state of an account and reports the new state.
func (a *accountCommands) change(
	state string, apply func(s *account.Accounts, ctx context.Context, by audit.By, id string) (account.Account, error),
) func(context.Context, *app.Access, []string) error {
	return func(ctx context.Context, s *app.Access, operands []string) error {
		changed, err := apply(s.Accounts, ctx, commandLine(), operands[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "Account %s (%s) is %s.\n", changed.ID, printable(changed.Name), state)
		return nil
	}
}

func (a *accountCommands) events(ctx context.Context, s *app.Access, operands []string) error {
	q := audit.Query{Limit: max(a.limit, 1)}
	if len(operands) > 0 {
		found, err := s.Accounts.Find(ctx, operands[0])
		if err != nil {
			return err
		}
		q.Account = found.ID
	}

	events, err := s.AuditLog.Events(ctx, q)
	if err != nil {
		return err
	}

	const row = "%-17s  %-16s  %-26s  %s\n" // 79 columns; the detail, of any length, goes on its own line
	fmt.Fprintf(a.out, row, "WHEN", "BY", "ACTION", "SUBJECT")

	for _, e := range events {
		fmt.Fprintf(a.out, row, minute(e.At, ""), e.Actor, e.Action, e.Subject)
		if e.Detail != "" {
			fmt.Fprintln(a.out, "   ", printable(e.Detail))
		}
	}

	return nil
}

func (a *accountCommands) export(ctx context.Context, s *app.Access, operands []string) error {
	if _, err := s.Accounts.Find(ctx, operands[0]); err != nil {
		return err
	}
	return a.writeFile(a.file, func(w io.Writer) error { return s.ExportAccount(ctx, commandLine(), operands[0], w) })
}

// delete deletes an account. Its owner has asked the operator to, so the entries of the audit log about it do not wait
// for the end of their retention, unlike those of an account that its owner deletes: that could be to cover tracks.
func (a *accountCommands) delete(ctx context.Context, s *app.Access, operands []string) error {
	found, err := s.Accounts.Find(ctx, operands[0])
	if err != nil {
		return err
	}

	if !a.yes {
		if err := a.show(ctx, s, operands); err != nil {
			return err
		}
		const question = "\nDelete this account with its users, keys, usage and interviews? You can't undo it."
		if err := a.confirm(question); err != nil {
			return err
		}
	}

	if err := s.Accounts.Delete(ctx, commandLine(), found.ID); err != nil {
		return err
	}
	// The order matters: deleting writes an entry of its own, which must get the pseudonym as well.
	if err := s.DB.AuditLog.PseudonymizeAccount(ctx, found.ID); err != nil {
		return err
	}
	// SQLite keeps deleted rows in free pages until they are overwritten.
	if err := s.DB.Scrub(ctx); err != nil {
		return err
	}

	fmt.Fprintf(a.out, "Account %s is deleted. The audit log keeps its entries under pseudonyms.\n", found.ID)
	return nil
}
