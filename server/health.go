package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
)

const healthHelp = `server health asks a running server on this machine whether it answers, for container images that have no shell. It
asks /livez, which depends on nothing else: who restarts a server that does not answer must not restart one that waits
for Elasticsearch. The exit code is 0 when it answers, else 1.

Usage:
  server health [-addr HOST:PORT]

Flags:
`

// healthTimeout is how long a server may take to say that it is alive.
const healthTimeout = 3 * time.Second

// health is the command `server health`.
func health(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	c := config.Default()
	flags := commandline.NewFlags("server health")
	faults := config.Bind(&c, flags, environment, "addr")
	words, err := commandline.Parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return printHelp(stdout, healthHelp, flags)
	case err != nil:
		return usageError(stderr, err)
	case len(words) > 0:
		return usageError(stderr, fmt.Errorf("health takes no arguments, got %q", words[0]))
	}
	if err := errors.Join(faults, c.Validate()); err != nil {
		return usageError(stderr, err)
	}
	if err := askLive(ctx, c.Addr); err != nil {
		fmt.Fprintln(stderr, "server health:", err)
		return 1
	}
	fmt.Fprintln(stdout, "alive")
	return 0
}

// askLive fails unless a server at addr says that it is alive. An addr without a host, or with that of all interfaces, is
// this machine.
func askLive(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/livez", http.NoBody)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true} // and without the proxy that the environment may name
	response, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", addr, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("what answers at %s says %s, not that it is alive", addr, response.Status)
	}
	return nil
}
