package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/server/app"
)

const keysHelp = `Usage: server keys COMMAND [flags]

Create and manage API keys. A running server applies every change immediately.

Commands:
  create -plan PLAN -name NAME      create a key that belongs to no account
  create -account ID -name NAME     create a key for an account, on the account's plan
  create … -test                    create a test key, which sees generated freelancers only
  list [-account ID]                list the keys, or an account's keys
  show ID                           show the details of a key
  disable ID                        reject a key until it is enabled again
  enable ID                         accept a disabled key again
  rotate ID [-grace DURATION]       replace a key; the old key works until the grace period ends
  revoke ID                         reject a key permanently
  grant ID PERMISSION…              let a key read or change complete records: data:read, data:write
  withdraw ID PERMISSION…           undo a grant

Examples:
  server keys create -plan professional -name "Agency Ltd"
  server keys create -plan freelancer -name "Trial" -expires 720h -operations match,verify-skill
  server keys create -plan enterprise -name "Importer" -permissions data:read,data:write
  server keys create -account acc_4FJ2MPZ01QXY -name "Website" -networks 203.0.113.0/24,2001:db8::/32
  server keys create -plan professional -name "CI" -test
  server keys rotate key_4fJ2mPz01QxY -grace 1h
  server keys grant key_4fJ2mPz01QxY data:read data:write

Flags:
`

func (c console) keys(ctx context.Context, args []string) error {
	g := newGroup("keys", keysHelp)
	// One time for the whole command, so that expiry and state agree.
	k := &keyCommands{out: c.stdout, now: time.Now()}
	g.flags.StringVar(&k.request.Plan, "plan", "",
		"`plan` of a new key that belongs to no account: freelancer, professional or enterprise")
	g.flags.StringVar(&k.account, "account", "", "`ID` of the account that owns the new key, or whose keys to list")
	g.flags.StringVar(&k.request.Name, "name", "", "`name` of a new key: its owner or its purpose")
	g.flags.DurationVar(&k.expires, "expires", 0, "`duration` after which a new key expires; 0 means never")
	g.flags.Func("operations", "`operations` that a new key allows, separated by commas: "+
		strings.Join(apikey.Operations(), ", ")+" (default all)", commaSeparated(&k.request.Operations))
	g.flags.Func("networks", "`networks` or addresses that may use a new key, separated by commas (default any)",
		commaSeparated(&k.request.Networks))
	g.flags.Func("permissions", "`permissions` of a new key, separated by commas: "+
		strings.Join(apikey.Permissions(), ", ")+" (default none)", commaSeparated(&k.permissions))
	g.flags.BoolVar(&k.request.Test, "test", false,
		"create a test key: it sees generated freelancers, changes nothing and uses none of the quota")
	g.flags.DurationVar(&k.grace, "grace", 24*time.Hour,
		"grace `period` in which a rotated key still works: 0, 1h, 24h or 168h")
	g.subcommands = []subcommand{
		{"create", "plan account name expires operations networks permissions test", k.create},
		{"list", "account", k.list},
		{"show ID", "", k.show},
		{"disable ID", "", k.change("disabled", (*apikey.Service).Disable)},
		{"enable ID", "", k.change("enabled", (*apikey.Service).Enable)},
		{"rotate ID", "grace", k.rotate},
		{"revoke ID", "", k.change("revoked", (*apikey.Service).Revoke)},
		{"grant ID PERMISSION…", "", k.permit(true)},
		{"withdraw ID PERMISSION…", "", k.permit(false)},
	}

	return g.run(ctx, c, args)
}

// keyCommands holds the values of the flags. Its methods are the subcommands.
type keyCommands struct {
	out            io.Writer
	now            time.Time
	account        string
	request        apikey.Request
	permissions    []string // of a new key
	expires, grace time.Duration
}

func (k *keyCommands) create(ctx context.Context, s *app.Access, _ []string) error {
	if k.account != "" && k.request.Plan != "" {
		return commandline.Usagef("-plan and -account exclude each other: a key of an account is on the account's plan")
	}

	if k.request.Test && len(k.permissions) > 0 {
		return commandline.Usagef("-test and -permissions exclude each other: a test key never reads or changes real records")
	}

	for _, p := range k.permissions {
		if !slices.Contains(apikey.Permissions(), p) { // before there is a key
			return commandline.Usagef("-permissions has %q; use %s", p, strings.Join(apikey.Permissions(), ", "))
		}
	}

	request := k.request
	if k.expires != 0 {
		request.Expires = k.now.Add(k.expires)
	}

	var token string
	var key apikey.Key
	var err error

	// An account's key is created by the account service, which checks the account's limits.
	if k.account == "" {
		token, key, err = s.Keys.Create(ctx, commandLine(), request)
	} else {
		token, key, err = s.Accounts.CreateKey(ctx, commandLine(), k.account, request)
	}

	if err == nil && len(k.permissions) > 0 {
		key, err = s.Keys.SetPermissions(ctx, commandLine(), key.Account, key.ID, k.permissions)
	}
	if err != nil {
		return err
	}

	k.reveal(token, key)

	return nil
}

// reveal prints the token of a new key, which the server does not store.
func (k *keyCommands) reveal(token string, key apikey.Key) {
	kind := "key"
	if key.Test() {
		kind = "test key"
	}
	fmt.Fprintf(k.out, "%s\n\nCreated %s %s (%s) on the plan %s.\n"+
		"Copy the key now: it is not shown again. Send it in the header X-API-Key.\n",
		token, kind, key.ID, printable(key.Name), key.Plan)
}

func (k *keyCommands) list(ctx context.Context, s *app.Access, _ []string) error {
	var list []apikey.Key
	var err error
	if k.account == "" {
		list, err = s.Keys.List(ctx)
	} else if _, err = s.Accounts.Find(ctx, k.account); err == nil {
		list, err = s.Keys.ListOf(ctx, k.account)
	}
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(k.out, `No keys yet. Create one with: server keys create -plan professional -name "…"`)
		return nil
	}
	return printKeys(k.out, list, k.now)
}

// printKeys writes a table of at most 136 columns, or more if a key was used from an IPv6 address.
func printKeys(out io.Writer, list []apikey.Key, now time.Time) error {
	w := newTable(out)
	fmt.Fprintln(w, "ID\tNAME\tACCOUNT\tPLAN\tKEY\tSTATE\tLAST USED\tFROM")
	for _, key := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.ID, short(key.Name, 24), orDash(key.Account), key.Plan,
			key.Masked(), stateOf(key, now), minute(key.LastUsed, "never"), orDash(key.LastFrom))
	}
	return w.Flush()
}

func stateOf(key apikey.Key, now time.Time) string {
	if state := key.State(now); state != apikey.Active || key.ReplacedBy == "" {
		return string(state)
	}
	return "replaced" // still accepted in its grace period
}

func (k *keyCommands) show(ctx context.Context, s *app.Access, operands []string) error {
	key, err := s.Keys.Find(ctx, operands[0])
	if err != nil {
		return err
	}

	networks := make([]string, len(key.Networks))
	for i, n := range key.Networks {
		networks[i] = n.String()
	}

	// The key itself can't be shown: only its hash is stored.
	return printFields(k.out, [][2]string{
		{"id", key.ID},
		{"name", printable(key.Name)},
		{"account", cmp.Or(key.Account, "none")},
		{"key", key.Masked()},
		{"state", stateOf(key, k.now)},
		{"plan", key.Plan + " since " + minute(key.PlanSince, "")},
		{"counted as", key.Counter},
		{"operations", cmp.Or(strings.Join(key.Operations, ", "), "all")},
		{"networks", cmp.Or(strings.Join(networks, ", "), "any")},
		{"permissions", cmp.Or(strings.Join(key.Permissions, ", "), "none")},
		{"created", minute(key.Created, "")},
		{"last used", minute(key.LastUsed, "never")},
		{"last used from", key.LastFrom},
		{"expires", minute(key.End(), "never")},
		{"disabled", minute(key.Disabled, "")},
		{"account disabled", minute(key.Suspended, "")},
		{"revoked", minute(key.Revoked, "")},
		{"replaced by", key.ReplacedBy},
	})
}

// change returns a subcommand that changes the state of any account's key and reports the new state.
func (k *keyCommands) change(
	state string, apply func(s *apikey.Service, ctx context.Context, by audit.By, account, id string) (apikey.Key, error),
) func(context.Context, *app.Access, []string) error {
	return func(ctx context.Context, s *app.Access, operands []string) error {
		key, err := s.Keys.Find(ctx, operands[0])
		if err == nil {
			key, err = apply(s.Keys, ctx, commandLine(), key.Account, key.ID)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(k.out, "Key %s (%s) is %s.\n", key.ID, printable(key.Name), state)
		return nil
	}
}

// permit returns a subcommand that grants or withdraws permissions of any account's key.
func (k *keyCommands) permit(granted bool) func(context.Context, *app.Access, []string) error {
	return func(ctx context.Context, s *app.Access, operands []string) error {
		key, err := s.Keys.Find(ctx, operands[0])
		if err != nil {
			return err
		}

		permissions := slices.DeleteFunc(slices.Clone(key.Permissions), func(p string) bool {
			return slices.Contains(operands[1:], p)
		})
		for _, p := range operands[1:] {
			if granted || !slices.Contains(apikey.Permissions(), p) { // which SetPermissions rejects
				permissions = append(permissions, p)
			}
		}

		if key, err = s.Keys.SetPermissions(ctx, commandLine(), key.Account, key.ID, permissions); err != nil {
			return err
		}

		fmt.Fprintf(k.out, "Key %s (%s) has these permissions: %s.\n", key.ID, printable(key.Name),
			cmp.Or(strings.Join(key.Permissions, ", "), "none"))
		return nil
	}
}

func (k *keyCommands) rotate(ctx context.Context, s *app.Access, operands []string) error {
	old, err := s.Keys.Find(ctx, operands[0])
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
	fmt.Fprintf(k.out, "It replaces key %s, which stops working at %s.\n", old.ID, minute(old.End(), ""))
	return nil
}

// commaSeparated returns a flag's function that stores a list of texts.
func commaSeparated(into *[]string) func(string) error {
	return func(value string) error {
		*into = strings.Split(value, ",")
		for i := range *into {
			(*into)[i] = strings.TrimSpace((*into)[i])
		}
		return nil
	}
}
