package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/app"
)

// greet prints the server's address and what is still missing: data, or an administrator. Its last line starts with
// "Ready on".
func greet(ctx context.Context, s *app.Server, c config.Config, addr net.Addr, log *slog.Logger, stdout io.Writer) {
	if !c.Demo {
		switch _, err := s.Live(ctx); {
		case err == nil:
		case errors.Is(err, engine.ErrNotFound):
			fmt.Fprintf(stdout, "There are no freelancers in %s yet. Load some; the server does not need a restart:\n\n"+
				"  go run ./indexer load FILE %s\n\n", s.Index.Describe(), engineFlags(c))
		case c.Elasticsearch.On() && !engine.Unusable(err):
			log.Error("Elasticsearch is unreachable; matching fails until it responds", "error", err)
		default:
			log.Error("index unreadable; matching fails until it is repaired", "hint", engine.Remedy(err), "error", err)
		}
	}
	greetAdministrator(ctx, s, c, log, stdout)
	fmt.Fprintf(stdout, "Ready on %s://%s\n", c.Scheme(), addr)
}

// greetAdministrator prints the link that creates the first administrator if no account exists yet. The link is a
// secret, so it goes to the terminal only, never to the log.
func greetAdministrator(ctx context.Context, s *app.Server, c config.Config, log *slog.Logger, stdout io.Writer) {
	secret, err := s.Links.CreateSetUp(ctx)
	switch {
	case err != nil:
		log.Error("set-up link of the dashboard not created", "error", err)
	case secret != "":
		fmt.Fprintf(stdout, "The service has no administrator yet. To become the administrator and create an API key,\n"+
			"open this link within 24 hours. It works once:\n\n  %s\n\n",
			account.URL(c.Public().String(), account.SetUp, secret))
	default:
		log.Info("dashboard available", "address", c.Public().String()+"/dashboard", "sign-up", c.SignUp)
	}
}

// engineFlags returns the flags with which the indexer loads data into this server's engine.
func engineFlags(c config.Config) string {
	if !c.Elasticsearch.On() {
		return "-data " + c.Data
	}
	flags := "-elasticsearch-url " + strings.Join(c.Elasticsearch.URLs, ",")
	if c.Elasticsearch.Prefix != "" {
		flags += " -elasticsearch-prefix " + c.Elasticsearch.Prefix
	}
	return flags
}

// greetDemo loads the generated freelancers, creates a key, and prints it with a request to try.
func greetDemo(ctx context.Context, s *app.Server, c config.Config, addr net.Addr, stdout io.Writer) error {
	if err := s.FillDemo(ctx); err != nil {
		return fmt.Errorf("load the demo's freelancers: %w", err)
	}

	request := apikey.Request{Name: "demo", Plan: "professional"}
	token, _, err := s.Keys.Create(ctx, audit.By{Actor: audit.System}, request)
	if err != nil {
		return err
	}

	// The address comes from the listener, because port 0 picks a free one.
	address := c.Scheme() + "://" + addr.String()
	fmt.Fprintf(stdout, `Demo with %d generated freelancers. All data is deleted when the server stops.

  Address  %s
  API key  %s

Try this in another terminal:

curl -s %s/api/v1/match -H 'X-API-Key: %s' -H 'Content-Type: application/json' -d '{
  "description": "Online shop for a ceramics studio\nReact storefront with a Node.js backend and card payments.",
  "required_skills": ["ReactJS", "Node", "PostgreSQL"],
  "budget_range": [3000, 9000], "complexity": "medium", "timeline": 45, "limit": 3, "explain": true
}'

`, app.DemoSize, address, token, address, token)

	return nil
}
