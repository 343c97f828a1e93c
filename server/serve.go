package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"freelancer-matching/access/account"
	"freelancer-matching/access/apikey"
	"freelancer-matching/access/audit"
	"freelancer-matching/engine"
	"freelancer-matching/internal/config"
	"freelancer-matching/server/app"
)

// The limits of a connection. A request's own deadline is config.RequestTimeout.
const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 30 * time.Second // for a whole request to arrive
	idleTimeout   = 2 * time.Minute
	writeMargin   = 20 * time.Second // for a slow client to read an answer, on top of RequestTimeout; streams set their own
	maxHeader     = 32 << 10         // bytes
)

// serve runs the service until ctx ends, then lets the requests under way finish.
func serve(ctx context.Context, c config.Config, log *slog.Logger, stdout io.Writer) (err error) {
	// Listening comes first, so that a busy address is told at once.
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("address %s is in use; name another one with -addr, or let -addr 127.0.0.1:0 pick one", c.Addr)
	}
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.Addr, err)
	}
	defer listener.Close()
	if c.Demo {
		if c.Data, err = os.MkdirTemp("", "matching-demo-"); err != nil {
			return fmt.Errorf("make a folder for the demo: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Data)) }()
	}
	if c.PublicURL == "" {
		c.Addr = listener.Addr().String() // with the port that was picked
	}
	server, err := app.Open(ctx, c, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()

	if c.Demo {
		if err := greetDemo(ctx, server, listener.Addr(), stdout); err != nil {
			return err
		}
	}
	httpServer := &http.Server{
		Handler:           server.Handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      bodyTimeout + c.RequestTimeout + writeMargin,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 2)
	if c.MetricsAddr != "" {
		stop, err := serveMetrics(ctx, c.MetricsAddr, server.Metrics.Handler(), failed)
		if err != nil {
			return err
		}
		defer stop()
	}
	go func() { failed <- httpServer.Serve(listener) }()
	greet(ctx, server, c, listener.Addr(), log, stdout)
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	log.Info("stopping", "timeout", c.ShutdownTimeout)
	server.Drain()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownTimeout)
	defer cancel()
	if err := httpServer.Shutdown(stop); err != nil {
		return fmt.Errorf("requests were still under way after %s: %w", c.ShutdownTimeout, err)
	}
	return nil
}

// serveMetrics serves /metrics on an address of its own, until stop is called. A failure is sent to failed.
func serveMetrics(ctx context.Context, addr string, h http.Handler, failed chan<- error) (stop func(), err error) {
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s for metrics: %w", addr, err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: bodyTimeout}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("metrics: %w", err)
		}
	}()
	return func() { _ = server.Close() }, nil // scrapes under way are not waited for
}

// greet tells whoever started the server where it is and what it lacks. Its last line begins with Ready.
func greet(ctx context.Context, s *app.Server, c config.Config, addr net.Addr, log *slog.Logger, stdout io.Writer) {
	if !c.Demo {
		switch _, err := s.Live(ctx); {
		case err == nil:
		case errors.Is(err, engine.ErrNotFound):
			fmt.Fprintf(stdout, "No freelancers in %s yet. Load some; the server takes them over as it runs:\n\n"+
				"  go run ./indexer load FILE %s\n\n", s.Index.Describe(), engineFlags(c))
		case c.Elasticsearch.On():
			log.Error("no brief can be answered until Elasticsearch does; the server goes on trying", "error", err)
		default:
			log.Error("the index cannot be read, so no brief can be answered; indexer rollback goes back to the one before", "error", err)
		}
	}
	greetFirst(ctx, s, c, log, stdout)
	fmt.Fprintf(stdout, "Ready on http://%s\n", addr)
}

// greetFirst prints the link by which the first user becomes the administrator. It goes to the terminal only, never to the log.
func greetFirst(ctx context.Context, s *app.Server, c config.Config, log *slog.Logger, stdout io.Writer) {
	secret, err := s.Accounts.SetUpLink(ctx)
	switch {
	case err != nil:
		log.Error("no link to set up the dashboard", "error", err)
	case secret != "":
		fmt.Fprintf(stdout, "Nobody has signed in yet. Become the administrator and make a key (once, within a day):\n\n  %s\n\n",
			account.URL(c.Public().String(), account.SetUp, secret))
	default:
		log.Info("dashboard", "address", c.Public().String()+"/dashboard", "sign-up", c.SignUp)
	}
}

// engineFlags are the flags of the indexer for the engine of this server.
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

// greetDemo fills the demo's folder and prints a key and a request to paste.
func greetDemo(ctx context.Context, s *app.Server, addr net.Addr, stdout io.Writer) error {
	if err := s.FillDemo(ctx); err != nil {
		return fmt.Errorf("fill the demo: %w", err)
	}
	token, _, err := s.Keys.Create(ctx, audit.By{Actor: audit.System}, apikey.Request{Name: "demo", Plan: "professional"})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, `Demo: %d generated freelancers, gone when the server stops.

  Address  http://%s
  API key  %s

Paste this into another terminal:

curl -s http://%s/api/v1/match -H 'X-API-Key: %s' -H 'Content-Type: application/json' -d '{
  "description": "Online shop for a ceramics studio\nReact storefront with a Node.js backend and card payments.",
  "required_skills": ["ReactJS", "Node", "PostgreSQL"],
  "budget_range": [3000, 9000], "complexity": "medium", "timeline": 45, "limit": 3, "explain": true
}'

`, app.DemoSize, addr, token, addr, token)
	return nil
}
