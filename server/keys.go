package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/server/app"
)

const keysHelp = `server keys makes and manages API keys. A running server knows of every change at once.

Usage:
  server keys create -plan PLAN -name NAME [flags]     a key of no account
  server keys create -account ID -name NAME [flags]    a key of an account, on its plan
  server keys list [-account ID]
  server keys show ID
  server keys disable ID                               refused until enabled
  server keys enable ID
  server keys rotate ID [-grace DURATION]              a new key in its place, counted on
  server keys revoke ID                                refused for good

Examples:
  server keys create -plan professional -name "Agency Ltd"
  server keys create -plan freelancer -name "Trial" -expires 720h -operations match,verify-skill
  server keys create -account acc_4FJ2MPZ01QXY -name "Website" -networks 203.0.113.0/24,2001:db8::/32
  server keys rotate key_4fJ2mPz01QxY -grace 1h

Flags:
`

// keys is the command `server keys`.
func keys(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	g := newGroup("keys", keysHelp)
	k := &keyCommands{out: stdout, now: time.Now()}
	g.flags.StringVar(&k.request.Plan, "plan", "", "`plan` of a new key of no account: freelancer, professional or enterprise")
	g.flags.StringVar(&k.account, "account", "", "`id` of an account: whose a new key is, or whose keys to list")
	g.flags.StringVar(&k.request.Name, "name", "", "`name` of a new key: whose it is, or what it is for")
	g.flags.DurationVar(&k.expires, "expires", 0, "`duration` after which a new key is refused; 0: never")
	g.flags.Func("operations", "`operations` that a new key is for: some of "+strings.Join(apikey.Operations(), ",")+" (default all)",
		texts(&k.request.Operations))
	g.flags.Func("networks", "`networks` or addresses that a new key may be used from, with commas between (default any)",
		texts(&k.request.Networks))
	g.flags.DurationVar(&k.grace, "grace", 24*time.Hour, "`duration` that a rotated key lives on: 0, 1h, 24h or 168h")
	g.commands = []subcommand{
		{"create", "", "plan account name expires operations networks", k.create},
		{"list", "", "account", k.list},
		{"show", "ID", "", k.show},
		{"disable", "ID", "", k.mark("disabled", (*apikey.Service).Disable)},
		{"enable", "ID", "", k.mark("enabled", (*apikey.Service).Enable)},
		{"rotate", "ID", "grace", k.rotate},
		{"revoke", "ID", "", k.mark("revoked", (*apikey.Service).Revoke)},
	}
	return g.run(ctx, args, environment, stdout, stderr)
}

// keyCommands is what the flags say. The commands have it by pointer: flags are read after these are listed.
type keyCommands struct {
	out            io.Writer
	now            time.Time
	account        string
	request        apikey.Request
	expires, grace time.Duration
}

func (k *keyCommands) create(ctx context.Context, s *app.Access, _ []string) error {
	if k.account != "" && k.request.Plan != "" {
		return errors.New("the plan of an account is that of its keys: leave out -plan")
	}
	request := k.request
	if k.expires != 0 {
		request.Expires = k.now.Add(k.expires)
	}
	var token string
	var key apikey.Key
	var err error
	if k.account == "" {
		token, key, err = s.Keys.Create(ctx, commandLine(), request)
	} else {
		token, key, err = s.Accounts.CreateKey(ctx, commandLine(), k.account, request)
	}
	if err != nil {
		return err
	}
	k.reveal(token, key)
	return nil
}

func (k *keyCommands) reveal(token string, key apikey.Key) {
	fmt.Fprintf(k.out, "%s\n\nKey %s of %s, plan %s.\nIt is shown this once; send it in the header X-API-Key.\n",
		token, key.ID, printable(key.Name), key.Plan)
}

func (k *keyCommands) list(ctx context.Context, s *app.Access, _ []string) error {
	var list []apikey.Key
	var err error
	if k.account == "" {
		list, err = s.Keys.List(ctx)
	} else if _, err = s.Accounts.Account(ctx, k.account); err == nil {
		list, err = s.Keys.ListOf(ctx, k.account)
	}
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(k.out, `No keys yet. Make one: server keys create -plan professional -name "…"`)
		return nil
	}
	return printKeys(k.out, list, k.now)
}

// printKeys writes a table of at most 118 columns.
func printKeys(out io.Writer, list []apikey.Key, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tACCOUNT\tPLAN\tKEY\tSTATE\tLAST USED")
	for _, key := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.ID, short(key.Name, 24), or(key.Account, "–"), key.Plan, key.Masked(),
			stateOf(key, now), minute(key.LastUsed, "never"))
	}
	return w.Flush()
}

func stateOf(key apikey.Key, now time.Time) string {
	if state := key.State(now); state != apikey.Active || key.ReplacedBy == "" {
		return string(state)
	}
	return "replaced" // accepted until its grace is over
}

func (k *keyCommands) show(ctx context.Context, s *app.Access, words []string) error {
	key, err := s.Keys.Find(ctx, words[0])
	if err != nil {
		return err
	}
	networks := make([]string, len(key.Networks))
	for i, n := range key.Networks {
		networks[i] = n.String()
	}
	return printFields(k.out, [][2]string{
		{"id", key.ID},
		{"name", printable(key.Name)},
		{"account", or(key.Account, "none")},
		{"key", key.Masked()},
		{"state", stateOf(key, k.now)},
		{"plan", key.Plan + " since " + minute(key.PlanSince, "")},
		{"counted as", key.Counter},
		{"operations", or(strings.Join(key.Operations, ", "), "all")},
		{"networks", or(strings.Join(networks, ", "), "any")},
		{"created", minute(key.Created, "")},
		{"last used", minute(key.LastUsed, "never")},
		{"expires", minute(key.End(), "never")},
		{"disabled", minute(key.Disabled, "")},
		{"account disabled", minute(key.Suspended, "")},
		{"revoked", minute(key.Revoked, "")},
		{"replaced by", key.ReplacedBy},
	})
}

// mark is a command that changes the state of one key, whoever's.
func (k *keyCommands) mark(
	done string, change func(s *apikey.Service, ctx context.Context, by audit.By, account, id string) (apikey.Key, error),
) func(context.Context, *app.Access, []string) error {
	return func(ctx context.Context, s *app.Access, words []string) error {
		key, err := s.Keys.Find(ctx, words[0])
		if err == nil {
			key, err = change(s.Keys, ctx, commandLine(), key.Account, key.ID)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(k.out, "Key %s (%s) is %s.\n", key.ID, printable(key.Name), done)
		return nil
	}
}

func (k *keyCommands) rotate(ctx context.Context, s *app.Access, words []string) error {
	old, err := s.Keys.Find(ctx, words[0])
	if err != nil {
		return err
	}
	token, key, err := s.Keys.Rotate(ctx, commandLine(), old.Account, old.ID, k.grace)
	if err != nil {
		return err
	}
	if old, err = s.Keys.Find(ctx, old.ID); err != nil {
		return err
	}
	k.reveal(token, key)
	fmt.Fprintf(k.out, "It goes on where %s was, which is refused from %s on.\n", old.ID, minute(old.End(), ""))
	return nil
}
