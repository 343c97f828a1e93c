package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"freelancer-matching/internal/app"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
	"freelancer-matching/server/apikey"
)

const keysHelp = `server keys makes and manages API keys in the data folder. A running server knows of every change at once.

Usage:
  server keys create -plan freelancer|professional|enterprise -name NAME [-expires DURATION]
  server keys list
  server keys revoke ID

Examples:
  server keys create -plan professional -name "Agency Ltd"
  server keys create -plan freelancer -name "Trial" -expires 720h
  server keys revoke key_4fJ2mPz01QxY

Flags:
`

// keys is the command `server keys`.
func keys(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	c := config.Default()
	flags := commandline.NewFlags("server keys")
	faults := config.Bind(&c, flags, environment, "data")
	plan := flags.String("plan", "", "`plan` of a new key: freelancer, professional or enterprise")
	name := flags.String("name", "", "`name` of a new key: whose it is")
	expires := flags.Duration("expires", 0, "`duration` after which a new key is refused; 0: never")
	words, err := commandline.Parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return printHelp(stdout, keysHelp, flags)
	case err != nil:
		return usageError(stderr, err)
	case faults != nil:
		return usageError(stderr, faults)
	case len(words) == 0:
		return usageError(stderr, errors.New("keys needs a command: create, list or revoke"))
	}
	k := keyCommands{out: stdout, now: time.Now()}
	var command func(*apikey.Service) error
	switch {
	case words[0] == "create" && len(words) == 1:
		command = func(s *apikey.Service) error { return k.create(ctx, s, *plan, *name, *expires) }
	case words[0] == "list" && len(words) == 1:
		command = func(s *apikey.Service) error { return k.list(ctx, s) }
	case words[0] == "revoke" && len(words) == 2:
		command = func(s *apikey.Service) error { return k.revoke(ctx, s, words[1]) }
	case words[0] == "revoke":
		return usageError(stderr, errors.New("keys revoke needs one key's id; server keys list shows them"))
	default:
		return usageError(stderr, fmt.Errorf("unknown command %q after keys; there are create, list and revoke", strings.Join(words, " ")))
	}
	service, err := app.OpenKeys(ctx, c.Data, slog.New(slog.NewTextHandler(stderr, nil)))
	if err == nil {
		err = errors.Join(command(service.Service), service.Close())
	}
	if err != nil {
		fmt.Fprintln(stderr, "server keys:", err)
		return 1
	}
	return 0
}

type keyCommands struct {
	out io.Writer
	now time.Time
}

func (k keyCommands) create(ctx context.Context, s *apikey.Service, plan, name string, expires time.Duration) error {
	request := apikey.Request{Name: name, Plan: plan}
	if expires != 0 {
		request.Expires = k.now.Add(expires)
	}
	token, key, err := s.Create(ctx, request)
	if err != nil {
		return err
	}
	fmt.Fprintf(k.out, "%s\n\nKey %s of %s, plan %s. It is shown this once; send it in the header X-API-Key.\n", token, key.ID, key.Name, key.Plan)
	return nil
}

func (k keyCommands) list(ctx context.Context, s *apikey.Service) error {
	list, err := s.List(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(k.out, `No keys yet. Make one: server keys create -plan professional -name "…"`)
		return nil
	}
	w := tabwriter.NewWriter(k.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tPLAN\tKEY\tSTATE\tCREATED\tLAST USED\tEXPIRES")
	for _, key := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.ID, key.Name, key.Plan, key.Masked(), key.State(k.now),
			day(key.Created, ""), day(key.LastUsed, "never"), day(key.Expires, "never"))
	}
	return w.Flush()
}

func (k keyCommands) revoke(ctx context.Context, s *apikey.Service, id string) error {
	key, err := s.Revoke(ctx, id)
	if errors.Is(err, apikey.ErrNotFound) {
		return fmt.Errorf("there is no key %q; server keys list shows them", id)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(k.out, "Key %s (%s) is revoked.\n", key.ID, key.Name)
	return nil
}

func day(t time.Time, zero string) string {
	if t.IsZero() {
		return zero
	}
	return t.Format("2006-01-02 15:04")
}
