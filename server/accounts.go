package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
	"freelancer-matching/server/app"
)

const accountsHelp = `server accounts shows and changes the accounts of the dashboard. A running server knows of every change at once.

Usage:
  server accounts list [TEXT]                          those with a part of a name or an address
  server accounts show ID                              with its users, keys and open links
  server accounts plan ID PLAN [-grace DURATION]       freelancer, professional or enterprise
  server accounts disable ID                           refuse its keys and its users
  server accounts enable ID
  server accounts events [ID] [-limit N]               the audit log, newest first

Examples:
  server accounts list example.com
  server accounts plan acc_4FJ2MPZ01QXY professional -grace 24h

Flags:
`

const usersHelp = `server users lets people in to the dashboard, by links that work once. Send a link on a way that others cannot read.

Usage:
  server users invite -plan PLAN [-role ROLE] [-email ADDRESS]      to an account of their own
  server users invite -account ID [-role ROLE] [-email ADDRESS]     to join one
  server users reset EMAIL                                          to choose a new password
  server users links                                                that can still be used
  server users revoke LINK-ID                                       end a link

Examples:
  server users invite -plan professional -email owner@example.com
  server users invite -account acc_4FJ2MPZ01QXY -role administrator
  server users reset someone@example.com

Flags:
`

// maxListed is how many accounts are listed.
const maxListed = 100

// accounts is the command `server accounts`.
func accounts(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	g := newGroup("accounts", accountsHelp)
	a := &accountCommands{out: stdout, now: time.Now()}
	g.flags.DurationVar(&a.grace, "grace", 7*24*time.Hour, "`duration` that keys with the prefix of the plan before live on: 0, 1h, 24h or 168h")
	g.flags.IntVar(&a.limit, "limit", 50, "`number` of events to show")
	g.commands = []subcommand{
		{"list", "[TEXT]", "", a.list},
		{"show", "ID", "", a.show},
		{"plan", "ID PLAN", "grace", a.plan},
		{"disable", "ID", "", a.mark("disabled", (*account.Service).DisableAccount)},
		{"enable", "ID", "", a.mark("enabled", (*account.Service).EnableAccount)},
		{"events", "[ID]", "limit", a.events},
	}
	return g.run(ctx, args, environment, stdout, stderr)
}

type accountCommands struct {
	out   io.Writer
	now   time.Time
	grace time.Duration
	limit int
}

func (a *accountCommands) list(ctx context.Context, s *app.Access, words []string) error {
	part := ""
	if len(words) > 0 {
		part = words[0]
	}
	list, err := s.Accounts.Accounts(ctx, part, maxListed+1)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(a.out, "No such account. The server prints a link to make the first; server users invite makes more.")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tPLAN\tSTATE\tCREATED")
	for _, one := range list[:min(len(list), maxListed)] {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", one.ID, short(one.Name, 40), one.Plan, accountState(one), minute(one.Created, ""))
	}
	if len(list) > maxListed {
		fmt.Fprintf(w, "\nThese are the newest %d. Name a part of what you look for: server accounts list TEXT\n", maxListed)
	}
	return w.Flush()
}

func accountState(a account.Account) string {
	if a.Disabled.IsZero() {
		return "active"
	}
	return "disabled"
}

func (a *accountCommands) show(ctx context.Context, s *app.Access, words []string) error {
	one, err := s.Accounts.Account(ctx, words[0])
	if err != nil {
		return err
	}
	users, err := s.Accounts.Users(ctx, one.ID)
	if err != nil {
		return err
	}
	list, err := s.Keys.ListOf(ctx, one.ID)
	if err != nil {
		return err
	}
	links, err := s.Accounts.Links(ctx, one.ID)
	if err != nil {
		return err
	}
	err = printFields(a.out, [][2]string{
		{"id", one.ID},
		{"name", printable(one.Name)},
		{"plan", one.Plan + " since " + minute(one.PlanSince, "")},
		{"state", accountState(one)},
		{"created", minute(one.Created, "")},
		{"disabled", minute(one.Disabled, "")},
	})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nUSER\tE-MAIL\tROLE\tLAST SIGN-IN")
	for _, u := range users {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", u.ID, short(u.Email, 50), u.Role, minute(u.LastSignIn, "never"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(list) > 0 {
		fmt.Fprintln(a.out)
		if err := printKeys(a.out, list, a.now); err != nil {
			return err
		}
	}
	if len(links) == 0 {
		return nil
	}
	fmt.Fprintln(a.out)
	return printLinks(a.out, links)
}

func (a *accountCommands) plan(ctx context.Context, s *app.Access, words []string) error {
	one, err := s.Accounts.ChangePlan(ctx, commandLine(), words[0], words[1], a.grace)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Account %s (%s) is on the plan %s since %s.\n", one.ID, printable(one.Name), one.Plan, minute(one.PlanSince, ""))
	return nil
}

// mark is a command that changes the state of an account.
func (a *accountCommands) mark(
	done string, change func(s *account.Service, ctx context.Context, by audit.By, id string) (account.Account, error),
) func(context.Context, *app.Access, []string) error {
	return func(ctx context.Context, s *app.Access, words []string) error {
		one, err := change(s.Accounts, ctx, commandLine(), words[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "Account %s (%s) is %s.\n", one.ID, printable(one.Name), done)
		return nil
	}
}

func (a *accountCommands) events(ctx context.Context, s *app.Access, words []string) error {
	q := audit.Query{Limit: max(a.limit, 1)}
	if len(words) > 0 {
		one, err := s.Accounts.Account(ctx, words[0])
		if err != nil {
			return err
		}
		q.Account = one.ID
	}
	events, err := s.Accounts.Events(ctx, q)
	if err != nil {
		return err
	}
	const row = "%-17s  %-16s  %-26s  %s\n" // 79 columns; the detail, of any length, goes below
	fmt.Fprintf(a.out, row, "WHEN", "BY", "WHAT", "OF")
	for _, e := range events {
		fmt.Fprintf(a.out, row, minute(e.At, ""), e.Actor, e.Action, e.Subject)
		if e.Detail != "" {
			fmt.Fprintln(a.out, "   ", printable(e.Detail))
		}
	}
	return nil
}

// users is the command `server users`.
func users(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	g := newGroup("users", usersHelp, "public-url", "sign-up")
	u := &userCommands{out: stdout, base: func() string { return g.config.Public().String() }}
	g.flags.StringVar(&u.invite.Email, "email", "", "`address` of the one who is invited; without it the link is anyone's")
	g.flags.StringVar(&u.invite.Plan, "plan", "", "`plan` of a new account: freelancer, professional or enterprise")
	g.flags.StringVar(&u.invite.Account, "account", "", "`id` of the account to join")
	g.flags.StringVar((*string)(&u.invite.Role), "role", "", "`role`: member (default in an account that is there), owner (default in a new one) or administrator")
	g.commands = []subcommand{
		{"invite", "", "email plan account role", u.makeInvitation},
		{"reset", "EMAIL", "", u.reset},
		{"links", "", "", u.links},
		{"revoke", "LINK-ID", "", u.revoke},
	}
	return g.run(ctx, args, environment, stdout, stderr)
}

type userCommands struct {
	out    io.Writer
	base   func() string // the address of the dashboard's server, once flags are read
	invite account.Invite
}

func (u *userCommands) makeInvitation(ctx context.Context, s *app.Access, _ []string) error {
	secret, l, err := s.Accounts.Invite(ctx, commandLine(), u.invite)
	if err != nil {
		return err
	}
	u.reveal(secret, l)
	return nil
}

func (u *userCommands) reset(ctx context.Context, s *app.Access, words []string) error {
	user, err := s.Accounts.UserByEmail(ctx, words[0])
	if err != nil {
		return err
	}
	secret, l, err := s.Accounts.MakeReset(ctx, commandLine(), user.ID)
	if err != nil {
		return err
	}
	u.reveal(secret, l)
	return nil
}

func (u *userCommands) reveal(secret string, l account.Link) {
	fmt.Fprintf(u.out, "%s\n\nLink %s works once, until %s. It is shown this once.\n",
		account.URL(u.base(), l.Purpose, secret), l.ID, minute(l.Expires, ""))
}

func (u *userCommands) links(ctx context.Context, s *app.Access, _ []string) error {
	list, err := s.Accounts.Links(ctx, "")
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(u.out, "No link is open.")
		return nil
	}
	return printLinks(u.out, list)
}

// printLinks writes a table of at most 120 columns, unless an address is long.
func printLinks(out io.Writer, list []account.Link) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LINK\tFOR\tE-MAIL\tACCOUNT\tPLAN\tROLE\tUNTIL")
	for _, l := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.ID, l.Purpose, or(short(l.Email, 30), "anyone"), or(l.Account, "–"),
			or(l.Plan, "–"), or(string(l.Role), "–"), minute(l.Expires, ""))
	}
	return w.Flush()
}

func (u *userCommands) revoke(ctx context.Context, s *app.Access, words []string) error {
	if err := s.Accounts.RevokeLink(ctx, commandLine(), "", words[0]); err != nil {
		return err
	}
	fmt.Fprintf(u.out, "Link %s is revoked.\n", words[0])
	return nil
}
