package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/app"
)

const usersHelp = `Usage: server users COMMAND [flags]

Invite users to the dashboard, and help those who can't sign in. Invitations and password resets print a link that
works once and gives access to an account: send it over a private channel.

Commands:
  invite -plan PLAN [-role ROLE] [-email ADDRESS]      invite a user to create an account
  invite -account ID [-role ROLE] [-email ADDRESS]     invite a user to join an account
  reset EMAIL                                          create a link to choose a new password
  reset-totp EMAIL                                     turn off two-factor authentication for a user who lost the app
                                                       and the recovery codes, and end the user's sessions
  set-email EMAIL NEW                                  change the address with which a user signs in
  links                                                list the links that still work
  revoke LINK-ID                                       make a link stop working
  export EMAIL [-o FILE]                               write everything about a user as JSON
  delete EMAIL [-yes]                                  remove a user from their account

Examples:
  server users invite -plan professional -email owner@example.com
  server users invite -account acc_4FJ2MPZ01QXY -role administrator
  server users reset someone@example.com

Flags:
`

func (c console) users(ctx context.Context, args []string) error {
	g := newGroup("users", usersHelp, "public-url", "sign-up")
	u := &userCommands{console: c, out: c.stdout, base: func() string { return g.config.Public().String() }}
	g.flags.StringVar(&u.invite.Email, "email", "", "`address` of the invited user; without it, anyone can use the link")
	g.flags.StringVar(&u.invite.Plan, "plan", "", "`plan` of the new account: freelancer, professional or enterprise")
	g.flags.StringVar(&u.invite.Account, "account", "", "`ID` of the account to join")
	g.flags.StringVar((*string)(&u.invite.Role), "role", "",
		"`role`: member (default with -account), owner (default with -plan) or administrator")
	g.flags.StringVar(&u.file, "o", "", "`file` to write the export to (default: standard output)")
	g.flags.BoolVar(&u.yes, "yes", false, "delete without asking")
	g.subcommands = []subcommand{
		{"invite", "email plan account role", u.createInvitation},
		{"reset EMAIL", "", u.reset},
		{"reset-totp EMAIL", "", u.resetTwoFactor},
		{"set-email EMAIL NEW", "", u.setEmail},
		{"links", "", u.links},
		{"revoke LINK-ID", "", u.revoke},
		{"export EMAIL", "o", u.export},
		{"delete EMAIL", "yes", u.delete},
	}

	return g.run(ctx, c, args)
}

// userCommands holds the values of the flags. Its methods are the subcommands.
type userCommands struct {
	console
	out    io.Writer
	base   func() string // returns the dashboard's public URL once the flags are parsed
	invite account.Invite
	file   string
	yes    bool
}

func (u *userCommands) createInvitation(ctx context.Context, s *app.Access, _ []string) error {
	secret, l, err := s.Links.Invite(ctx, commandLine(), u.invite)
	if err != nil {
		return err
	}
	u.reveal(secret, l)
	return nil
}

func (u *userCommands) reset(ctx context.Context, s *app.Access, operands []string) error {
	user, err := s.Users.FindByEmail(ctx, operands[0])
	if err != nil {
		return err
	}
	secret, l, err := s.Links.CreateReset(ctx, commandLine(), user.ID)
	if err != nil {
		return err
	}
	u.reveal(secret, l)
	return nil
}

func (u *userCommands) resetTwoFactor(ctx context.Context, s *app.Access, operands []string) error {
	user, err := s.Users.FindByEmail(ctx, operands[0])
	if err != nil {
		return err
	}
	if !user.TwoFactor.On() {
		fmt.Fprintf(u.out, "%s has no two-factor authentication.\n", user.Email)
		return nil
	}
	if err := s.SecondFactors.Reset(ctx, commandLine(), user.ID); err != nil {
		return err
	}
	next := "They can sign in with the password."
	if user.Role.Includes(account.Administrator) {
		next = "At the next sign-in, they set up an authenticator app again."
	}
	fmt.Fprintf(u.out, "Two-factor authentication of %s is off, and all their sessions have ended. %s\n", user.Email, next)
	return nil
}

func (u *userCommands) setEmail(ctx context.Context, s *app.Access, operands []string) error {
	user, err := s.Users.FindByEmail(ctx, operands[0])
	if err != nil {
		return err
	}
	changed, err := s.Users.SetEmail(ctx, commandLine(), user.ID, operands[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(u.out, "%s signs in as %s from now on, with the same password.\n", user.Email, changed.Email)
	return nil
}

// reveal prints a new link. Its secret is not stored.
func (u *userCommands) reveal(secret string, l account.Link) {
	fmt.Fprintf(u.out, "%s\n\nLink %s works once, until %s. Copy it now: it is not shown again.\n",
		account.URL(u.base(), l.Purpose, secret), l.ID, minute(l.Expires, ""))
}

func (u *userCommands) links(ctx context.Context, s *app.Access, _ []string) error {
	list, err := s.Links.List(ctx, "")
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(u.out, "No open links. Create one with: server users invite, or server users reset")
		return nil
	}
	return printLinks(u.out, list)
}

// printLinks writes a table of at most 120 columns, unless an address is long.
func printLinks(out io.Writer, list []account.Link) error {
	w := newTable(out)
	fmt.Fprintln(w, "LINK\tPURPOSE\tE-MAIL\tACCOUNT\tPLAN\tROLE\tEXPIRES")
	for _, l := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.ID, l.Purpose, cmp.Or(short(l.Email, 30), "anyone"),
			orDash(l.Account), orDash(l.Plan), orDash(string(l.Role)), minute(l.Expires, ""))
	}
	return w.Flush()
}

func (u *userCommands) revoke(ctx context.Context, s *app.Access, operands []string) error {
	if err := s.Links.Revoke(ctx, commandLine(), "", operands[0]); err != nil {
		return err
	}
	fmt.Fprintf(u.out, "Link %s is revoked.\n", operands[0])
	return nil
}

func (u *userCommands) export(ctx context.Context, s *app.Access, operands []string) error {
	user, err := s.Users.FindByEmail(ctx, operands[0])
	if err != nil {
		return err
	}
	return u.writeFile(u.file, func(w io.Writer) error { return s.ExportUser(ctx, commandLine(), user.ID, w) })
}

// delete removes a user at their request, so the audit log gets pseudonyms at once. See accountCommands.delete.
func (u *userCommands) delete(ctx context.Context, s *app.Access, operands []string) error {
	user, err := s.Users.FindByEmail(ctx, operands[0])
	if err != nil {
		return err
	}

	if !u.yes {
		question := fmt.Sprintf("Remove %s (%s) from account %s? You can't undo it.", user.Email, user.Role, user.Account)
		if err := u.confirm(question); err != nil {
			return err
		}
	}

	if err := s.Users.Remove(ctx, commandLine(), user.ID); err != nil {
		return err
	}
	// The removal itself writes an entry, so the pseudonyms come after it.
	if err := s.DB.AuditLog.PseudonymizeUser(ctx, user.ID, user.Email); err != nil {
		return err
	}
	// Deleted rows would remain readable in the database file.
	if err := s.DB.Scrub(ctx); err != nil {
		return err
	}

	fmt.Fprintf(u.out, "%s is deleted. The account remains. The audit log keeps its entries under a pseudonym.\n",
		user.Email)
	return nil
}
